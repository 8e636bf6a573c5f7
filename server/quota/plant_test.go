package quota

import (
	"math"
	"math/rand/v2"
	"time"
)

// plant is a group in virtual time: requests arrive, agents answer with the base
// they hold, counts come a frame later, the base that is decided holds after the
// rest of the delay.
type plant struct {
	settings Settings
	arrivals func(t float64) float64 // requests a second
	gain     func(t float64) float64 // of what a request consumes
	delay    time.Duration           // from deciding to applying
	noise    *rand.Rand              // Poisson arrivals; nil: smooth
	ideal    bool                    // knows the arrivals it has counted, and forgets nothing
	crowd    bool                    // agents' frames end at ten instants, and local caps cut
}

// trace is what happened, a point a tick.
type trace struct{ t, base, sum, arrivals []float64 }

var epoch = time.Unix(1_700_000_000, 0)

func (p *plant) run(seconds float64, base float64) trace {
	const step = 10 * time.Millisecond
	var ring Ring
	var pid PID
	var out trace
	s := p.settings
	held := base
	type order struct {
		at   time.Time
		base float64
	}
	var queue []order
	var frames [10]frame
	// The window begins full and in balance.
	for b := Bucket(epoch) - int64(s.Window/SubWindow) - 3; b < Bucket(epoch); b++ {
		n := p.arrivals(0) * SubWindow.Seconds()
		ring.Add(Part{b, Count{Consumed: int64(n * base * p.gain(0)), Requests: int64(n)}})
	}
	pid.Begin(&s, base, epoch.Add(-time.Minute))
	pid.arrivals = p.arrivals(0)
	pid.believeSlow = epoch
	pid.at = epoch.Add(-Tick)
	for i := 0; float64(i)*step.Seconds() < seconds; i++ {
		now := epoch.Add(time.Duration(i) * step)
		t := now.Sub(epoch).Seconds()
		for len(queue) > 0 && !queue[0].at.After(now) {
			held, queue = queue[0].base, queue[1:]
		}
		n := p.arrivals(t) * step.Seconds()
		if p.noise != nil {
			n = poisson(p.noise, n)
		}
		now = now.Add(step)
		ends := (i + 1) % len(frames)
		if each := held * p.gain(t); p.crowd {
			for k := range frames {
				frames[k].take(n/float64(len(frames)), each, p.localCap()/float64(len(frames)))
			}
			ring.hand(now, &frames[ends])
		} else if frames[0].take(n, each, math.Inf(1)); ends == 0 {
			ring.hand(now, &frames[0])
		}
		if ends != 0 {
			continue
		}
		sums := Read(now, s.Window, ring.At)
		x := NewSample(now, sums)
		var b float64
		if p.ideal {
			seen := t - Lag.Seconds()
			b = min(max(s.Total/s.Window.Seconds()/p.arrivals(seen)/p.gain(seen), s.Min), s.Max)
		} else {
			b, _ = pid.Step(&s, x)
		}
		queue = append(queue, order{now.Add(p.delay), b})
		// What really was consumed, without the reader's lag.
		real := Sum(now.Add(Lag), s.Window, ring.At)
		out.t, out.base, out.sum = append(out.t, t), append(out.base, b), append(out.sum, real.Consumed/s.Total)
		out.arrivals = append(out.arrivals, p.arrivals(t))
	}
	return out
}

// frame is what agents count until they hand it over.
type frame struct{ consumed, requests float64 }

// take counts n requests of a quota. Above the cap they get what is left, squared,
// as the agents do.
func (f *frame) take(n, quota, limit float64) {
	if share := limit / (f.consumed + n*quota); share < 1 {
		quota *= share * share
	}
	f.requests += n
	f.consumed += n * min(max(quota, 1), 1e9)
}

// localCap is what all agents together may take in a frame.
func (p *plant) localCap() float64 {
	return 2 * p.settings.Total / p.settings.Window.Seconds() * Tick.Seconds()
}

func (r *Ring) hand(now time.Time, f *frame) {
	for _, part := range Spread(nil, now, Tick, Count{Consumed: int64(math.Round(f.consumed)), Requests: int64(math.Round(f.requests))}) {
		r.Add(part)
	}
	*f = frame{}
}

func poisson(r *rand.Rand, mean float64) float64 {
	if mean <= 0 {
		return 0
	}
	if mean > 30 {
		return max(0, math.Round(mean+math.Sqrt(mean)*r.NormFloat64()))
	}
	l, k, p := math.Exp(-mean), 0.0, 1.0
	for p > l {
		k++
		p *= r.Float64()
	}
	return k - 1
}

// after gives the points from t on.
func (x trace) after(t float64) trace {
	for i := range x.t {
		if x.t[i] >= t {
			return trace{x.t[i:], x.base[i:], x.sum[i:], x.arrivals[i:]}
		}
	}
	return trace{}
}

// overshoot is how far the base goes beyond its final value, on the side away
// from where it began.
func (x trace) overshoot(from float64) float64 {
	final := x.base[len(x.base)-1]
	worst := 0.0
	for _, b := range x.base {
		if final < from {
			worst = max(worst, 1-b/final)
		} else {
			worst = max(worst, b/final-1)
		}
	}
	return worst
}

// settled is the time since the first point after which the base stays within
// share of its final value.
func (x trace) settled(share float64) float64 {
	final := x.base[len(x.base)-1]
	for i := len(x.base) - 1; i >= 0; i-- {
		if math.Abs(x.base[i]/final-1) > share {
			if i == len(x.base)-1 {
				return math.Inf(1)
			}
			return x.t[i+1] - x.t[0]
		}
	}
	return 0
}

// swing is the peak-to-peak range of the base relative to its mean, over the end.
func (x trace) swing(last float64) float64 {
	y := x.after(x.t[len(x.t)-1] - last)
	lo, hi, sum := math.Inf(1), 0.0, 0.0
	for _, b := range y.base {
		lo, hi, sum = min(lo, b), max(hi, b), sum+b
	}
	return (hi - lo) / (sum / float64(len(y.base)))
}

func (x trace) peak() float64 {
	top := 0.0
	for _, s := range x.sum {
		top = max(top, s)
	}
	return top
}
