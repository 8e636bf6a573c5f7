package lab

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

//go:embed night.html
var nightText string

var nightPage = template.Must(template.New("night").Funcs(template.FuncMap{"plot": plotNight}).Parse(nightText))

// nightRow is a night's line of a table.
type nightRow struct {
	Name  string
	Cells []Cell
}

func (r *NightResults) rows() []nightRow {
	var out []nightRow
	for i := range r.Nights {
		row := nightRow{Name: r.Nights[i].Name}
		for _, m := range NightMetrics() {
			row.Cells = append(row.Cells, Cell{Of(r.Nights[i].By[m]), true})
		}
		out = append(out, row)
	}
	return out
}

// describe tells what comes, in a sentence.
func (r *NightResults) describe() string {
	return fmt.Sprintf("The conversation trace at %g times the nominal load, %g times from midnight on, falling by half every %s.",
		eveningLoad, PeakOfNight, time.Duration(0.693*float64(peakFalls)).Round(time.Second))
}

// WriteHTML writes a page that needs nothing else: a table, and for every night
// CPU, answers, value and work on one plot.
func (r *NightResults) WriteHTML(w io.Writer, command string) error {
	return nightPage.Execute(w, struct {
		R       *NightResults
		Command string
		Load    string
		Metrics []string
		Rows    []nightRow
	}{r, command, r.describe(), NightMetrics(), r.rows()})
}

// WriteText prints the table, a metric a line and a night a column.
func (r *NightResults) WriteText(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%s\nseeds %d, mean ±95 %% interval\n", r.describe(), r.Seeds); err != nil {
		return err
	}
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	rows := r.rows()
	line := "metric\t"
	for _, x := range rows {
		line += x.Name + "\t"
	}
	fmt.Fprintln(tw, line)
	for k, m := range NightMetrics() {
		line := m + "\t"
		for _, x := range rows {
			line += x.Cells[k].Text() + "\t"
		}
		fmt.Fprintln(tw, line)
	}
	return tw.Flush()
}

// WriteMarkdown writes the table and what follows from it.
func (r *NightResults) WriteMarkdown(w io.Writer, command string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Midnight in the lab\n\nMade by `%s`. Do not edit: run it again.\n\n%s %d seeds, ± is a 95 %% interval, differences are paired by seed. "+
		"The plan's gears were found as the best static ones on paper for the peak (`night.go`), and what the plan holds is pinned on both laws that regulate by themselves.\n\n| night |", command, r.describe(), r.Seeds)
	for _, m := range NightMetrics() {
		fmt.Fprintf(&b, " %s |", m)
	}
	fmt.Fprintf(&b, "\n|---|%s\n", strings.Repeat("---:|", len(NightMetrics())))
	for _, x := range r.rows() {
		fmt.Fprintf(&b, "| %s |", x.Name)
		for _, c := range x.Cells {
			fmt.Fprintf(&b, " %s |", c.Text())
		}
		b.WriteString("\n")
	}
	find := func(name, metric string) float64 {
		for i := range r.Nights {
			if r.Nights[i].Name == name {
				return Of(r.Nights[i].By[metric]).Mean
			}
		}
		return 0
	}
	b.WriteString("\nWhat it shows:\n\n")
	for _, law := range []string{"central", "crowd"} {
		early, _ := r.Saved(law+" + plan", law+" + 23:45")
		alone, _ := r.Saved(law+" + plan", law+" alone")
		fmt.Fprintf(&b, "- %s: the law alone loses %.0f %% of who comes from 0:00 to 0:03, the plan %.1f %%. Beside the gears from 23:45 on the plan is %.1f minutes of heavy degradation shorter, "+
			"and earns %+.1f %% over the forty minutes. Beside the law alone it earns %+.1f %%: a law that nobody warned earns more from those it serves, and turns the others away.\n",
			law, 100*find(law+" alone", NightPeakLost), 100*find(law+" + plan", NightPeakLost), find(law+" + 23:45", NightHeavy)-find(law+" + plan", NightHeavy), 100*early.Mean, 100*alone.Mean)
	}
	b.WriteString("\n| the plan against | value over the forty minutes, % | heavy degradation saved, min |\n|---|---:|---:|\n")
	for _, law := range []string{"central", "crowd"} {
		for _, other := range []string{law + " + 23:45", law + " alone"} {
			v, m := r.Saved(law+" + plan", other)
			fmt.Fprintf(&b, "| %s | %+.1f ±%.1f | %+.1f ±%.1f |\n", other, 100*v.Mean, 100*v.Half, m.Mean, m.Half)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteCSV writes the first seed's course of every night, a sample a line.
func (r *NightResults) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write([]string{"night", "seconds_from_midnight", "load", "qps", "rt_ms", "p99_ms", "cpu", "value", "lost", "work"}); err != nil {
		return err
	}
	f := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	for i := range r.Nights {
		x := &r.Nights[i].Course
		for k := range x.QPS {
			at := (nightBegins + time.Duration(k)*nightStep).Seconds()
			if err := c.Write([]string{r.Nights[i].Name, f(at), f(r.Load[k]), f(x.QPS[k]), f(x.RTMS[k]), f(x.P99MS[k]), f(x.CPU[k]), f(x.Value[k]), f(x.Lost[k]), f(x.Work[k])}); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}

// plotNight draws work, CPU, answers and value between two minutes from midnight.
func plotNight(r *NightResults, n NightResult, from, to int) template.HTML {
	const left, width, top, height = 34.0, 540.0, 24.0, 170.0
	begin := max(int(time.Duration(from)*time.Minute-nightBegins)/int(nightStep), 0)
	end := min(int(time.Duration(to)*time.Minute-nightBegins)/int(nightStep), len(n.Course.QPS))
	most := 1e-9
	for i := range r.Nights {
		for _, v := range r.Nights[i].Course.QPS {
			most = max(most, v)
		}
	}
	const ceiling = 2.0 // work may be twice the ordinary gears'
	x := func(minutes float64) float64 { return left + (minutes-float64(from))/float64(to-from)*width }
	y := func(v float64) float64 { return top + height - min(v, ceiling)/ceiling*height }
	var b strings.Builder
	name := template.HTMLEscapeString(n.Name)
	fmt.Fprintf(&b, `<svg viewBox="0 0 %g %g" role="img" aria-label="%s"><text class="title" x="0" y="13">%s</text>`, left+width+8, top+height+20, name, name)
	for _, v := range []float64{0, 0.5, 1, 1.5, 2} {
		fmt.Fprintf(&b, `<line x1="%g" x2="%g" y1="%.1f" y2="%.1f"/><text class="tick" x="%g" y="%.1f" text-anchor="end">%g</text>`, left, left+width, y(v), y(v), left-5, y(v)+4, v)
	}
	for m := from; m < to; m += max((to-from)/7, 1) {
		fmt.Fprintf(&b, `<text class="tick" x="%.1f" y="%g" text-anchor="middle">%s</text>`, x(float64(m)), top+height+15, Midnight.Add(time.Duration(m)*time.Minute).Format("15:04"))
	}
	if n.from != n.to {
		for _, at := range []time.Duration{n.from, n.to} {
			if m := at.Minutes(); m >= float64(from) && m <= float64(to) {
				fmt.Fprintf(&b, `<line class="mark" x1="%.1f" x2="%.1f" y1="%g" y2="%g"/>`, x(m), x(m), top, top+height)
			}
		}
	}
	draw := func(class string, v []float64, scale float64) {
		fmt.Fprintf(&b, `<path class="%s" d="`, class)
		for i := begin; i < end; i++ {
			step := "L"
			if i == begin {
				step = "M"
			}
			at := (nightBegins + time.Duration(i)*nightStep + nightStep/2).Minutes()
			fmt.Fprintf(&b, "%s%.1f %.1f", step, x(at), y(v[i]/scale))
		}
		b.WriteString(`"/>`)
	}
	draw("qps", n.Course.QPS, most)
	draw("cpu", n.Course.CPU, 1)
	draw("value", n.Course.Value, 1)
	draw("level", n.Course.Work, 1)
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // every text in it is escaped above
}
