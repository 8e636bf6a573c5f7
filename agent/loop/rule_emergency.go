package loop

import (
	"fmt"
	"math"
)

const (
	emergencySamples = 10 // of a crowd in one window; fewer say nothing in two seconds
	emergencyWindows = 2  // in a row
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
	slope, known := s.Fit.slope()
	rho := 1 - math.Exp(-utilTerm(in.Utilisation))
	for k := range s.Count {
		c, w := &s.Crowds[k], &win[k]
		if w.N < emergencySamples {
			continue
		}
		if w.mean() <= set.EmergencyRatio*set.AvailableRT {
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
