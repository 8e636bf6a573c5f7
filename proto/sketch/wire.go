package sketch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// ErrMalformed says that bytes are not a sketch.
var ErrMalformed = errors.New("malformed sketch")

const (
	formatByte = 1

	// The first byte of a block: bit 7 tells a map from a list, the low five
	// bits name the octave.
	mapBlock   = 0x80
	octaveMask = 0x1f

	// A list takes a byte a cell and one for their number, a map 8 bytes and
	// half a byte a cell: up to 14 cells the list is shorter.
	listMax = 14

	nibbleEscape = 15 // the count less 15 follows as a varint

	// maxCellCount keeps sums of hostile input from wrapping around: 2^13
	// full sketches fit into 64 bits.
	maxCellCount = 1 << 40
)

// appendBlock writes the cells of one octave named in used.
//
//	list: 000ooooo nnnnnnnn, then n bytes cccccckk: cell c counts k = 1..3;
//	      k = 0 says the count less 4 follows behind the list as a varint
//	map:  100ooooo, 64 bits of used (little endian), then a nibble for each cell
//	      in use, low nibble first: the count 1..14; 15 says the count less 15
//	      follows behind the nibbles as a varint
func appendBlock(dst []byte, start int, octave uint, used uint64, counts *[cells]uint64) []byte {
	if used == 0 {
		return dst
	}
	if len(dst) == start {
		dst = append(dst, formatByte)
	}
	n := bits.OnesCount64(used)
	if n <= listMax {
		return appendList(dst, octave, n, used, counts)
	}
	dst = append(dst, byte(mapBlock|octave))
	dst = binary.LittleEndian.AppendUint64(dst, used)
	var late [cells]uint64
	lates, half, full := 0, byte(0), false
	for rest := used; rest != 0; rest &= rest - 1 {
		count := counts[bits.TrailingZeros64(rest)]
		nibble := byte(nibbleEscape)
		if count < nibbleEscape {
			nibble = byte(count)
		} else {
			late[lates] = min(count-nibbleEscape, maxCellCount)
			lates++
		}
		if full {
			dst = append(dst, half|nibble<<4)
		} else {
			half = nibble
		}
		full = !full
	}
	if full {
		dst = append(dst, half)
	}
	for _, v := range late[:lates] {
		dst = binary.AppendUvarint(dst, v)
	}
	return dst
}

func appendList(dst []byte, octave uint, n int, used uint64, counts *[cells]uint64) []byte {
	dst = append(dst, byte(octave), byte(n))
	for rest := used; rest != 0; rest &= rest - 1 {
		c := bits.TrailingZeros64(rest)
		small := counts[c]
		if small > 3 {
			small = 0
		}
		dst = append(dst, byte(c)<<2|byte(small))
	}
	for rest := used; rest != 0; rest &= rest - 1 {
		if count := counts[bits.TrailingZeros64(rest)]; count > 3 {
			dst = binary.AppendUvarint(dst, min(count-4, maxCellCount))
		}
	}
	return dst
}

// Merge adds a wire form to the sum. On error the sum is as it was before.
func (s *Sum) Merge(p []byte) error {
	done, err := s.apply(p, 1, -1)
	if err != nil && done > 0 {
		// Take back what was added before the fault; the same bytes lead to
		// the same cells. This spares the good case a pass of its own.
		_, _ = s.apply(p, ^uint64(0), done)
	}
	return err
}

// apply adds sign·count to the first limit cells in p (all when negative) and
// returns how many cells it went through.
func (s *Sum) apply(p []byte, sign uint64, limit int) (done int, err error) {
	if len(p) == 0 {
		return 0, nil
	}
	if p[0] != formatByte {
		return 0, fmt.Errorf("%w: format %d", ErrMalformed, p[0])
	}
	if len(p) == 1 {
		return 0, fmt.Errorf("%w: no block", ErrMalformed)
	}
	p = p[1:]
	last := -1
	for len(p) > 0 && done != limit {
		head := p[0]
		octave := int(head & octaveMask)
		if head&^(mapBlock|octaveMask) != 0 || octave >= octaves || octave <= last {
			return done, fmt.Errorf("%w: block %#x after octave %d", ErrMalformed, head, last)
		}
		last = octave
		var n int
		if head&mapBlock != 0 {
			p, n, err = s.applyMap(p[1:], uint(octave), sign, limit-done)
		} else {
			p, n, err = s.applyList(p[1:], uint(octave), sign, limit-done)
		}
		done += n
		if err != nil {
			return done, err
		}
	}
	return done, nil
}
