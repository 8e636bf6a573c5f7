package allocation_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/allocation"
)

// brute is the best effect for each target, over every vector.
func brute(in *allocation.Input) []float64 {
	best := make([]float64, in.To+1)
	for t := range best {
		best[t] = math.Inf(-1)
	}
	ms := make([]float64, len(in.Points))
	vectors(in, func(levels []int) {
		f := in.Flow(levels)
		for i := range ms {
			ms[i] = in.Points[i].Levels[f.Points[i].Ran-1].RT[0][0].MS
		}
		if t := int(math.Ceil(longest(in, ms) - 1e-9)); t <= in.To {
			best[t] = max(best[t], f.Effect)
		}
	})
	for t := 1; t <= in.To; t++ {
		best[t] = max(best[t], best[t-1])
	}
	return best
}

// TestEqualToBruteForce solves thousands of small instances of every shape.
// Rows are exact unless the table itself says otherwise; then what it found must
// lie between what it found and its bound.
func TestEqualToBruteForce(t *testing.T) {
	for name, c := range map[string]struct {
		shape  shape
		trials int
		exact  float64 // share of the tables that must claim to be exact
	}{
		"series-parallel":      {shape{points: 4, levels: 4, maxMS: 8, series: true}, 1500, 1},
		"calls and retries":    {shape{points: 4, levels: 3, maxMS: 6, series: true, calls: true}, 1000, 1},
		"any order":            {shape{points: 5, levels: 3, maxMS: 6}, 1000, 1},
		"cross-links of calls": {shape{points: 5, levels: 3, maxMS: 6, series: true, calls: true, cross: true}, 1000, 1},
		"links":                {shape{points: 4, levels: 4, maxMS: 6, series: true, links: true}, 1500, 0.6},
		"links and calls":      {shape{points: 5, levels: 3, maxMS: 6, series: true, calls: true, links: true}, 700, 0.5},
		"links in any order":   {shape{points: 4, levels: 3, maxMS: 6, links: true}, 500, 0.4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, uint64(len(name))))
			exact, gap := 0, 0.0
			for n := range c.trials {
				in := random(r, c.shape)
				if in.Check() != nil {
					require.Empty(t, in.Check(), "%s %d", name, n)
				}
				table, problems := allocation.Build(in)
				require.Empty(t, problems)
				best := brute(in)
				claims := len(table.Unlinked) == 0 && !table.Bounded
				if claims {
					exact++
				}
				for target := in.From; target <= in.To; target++ {
					row, clamped := table.Row(target)
					if math.IsInf(best[target], -1) {
						require.True(t, clamped, "%s %d: target %d cannot be met", name, n, target)
						continue
					}
					if clamped {
						t.Fatalf("%s %d: target %d can be met", name, n, target)
					}
					want, tolerance := best[target], 1e-9*math.Abs(best[target])
					switch {
					case row.RT > float64(target)+0.01:
						t.Fatalf("%s %d: target %d gets a vector of %g ms", name, n, target, row.RT)
					case claims && math.Abs(row.Effect-want) > tolerance, row.Effect > want+tolerance,
						!claims && row.Bound > 0 && row.Bound < want-tolerance:
						t.Fatalf("%s %d: target %d: effect %g, bound %g, brute force %g\n%+v", name, n, target, row.Effect, row.Bound, want, in)
					}
					gap = max(gap, (want-row.Effect)/math.Abs(want))
				}
			}
			t.Logf("%d instances, %d claim to be exact and are; largest true gap of the others %.2f %%", c.trials, exact, 100*gap)
			require.GreaterOrEqual(t, float64(exact), c.exact*float64(c.trials))
		})
	}
}
