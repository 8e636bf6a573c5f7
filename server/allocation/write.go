package allocation

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// WriteCSV writes a row a target. Names that a spreadsheet would take for a
// formula get a quote in front.
func (t *Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	head := []string{"target_ms", "rt_ms", "effect", "work_core_ms", "cut_core_ms", "idle_core_ms", "effect_per_ms", "effect_per_core_s", "isolated_effect"}
	for _, p := range t.Points {
		p = Inert(p)
		head = append(head, p+" level", p+" setpoint_ms", p+" effect_per_ms", p+" effect_per_core_s")
	}
	for _, c := range t.Calls {
		head = append(head, Inert(c)+" timeout_ms")
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		line := []string{strconv.Itoa(r.Target), number(r.RT), number(r.Effect), number(r.Work), number(r.Cut), number(r.Idle), number(r.PerMS), number(r.PerCoreSecond), ""}
		if r.Isolated != nil {
			line[len(line)-1] = number(r.Isolated.Effect)
		}
		for _, p := range r.Points {
			line = append(line, strconv.Itoa(p.Level), number(p.Setpoint), number(p.PerMS), number(p.PerCoreSecond))
		}
		for _, ms := range r.Timeouts {
			line = append(line, number(ms))
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 10, 64) }

// Inert keeps a cell from being taken for a formula.
func Inert(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}

// Document is a table as JSON: stored so, and exported so.
type Document struct {
	Statistic string        `json:"statistic"`
	Quantile  float64       `json:"quantile"`
	From      int           `json:"from_ms"`
	To        int           `json:"to_ms"`
	First     int           `json:"first_ms"`
	Limit     float64       `json:"limit_ms,omitempty"`
	Points    []string      `json:"points"`
	Calls     []string      `json:"calls,omitempty"`
	Rows      []rowDocument `json:"rows"`
	Fastest   float64       `json:"fastest_ms"`
	Slowest   float64       `json:"slowest_ms"`
	Unlinked  []string      `json:"unlinked,omitempty"`
	Bounded   bool          `json:"bounded,omitempty"`
	Gap       float64       `json:"gap,omitempty"`
}

type rowDocument struct {
	Target        int               `json:"target_ms"`
	RT            float64           `json:"rt_ms"`
	Effect        float64           `json:"effect"`
	Bound         float64           `json:"bound,omitempty"`
	Work          float64           `json:"work_core_ms"`
	Cut           float64           `json:"cut_core_ms"`
	Idle          float64           `json:"idle_core_ms"`
	PerMS         float64           `json:"effect_per_ms"`
	PerCoreSecond float64           `json:"effect_per_core_s"`
	Points        []pointDocument   `json:"points"`
	Timeouts      []float64         `json:"timeouts_ms,omitempty"`
	Isolated      *isolatedDocument `json:"isolated,omitempty"`
}

type pointDocument struct {
	Level         int     `json:"level"`
	Ran           int     `json:"ran"`
	RT            float64 `json:"rt_ms"`
	Setpoint      float64 `json:"setpoint_ms"`
	Effect        float64 `json:"effect"`
	Work          float64 `json:"work_core_ms"`
	Cut           float64 `json:"cut_core_ms"`
	Idle          float64 `json:"idle_core_ms"`
	PerMS         float64 `json:"effect_per_ms"`
	PerCoreSecond float64 `json:"effect_per_core_s"`
}

type isolatedDocument struct {
	Effect float64 `json:"effect"`
	Work   float64 `json:"work_core_ms"`
	Cut    float64 `json:"cut_core_ms"`
	Idle   float64 `json:"idle_core_ms"`
	Levels []int   `json:"levels"`
}

// Document gives the table's JSON form.
func (t *Table) Document() *Document {
	d := &Document{
		Statistic: t.Statistic.String(), Quantile: t.Statistic.Q, From: t.From, To: t.To, First: t.First, Limit: t.Limit, Points: t.Points, Calls: t.Calls,
		Fastest: t.Fastest, Slowest: t.Slowest, Unlinked: t.Unlinked, Bounded: t.Bounded, Gap: t.Gap, Rows: make([]rowDocument, len(t.Rows)),
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		o := rowDocument{r.Target, r.RT, r.Effect, r.Bound, r.Work, r.Cut, r.Idle, r.PerMS, r.PerCoreSecond, make([]pointDocument, len(r.Points)), r.Timeouts, nil}
		for k, p := range r.Points {
			o.Points[k] = pointDocument(p)
		}
		if r.Isolated != nil {
			s := isolatedDocument(*r.Isolated)
			o.Isolated = &s
		}
		d.Rows[i] = o
	}
	return d
}

// Table reads the JSON form back.
func (d *Document) Table() *Table {
	t := &Table{
		Statistic: Statistic{d.Quantile}, From: d.From, To: d.To, First: d.First, Limit: d.Limit, Points: d.Points, Calls: d.Calls,
		Fastest: d.Fastest, Slowest: d.Slowest, Unlinked: d.Unlinked, Bounded: d.Bounded, Gap: d.Gap, Rows: make([]Row, len(d.Rows)),
	}
	for i := range d.Rows {
		o := &d.Rows[i]
		r := Row{o.Target, o.RT, o.Effect, o.Bound, o.Work, o.Cut, o.Idle, make([]PointRow, len(o.Points)), o.Timeouts, o.PerMS, o.PerCoreSecond, nil}
		for k, p := range o.Points {
			r.Points[k] = PointRow(p)
		}
		if o.Isolated != nil {
			s := Isolated(*o.Isolated)
			r.Isolated = &s
		}
		t.Rows[i] = r
	}
	return t
}

// WriteJSON writes the table's JSON form.
func (t *Table) WriteJSON(w io.Writer) error { return json.NewEncoder(w).Encode(t.Document()) }
