package loop_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/allspark/allspark/agent/loop"
)

func crowdsAt(works ...float64) loop.State {
	s := loop.State{Count: len(works)}
	for k, w := range works {
		s.Crowds[k] = loop.Crowd{Work: w, Warm: true, Mean: 8000, N: 500}
	}
	return s
}

func TestRetargetKeepsCrowdsApart(t *testing.T) {
	set := loop.Settings{MinWork: 0.01, MaxWork: 1}
	s := crowdsAt(0.8, 0.4, 0.2).Retarget(8000, 4000, set)
	require.InDeltaSlice(t, []float64{0.4, 0.2, 0.1}, []float64{s.Crowds[0].Work, s.Crowds[1].Work, s.Crowds[2].Work}, 1e-9)
	s = s.Retarget(4000, 8000, set)
	require.InDeltaSlice(t, []float64{0.8, 0.4, 0.2}, []float64{s.Crowds[0].Work, s.Crowds[1].Work, s.Crowds[2].Work}, 1e-9)

	well := crowdsAt(1)
	well.Crowds[0].Mean = 3000
	require.InDelta(t, 1, well.Retarget(8000, 4000, set).Crowds[0].Work, 1e-9, "it meets the lower T already")
	pinned := set
	pinned.Pinned = true
	require.InDelta(t, 0.8, crowdsAt(0.8).Retarget(8000, 4000, pinned).Crowds[0].Work, 1e-9)
}

func TestRetargetNeverLeavesItsBounds(t *testing.T) {
	any := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, -1, math.NaN(), math.Inf(1), 1e-300, 1e300}))
	rapid.Check(t, func(r *rapid.T) {
		s := crowdsAt(0.9, 0.5, 0.05)
		s.Crowds[1].Mean = any.Draw(r, "mean")
		s = s.Retarget(any.Draw(r, "from"), any.Draw(r, "to"), loop.Settings{MinWork: 0.05, MaxWork: 0.9})
		last := math.Inf(1)
		for k := range 3 {
			w := s.Crowds[k].Work
			require.True(r, w >= 0.05 && w <= 0.9, "%g", w)
			if s.Crowds[1].Mean == 8000 {
				require.LessOrEqual(r, w, last)
			}
			last = w
		}
	})
}
