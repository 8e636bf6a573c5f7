package loop

import "math"

// A request's predicted load falls into a bin of a fixed grid, four to an
// octave. Crowds are runs of neighbouring bins, so finding a request's level is
// one look-up by bin, and what was measured by bin can be read again under new
// crowds.
const (
	gridSub = 2  // log2 of the bins an octave
	gridLow = -8 // the lowest bin begins at 2^gridLow
	// Bins is the size of the grid; bin 0 holds requests without a load, the last
	// one everything from 2^23.75 up.
	Bins = 128

	gridShift = 52 - gridSub
	gridBase  = (1023+gridLow)<<gridSub - 1
)

// Bin gives the bin of a load: 0 when it is not a positive number. A load has
// the unit its app chose; only ratios matter.
func Bin(load float64) int {
	if !(load > 0) {
		return 0
	}
	i := int(math.Float64bits(load)>>gridShift) - gridBase
	return min(max(i, 1), Bins-1)
}

// binLoad gives the middle of a bin: the geometric mean of its edges.
func binLoad(bin int) float64 {
	return math.Sqrt(binEdge(bin) * binEdge(bin+1))
}

// binEdge gives the lower edge of a bin.
func binEdge(bin int) float64 {
	return math.Float64frombits(uint64(bin+gridBase) << gridShift)
}
