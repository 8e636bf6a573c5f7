package lab

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A preset of a good table holds a new target within seconds; of one that is a
// fifth too low or a quarter too high feedback brings it back.
func TestANewTargetIsHeldWhateverTheTableSays(t *testing.T) {
	m := Standard(3)
	for name, x := range map[string]struct{ bias, within float64 }{"good": {1, 5}, "too low": {0.8, 60}, "too high": {1.25, 60}} {
		tables, err := measured(m, sceneLadders(m), specsOf(m, 300, 300), probing{load: 1, bias: x.bias})
		require.NoError(t, err)
		r, err := retarget(t.Context(), 1, name, m, tables, false, 300, 160, 1)
		require.NoError(t, err)
		require.LessOrEqual(t, r.Within15, x.within, name)
		mean := 0.0
		for _, v := range r.RT[retargetFor-60:] {
			mean += v / 60
		}
		require.InEpsilon(t, 160, mean, 0.05, name)
		require.GreaterOrEqual(t, r.Within5, 0.9, "%s: windows from the hand-over on", name)
	}
}

// Where crowds run at every point of a chain, a row says what they take under its
// levels as caps: a preset meets the target without feedback.
func TestAPresetMeetsTheTargetWhereCrowdsRunEverywhere(t *testing.T) {
	for _, depth := range []int{1, 4} {
		m := chain(depth, 2)
		rows, err := measured(m, sceneLadders(m), specsOf(m, 300), probing{load: 1, bias: 1})
		require.NoError(t, err)
		r, err := retarget(t.Context(), 1, "preset", m, rows, false, 330, 180, 1)
		require.NoError(t, err)
		require.LessOrEqual(t, r.Within15, 5.0, "depth %d", depth)
		held := 0.0
		for _, v := range r.RT[5:retargetHold] {
			held += v / (retargetHold - 5)
		}
		require.InEpsilon(t, 180, held, 0.05, "depth %d, while the preset is held", depth)
	}
}

func TestLinkedRowsCutLessAndEarnMore(t *testing.T) {
	m := Standard(1)
	rows, err := linkedAgainst(t.Context(), 1, 2, m, []float64{1})
	require.NoError(t, err)
	require.Greater(t, rows[0].Value.Mean, 0.0)
	require.Less(t, rows[0].Cut.Mean, 0.0)
}
