package lab

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The bounds are those of the tables (Garwood, 1936).
func TestRare(t *testing.T) {
	for count, want := range map[int][2]float64{0: {0, 3.689}, 1: {0.0253, 5.572}, 3: {0.619, 8.767}, 10: {4.795, 18.39}} {
		low, high := Rare(count)
		require.InDelta(t, want[0], low, 0.001, "%d", count)
		require.InDelta(t, want[1], high, 0.002, "%d", count)
	}
}
