package loop_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent/loop"
	"github.com/allspark/allspark/proto/gear"
)

func settings(t time.Duration) loop.Settings {
	work := make([]float64, 100)
	for i := range work {
		work[i] = float64(i+1) / 100
	}
	return loop.SettingsOf(&gear.Order{Strategy: gear.StrategyCrowdRT, Level: 100, MinLevel: 5, MaxLevel: 100, AvailableRT: t}, work)
}

// After load doubles, every crowd with enough samples is back in [0.9 T, T·1.03]
// within six intervals and stays there; lighter crowds never work less.
func TestCrowdsSettleAfterLoadDoubles(t *testing.T) {
	const T = 12000.0
	p := newPlant(300)
	set := settings(12 * time.Millisecond)
	s := loop.NewState(set)
	for i := range 90 {
		if i == 40 {
			p.rate = 600
		}
		in, truth := p.run(&s, 10)
		var count [loop.MaxCrowds]int64
		for b := range in.Bins {
			count[s.Assign[b]] += in.Bins[b].N
		}
		if i >= 30 && i < 40 || i >= 47 {
			for k := range s.Count {
				c := s.Crowds[k]
				if count[k] < 400 || c.Bound == loop.Top {
					continue
				}
				require.LessOrEqual(t, truth[k], 1.03*T, "interval %d crowd %d", i, k)
				if c.Work < 0.99*set.MaxWork {
					require.GreaterOrEqual(t, truth[k], 0.88*T, "interval %d crowd %d", i, k)
				}
			}
		}
		s = loop.Step(s, &in, set)
		for k := range s.Count {
			require.False(t, math.IsNaN(s.Crowds[k].Work))
			require.InDelta(t, (set.MinWork+set.MaxWork)/2, s.Crowds[k].Work, (set.MaxWork-set.MinWork)/2+1e-9)
			if k > 0 {
				require.LessOrEqual(t, s.Crowds[k].Work, s.Crowds[k-1].Work)
			}
		}
	}
	require.Equal(t, loop.Top, s.Crowds[0].Bound, "light requests lose nothing: %s", s.Crowds[0].Reason)
}

func TestLevelsOfDithersBetweenNeighbours(t *testing.T) {
	work := []float64{0.1, 0.2, 0.4, 0.8, 1}
	for _, c := range []struct {
		g      float64
		lo, hi int
		level  int
		up     float64
	}{
		{0.05, 1, 5, 1, 0},
		{0.1, 1, 5, 1, 0},
		{0.15, 1, 5, 1, 0.5},
		{0.2, 1, 5, 2, 0},
		{0.3, 1, 5, 2, 0.5},
		{1, 1, 5, 5, 0},
		{2, 1, 5, 5, 0},
		{0.9, 1, 4, 4, 0},
		{0.1, 3, 5, 3, 0},
		{0.6, 3, 5, 3, 0.5},
	} {
		m := loop.LevelsOf(work, c.g, c.lo, c.hi)
		require.Equal(t, c.level, m.Level, "%+v", c)
		require.InDelta(t, c.up, m.Up, 1e-9, "%+v", c)
	}
}

func TestBinsGrowWithLoadAndTolerateAnything(t *testing.T) {
	last := 0
	for l := 1.0 / 512; l < 1<<25; l *= 1.07 {
		b := loop.Bin(l)
		require.GreaterOrEqual(t, b, last)
		last = b
	}
	require.Equal(t, loop.Bins-1, last)
	for _, l := range []float64{0, -1, math.NaN(), math.Inf(-1)} {
		require.Zero(t, loop.Bin(l), "%v", l)
	}
	require.Equal(t, loop.Bins-1, loop.Bin(math.Inf(1)))
	require.Equal(t, 1, loop.Bin(1e-300))
}

// Crowds need the fit's ratios: how much slower a heavy request is than a light one
// under the same work. In the plant that is (1+0.06·800)/(1+0.06·100) = 7; an error of
// less than one crowd's width moves no request by more than one crowd.
func TestFitTellsHeavyFromLight(t *testing.T) {
	p := newPlant(400)
	set := settings(9 * time.Millisecond)
	s := loop.NewState(set)
	for range 40 {
		in, _ := p.run(&s, 10)
		s = loop.Step(s, &in, set)
	}
	require.InDelta(t, math.Log(7), math.Log(s.Fit.Reference(800)/s.Fit.Reference(100)), math.Log(set.Ratio))
}

func TestEmergencyStepsDownAfterTwoWindowsAndNeverUp(t *testing.T) {
	p := newPlant(300)
	set := settings(12 * time.Millisecond)
	s := loop.NewState(set)
	for range 30 {
		in, _ := p.run(&s, 10)
		s = loop.Step(s, &in, set)
	}
	p.rate = 700
	in, _ := p.run(&s, 2)
	one, moved := loop.Emergency(s, &in, set)
	require.False(t, moved, "one window is no emergency")
	in, _ = p.run(&one, 2)
	two, moved := loop.Emergency(one, &in, set)
	require.True(t, moved)
	for k := range two.Count {
		require.LessOrEqual(t, two.Crowds[k].Work, one.Crowds[k].Work)
	}
	p.rate = 50
	for range 5 {
		in, _ = p.run(&two, 2)
		two, moved = loop.Emergency(two, &in, set)
		require.False(t, moved)
	}
}

func TestBrokenSamplesMoveNothing(t *testing.T) {
	p := newPlant(300)
	set := settings(12 * time.Millisecond)
	s := loop.NewState(set)
	for range 20 {
		in, _ := p.run(&s, 10)
		s = loop.Step(s, &in, set)
	}
	var in loop.Sample
	for b := range in.Bins {
		in.Bins[b] = loop.BinSample{N: 500, Sum: math.NaN(), Square: math.Inf(1)}
	}
	in.Utilisation = math.NaN()
	next := loop.Step(s, &in, set)
	for k := range next.Count {
		require.Equal(t, s.Crowds[k].Work, next.Crowds[k].Work)
	}
}

func TestAPinHoldsEveryCrowdAtTheOrdersLevel(t *testing.T) {
	p := newPlant(300)
	set := settings(12 * time.Millisecond)
	s := loop.NewState(set)
	for range 20 {
		in, _ := p.run(&s, 10)
		s = loop.Step(s, &in, set)
	}
	set.Pinned, set.Start = true, 0.4
	in, _ := p.run(&s, 10)
	s = loop.Step(s, &in, set)
	for k := range s.Count {
		require.Equal(t, 0.4, s.Crowds[k].Work)
	}
}
