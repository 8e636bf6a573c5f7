package experiment_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/experiment"
)

// From the tables of Abramowitz and Stegun, 26.9 and 26.10.
func TestDistributionsAgreeWithTables(t *testing.T) {
	for df, want := range map[float64]float64{1: 12.706, 2: 4.303, 5: 2.571, 10: 2.228, 38: 2.024, 120: 1.980, math.Inf(1): 1.960} {
		require.InDelta(t, want, experiment.Student(df), 0.0006, "t of %v", df)
	}
	for _, c := range []struct{ f, d1, d2, p float64 }{
		{4.96, 1, 10, 0.05}, {3.10, 3, 20, 0.05}, {5.06, 3, 19.2, 0.0095}, {10.83, 1, 1e6, 0.001}, {4.61, 2, 1e6, 0.01},
	} {
		require.InDelta(t, c.p, experiment.FTail(c.f, c.d1, c.d2), 0.0003, "F(%v, %v) above %v", c.d1, c.d2, c.f)
	}
	require.Equal(t, 1.0, experiment.FTail(0, 1, 10))
	require.Equal(t, 0.0, experiment.FTail(math.Inf(1), 1, 10))
}
