package sketch

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// Merge adds a wire form to the sum. On error the sum is as it was before.
func (s *Sum) Merge(p []byte) error {
	done, err := s.apply(p, 1, all)
	if err != nil && done > 0 {
		// Take back what was added before the fault; the same bytes lead to
		// the same cells. This spares the good case a pass of its own.
		_, _ = s.apply(p, ^uint64(0), done)
	}
	return err
}

// all is more cells than a wire form can have.
const all = octaves*cells + 1

// apply adds sign·count to the first limit cells in p and returns how many
// cells it went through.
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
	for len(p) > 0 && done < limit {
		kind, octave := p[0]&kindMask, int(p[0]&octaveMask)
		if octave >= octaves || octave <= last {
			return done, fmt.Errorf("%w: octave %d after %d", ErrMalformed, octave, last)
		}
		last = octave
		var n int
		switch kind {
		case listBlock:
			p, n, err = s.applyList(p[1:], uint(octave), sign, limit-done)
		case map4Block:
			p, n, err = s.applyMap(p[1:], uint(octave), 4, sign, limit-done)
		case map8Block:
			p, n, err = s.applyMap(p[1:], uint(octave), 8, sign, limit-done)
		default:
			err = fmt.Errorf("%w: block kind %#x", ErrMalformed, kind)
		}
		done += n
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// applyMap reads a map block behind its head. It returns what follows the block
// and the number of cells it added to.
func (s *Sum) applyMap(p []byte, octave, width uint, sign uint64, limit int) (rest []byte, done int, err error) {
	if len(p) < 8 {
		return nil, 0, fmt.Errorf("%w: map of octave %d cut short", ErrMalformed, octave)
	}
	used := binary.LittleEndian.Uint64(p)
	n := bits.OnesCount64(used)
	size := (n*int(width) + 7) / 8
	if p = p[8:]; n <= listMax || len(p) < size {
		return nil, 0, fmt.Errorf("%w: map of octave %d with %d cells and %d bytes", ErrMalformed, octave, n, len(p))
	}
	fields, late := p[:size], p[size:]
	to := s.at(octave)
	var total uint64
	for used != 0 && done < limit {
		word, inWord := nextWord(&fields, width, n-done)
		if sign == 1 && plain(word, width, inWord) {
			// No field needs a second look: this is nearly every word.
			var added uint64
			if width == 4 {
				used, added = to.addNibbles(used, word, inWord)
			} else {
				used, added = to.addBytes(used, word, inWord)
			}
			total += added
			done += inWord
			continue
		}
		var added uint64
		var cellsDone int
		late, cellsDone, added, err = to.applyWord(word, width, min(inWord, limit-done), &used, late, sign)
		done += cellsDone
		total += added
		if err != nil {
			break
		}
		if cellsDone == inWord && inWord*int(width) < 64 && word>>(uint(inWord)*width) != 0 {
			err = fmt.Errorf("%w: fields of octave %d padded", ErrMalformed, octave)
			break
		}
	}
	s.count += total * sign
	return late, done, err
}

// nextWord takes up to 64 bits of fields for at most n cells, and says for how
// many cells they are.
func nextWord(fields *[]byte, width uint, n int) (word uint64, inWord int) {
	p := *fields
	if len(p) >= 8 {
		*fields = p[8:]
		return binary.LittleEndian.Uint64(p), min(n, int(64/width))
	}
	for i, b := range p {
		word |= uint64(b) << (8 * i)
	}
	*fields = nil
	return word, n
}

// plain says that none of the first n fields is 0 or the escape, and that the
// others are 0. It looks at all fields at once: x-low borrows through a field
// only if the field is 0.
func plain(word uint64, width uint, n int) bool {
	low, high := uint64(0x1111111111111111), uint64(0x8888888888888888)
	if width == 8 {
		low, high = 0x0101010101010101, 0x8080808080808080
	}
	unused := ^uint64(0) << (uint(n) * width) // 0 when all 64 bits are in use
	if word&unused != 0 {
		return false
	}
	filled := word | low&unused // an unused field is neither 0 nor the escape
	zero := (filled - low) &^ filled & high
	full := (^filled - low) & filled & high
	return zero|full == 0
}

// addNibbles adds n fields of 4 bits to the first n cells in used. It returns
// the cells left and what it added.
func (to *coldOctave) addNibbles(used, word uint64, n int) (rest, total uint64) {
	pairs := word&0x0f0f0f0f0f0f0f0f + word>>4&0x0f0f0f0f0f0f0f0f
	total = pairs * 0x0101010101010101 >> 56 // at most 16 times 14: fits a byte
	first := bits.TrailingZeros64(used) % cells
	if n == 16 && used>>first&0xffff == 0xffff {
		// The body of a distribution: 16 neighbours, no search for the next.
		run := to[first : first+16 : first+16]
		for i := range run {
			run[i] += word & 15
			word >>= 4
		}
		return used &^ (0xffff << first), total
	}
	for range n {
		to[bits.TrailingZeros64(used)%cells] += word & 15
		word >>= 4
		used &= used - 1
	}
	return used, total
}

// addBytes does the same with fields of 8 bits.
func (to *coldOctave) addBytes(used, word uint64, n int) (rest, total uint64) {
	for range n {
		to[bits.TrailingZeros64(used)%cells] += word & 255
		total += word & 255
		word >>= 8
		used &= used - 1
	}
	return used, total
}

// applyWord is the careful way through n fields of a word.
func (to *coldOctave) applyWord(word uint64, width uint, n int, used *uint64, late []byte, sign uint64) (rest []byte, done int, total uint64, err error) {
	escape := uint64(1)<<width - 1
	for ; done < n; done++ {
		count := word & escape
		word >>= width
		switch count {
		case 0:
			return late, done, total, fmt.Errorf("%w: empty cell in a map", ErrMalformed)
		case escape:
			var more uint64
			if more, late, err = counter(late); err != nil {
				return late, done, total, err
			}
			count += more
		}
		to[bits.TrailingZeros64(*used)%cells] += count * sign
		total += count
		*used &= *used - 1
	}
	return late, done, total, nil
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
	for _, b := range list[:min(n, limit)] {
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
