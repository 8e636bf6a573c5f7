package allocation_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/allocation"
)

// enumerate is the best effect for each target over every vector, by its true
// statistic.
func enumerate(in *allocation.Input) []float64 {
	truth := allocation.Judge(in)
	best := make([]float64, in.To+1)
	for x := range best {
		best[x] = math.Inf(-1)
	}
	vectors(in, func(levels []int) {
		if at := int(math.Ceil(truth(levels) - 1e-9)); at <= in.To {
			best[at] = max(best[at], in.Flow(levels).Effect)
		}
	})
	for x := 1; x <= in.To; x++ {
		best[x] = max(best[x], best[x-1])
	}
	return best
}

// TestTails compares tables with the enumeration of all vectors by their true
// statistic: for percentiles a table is no longer exact, and says how far off.
func TestTails(t *testing.T) {
	for name, c := range map[string]struct {
		shape  shape
		stat   float64
		trials int
	}{
		"p99, two classes": {shape{points: 4, levels: 5, maxMS: 20, series: true, spread: true, classes: 2, offGrid: true}, 0.99, 40},
		"p90, one class":   {shape{points: 4, levels: 5, maxMS: 20, series: true, spread: true, offGrid: true}, 0.9, 40},
		"mean":             {shape{points: 4, levels: 5, maxMS: 20, series: true, spread: true, classes: 2, offGrid: true}, 0, 40},
		"p95, linked":      {shape{points: 4, levels: 4, maxMS: 20, series: true, spread: true, classes: 2, offGrid: true, links: true}, 0.95, 40},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(3, uint64(len(name))))
			total, worst, n, cut := 0.0, 0.0, 0, 0
			for range c.trials {
				in := random(r, c.shape)
				in.Statistic.Q = c.stat
				table, problems := allocation.Build(in)
				require.Empty(t, problems)
				best := enumerate(in)
				for x := 1; x <= in.To; x++ {
					row, clamped := table.Row(x)
					if math.IsInf(best[x], -1) {
						continue
					}
					if clamped && c.shape.links {
						cut++ // faster only because less comes from upstream than the slowest level hands on
						continue
					}
					require.False(t, clamped, "the fastest vector is always in the table")
					require.LessOrEqual(t, row.RT, float64(x)+0.01)
					gap := (best[x] - row.Effect) / best[x]
					require.GreaterOrEqual(t, gap, -1e-9)
					total += gap
					worst = max(worst, gap)
					n++
				}
			}
			t.Logf("%d targets: mean gap %.3f %%, largest %.2f %%", n, 100*total/float64(n), 100*worst)
			require.LessOrEqual(t, float64(cut), 0.02*float64(n))
			require.LessOrEqual(t, total/float64(n), 0.005)
		})
	}
}

// TestJudgeAgainstSampling draws end-to-end times and compares.
func TestJudgeAgainstSampling(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 3 {
		in := random(r, shape{points: 6, levels: 2, maxMS: 20, series: true, spread: true, classes: 2, offGrid: true})
		in.Statistic.Q = 0.99
		levels := []int{2, 2, 2, 2, 2, 2}
		got := allocation.Judge(in)(levels)
		var below int
		const draws = 60_000
		ms := make([]float64, len(in.Points))
		for range draws {
			c := 0
			if r.Float64() > in.Classes[0].Share {
				c = 1
			}
			for i := range ms {
				ms[i] = in.Points[i].Levels[1].RT[c].Quantile(r.Float64())
			}
			if longest(in, ms) <= got {
				below++
			}
		}
		require.InDelta(t, 0.99, float64(below)/draws, 0.003)
	}
}

// TestRelaxationBounds holds tables against the linear relaxation and reports
// how much whole levels cost.
func TestRelaxationBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	total, n := 0.0, 0
	for range 100 {
		in := random(r, shape{points: 4, levels: 5, maxMS: 20, series: true})
		table, problems := allocation.Build(in)
		require.Empty(t, problems)
		bound := allocation.Relax(in, in.To)
		for _, row := range table.Rows {
			require.GreaterOrEqual(t, bound[row.Target], row.Effect-1e-9)
			total += (bound[row.Target] - row.Effect) / bound[row.Target]
			n++
		}
	}
	t.Logf("the relaxation lies %.2f %% above the optimum on average", 100*total/float64(n))

	in, _ := engine(30, 100, false, 1)
	table, problems := allocation.Build(in)
	require.Empty(t, problems)
	bound := allocation.Relax(in, in.To)
	worst := 0.0
	for _, row := range table.Rows {
		worst = max(worst, (bound[row.Target]-row.Effect)/bound[row.Target])
	}
	t.Logf("30 points x 100 levels: at most %.3f %%", 100*worst)
	require.Less(t, worst, 0.02)
}

// BenchmarkLoss reports how much effect tables for p99 lose against enumeration.
func BenchmarkLoss(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		r := rand.New(rand.NewPCG(3, 16))
		total, worst, n := 0.0, 0.0, 0
		for range b.N {
			for range 40 {
				in := random(r, shape{points: 4, levels: 5, maxMS: 20, series: true, spread: true, classes: 2, offGrid: true})
				in.Statistic.Q = 0.99
				table, problems := allocation.Build(in)
				if problems != nil {
					b.Fatal(problems)
				}
				best := enumerate(in)
				for _, row := range table.Rows {
					gap := (best[row.Target] - row.Effect) / best[row.Target]
					total, worst, n = total+gap, max(worst, gap), n+1
				}
			}
		}
		b.ReportMetric(100*total/float64(n), "mean-%")
		b.ReportMetric(100*worst, "largest-%")
	})
}

// BenchmarkRelaxation reports how far the linear relaxation, point levels mixed,
// lies above the best whole levels.
func BenchmarkRelaxation(b *testing.B) {
	in, _ := engine(30, 100, false, 1)
	b.Run("ours", func(b *testing.B) {
		total, n := 0.0, 0
		for range b.N {
			table, problems := allocation.Build(in)
			if problems != nil {
				b.Fatal(problems)
			}
			bound := allocation.Relax(in, in.To)
			for _, row := range table.Rows {
				total, n = total+(bound[row.Target]-row.Effect)/bound[row.Target], n+1
			}
		}
		b.ReportMetric(100*total/float64(n), "above-%")
	})
}
