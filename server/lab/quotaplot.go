package lab

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// The drawing of quota.svg, in pixels.
const (
	plotWidth  = 980.0
	plotLeft   = 60.0
	plotCourse = 700.0 // width of a course
	plotHeight = 150.0
	plotGap    = 46.0
	plotLine   = 20.0 // of a policy with its intervals
)

// surgeCourses are the policies whose course is drawn, each in its colour.
var surgeCourses = []struct{ policy, colour string }{
	{"none", "#6b7280"},
	{"quota", "#0b6bcb"},
	{"quota-cpu-5s", "#c62828"},
	{"gradient2", "#8e24aa"},
	{"autoscaler", "#b3541e"},
	{"crowd", "#2e7d32"},
}

// plotQuota draws the first seed of the surge second by second, and the intervals
// of the surge and of the shares.
func plotQuota(w io.Writer, surge, shares *Results) error {
	d := &quotaFigure{}
	d.top = plotGap
	d.courses(surge)
	d.intervals("A news surge: failed requests, %, over all seeds", surge.Policies, func(p string) Interval {
		v, _ := surge.Series(0, p, MetricTimeouts)
		i := Of(v)
		return Interval{Mean: 100 * i.Mean, Half: 100 * i.Half, N: i.N}
	})
	d.intervals("A news surge: value of quota beside each, paired, %", surge.Policies, func(p string) Interval {
		v, _ := surge.difference(0, "quota", p)
		return v
	})
	for i, title := range shareTitles {
		d.intervals(title+": value beside an equal split, paired, %", shares.Policies, func(p string) Interval {
			v, _ := shares.difference(i, p, "quota-equal")
			return v
		})
	}
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="sans-serif" font-size="11"><rect width="100%%" height="100%%" fill="#fff"/>%s</svg>`+"\n", plotWidth, d.top, d.String())
	return err
}

// quotaFigure is SVG that grows downwards.
type quotaFigure struct {
	strings.Builder
	top float64
}

func (d *quotaFigure) say(format string, args ...any) { fmt.Fprintf(d, format, args...) }

// courses draws what is lost, what is asked for and how busy the search node is.
func (d *quotaFigure) courses(r *Results) {
	p := r.Plan(0)
	s := &p.Scenario
	runs := make([][]perSecond, len(surgeCourses))
	for i, c := range surgeCourses {
		info, _ := FindPolicy(c.policy)
		runs[i] = p.play(info.make, 1).seconds
	}
	cores := float64(snCores*len(s.model().IDCs)*s.model().Machines) * 1e9
	panels := []struct {
		title string
		most  float64
		of    func(x perSecond) float64
	}{
		{"Requests that failed, % of each second (seed 1); shaded: load, highest 2.5 times nominal", 100, func(x perSecond) float64 { return 100 * x.bad / max(x.all, 1) }},
		{"Value earned, % of what was offered in each second", 100, func(x perSecond) float64 { return 100 * x.value / max(x.offered, 1e-9) }},
		{"Candidates that a request asks prerank for", 1000, func(x perSecond) float64 { return x.amount / max(x.visits, 1) }},
		{"Search node, % of its nominal cores busy", 100, func(x perSecond) float64 { return 100 * x.busy / cores }},
	}
	for k, panel := range panels {
		d.say(`<text x="%.0f" y="%.0f" font-weight="bold">%s</text><rect x="%.0f" y="%.0f" width="%.0f" height="%.0f" fill="none" stroke="#999"/>`,
			plotLeft, d.top-8, panel.title, plotLeft, d.top, plotCourse, plotHeight)
		n := len(runs[0])
		x := func(t float64) float64 { return plotLeft + plotCourse*t/float64(n) }
		y := func(v float64) float64 { return d.top + plotHeight*(1-min(max(v/panel.most, 0), 1)) }
		if k == 0 {
			d.say(`<polygon fill="#0001" points="%.1f,%.1f `, x(0), y(0))
			for t := range n {
				d.say("%.1f,%.1f ", x(float64(t)), y(100*s.Load(float64(t))/s.Peak))
			}
			d.say(`%.1f,%.1f"/>`, x(float64(n)), y(0))
		}
		for _, v := range []float64{0, panel.most / 2, panel.most} {
			d.say(`<text x="%.0f" y="%.1f" text-anchor="end">%g</text>`, plotLeft-6, y(v)+4, v)
		}
		for t := 0; t <= n; t += 40 {
			d.say(`<text x="%.1f" y="%.0f" text-anchor="middle">%d s</text>`, x(float64(t)), d.top+plotHeight+14, t)
		}
		for i, c := range surgeCourses {
			d.say(`<polyline fill="none" stroke="%s" stroke-width="1.5" points="`, c.colour)
			for t, at := range runs[i] {
				d.say("%.1f,%.1f ", x(float64(t)+0.5), y(panel.of(at)))
			}
			d.say(`"/>`)
			d.say(`<text x="%.0f" y="%.0f" fill="%s">%s</text>`, plotLeft+plotCourse+12, d.top+12+16*float64(i), c.colour, c.policy)
		}
		d.top += plotHeight + plotGap
	}
}

// intervals draws a mean with its interval for every policy, on a scale of its own.
func (d *quotaFigure) intervals(title string, policies []string, of func(policy string) Interval) {
	lo, hi := 0.0, 0.0
	all := make([]Interval, len(policies))
	for i, p := range policies {
		x := of(p)
		if math.IsNaN(x.Half) {
			x.Half = 0
		}
		all[i], lo, hi = x, min(lo, x.Low()), max(hi, x.High())
	}
	if hi == lo {
		hi = lo + 1
	}
	const left, width = 130.0, 560.0
	x := func(v float64) float64 { return left + width*(v-lo)/(hi-lo) }
	d.say(`<text x="%.0f" y="%.0f" font-weight="bold">%s</text>`, plotLeft, d.top-8, title)
	for i, p := range policies {
		y := d.top + plotLine*(float64(i)+0.5)
		d.say(`<text x="%.0f" y="%.1f" text-anchor="end">%s</text><path d="M%.1f %.1fH%.1f" stroke="#0b6bcb" stroke-width="2"/><circle cx="%.1f" cy="%.1f" r="3.5" fill="#0b6bcb"/><text x="%.0f" y="%.1f">%+.2f ±%.2f</text>`,
			left-8, y+4, p, x(all[i].Low()), y, x(all[i].High()), x(all[i].Mean), y, left+width+30, y+4, all[i].Mean, all[i].Half)
	}
	bottom := d.top + plotLine*float64(len(policies))
	d.say(`<path d="M%.1f %.1fV%.1f" stroke="#999"/>`, x(0), d.top, bottom)
	for _, v := range []float64{lo, 0, hi} {
		d.say(`<text x="%.1f" y="%.1f" text-anchor="middle">%.3g</text>`, x(v), bottom+13, v)
	}
	d.top = bottom + plotGap
}
