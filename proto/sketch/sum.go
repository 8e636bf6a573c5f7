package sketch

import (
	"iter"
	"math"
)

// A Sum adds up sketches: of the agents of a point, or of the seconds of a
// window. Its zero value is empty and ready. A Sum is for one goroutine at a
// time and must not be copied after first use.
type Sum struct {
	octave [octaves]*coldOctave
	count  uint64
}

type coldOctave [cells]uint64

func (s *Sum) at(o uint) *coldOctave {
	if s.octave[o] == nil {
		s.octave[o] = new(coldOctave)
	}
	return s.octave[o]
}

// Add adds all values of other.
func (s *Sum) Add(other *Sum) {
	for o, from := range other.octave {
		if from == nil {
			continue
		}
		to := s.at(uint(o))
		for c, n := range from {
			to[c] += n
		}
	}
	s.count += other.count
}

// Record counts n values of us microseconds.
func (s *Sum) Record(us, n uint64) {
	i := uint(locate(us))
	s.at(i / cells)[i%cells] += n
	s.count += n
}

// Reset empties the sum and keeps its memory.
func (s *Sum) Reset() {
	for _, oct := range s.octave {
		if oct != nil {
			clear(oct[:])
		}
	}
	s.count = 0
}

// Count is the number of values.
func (s *Sum) Count() uint64 { return s.count }

// AppendTo appends the wire form to dst; Merge reads it.
func (s *Sum) AppendTo(dst []byte) []byte {
	start := len(dst)
	for o, oct := range s.octave {
		if oct == nil {
			continue
		}
		var used uint64
		for c, n := range oct {
			if n != 0 {
				used |= 1 << c
			}
		}
		dst = appendBlock(dst, start, uint(o), used, (*[cells]uint64)(oct))
	}
	return dst
}

// A Bin is a range of values, both ends included, in microseconds, and how many
// were counted in it.
type Bin struct {
	Low, High, Count uint64
}

// Bins yields the bins that hold something, in rising order: the histogram a
// console draws, or by running total its cumulative form.
func (s *Sum) Bins() iter.Seq[Bin] {
	return func(yield func(Bin) bool) {
		for o, oct := range s.octave {
			if oct == nil {
				continue
			}
			for c, n := range oct {
				if n == 0 {
					continue
				}
				low, high := bounds(uint(o), uint(c))
				if !yield(Bin{low, high, n}) {
					return
				}
			}
		}
	}
}

// Quantile is the value of rank ceil(q·n), within MaxError, in microseconds. It
// is false when the sum is empty or q is not within 0..1.
func (s *Sum) Quantile(q float64) (us float64, ok bool) {
	if s.count == 0 || !(q >= 0 && q <= 1) {
		return 0, false
	}
	rank := min(max(uint64(math.Ceil(q*float64(s.count))), 1), s.count)
	var seen uint64
	for o, oct := range s.octave {
		if oct == nil {
			continue
		}
		for c, n := range oct {
			if seen += n; seen >= rank {
				return middle(uint(o), uint(c)), true
			}
		}
	}
	return 0, false
}

// Mean is the arithmetic mean within MaxError, in microseconds. It is false
// when the sum is empty.
func (s *Sum) Mean() (us float64, ok bool) {
	if s.count == 0 {
		return 0, false
	}
	var total float64
	for o, oct := range s.octave {
		if oct == nil {
			continue
		}
		for c, n := range oct {
			if n != 0 {
				total += float64(n) * middle(uint(o), uint(c))
			}
		}
	}
	return total / float64(s.count), true
}

// Above is the share of values above us microseconds, 0..1: with a limit as us,
// the share that would time out. Within the bin that holds us, values are taken
// as evenly spread. It is 0 when the sum is empty.
func (s *Sum) Above(us float64) float64 {
	if s.count == 0 || math.IsNaN(us) {
		return 0
	}
	var above float64
	for b := range s.Bins() {
		width := float64(b.High - b.Low + 1)
		// A whole number of microseconds v stands for (v-1, v], so that a bin of
		// one value is above every smaller limit and not above itself.
		share := (float64(b.High) - us) / width
		above += float64(b.Count) * min(max(share, 0), 1)
	}
	return above / float64(s.count)
}
