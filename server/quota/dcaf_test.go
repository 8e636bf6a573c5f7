package quota

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func curve(from, value float64, quotas ...float64) Curve {
	c := Curve{From: from, Value: value}
	for _, q := range quotas {
		c.Points = append(c.Points, Gain{q, math.Log(q)})
	}
	return c
}

// No other choice within the same cost earns more: that is what a price is for.
func TestChooseIsTheBestForItsCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		curves := []Curve{curve(0, rapid.Float64Range(0.1, 5).Draw(t, "v0"), 10, 20, 40, 80), curve(1, rapid.Float64Range(0.1, 5).Draw(t, "v1"), 10, 30, 90)}
		got := Choose(curves, rapid.Float64Range(0.001, 1).Draw(t, "lambda"))
		worth := func(i int, q float64) float64 { return curves[i].Value * math.Log(q) }
		cost, value := got[0].Quota+got[1].Quota, worth(0, got[0].Quota)+worth(1, got[1].Quota)
		for _, a := range curves[0].Points {
			for _, b := range curves[1].Points {
				if a.Quota+b.Quota <= cost {
					require.LessOrEqual(t, worth(0, a.Quota)+worth(1, b.Quota), value+1e-9)
				}
			}
		}
	})
}

func TestPriceMeetsTheBudget(t *testing.T) {
	s := DefaultSettings()
	s.Law = LawDCAF
	var quotas []float64
	for q := 10.0; q <= 640; q *= 1.15 {
		quotas = append(quotas, q)
	}
	s.Curves = []Curve{curve(0, 1, quotas...), curve(0.8, 2, quotas...), curve(1.2, 3, quotas...)}
	require.Empty(t, checkCurves(s.Curves))
	for _, arrivals := range []float64{1000, 4000} {
		s.Total = 300 * 1000
		var p Price
		now := epoch
		var sums []float64
		window := make([]float64, 10) // candidates in each sub-window
		for i := range 600 {
			now = now.Add(Tick)
			sum := 0.0
			for _, v := range window {
				sum += v
			}
			choices, _ := p.Step(&s, Sample{Now: now, Sum: sum})
			each := 0.0
			for _, c := range choices {
				each += c.Quota / 3
			}
			window[i%10] = each * arrivals * Tick.Seconds()
			if i > 300 {
				sums = append(sums, sum/s.Total)
			}
		}
		require.InDelta(t, 1, mean(sums), 0.1)
		ch := Choose(s.Curves, p.Lambda())
		require.Less(t, ch[0].Quota, ch[2].Quota, "the more valuable get more")
	}
}

func TestPriceNeverIsNaN(t *testing.T) {
	s := DefaultSettings()
	s.Total, s.Law = 100, LawDCAF
	s.Curves = []Curve{{From: 0, Value: 1, Points: []Gain{{10, 5}, {20, 5}}}} // nothing to gain
	var p Price
	for i, sum := range []float64{0, math.NaN(), math.Inf(1), 1e300, -1} {
		ch, _ := p.Step(&s, Sample{Now: epoch.Add(time.Duration(i+10) * Tick), Sum: sum})
		require.EqualValues(t, 10, ch[0].Quota)
		require.False(t, math.IsNaN(p.Lambda()) || math.IsInf(p.Lambda(), 0))
	}
}
