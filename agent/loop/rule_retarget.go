package loop

import "math"

// Retarget limits: the exponent that turns a ratio of times into one of work.
const (
	leastSlope = 0.6 // a fit that says less would cut work to nothing for a small change
	mostUp     = 2.0 // more than twice the work at once is for the loop to earn, step by step
)

// Retarget carries the crowds over to an order with another available RT, from and
// to in µs: each crowd's work moves by to/from, so that every crowd keeps its
// distance from T and none is flattened into its neighbour.
//
//	work *= (to / max(mean, ...))^(1/c)
//
// c is the fitted dlnRT/dln work of a crowd alone, 1 while it is unknown. A crowd
// that stands at the top well within its T is judged by its own mean: a lower T that
// it already meets costs it nothing.
func (s State) Retarget(from, to float64, set Settings) State {
	if !(from > 0) || !(to > 0) || math.IsInf(from, 0) || math.IsInf(to, 0) || from == to || set.Pinned {
		return s
	}
	c := 1.0
	if slope, known := s.Fit.slope(); known {
		c = min(max(slope, leastSlope), 1)
	}
	for k := range s.Count {
		x := &s.Crowds[k]
		ratio := to / from
		if x.N > 0 && x.Mean > 0 && x.Mean < from && to < from {
			ratio = min(to/x.Mean, 1)
		}
		if ratio > 1 {
			ratio = min(ratio, mostUp) // up by work itself: what is waiting in queues grows faster
		} else {
			ratio = math.Pow(ratio, 1/c)
		}
		before := x.Work
		x.Work = min(max(x.Work*ratio, set.MinWork), set.MaxWork)
		// What was measured says nothing under the new T.
		x.window, x.waited, x.alarms, x.Bound, x.N = BinSample{}, 0, 0, Free, 0
		if x.Work != before {
			x.Reason = "available RT " + ms(from) + " to " + ms(to)
		}
	}
	return s
}
