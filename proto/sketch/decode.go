package sketch

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// applyMap reads a map block behind its head. It returns what follows the block
// and the number of cells it added to.
func (s *Sum) applyMap(p []byte, octave uint, sign uint64, limit int) (rest []byte, done int, err error) {
	if len(p) < 8 {
		return nil, 0, fmt.Errorf("%w: map of octave %d cut short", ErrMalformed, octave)
	}
	used := binary.LittleEndian.Uint64(p)
	n := bits.OnesCount64(used)
	if n <= listMax {
		return nil, 0, fmt.Errorf("%w: map of octave %d with %d cells", ErrMalformed, octave, n)
	}
	size := (n + 1) / 2
	if p = p[8:]; len(p) < size {
		return nil, 0, fmt.Errorf("%w: counts of octave %d cut short", ErrMalformed, octave)
	}
	nibbles, late := p[:size], p[size:]
	if n&1 == 1 && nibbles[size-1]>>4 != 0 {
		return nil, 0, fmt.Errorf("%w: counts of octave %d padded with %#x", ErrMalformed, octave, nibbles[size-1]>>4)
	}
	to := s.at(octave)
	var total uint64
	for used != 0 && done != limit {
		count := uint64(nibbles[done>>1]>>(done&1<<2)) & nibbleEscape
		if count == nibbleEscape {
			var more uint64
			if more, late, err = counter(late); err != nil {
				break
			}
			count += more
		}
		if count == 0 {
			err = fmt.Errorf("%w: empty cell in the map of octave %d", ErrMalformed, octave)
			break
		}
		to[bits.TrailingZeros64(used)] += count * sign
		total += count
		used &= used - 1
		done++
	}
	s.count += total * sign
	return late, done, err
}

// applyList reads a list block behind its head. It returns what follows the
// block and the number of cells it added to.
func (s *Sum) applyList(p []byte, octave uint, sign uint64, limit int) (rest []byte, done int, err error) {
	if len(p) < 1 || p[0] < 1 || p[0] > listMax || len(p) < 1+int(p[0]) {
		return nil, 0, fmt.Errorf("%w: list of octave %d", ErrMalformed, octave)
	}
	n := int(p[0])
	list, late := p[1:1+n], p[1+n:]
	to := s.at(octave)
	last := -1
	for _, b := range list {
		if done == limit {
			break
		}
		cell, count := int(b>>2), uint64(b&3)
		if cell <= last {
			return nil, done, fmt.Errorf("%w: cell %d after %d in octave %d", ErrMalformed, cell, last, octave)
		}
		last = cell
		if count == 0 {
			if count, late, err = counter(late); err != nil {
				return nil, done, err
			}
			count += 4
		}
		to[cell] += count * sign
		s.count += count * sign
		done++
	}
	return late, done, nil
}

// counter reads a varint in its shortest form, up to maxCellCount.
func counter(p []byte) (v uint64, rest []byte, err error) {
	v, n := binary.Uvarint(p)
	if n <= 0 || v > maxCellCount || n > 1 && p[n-1] == 0 {
		return 0, nil, fmt.Errorf("%w: count", ErrMalformed)
	}
	return v, p[n:], nil
}
