package lab

import (
	"math"
	"time"
)

// Limiters guard the search node and leave every gear alone. The well-kept Go
// libraries of this kind read the wall clock inside, so they cannot run in
// virtual time; these are the published laws, in the few lines they are, as
// baselines. Concurrency is the calls of the search node's own points under way
// on a machine; what a law calls RTT is the response time of prerank, the
// longest of them.

// limiter decides whether a machine takes one more call.
type limiter interface {
	admit(now int64, running int) bool
	observe(now int64, us float64, running int)
}

type limited struct {
	ticking
	laws    []limiter // by machine; nil for apps that are not guarded
	running []int
}

func newLimited(s *Setup, law func(target float64) limiter) Policy {
	n := s.Model.MachineCount()
	p := &limited{laws: make([]limiter, n), running: make([]int, n)}
	for m := range n {
		if app, _, _ := s.Model.Place(m); app == SN {
			p.laws[m] = law(s.Targets[Prerank])
		}
	}
	return p
}

func (p *limited) local(v *Visit) bool { return v.Point != CreativeEdge && p.laws[v.Machine] != nil }

func (p *limited) Begin(v *Visit, _ *Reading) {
	if !p.local(v) {
		return
	}
	if v.Point == Recall && !p.laws[v.Machine].admit(v.Now, p.running[v.Machine]) {
		v.Refuse = true
	}
	p.running[v.Machine]++ // End comes for refused visits too
}

func (p *limited) End(v *Visit, res Result) {
	if !p.local(v) {
		return
	}
	p.running[v.Machine]--
	if v.Point == Prerank && res.Outcome == OK {
		p.laws[v.Machine].observe(v.Now, float64(res.Elapsed)/1000, p.running[v.Machine])
	}
}

// aimd is additive increase, multiplicative decrease: slower than twice the
// target is congestion.
type aimd struct {
	limit, target float64
	last          int64
}

func newAIMD(target float64) limiter { return &aimd{limit: 20, target: target} }

func (a *aimd) admit(_ int64, running int) bool { return float64(running) < a.limit }

func (a *aimd) observe(now int64, us float64, running int) {
	switch {
	case us > 2*a.target:
		if now-a.last > int64(100*time.Millisecond) { // one decrease for one congestion
			a.limit, a.last = max(a.limit*0.9, 4), now
		}
	case float64(running)*2 > a.limit:
		a.limit = min(a.limit+1/a.limit, 250)
	}
}

// gradient is Gradient2 of Netflix's concurrency-limits: the limit follows the
// ratio of a long and a short average of RTT, with room for a small queue.
type gradient struct {
	limit, long, short float64
	n                  int
}

func newGradient(float64) limiter { return &gradient{limit: 20} }

func (g *gradient) admit(_ int64, running int) bool { return float64(running) < g.limit }

func (g *gradient) observe(_ int64, us float64, running int) {
	const (
		tolerance = 1.5
		queue     = 4
		smoothing = 0.2
		window    = 600 // samples of the long average
	)
	g.short = us
	if g.n++; g.n <= 10 {
		g.long += (us - g.long) / float64(g.n)
	} else {
		g.long += (us - g.long) * 2 / (window + 1)
	}
	if g.long/g.short > 2 {
		g.long *= 0.95
	}
	if float64(running) < g.limit/2 {
		return
	}
	gradient := max(0.5, min(1, tolerance*g.long/g.short))
	next := g.limit*gradient + queue
	g.limit = min(max(g.limit*(1-smoothing)+next*smoothing, 4), 250)
}

// codel drops calls while the sojourn has been above the target for an interval,
// more and more often: Controlled Delay (Nichols, Jacobson), with the time above
// the target RT as the sojourn, since a sharing machine has no queue to time.
type codel struct {
	target    float64
	above     int64 // since when; -1 not
	dropping  bool
	next      int64
	count     int
	sinceDrop int64
}

func newCoDel(target float64) limiter { return &codel{target: target, above: -1} }

const codelInterval = int64(100 * time.Millisecond)

func (c *codel) admit(now int64, _ int) bool {
	if c.above < 0 {
		c.dropping = false
		return true
	}
	if !c.dropping {
		if now-c.above < codelInterval {
			return true
		}
		c.dropping = true
		if now-c.sinceDrop < 8*codelInterval && c.count > 2 {
			c.count -= 2
		} else {
			c.count = 1
		}
		c.next = now
	}
	if now < c.next {
		return true
	}
	c.count++
	c.sinceDrop = now
	c.next = now + int64(float64(codelInterval)/math.Sqrt(float64(c.count)))
	return false
}

func (c *codel) observe(now int64, us float64, _ int) {
	switch {
	case us <= 1.5*c.target:
		c.above = -1
	case c.above < 0:
		c.above = now
	}
}
