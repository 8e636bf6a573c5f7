package loop

import "math"

// priorWeight is how many hold-out requests the model's own estimate counts for.
const priorWeight = 20.0

// Needless estimates, for the requests of a crowd, the probability that one would
// have been within T at the top level, so that downgrading it was needless, and
// the standard error of that estimate.
//
// The model says Φ((ln T - ln p̂_top)/σ) with p̂_top the predicted RT at the top
// level and today's utilisation, σ² = ln(1+CV²). The hold-out, a small share of
// downgraded requests that run at the top, corrects it: both are weighed as
// samples of one proportion.
func (s *State) Needless(crowd int, set Settings) (p, stderr float64) {
	c := &s.Crowds[crowd]
	prior := 0.5
	if s.Fit.updates > 0 && c.Mean > 0 {
		slope, _ := s.Fit.slope()
		lnTop := math.Log(c.Mean) + slope*(math.Log(set.MaxWork)-math.Log(c.Work))
		sd := math.Sqrt(math.Log1p(c.CV * c.CV))
		// The mean of a log-normal is above its median by half its variance.
		z := (math.Log(set.AvailableRT) - lnTop + sd*sd/2) / max(sd, residualFloor)
		prior = 0.5 * math.Erfc(-z/math.Sqrt2)
	}
	n := priorWeight + c.heldOut
	p = (priorWeight*prior + c.good) / n
	return p, math.Sqrt(p * (1 - p) / n)
}
