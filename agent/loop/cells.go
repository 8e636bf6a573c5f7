package loop

import "sync/atomic"

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

// shelf makes cells with the first request: most scenes of a point never see one.
type shelf struct{ atomic.Pointer[cells] }

//go:noinline
func (s *shelf) grow() *cells {
	s.CompareAndSwap(nil, new(cells))
	return s.Load()
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
