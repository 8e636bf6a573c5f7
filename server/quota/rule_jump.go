package quota

import "math"

// What the feed-forward believes.
const (
	// A jump of arrivals is believed when it is jumpSigmas of its own noise and a
	// share away. Five sigmas come by chance once in a day of ticks. The rest of a
	// rise that was believed is no surprise any more.
	jumpSigmas, restSigmas, fastShare, slowShare = 5, 3, 0.15, 0.03
	// freezeAbove is the jump, in ln units, that stains the window enough for the
	// trim to rest.
	freezeAbove = 0.2
	// yieldShare is the change of candidates a request, at a base that stood still,
	// that is answered like a jump of arrivals: other users came, with other
	// weights or fewer candidates. It needs yieldRequests to be believed.
	yieldShare, yieldRequests = 0.15, 100
	// steadyShare is how far the base may move and still count as standing.
	steadyShare = 0.05
)

// disturbed gives the change of ln(consumption) to be answered at once. While
// arrivals jump, what a request consumes says nothing: the agents' local caps cut
// it until the base follows, and answering both would answer one thing twice.
func (p *PID) disturbed(s *Settings, x Sample) float64 {
	if j := p.jump(s, x); j != 0 {
		p.anchor, p.noise.last = 0, x.Fast // what was believed is no noise
		return j
	}
	p.noise.add(x.Fast)
	return p.yielded(s, x)
}

// jump gives the change of ln(arrivals) to be answered at once, 0 for none. A
// rise is believed from FastSpan, a fall from half a window: a base quota that
// leaps up because some counts came late makes the overload itself.
func (p *PID) jump(s *Settings, x Sample) float64 {
	half := (s.Window / 2).Seconds()
	if p.arrivals <= 0 {
		if x.Slow > 0 && !x.Now.Before(p.believeSlow) {
			p.arrivals = x.Slow / half
		}
		return 0
	}
	if m := p.arrivals * FastSpan.Seconds(); p.significant(x.Fast, m, 1, fastShare, jumpSigmas) && x.Fast > m {
		p.arrivals = x.Fast / FastSpan.Seconds()
		// Until then half a window still holds what came before the rise.
		p.believeSlow = x.Now.Add(s.Window/2 + Tick)
		p.risen = span{}
		return math.Log(x.Fast / m)
	}
	if x.Now.Before(p.believeSlow) {
		return p.rising(x)
	}
	if m := p.arrivals * half; p.significant(x.Slow, m, half/FastSpan.Seconds(), slowShare, jumpSigmas) {
		// Nothing at all is a silence, not a rate: the trim deals with it.
		if x.Slow <= 0 {
			return 0
		}
		p.arrivals = x.Slow / half
		return math.Log(x.Slow / m)
	}
	return 0
}

// span is a count over a time that grows.
type span struct{ requests, seconds float64 }

// rising finds the rest of a rise: the spans in which it was seen began before it,
// and some counts were still on their way. All that came since is compared, so
// that the difference believed shrinks from tick to tick.
func (p *PID) rising(x Sample) float64 {
	p.risen.requests += x.Fast
	p.risen.seconds += FastSpan.Seconds()
	n, m := p.risen.requests, p.arrivals*p.risen.seconds
	if n <= m || !p.significant(n, m, p.risen.seconds/FastSpan.Seconds(), slowShare, restSigmas) {
		return 0
	}
	p.arrivals, p.risen = n/p.risen.seconds, span{}
	return math.Log(n / m)
}

// yielded is jump for what a request consumes. Which base was held is known only
// when it stood for longer than the loop's delay.
func (p *PID) yielded(s *Settings, x Sample) float64 {
	if p.anchor <= 0 || math.Abs(p.base/p.anchor-1) > steadyShare {
		p.anchor, p.anchored = p.base, x.Now
	}
	if x.Now.Sub(p.anchored) < 2*s.Delay+2*Tick+FastSpan {
		return 0
	}
	fast, slow := ratio(x.FastSum, x.Fast)/p.base, ratio(x.SlowSum, x.Slow)/p.base
	switch {
	case slow <= 0:
		return 0
	case p.yield <= 0:
		p.yield = slow
		return 0
	case fast > p.yield*(1+yieldShare) && x.Fast >= yieldRequests:
	case slow < p.yield/(1+yieldShare) && x.Slow >= yieldRequests && x.Now.Sub(p.anchored) > 2*s.Delay+2*Tick+s.Window/2:
		fast = slow
	default:
		p.yield += derivativeFilter * Tick.Seconds() * (slow - p.yield)
		return 0
	}
	out := math.Log(fast / p.yield)
	p.yield, p.anchor = fast, 0
	return out
}

func ratio(a, b float64) float64 {
	if b <= 0 {
		return 0
	}
	return a / b
}

// significant tells whether a count over some spans of FastSpan is not chance.
func (p *PID) significant(n, expected, spans, share, sigmas float64) bool {
	d := math.Abs(n - expected)
	return d > share*expected && d > sigmas*math.Sqrt(expected+1+p.noise.excess*expected*expected/spans)
}

// noise is how much more than a Poisson count the arrivals of a FastSpan scatter:
// users come in bursts, and machines that stall count in heaps. It is read from
// differences between neighbours, which a trend hardly moves.
type noise struct {
	last   float64
	excess float64 // variance above that of a Poisson count, over the square of the mean
}

const (
	// noiseFilter is the share of a new difference: five seconds.
	noiseFilter = 0.02
	// noiseClip bounds one difference, in units of what is known: a jump that ends
	// is no noise either.
	noiseClip = 4
)

func (z *noise) add(fast float64) {
	if sum := fast + z.last; sum > 0 {
		d := fast - z.last
		// Of two Poisson counts the square of the difference is their sum, on average.
		excess := min(2*(d*d-sum)/(sum*sum), noiseClip*(z.excess+2/sum))
		z.excess = max(z.excess+noiseFilter*(excess-z.excess), 0)
	}
	z.last = fast
}
