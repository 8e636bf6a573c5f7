package sketch

import "sync/atomic"

// A Sketch counts response times. Its zero value is empty and ready. All
// methods may be called at the same time by any number of goroutines. A Sketch
// must not be copied after first use.
type Sketch struct {
	// 32 bits are enough: a report covers a second, and half the memory is half
	// the cache lines.
	cell [octaves * cells]atomic.Uint32
}

// Record counts one response time in microseconds. It takes no lock, allocates
// nothing and is small enough to be inlined.
func (s *Sketch) Record(us uint64) {
	s.cell[locate(us)].Add(1)
}

// Count is the number of values recorded since the last Drain.
func (s *Sketch) Count() uint64 {
	var n uint64
	for i := range s.cell {
		n += uint64(s.cell[i].Load())
	}
	return n
}

// AppendTo appends the wire form to dst and leaves the sketch as it is. Values
// recorded meanwhile may or may not be in it.
func (s *Sketch) AppendTo(dst []byte) []byte {
	return s.encode(dst, false)
}

// Drain appends the wire form to dst and empties the sketch. Each cell is read
// and reset in one step, so a value recorded meanwhile is either in this wire
// form or in the next, never in both and never lost.
func (s *Sketch) Drain(dst []byte) []byte {
	return s.encode(dst, true)
}

func (s *Sketch) encode(dst []byte, reset bool) []byte {
	start := len(dst)
	var counts [cells]uint64
	for o := range uint(octaves) {
		octave := s.cell[o*cells : (o+1)*cells]
		var used uint64
		for c := range octave {
			// Most cells are empty, and a plain read is far cheaper than an
			// exchange.
			n := octave[c].Load()
			if n == 0 {
				continue
			}
			if reset {
				n = octave[c].Swap(0)
			}
			counts[c] = uint64(n)
			used |= 1 << c
		}
		dst = appendBlock(dst, start, o, used, &counts)
	}
	return dst
}
