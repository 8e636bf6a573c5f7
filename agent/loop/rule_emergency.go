package loop

import (
	"fmt"
	"math"
)

const (
	// emergencySamples of a crowd in one window are believed; one with fewer looks
	// at its neighbours as well. A machine with 40 requests a second has five of a
	// crowd in two seconds: without neighbours the rule never fired in a surge.
	emergencySamples = 10
	emergencyWindows = 2   // in a row
	emergencyBreaths = 2   // standard deviations of a window's own movement that are no emergency …
	emergencySlack   = 0.3 // … up to this much of T
)

// Emergency looks at one short window. A crowd over EmergencyRatio·T in two of
// them in a row steps down at once, by the step law at full gain; it never steps
// up. moved tells whether levels changed.
func Emergency(s State, in *Sample, set Settings) (next State, moved bool) {
	if set.Pinned {
		return s, false
	}
	var win [MaxCrowds]BinSample
	for b := range in.Bins {
		if in.Bins[b].good() {
			win[s.Assign[b]].add(in.Bins[b])
		}
	}
	// A short window breathes more than an interval does. Without this, 3 to 5 % of
	// work went up and down at 80 % utilisation in the lab, though nothing happened.
	ratio := set.EmergencyRatio + emergencyBreaths*math.Sqrt(s.Breath*max(set.Interval.Seconds()/set.EmergencyWindow.Seconds(), 1))
	ratio = min(ratio, set.EmergencyRatio+emergencySlack)
	slope, known := s.Fit.slope()
	rho := 1 - math.Exp(-utilTerm(in.Utilisation))
	for k := range s.Count {
		c := &s.Crowds[k]
		w := around(&win, k, s.Count)
		if w.N < emergencySamples {
			continue
		}
		if w.mean() <= ratio*set.AvailableRT {
			c.alarms = 0
			continue
		}
		if c.alarms++; c.alarms < emergencyWindows {
			continue
		}
		c.alarms = 0
		before := c.Work
		step := math.Log(aimdDown)
		if known {
			step = -math.Log(w.mean()/set.AvailableRT) / (slope + rho/(1-rho))
		}
		c.Work *= math.Exp(max(step, -math.Log(set.MaxDown)))
		c.Mean = w.mean()
		s.clamp(c, set)
		if c.Work < before {
			moved = true
			c.window, c.waited = BinSample{}, 0
			c.Reason = fmt.Sprintf("emergency: mean %s over %s for two windows: work %.3f to %.3f", ms(w.mean()), ms(set.AvailableRT), before, c.Work)
		}
	}
	s.order(set)
	return s, moved
}

// around is a crowd's window, widened by its neighbours on both sides until there
// is enough to believe.
func around(win *[MaxCrowds]BinSample, k, count int) BinSample {
	w := win[k]
	for d := 1; w.N < emergencySamples && d < count; d++ {
		if k-d >= 0 {
			w.add(win[k-d])
		}
		if k+d < count {
			w.add(win[k+d])
		}
	}
	return w
}
