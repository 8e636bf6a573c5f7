package lab

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
)

// WriteCSV writes everything measured: scenario, policy, seed, metric, value.
func (r *Results) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write([]string{"scenario", "policy", "seed", "metric", "value"}); err != nil {
		return err
	}
	for _, row := range r.Rows() {
		if err := c.Write([]string{row.Scenario, row.Policy, strconv.FormatUint(row.Seed, 10), row.Metric, strconv.FormatFloat(row.Value, 'g', 8, 64)}); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// Table is one scenario's means with 95 % intervals over seeds, a policy a row.
type Table struct {
	Scenario Scenario
	About    string
	Metrics  []string
	Rows     []TableRow
}

// TableRow is one policy's line.
type TableRow struct {
	Policy string
	Cells  []Cell
}

// Cell is one figure; OK is false where the metric does not apply.
type Cell struct {
	Interval
	OK bool
}

// Tables gives a table for each scenario, with the metrics that apply to any of
// its policies.
func (r *Results) Tables() []Table {
	var out []Table
	for i, s := range r.Scenarios {
		t := Table{Scenario: s, About: r.plans[i].Describe()}
		for _, m := range Metrics() {
			for _, p := range r.Policies {
				if _, ok := r.Series(i, p, m); ok {
					t.Metrics = append(t.Metrics, m)
					break
				}
			}
		}
		for _, p := range r.Policies {
			row := TableRow{Policy: p}
			for _, m := range t.Metrics {
				v, ok := r.Series(i, p, m)
				row.Cells = append(row.Cells, Cell{Of(v), ok})
			}
			t.Rows = append(t.Rows, row)
		}
		out = append(out, t)
	}
	return out
}

// Text is a cell as tables show it: four digits, and the interval beside them.
func (c Cell) Text() string {
	switch {
	case !c.OK:
		return "-"
	case c.N < 2:
		return digits(c.Mean)
	default:
		return digits(c.Mean) + " ±" + digits(c.Half)
	}
}

func digits(v float64) string {
	switch a := max(v, -v); {
	case a >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	default:
		return strconv.FormatFloat(v, 'f', 4, 64)
	}
}

// WriteText prints the tables, a metric a line and a policy a column.
func (r *Results) WriteText(w io.Writer) error {
	for _, t := range r.Tables() {
		if _, err := fmt.Fprintf(w, "%s: %s\n%s\nseeds %d, mean ±95 %% interval\n", t.Scenario.Name, t.Scenario.About, t.About, r.Seeds); err != nil {
			return err
		}
		tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
		line := "metric\t"
		for _, row := range t.Rows {
			line += row.Policy + "\t"
		}
		fmt.Fprintln(tw, line)
		for k, m := range t.Metrics {
			line := m + "\t"
			for _, row := range t.Rows {
				line += row.Cells[k].Text() + "\t"
			}
			fmt.Fprintln(tw, line)
		}
		if err := tw.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	return nil
}

func short3(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }
