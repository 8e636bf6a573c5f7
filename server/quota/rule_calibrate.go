package quota

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Reading is one interval of what a group consumed and how busy its machines were.
type Reading struct {
	At       time.Time
	Consumed float64 // candidates a second
	CPU      float64 // mean share of the machines' cores, 0..1
	Machines int
	Build    string // of the machines; several joined
}

// Calibration suggests a budget.
type Calibration struct {
	OK       bool
	Reason   string // why there is no suggestion, or what is doubtful
	Readings int    // used, of the newest machines and build

	Idle   float64 // CPU without any ranking
	Slope  float64 // CPU for one candidate a second
	R2     float64
	Sigma  float64 // standard error of one reading's CPU
	Total  float64 // suggested total_quota, candidates a window
	Margin float64 // ± of Total: two standard errors of the fit at the watermark

	Stale  bool // machines or build changed since the readings, or they are old
	Newest time.Time
}

const (
	calibrateMin    = 20             // readings
	calibrateSpread = 0.2            // of consumption: (max-min)/max
	calibrateAge    = 24 * time.Hour // of the newest reading
)

// Calibrate fits CPU = idle + slope·consumed by least squares over the readings
// of the newest number of machines and build, and reads the budget off at the
// watermark. now and the present machines decide staleness.
func Calibrate(s *Settings, readings []Reading, now time.Time, machines int, build string) Calibration {
	var c Calibration
	var xs, ys []float64
	if len(readings) == 0 {
		c.Reason = "no readings yet"
		return c
	}
	newest := slices.MaxFunc(readings, func(a, b Reading) int { return a.At.Compare(b.At) })
	c.Newest = newest.At
	for _, r := range readings {
		if r.Machines == newest.Machines && r.Build == newest.Build && finite(r.Consumed) && r.Consumed >= 0 && r.CPU >= 0 && r.CPU <= 1 {
			xs, ys = append(xs, r.Consumed), append(ys, r.CPU)
		}
	}
	c.Readings = len(xs)
	switch {
	case machines > 0 && machines != newest.Machines:
		c.Stale, c.Reason = true, fmt.Sprintf("the group had %d machines then and has %d now", newest.Machines, machines)
	case build != "" && build != newest.Build:
		c.Stale, c.Reason = true, "the machines run another build now"
	case now.Sub(newest.At) > calibrateAge:
		c.Stale, c.Reason = true, fmt.Sprintf("the newest reading is %s old", now.Sub(newest.At).Round(time.Minute))
	}
	if len(xs) < calibrateMin {
		c.Reason = fmt.Sprintf("%d readings of %d needed", len(xs), calibrateMin)
		return c
	}
	lo, hi := slices.Min(xs), slices.Max(xs)
	if hi <= 0 || (hi-lo)/hi < calibrateSpread {
		c.Reason = fmt.Sprintf("consumption varied by %.0f %% only, %.0f %% needed", 100*(hi-lo)/max(hi, 1), 100*calibrateSpread)
		return c
	}
	n := float64(len(xs))
	mx, my := mean(xs), mean(ys)
	var sxx, sxy, syy float64
	for i := range xs {
		sxx += (xs[i] - mx) * (xs[i] - mx)
		sxy += (xs[i] - mx) * (ys[i] - my)
		syy += (ys[i] - my) * (ys[i] - my)
	}
	c.Slope = sxy / sxx
	c.Idle = my - c.Slope*mx
	rest := max(syy-c.Slope*sxy, 0)
	c.Sigma = math.Sqrt(rest / (n - 2))
	if syy > 0 {
		c.R2 = 1 - rest/syy
	}
	if c.Slope <= 0 || s.Watermark <= c.Idle {
		c.Reason = "CPU does not rise with what is consumed"
		return c
	}
	x := (s.Watermark - c.Idle) / c.Slope
	// The line's own error at x, carried over to the axis of consumption.
	err := c.Sigma * math.Sqrt(1/n+(x-mx)*(x-mx)/sxx) / c.Slope
	c.Total, c.Margin = x*s.Window.Seconds(), 2*err*s.Window.Seconds()
	c.OK = !c.Stale && finite(c.Total)
	if c.OK && x > 1.5*hi {
		c.Reason = fmt.Sprintf("the watermark lies %.1f times above anything measured", x/hi)
	}
	return c
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}
