package lab_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/lab"
)

// A few runs of what EXPERIMENTS.md has in full: enough that an interval which is
// half as wide as it says, or a check that cries wolf, fails.
func TestTrialsCoverThePlantedLift(t *testing.T) {
	const runs = 40
	got, err := (&lab.Trials{Runs: runs, Users: 8000, Lifts: []float64{0, 1}}).Run(t.Context())
	require.NoError(t, err)
	for l, lift := range []float64{0, 1} {
		covers, found, warned, seen := 0, 0, 0, 0
		for _, x := range got[l*runs : (l+1)*runs] {
			require.Equal(t, lift, x.Lift)
			require.Greater(t, x.Anytime.Half, x.Once.Half)
			if x.Once.Covers {
				covers++
			}
			if x.PeekAny {
				found++
			}
			if x.Ratio < 0.001 {
				warned++
			}
			if x.RatioLost < 0.001 {
				seen++
			}
		}
		require.GreaterOrEqual(t, covers, runs*85/100, "lift %v", lift)
		require.LessOrEqual(t, warned, 1)
		if lift == 0 {
			require.LessOrEqual(t, found, 3, "no lift is found where there is none, however often one looks")
		} else {
			require.GreaterOrEqual(t, found, runs*8/10, "twice as much is seen")
		}
		t.Logf("lift %v: covers %d of %d, found at any look %d, ratio warned %d, saw lost requests %d", lift, covers, runs, found, warned, seen)
	}
}
