package sketch

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// ErrMalformed says that bytes are not a sketch.
var ErrMalformed = errors.New("malformed sketch")

const (
	formatByte = 1

	// The first byte of a block: the high three bits name its kind, the low
	// five the octave.
	listBlock  = 0x00
	map4Block  = 0x80
	map8Block  = 0xa0
	kindMask   = 0xe0
	octaveMask = 0x1f

	// A list takes a byte a cell and one for their number, a map 8 bytes and
	// at least half a byte a cell: up to 14 cells the list is shorter.
	listMax = 14

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
//	      follows behind the fields as a varint
//	      101ooooo, the same with a byte for each cell, 1..254 and 255
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
	// Each count above a nibble costs a varint, so bytes are shorter once more
	// than half of the cells are.
	above := 0
	for rest := used; rest != 0; rest &= rest - 1 {
		if counts[bits.TrailingZeros64(rest)%cells] >= 1<<4-1 {
			above++
		}
	}
	if above <= n/2 {
		return appendMap(append(dst, byte(map4Block|octave)), 4, used, counts)
	}
	return appendMap(append(dst, byte(map8Block|octave)), 8, used, counts)
}

func appendMap(dst []byte, width uint, used uint64, counts *[cells]uint64) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, used)
	escape := uint64(1)<<width - 1
	var late [cells]uint64
	lates := 0
	var pending uint64 // fields not yet written, lowest first
	var filled uint
	for rest := used; rest != 0; rest &= rest - 1 {
		count := counts[bits.TrailingZeros64(rest)%cells]
		if count >= escape {
			late[lates] = min(count-escape, maxCellCount)
			lates++
			count = escape
		}
		pending |= count << filled
		if filled += width; filled == 64 {
			dst = binary.LittleEndian.AppendUint64(dst, pending)
			pending, filled = 0, 0
		}
	}
	for ; filled > 0 && filled <= 64; filled -= min(filled, 8) {
		dst = append(dst, byte(pending))
		pending >>= 8
	}
	for _, v := range late[:lates] {
		dst = binary.AppendUvarint(dst, v)
	}
	return dst
}

func appendList(dst []byte, octave uint, n int, used uint64, counts *[cells]uint64) []byte {
	dst = append(dst, byte(listBlock|octave), byte(n))
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
