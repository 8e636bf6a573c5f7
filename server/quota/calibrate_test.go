package quota

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func readings(n int, noise float64) []Reading {
	r := rand.New(rand.NewPCG(3, 4))
	out := make([]Reading, n)
	for i := range out {
		x := 50_000 + 100_000*r.Float64()
		out[i] = Reading{At: epoch.Add(time.Duration(i) * time.Minute), Consumed: x, CPU: 0.1 + x*4e-6 + noise*r.NormFloat64(), Machines: 10, Build: "1"}
	}
	return out
}

func TestCalibrateFindsTheBudgetAtTheWatermark(t *testing.T) {
	s := DefaultSettings()
	s.Watermark, s.Window = 0.7, 2*time.Second
	rs := readings(200, 0.02)
	now := rs[199].At
	c := Calibrate(&s, rs, now, 10, "1")
	require.True(t, c.OK, c.Reason)
	const truth = (0.7 - 0.1) / 4e-6 * 2
	require.InDelta(t, truth, c.Total, 2*c.Margin)
	require.Greater(t, c.Margin, 0.0)
	require.Less(t, c.Margin, 0.1*truth)
	require.Greater(t, c.R2, 0.9)
	require.InDelta(t, 0.02, c.Sigma, 0.004)
}

func TestCalibrateSaysWhyNot(t *testing.T) {
	s := DefaultSettings()
	s.Watermark = 0.7
	rs := readings(200, 0.02)
	now := rs[199].At
	require.Contains(t, Calibrate(&s, nil, now, 1, "").Reason, "no readings")
	require.Contains(t, Calibrate(&s, rs[:5], now, 10, "1").Reason, "5 readings of 20")
	for _, c := range []struct {
		machines int
		build    string
		now      time.Time
		want     string
	}{{12, "1", now, "10 machines then and has 12 now"}, {10, "2", now, "another build"}, {10, "1", now.Add(48 * time.Hour), "old"}} {
		got := Calibrate(&s, rs, c.now, c.machines, c.build)
		require.True(t, got.Stale)
		require.False(t, got.OK)
		require.Contains(t, got.Reason, c.want)
	}
	for i := range rs {
		rs[i].Consumed = 100_000
	}
	require.Contains(t, Calibrate(&s, rs, now, 10, "1").Reason, "varied by 0 %")
}
