package sketch

import "math/bits"

const (
	cellBits = 6
	cells    = 1 << cellBits // in an octave
	octaves  = 26            // 0..2^31-1 µs

	// slots is octaves rounded up to a power of two: an index masked with it
	// needs no bounds check on the request's path.
	slots = 32

	// MaxValue is the largest value told apart, in microseconds; larger ones
	// are counted as this.
	MaxValue = 1<<31 - 1

	// MaxError bounds the relative error of a quantile against the exact
	// sample of the same rank.
	MaxError = 1.0 / 128
)

// locate names the octave and the cell of a value.
func locate(us uint64) (octave, cell uint) {
	us = min(us, MaxValue)
	shift := uint(bits.Len32(uint32(us >> (cellBits + 1))))
	index := uint(us>>(shift&63)) + shift<<cellBits
	return index >> cellBits % slots, index % cells
}

// bounds are the lowest and highest value counted in a cell.
func bounds(octave, cell uint) (low, high uint64) {
	if octave == 0 {
		return uint64(cell), uint64(cell)
	}
	shift := octave - 1
	low = uint64(cells+cell) << shift
	return low, low + 1<<shift - 1
}

// middle stands for every value of a cell.
func middle(octave, cell uint) float64 {
	low, high := bounds(octave, cell)
	return float64(low+high) / 2
}
