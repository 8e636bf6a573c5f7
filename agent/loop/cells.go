package loop

import (
	"sync/atomic"
	"time"
)

// A word of a cell holds requests and the sum of their RT in µs, so that one add
// counts both and they always agree (as in package meter). Squares stand beside
// it: a drain may find a request in one and not yet in the other, which moves a
// variance over hundreds of requests by less than one of them does.
const (
	countBits = 24
	countMask = 1<<countBits - 1
	maxMicros = 1<<31 - 1 // 36 minutes
	// maxSquared bounds what one request adds to the squares: 65,000 requests of
	// 17 s in one bin fit between two drains.
	maxSquared = 1<<24 - 1
)

type cells struct {
	bins [Bins]struct{ word, square atomic.Uint64 }
	held [Bins]struct{ word, good atomic.Uint64 }
}

// Sink counts the requests of one loop by bin. Its cells are made with the first
// request: most scenes of a point never see one.
type Sink struct {
	cells  atomic.Pointer[cells]
	within atomic.Uint64 // available RT in µs: a hold-out request within it was good
	closed atomic.Bool   // its loop is gone: meters keep a sink for good, and it must cost nothing
}

// close forgets what was counted. Requests that began under the loop's last order
// are not counted any more.
func (s *Sink) close() {
	s.closed.Store(true)
	s.cells.Store(nil)
}

// Record counts a request that ended.
func (s *Sink) Record(load float64, held bool, elapsed time.Duration) {
	x, b := s.cells.Load(), Bin(load)&(Bins-1)
	if x == nil {
		if s.closed.Load() {
			return
		}
		x = s.grow()
	}
	var us uint64
	if elapsed > 0 {
		us = min(uint64(elapsed)/uint64(time.Microsecond), maxMicros)
	}
	if held {
		x.held[b].word.Add(us<<countBits | 1)
		if us <= s.within.Load() {
			x.held[b].good.Add(1)
		}
		return
	}
	x.bins[b].word.Add(us<<countBits | 1)
	us = min(us, maxSquared)
	x.bins[b].square.Add(us * us)
}

//go:noinline
func (s *Sink) grow() *cells {
	fresh := new(cells)
	if s.cells.CompareAndSwap(nil, fresh) {
		if s.closed.Load() { // meanwhile
			s.cells.Store(nil)
		}
		return fresh
	}
	if x := s.cells.Load(); x != nil {
		return x
	}
	return fresh // closed meanwhile: it counts for nobody
}

// drain takes what was counted since the last drain.
func (c *cells) drain() (out Sample) {
	for b := range c.bins {
		if x := &c.bins[b]; x.word.Load() != 0 { // a plain read is far cheaper than an exchange
			w := x.word.Swap(0)
			out.Bins[b] = BinSample{N: int64(w & countMask), Sum: float64(w >> countBits), Square: float64(x.square.Swap(0))}
		}
		if x := &c.held[b]; x.word.Load() != 0 {
			w := x.word.Swap(0)
			out.HeldOut[b] = BinSample{N: int64(w & countMask), Sum: float64(w >> countBits)}
			out.HeldOutGood[b] = int64(x.good.Swap(0))
		}
	}
	return out
}
