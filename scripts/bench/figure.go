package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// A figure is one line of the result, and one object of the JSON list.
type figure struct {
	Name   string   `json:"name"`
	Unit   string   `json:"unit"`
	Ours   float64  `json:"ours"`
	Base   *float64 `json:"base"`  // null where the target is absolute
	Ratio  *float64 `json:"ratio"` // median of the rounds' ratios
	Target string   `json:"target"`
	OK     bool     `json:"ok"`

	oursSpread, baseSpread [2]float64
	err                    error
}

// judge turns the samples of a task into the figure of one of its rows.
func judge(r *row, t *task) figure {
	f := figure{Name: r.name, Unit: r.unit, Target: r.target.text(r.unit), err: t.err}
	if f.err != nil {
		return f
	}
	scale := r.scale
	if scale == 0 {
		scale = 1
	}
	ours, err := column(t.oursGot, r.metric, scale)
	if err != nil {
		f.err = fmt.Errorf("%s: %w", t.ours, err)
		return f
	}
	f.Ours, f.oursSpread = median(ours), spread(ours)
	if r.without {
		f.OK = r.target.met(f.Ours, 0, 0)
		return f
	}
	metric := r.metric
	if r.baseOf != "" {
		metric = r.baseOf
	}
	base, err := column(t.baseGot, metric, scale)
	if err != nil {
		f.err = fmt.Errorf("%s: %w", t.base, err)
		return f
	}
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = ours[i] / base[i]
	}
	b, ratio := median(base), median(ratios)
	f.baseSpread = spread(base)
	f.OK = r.target.met(f.Ours, b, ratio)
	f.Base = &b
	if !math.IsNaN(ratio) && !math.IsInf(ratio, 0) {
		f.Ratio = &ratio
	}
	return f
}

func column(samples []sample, metric string, scale float64) ([]float64, error) {
	values := make([]float64, len(samples))
	for i, s := range samples {
		v, ok := s[metric]
		if !ok {
			return nil, fmt.Errorf("no metric %q", metric)
		}
		values[i] = v * scale
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("no round was run")
	}
	return values, nil
}

func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

func spread(values []float64) [2]float64 {
	return [2]float64{slices.Min(values), slices.Max(values)}
}

func (t target) text(unit string) string {
	var parts []string
	if t.ratio > 0 {
		parts = append(parts, fmt.Sprintf("≤ %.3gx", t.ratio))
	}
	if t.plus > 0 {
		parts = append(parts, fmt.Sprintf("≤ base + %g %s", t.plus, unit))
	}
	if t.most > 0 {
		parts = append(parts, fmt.Sprintf("≤ %g %s", t.most, unit))
	}
	if t.none {
		parts = append(parts, "0")
	}
	return strings.Join(parts, ", ")
}

func printTable(w io.Writer, figures []figure) error {
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "figure\tunit\tours\t(min..max)\tbase\t(min..max)\tratio\ttarget\t")
	for _, f := range figures {
		if f.err != nil {
			first, _, _ := strings.Cut(f.err.Error(), "\n")
			fmt.Fprintf(table, "%s\t%s\t\t\t\t\t\t%s\tFAILED: %s\n", f.Name, f.Unit, f.Target, first)
			continue
		}
		base, baseSpread, ratio := "-", "", "-"
		if f.Base != nil {
			base, baseSpread = short(*f.Base), between(f.baseSpread)
		}
		if f.Ratio != nil {
			ratio = fmt.Sprintf("%.2f", *f.Ratio)
		}
		verdict := "ok"
		if !f.OK {
			verdict = "MISSED"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			f.Name, f.Unit, short(f.Ours), between(f.oursSpread), base, baseSpread, ratio, f.Target, verdict)
	}
	return table.Flush()
}

func short(v float64) string { return fmt.Sprintf("%.4g", v) }

func between(s [2]float64) string { return fmt.Sprintf("(%.3g..%.3g)", s[0], s[1]) }

func writeJSON(path string, figures []figure) error {
	data, err := json.MarshalIndent(figures, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}
