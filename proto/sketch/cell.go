package sketch

import "math/bits"

const (
	cellBits = 6
	cells    = 1 << cellBits // in an octave
	octaves  = 26            // 0..2^31-1 µs

	// MaxValue is the largest value told apart, in microseconds; larger ones
	// are counted as this.
	MaxValue = 1<<31 - 1

	// MaxError bounds the relative error of a quantile against the exact
	// sample of the same rank.
	MaxError = 1.0 / 128
)

// locate is the index of the cell of a value: 64·octave + cell.
func locate(us uint64) uint64 {
	shift := uint64(bits.Len64(us >> (cellBits + 1)))
	return min(us>>shift+shift<<cellBits, octaves*cells-1)
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
