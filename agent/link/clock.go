package link

import (
	"sync"
	"time"
)

const clockSamples = 8

// clock estimates reference time from exchanges with a controller.
type clock struct {
	base time.Time     // carries a monotonic reading
	skew time.Duration // of the machine's clock, for tests

	mu      sync.Mutex
	samples [clockSamples]clockSample
	n       int // exchanges so far
	best    clockSample
}

type clockSample struct {
	delta time.Duration // reference minus local
	rtt   time.Duration
}

func newClock(skew time.Duration) *clock { return &clock{base: time.Now(), skew: skew} }

// local is the agent's own clock: the wall clock at the start, moved on by the
// monotonic one.
func (c *clock) local() time.Time { return c.base.Round(0).Add(time.Since(c.base) + c.skew) }

// exchange takes in one reading.
func (c *clock) exchange(sent, received, reference time.Time) {
	rtt := received.Sub(sent)
	if rtt < 0 || rtt > time.Minute {
		return // not an answer to a probe of ours
	}
	s := clockSample{delta: reference.Add(rtt / 2).Sub(received), rtt: rtt}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.samples[c.n%clockSamples] = s
	c.n++
	c.best = s
	for _, x := range c.samples[:min(c.n, clockSamples)] {
		if x.rtt < c.best.rtt {
			c.best = x
		}
	}
}

// forget drops the exchanges with another controller's clock.
func (c *clock) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = 0
}

// reference is the estimate of reference time, and how far the wall clock is
// ahead of it. known is false before the first exchange: then it is the wall clock.
func (c *clock) reference() (now time.Time, ahead time.Duration, known bool) {
	wall := time.Now().Add(c.skew)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.best == (clockSample{}) && c.n == 0 {
		return wall.Round(0), 0, false
	}
	now = c.local().Add(c.best.delta)
	return now, wall.Round(0).Sub(now), true
}
