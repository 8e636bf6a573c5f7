package loop

import (
	"fmt"
	"math"
	"time"
)

// Constants of the step law. Each has its reason; the lab's scenarios are what
// they were tried on.
const (
	maxExtend = 3    // intervals a window is extended for more samples before neighbours are pooled
	precision = 0.05 // a mean is trusted when its 95 % interval is within this
	maxMargin = 0.10 // a margin above this would cost more work than the overshoot it prevents
	minMargin = 0.02 // is kept however many samples there are and however calm the machine is
	// farUp: an upward step takes more of its error the further it is beyond this
	// many bands. Far below T there is nothing to overshoot; with η_up alone a
	// setpoint raised by half took eight intervals in the lab, now five.
	farUp = 2
	// patience: after so many upward steps in a row and one more, each takes more
	// of its error than the one before, up to η_down. A load that falls for minutes
	// stayed ahead of η_up alone: at 1.3 of the lab's nominal load 15 % of true
	// means were under 0.9 T, now 4 %. With 3, or with an η_up of 0.5, a signal that
	// is two intervals old swings for minutes; with 4 it settles as without.
	patience = 4
	aimdDown = 0.8  // factor on work while ε is unknown …
	aimdUp   = 0.02 // … and what is added
)

// Step is the crowd loop's rule: once an interval, it turns what was measured into
// the work of every crowd.
//
// For each crowd, with mean RT over n samples of variation CV, margin
// m = z·CV/√n, band h and setpoint T:
//
//	hold inside [T(1-m-h), T(1-m)], else
//	ln g += clip(η·ln(T(1-m-h/2)/mean)/ε, -ln MaxDown, +ln MaxUp)
//	ε     = c + S·ρ/(1-ρ)
//
// c is the fitted dlnRT/dln work of the crowd alone. Crowds that step together
// also change the machine's utilisation ρ, which every one of them feels: S is
// the share of the point's time spent in crowds about to move the same way. With
// S = 1 and c = 1 this is 1/(1-ρ); with c alone, ρ = 0.9 cycles.
func Step(s State, in *Sample, set Settings) State {
	drift := s.absorb(in, set)
	if set.Pinned {
		return s.pin(set)
	}
	s.recrowd(set)
	s.breathe(in)
	s.gather(in, set)
	s.warm()

	var plan [MaxCrowds]move
	var windows [MaxCrowds]BinSample // as they were: judging one crowd clears its own
	for k := range s.Count {
		windows[k] = s.Crowds[k].window
	}
	var total, down, up float64
	for k := range s.Count {
		t := windows[k].Sum
		plan[k] = s.judge(k, &windows, set)
		total += t
		switch {
		case plan[k].err > 0:
			down += t
		case plan[k].err < 0:
			up += t
		}
	}
	for k := range s.Count {
		s.move(k, plan[k], down/max(total, 1), up/max(total, 1), set)
	}
	s.order(set)
	if drift {
		for k := range s.Count {
			s.Crowds[k].Reason += "; drift: RT no longer follows the fit, learning again"
		}
	}
	return s
}

// absorb teaches the fit and remembers where the traffic is.
func (s *State) absorb(in *Sample, set Settings) (drift bool) {
	u := utilTerm(in.Utilisation)
	var obs [Bins]observation
	n := 0
	for b := range in.Bins {
		x := in.Bins[b]
		s.weight[b] *= set.Forget
		if !x.good() {
			continue
		}
		s.weight[b] += float64(x.N)
		if b == 0 {
			continue
		}
		g := s.Crowds[s.Assign[b]].Work
		obs[n] = observation{math.Log(binLoad(b)), math.Log(g), math.Log(x.mean()), min(float64(x.N), binWeight)}
		n++
	}
	s.u = u
	return s.Fit.learn(obs[:n], u, set.Forget)
}

// gather adds the bins to the windows of their crowds.
func (s *State) gather(in *Sample, set Settings) {
	for k := range s.Count {
		s.Crowds[k].good *= set.Forget
		s.Crowds[k].heldOut *= set.Forget
	}
	for b := range in.Bins {
		c := &s.Crowds[s.Assign[b]]
		if in.Bins[b].good() {
			c.window.add(in.Bins[b])
		}
		if in.HeldOut[b].good() {
			c.heldOut += float64(in.HeldOut[b].N)
			c.good += float64(in.HeldOutGood[b])
		}
	}
}

// warm gives a crowd that has never been sampled the work of its heavier
// neighbour: less than it may deserve, never more than it can bear.
func (s *State) warm() {
	for k := s.Count - 1; k >= 0; k-- {
		c := &s.Crowds[k]
		c.Warm = c.Warm || c.window.N > 0
		if !c.Warm && k < s.Count-1 {
			c.Work, c.Reason = s.Crowds[k+1].Work, "cold: the heavier crowd's level"
		}
	}
}

// move is what a crowd should do: err is ln(mean/goal), positive when too slow.
type move struct {
	act    bool
	err    float64
	reason string
}

// judge decides from a crowd's window, pooled with its neighbours' where it is too
// small, whether it must move.
func (s *State) judge(k int, windows *[MaxCrowds]BinSample, set Settings) move {
	c := &s.Crowds[k]
	w := windows[k]
	if w.N == 0 {
		c.N = 0
		return move{reason: "no requests"}
	}
	if short(&w, set.AvailableRT) {
		if c.waited < maxExtend {
			c.waited++
			return move{reason: fmt.Sprintf("%d samples are too few for ±5 %%, extending the window", w.N)}
		}
		if k > 0 {
			w.add(windows[k-1])
		}
		if k < s.Count-1 {
			w.add(windows[k+1])
		}
		if w.N < set.MinSamples {
			return move{reason: fmt.Sprintf("%d samples with its neighbours', holding", w.N)}
		}
	}
	mean, cv := w.mean(), w.cv()
	c.Mean, c.CV, c.N = mean, cv, w.N
	m := min(max(set.Confidence*math.Sqrt(cv*cv/float64(w.N)+2*s.Breath), minMargin), maxMargin)
	c.window, c.waited = BinSample{}, 0 // judged: the next decision looks at new requests
	// The goal is the middle of the band: a crowd brought to its edge leaves it
	// again with the next breath of the load.
	goal := set.AvailableRT * (1 - m - set.Band/2)
	if mean >= set.AvailableRT*(1-m-set.Band) && mean <= set.AvailableRT*(1-m) {
		return move{reason: fmt.Sprintf("mean %s within %s, n=%d", ms(mean), ms(set.AvailableRT), w.N)}
	}
	return move{act: true, err: math.Log(mean / goal), reason: fmt.Sprintf("mean %s against %s, n=%d", ms(mean), ms(set.AvailableRT), w.N)}
}

// short reports that the 95 % interval of the mean is wider than the precision:
// n < (1.96·CV/0.05)², about (39·CV)². What is far from T is known well enough
// when half of the distance is outside of the interval: 40 requests at twice T
// need no fourth interval to be believed.
func short(w *BinSample, t float64) bool {
	need := 1.96 * w.cv() / max(precision, math.Abs(math.Log(w.mean()/t))/2)
	return float64(w.N) < need*need
}

// move applies the step law to one crowd.
func (s *State) move(k int, mv move, down, up float64, set Settings) {
	c := &s.Crowds[k]
	if mv.reason != "" && c.Warm {
		c.Reason = mv.reason
	}
	rises := c.rises
	c.rises = 0
	if !mv.act {
		s.clamp(c, set)
		return
	}
	share, eta := down, set.EtaDown
	if mv.err < 0 {
		c.rises = rises + 1
		more := max(1, -mv.err/(farUp*max(set.Band, 0.01)), float64(c.rises-patience))
		share, eta = up, min(set.EtaUp*more, max(set.EtaUp, set.EtaDown))
	}
	before := c.Work
	if slope, known := s.Fit.slope(); known {
		rho := 1 - math.Exp(-s.u)
		eps := slope + share*rho/(1-rho)
		c.Work *= math.Exp(min(max(-eta*mv.err/eps, -math.Log(set.MaxDown)), math.Log(set.MaxUp)))
	} else if mv.err > 0 {
		c.Work *= aimdDown
	} else {
		c.Work += aimdUp
	}
	s.clamp(c, set)
	if c.Work != before {
		c.Reason = fmt.Sprintf("%s: work %.3f to %.3f", mv.reason, before, c.Work)
	}
}

// clamp keeps work within the order and says when that is what holds it. There is
// no integrator to wind up: work itself is the only memory of the law.
func (s *State) clamp(c *Crowd, set Settings) {
	c.Bound = Free
	switch {
	case c.Work >= set.MaxWork:
		c.Work = set.MaxWork
		if c.Mean <= set.AvailableRT {
			c.Bound = Top
		}
	case c.Work <= set.MinWork:
		c.Work = set.MinWork
		if c.Mean > set.AvailableRT {
			c.Bound = Unreachable
		}
	}
}

// order makes sure that work never rises with predicted RT. A lighter crowd that
// is not what is slow, or has no requests to say so, goes up to its heavier
// neighbour: nobody's work is held down by a crowd without requests.
func (s *State) order(set Settings) {
	for k := s.Count - 2; k >= 0; k-- {
		c, heavier := &s.Crowds[k], s.Crowds[k+1].Work
		if c.Work < heavier && (c.waited > 0 || c.N == 0 || c.Mean*heavier/c.Work <= set.AvailableRT) {
			c.Work = heavier
			s.clamp(c, set)
		}
	}
	for k := 1; k < s.Count; k++ {
		if c := &s.Crowds[k]; c.Work > s.Crowds[k-1].Work {
			c.Work = s.Crowds[k-1].Work
			c.window, c.waited = BinSample{}, 0
			s.clamp(c, set)
		}
	}
}

// pin holds every crowd where a claim put it; learning goes on.
func (s State) pin(set Settings) State {
	for k := range s.Count {
		c := &s.Crowds[k]
		c.Work, c.Bound, c.Reason = set.Start, Free, "pinned by a claim"
		c.window, c.waited = BinSample{}, 0
	}
	return s
}

func ms(us float64) string {
	return (time.Duration(us) * time.Microsecond).Round(10 * time.Microsecond).String()
}
