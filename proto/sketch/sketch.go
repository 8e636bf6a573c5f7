package sketch

import "sync/atomic"

// A Sketch counts response times. Its zero value is empty and ready. All
// methods may be called at the same time by any number of goroutines. A Sketch
// must not be copied after first use.
type Sketch struct {
	octave [slots]atomic.Pointer[hotOctave]
}

// Cells are 32 bits wide: a report covers a second, and half the memory is half
// the cache lines.
type hotOctave [cells]atomic.Uint32

// Record counts one response time in microseconds. It takes no lock; it
// allocates only for the first value an octave ever sees.
func (s *Sketch) Record(us uint64) {
	o, c := locate(us)
	if oct := s.octave[o].Load(); oct != nil {
		oct[c].Add(1)
		return
	}
	s.recordFirst(o, c)
}

// recordFirst is kept out of Record: nearly no value comes this way.
//
//go:noinline
func (s *Sketch) recordFirst(o, c uint) {
	s.octave[o].CompareAndSwap(nil, new(hotOctave)) // or another recorder came first
	s.octave[o].Load()[c].Add(1)
}

// Count is the number of values recorded since the last Drain.
func (s *Sketch) Count() uint64 {
	var n uint64
	for o := range s.octave {
		if oct := s.octave[o].Load(); oct != nil {
			for c := range oct {
				n += uint64(oct[c].Load())
			}
		}
	}
	return n
}

// AppendTo appends the wire form to dst and leaves the sketch as it is. Values
// recorded meanwhile may or may not be in it.
func (s *Sketch) AppendTo(dst []byte) []byte {
	return s.encode(dst, (*atomic.Uint32).Load)
}

// Drain appends the wire form to dst and empties the sketch. Each cell is read
// and reset in one step, so a value recorded meanwhile is either in this wire
// form or in the next, never in both and never lost.
func (s *Sketch) Drain(dst []byte) []byte {
	return s.encode(dst, func(c *atomic.Uint32) uint32 {
		if c.Load() == 0 { // a plain read is far cheaper than an exchange
			return 0
		}
		return c.Swap(0)
	})
}

func (s *Sketch) encode(dst []byte, take func(*atomic.Uint32) uint32) []byte {
	start := len(dst)
	for o := range s.octave {
		oct := s.octave[o].Load()
		if oct == nil {
			continue
		}
		var counts [cells]uint64
		var used uint64
		for c := range oct {
			if n := take(&oct[c]); n != 0 {
				counts[c] = uint64(n)
				used |= 1 << c
			}
		}
		dst = appendBlock(dst, start, uint(o), used, &counts)
	}
	return dst
}
