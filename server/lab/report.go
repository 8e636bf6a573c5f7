package lab

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"
)

//go:embed report.html
var reportText string

var reportPage = template.Must(template.New("report").Funcs(template.FuncMap{"chart": chart}).Parse(reportText))

// reportCharts are the metrics drawn; the tables hold all of them.
var reportCharts = []string{MetricValue, MetricGapShare, MetricDepth, MetricP99, MetricTimeouts, MetricNeedless, MetricCut, MetricSettle, MetricChurn}

// WriteHTML writes a page that needs nothing else: tables, and a plot of each
// metric with its interval.
func (r *Results) WriteHTML(w io.Writer, command string) error {
	return reportPage.Execute(w, struct {
		Command string
		Seeds   int
		Tables  []Table
		Charts  []string
	}{command, r.Seeds, r.Tables(), reportCharts})
}

// chart draws one metric of a table: a bar a policy from zero, its interval as a
// line across its end.
func chart(t Table, metric string) template.HTML {
	at := -1
	for i, m := range t.Metrics {
		if m == metric {
			at = i
		}
	}
	if at < 0 {
		return ""
	}
	lo, hi := 0.0, 0.0
	for _, row := range t.Rows {
		if c := row.Cells[at]; c.OK {
			half := c.Half
			if math.IsNaN(half) {
				half = 0
			}
			lo, hi = min(lo, c.Mean-half), max(hi, c.Mean+half)
		}
	}
	if hi == lo {
		hi = lo + 1
	}
	const left, width, right, line = 96.0, 300.0, 84.0, 20.0
	x := func(v float64) float64 { return left + (v-lo)/(hi-lo)*width }
	height := line*float64(len(t.Rows)) + 26
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %g %g" role="img" aria-label="%s by policy"><text class="title" x="0" y="13">%s</text>`,
		left+width+right, height, template.HTMLEscapeString(metric), template.HTMLEscapeString(metric))
	for i, row := range t.Rows {
		y := 22 + line*float64(i)
		fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="end">%s</text>`, left-6, y+13, template.HTMLEscapeString(row.Policy))
		c := row.Cells[at]
		if !c.OK {
			continue
		}
		a, z := min(x(0), x(c.Mean)), max(x(0), x(c.Mean))
		fmt.Fprintf(&b, `<rect x="%.1f" y="%g" width="%.1f" height="%g"/>`, a, y+3, max(z-a, 0.5), line-7)
		if !math.IsNaN(c.Half) {
			fmt.Fprintf(&b, `<path d="M%.1f %gH%.1f M%.1f %gv6 M%.1f %gv6"/>`, x(c.Low()), y+9, x(c.High()), x(c.Low()), y+6, x(c.High()), y+6)
		}
		fmt.Fprintf(&b, `<text class="value" x="%.1f" y="%g">%s</text>`, max(x(c.Mean), x(min(max(c.High(), c.Mean), hi)))+6, y+13, template.HTMLEscapeString(digits(c.Mean)))
	}
	fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="20" y2="%g"/></svg>`, x(0), x(0), height-4)
	return template.HTML(b.String()) //nolint:gosec // every text in it is escaped above
}
