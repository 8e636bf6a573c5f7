package telemetry

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// Slots are the samples of one packed row by position: minute of the hour (60)
// or hour of the day (24). Absent ones are not in the map bits.
type Slots struct {
	Present uint64
	Samples [60]Sample
}

// Set puts a sample at a position.
func (s *Slots) Set(i int, v Sample) {
	s.Present |= 1 << i
	s.Samples[i] = v
}

// Has tells whether a position holds a sample.
func (s *Slots) Has(i int) bool { return s.Present>>i&1 == 1 }

var errPacked = errors.New("damaged history row")

const packFormat = 1

// Append writes the row: format, which positions are there (8 bytes, little endian), then
// each column. A column that never changes is 0 and its value; another is 1, the
// first value and the differences, all as zig-zag varints. A minute of a busy
// point takes some 15 bytes so.
func (s *Slots) Append(dst []byte) []byte {
	dst = append(dst, packFormat)
	dst = binary.LittleEndian.AppendUint64(dst, s.Present)
	if s.Present == 0 {
		return dst
	}
	for c := range columns {
		first := *s.Samples[bits.TrailingZeros64(s.Present)].column(c)
		constant := true
		for rest := s.Present; rest != 0 && constant; rest &= rest - 1 {
			constant = *s.Samples[bits.TrailingZeros64(rest)].column(c) == first
		}
		if constant {
			dst = binary.AppendVarint(append(dst, 0), first)
			continue
		}
		dst = append(dst, 1)
		last := int64(0)
		for rest := s.Present; rest != 0; rest &= rest - 1 {
			v := *s.Samples[bits.TrailingZeros64(rest)].column(c)
			dst = binary.AppendVarint(dst, v-last) // wraps around alike in both directions
			last = v
		}
	}
	return dst
}

// Parse reads a row; on an error s is undefined.
func (s *Slots) Parse(p []byte) error {
	*s = Slots{}
	if len(p) < 9 || p[0] != packFormat {
		return errPacked
	}
	present := binary.LittleEndian.Uint64(p[1:])
	if present>>60 != 0 {
		return errPacked
	}
	s.Present = present
	if p = p[9:]; present == 0 {
		return nil
	}
	for c := range columns {
		if len(p) == 0 || p[0] > 1 {
			return errPacked
		}
		differs := p[0] == 1
		p = p[1:]
		last, read := int64(0), false
		for rest := present; rest != 0; rest &= rest - 1 {
			if differs || !read {
				v, n := binary.Varint(p)
				if n <= 0 {
					return errPacked
				}
				p, last, read = p[n:], last+v, true
			}
			*s.Samples[bits.TrailingZeros64(rest)].column(c) = last
		}
	}
	if len(p) != 0 {
		return errPacked
	}
	return nil
}

// present tells which positions a packed row holds without unpacking it.
func present(p []byte) uint64 {
	if len(p) < 9 {
		return 0
	}
	return binary.LittleEndian.Uint64(p[1:])
}
