package quota

import (
	"math"
	"time"
)

// Terms are the parts of one step, as the console shows them. In the log law they
// are changes of ln B, in the linear law changes of B.
type Terms struct {
	P, I, D     float64
	FeedForward float64
	Frozen      bool // the trim rests: the window still holds what came before a jump
	Bound       int  // -1 at q_min, 1 at q_max, else 0
}

// Sample is what the window says at a tick.
type Sample struct {
	Now      time.Time
	Sum      float64 // candidates over the window
	Requests float64 // requests over the window
	Fast     float64 // requests over the last FastSpan
	Slow     float64 // requests over the last half window

	// FastSum and SlowSum are the candidates that belong to Fast and Slow.
	FastSum, SlowSum float64
}

// NewSample makes a sample of what a window says.
func NewSample(now time.Time, s Sums) Sample {
	return Sample{
		Now: now, Sum: s.Window.Consumed, Requests: s.Window.Requests,
		Fast: s.Fast.Requests, Slow: s.Half.Requests, FastSum: s.Fast.Consumed, SlowSum: s.Half.Consumed,
	}
}

func (x *Sample) sane() bool {
	for _, v := range []float64{x.Sum, x.Requests, x.Fast, x.Slow, x.FastSum, x.SlowSum} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// FastSpan is over which the feed-forward sees arrivals rise.
const FastSpan = 100 * time.Millisecond

const (
	// errorClip bounds one tick's error: further away, more speed only overshoots.
	errorClip = 1
	// derivativeFilter is the share of a new difference in the filtered one.
	derivativeFilter = 0.25
)

// PID is the state of one group's controller. The zero value begins anew.
type PID struct {
	begun bool
	lnB   float64
	base  float64

	at          time.Time
	e, de, dd   float64 // last error, its difference, filtered second difference
	seen        int     // errors seen since the trim began
	frozenTill  time.Time
	arrivals    float64 // requests a second that B is trimmed for; 0 unknown
	believeSlow time.Time
	risen       span // what came since the last rise was believed
	noise       noise
	yield       float64 // candidates a request for a base of 1; 0 unknown
	anchor      float64 // the base that stands
	anchored    time.Time
	integral    float64 // of the linear law
}

// Begin starts at a base quota. The trim rests until the window holds only what
// that base led to.
func (p *PID) Begin(s *Settings, base float64, now time.Time) {
	if !(base > 0) || math.IsInf(base, 0) {
		base = s.Default
	}
	*p = PID{begun: true, at: now}
	p.lnB = s.clampLn(math.Log(base))
	p.base = s.fromLn(p.lnB)
	p.integral = p.base/s.Default - 1
	p.frozenTill = now.Add(s.Window + s.Delay)
	p.believeSlow = now.Add(s.Window/2 + s.Delay)
}

// Base is the base quota decided last.
func (p *PID) Base() float64 { return p.base }

// Step decides the base quota. INVARIANT: it is a number within the limits,
// whatever the sample holds.
func (p *PID) Step(s *Settings, x Sample) (base float64, t Terms) {
	if !p.begun {
		p.Begin(s, s.Default, x.Now)
	}
	dt := x.Now.Sub(p.at).Seconds()
	p.at = x.Now
	if dt <= 0 || !x.sane() {
		p.lnB = s.clampLn(p.lnB) // limits may have changed
		p.base = s.fromLn(p.lnB)
		return p.base, t
	}
	dt = min(dt, 2*Tick.Seconds()) // a tick that came late is no reason to leap
	if s.Law == LawLinear {
		return p.linear(s, x, dt)
	}
	if s.FeedForward {
		t.FeedForward = -p.disturbed(s, x)
		if math.Abs(t.FeedForward) > freezeAbove {
			// Twice the delay: it is an estimate, and the stain must be gone.
			p.frozenTill = x.Now.Add(s.Window + 2*s.Delay)
		}
	}
	t.Frozen = x.Now.Before(p.frozenTill)
	if t.Frozen {
		p.seen = 0
	} else {
		p.trim(s, Error(s.Total, x.Sum), dt, &t)
		p.absorb(s, x, dt)
	}
	// Clamping ln B itself is the conditional integration of the velocity form:
	// there is no sum beside it that could wind up.
	want := p.lnB + t.P + t.I + t.D + t.FeedForward
	p.lnB = s.clampLn(want)
	t.Bound = boundOf(want, p.lnB)
	p.base = s.fromLn(p.lnB)
	return p.base, t
}

// Error is how far the sum is from the budget: above 0 there is room.
func Error(total, sum float64) float64 {
	if !(sum > 0) || !(total > 0) {
		return errorClip
	}
	return min(max(math.Log(total/sum), -errorClip), errorClip)
}

// absorb lets the arrivals that B is trimmed for follow what the trim has answered
// by then. Otherwise a small difference that a surge left behind waits until noise
// takes it over the limit, and B jumps by 4 % while nothing happens.
func (p *PID) absorb(s *Settings, x Sample, dt float64) {
	if p.arrivals > 0 && x.Slow > 0 && !x.Now.Before(p.believeSlow) {
		p.arrivals += min(s.Integral()*dt, 1) * (x.Slow/(s.Window/2).Seconds() - p.arrivals)
	}
}

// trim adds the PID's terms. Differences need as many errors as they span: after
// a rest the first are 0.
func (p *PID) trim(s *Settings, e, dt float64, t *Terms) {
	t.I = s.Integral() * dt * e
	de := 0.0
	if p.seen > 0 {
		de = e - p.e
		t.P = s.Kp * de
	}
	if p.seen > 1 {
		p.dd += derivativeFilter * (de - p.de - p.dd)
		t.D = s.Kd * p.dd / dt
	} else {
		p.dd = 0
	}
	p.e, p.de = e, de
	p.seen = min(p.seen+1, 2)
}

// linear is the seed's form, positional, with the gains in units of Default. It
// integrates only while the output is free.
func (p *PID) linear(s *Settings, x Sample, dt float64) (float64, Terms) {
	var t Terms
	e := max(1-x.Sum/s.Total, -1e3)
	de := 0.0
	if p.seen > 0 {
		de = e - p.e
	}
	p.dd += derivativeFilter * (de - p.dd)
	p.e, p.seen = e, 1
	t.I = s.Default * s.Integral() * dt * e
	t.P = s.Default * s.Kp * e
	t.D = s.Default * s.Kd * p.dd / dt
	integral := p.integral + s.Integral()*dt*e
	want := s.Default*(1+integral) + t.P + t.D
	base := min(max(want, s.Min), s.Max)
	if base == want || (want > s.Max) != (e > 0) {
		p.integral = integral
	}
	t.Bound = boundOf(want, base)
	p.base, p.lnB = base, math.Log(base)
	return base, t
}

func boundOf(want, got float64) int {
	switch {
	case want < got:
		return -1
	case want > got:
		return 1
	}
	return 0
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
