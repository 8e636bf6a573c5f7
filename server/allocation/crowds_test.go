package allocation_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/allspark/allspark/server/allocation"
)

// users is one point with light and heavy requests, half and half.
func users(crowds bool, light, heavy []float64) *allocation.Input {
	in := &allocation.Input{
		Classes: []allocation.Class{{Name: "light", Share: 0.5}, {Name: "heavy", Share: 0.5}}, From: 1, To: 100,
		Points: []allocation.Point{{Name: "sn/recall", Feeder: allocation.None, Crowds: crowds}},
		Graph:  allocation.Graph{Nodes: []allocation.Node{{Name: "sn/recall", Point: 0, Parent: allocation.None}}},
	}
	for l := range light {
		x := float64(l + 1)
		in.Points[0].Levels = append(in.Points[0].Levels, allocation.Level{
			RT: []allocation.Dist{allocation.Fixed(light[l]), allocation.Fixed(heavy[l])}, Work: 10 * x, Effect: x, Output: 100 * x,
		})
	}
	return in
}

func TestCrowdsTakeLessThanTheirCap(t *testing.T) {
	light, heavy := []float64{10, 20, 30}, []float64{30, 60, 90}
	whole, problems := allocation.Build(users(false, light, heavy))
	require.Empty(t, problems)
	row, _ := whole.Row(50)
	require.Equal(t, 2, row.Points[0].Level, "level 3 takes 60 ms where everybody runs at it")

	table, problems := allocation.Build(users(true, light, heavy))
	require.Empty(t, problems)
	for target, want := range map[int]allocation.PointRow{
		20: {Level: 1, RT: 20, Setpoint: 20, Effect: 1, Work: 10}, // the heavy cannot run lower
		30: {Level: 2, RT: 30, Setpoint: 40, Effect: (2 + 4.0/3) / 2, Work: (20 + 40.0/3) / 2},
		45: {Level: 3, RT: 45, Setpoint: 60, Effect: (3 + 2) / 2.0, Work: (30 + 20) / 2.0},
	} {
		row, clamped := table.Row(target)
		require.False(t, clamped)
		got := row.Points[0]
		require.Equal(t, want.Level, got.Level, target)
		require.InDelta(t, want.RT, got.RT, 0.01)
		require.InDelta(t, want.Setpoint, got.Setpoint, 0.01, "what each crowd is held at or under")
		require.InDelta(t, want.Effect, got.Effect, 1e-9)
		require.InDelta(t, want.Work, got.Work, 1e-9)
	}
	require.NotEqual(t, users(true, light, heavy).Hash(), users(false, light, heavy).Hash())
	require.Equal(t, 1.0, allocation.Drift(users(true, light, heavy), users(false, light, heavy)))
}

// Whatever the profile: crowds are never slower than their cap, and a higher cap
// never earns less.
func TestCrowdsAreNeverSlowerThanTheirCap(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(r, "levels")
		rising := func(what string) (out []float64) {
			ms := 0.0
			for range n {
				ms += float64(rapid.IntRange(0, 12).Draw(r, what))
				out = append(out, ms)
			}
			return out
		}
		light, heavy := rising("light"), rising("heavy")
		whole, problems := allocation.Build(users(false, light, heavy))
		require.Empty(r, problems)
		table, problems := allocation.Build(users(true, light, heavy))
		require.Empty(r, problems)
		last := 0.0
		for target := 1; target <= 100; target++ {
			row, clamped := table.Row(target)
			if clamped {
				continue
			}
			x := row.Points[0]
			require.LessOrEqual(r, row.RT, float64(target))
			require.GreaterOrEqual(r, x.Setpoint, x.RT-0.01)
			require.GreaterOrEqual(r, row.Effect, last-1e-9)
			last = row.Effect
			if at, clamped := whole.Row(target); !clamped {
				require.GreaterOrEqual(r, x.Level, at.Points[0].Level)
			}
		}
	})
}
