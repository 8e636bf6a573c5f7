package lab

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/scene"
)

// Predicted is a row's predicted statistic against what the front end measured.
type Predicted struct {
	Statistic           string
	Target              int
	Predicted, Measured float64 // ms, with exactly the row's levels at every point, in both scenes
	Crowds, WithCrowds  float64 // ms, the same where recall has crowds and feeds keeps its own target
}

// fixedRow runs every point exactly at a row's levels.
type fixedRow struct {
	Free
	rows [][]*Reading // by scene, point
}

func (f *fixedRow) Begin(v *Visit, r *Reading) {
	if x := f.rows[v.Scene][v.Point]; x != nil {
		*r = *x
	}
}

// predictedSeeds are played for each row.
const predictedSeeds = 4

// underCrowds plays a row as machines obey it, and gives what it says and what the
// front end measures, at the quantile q or the mean.
func underCrowds(ctx context.Context, workers int, m *Model, specs []scene.Spec, t []*allocation.Table, target int, q float64) (predicted, measured float64, err error) {
	row, _ := t[0].Row(target)
	sums := make([]SceneTally, predictedSeeds)
	var jobs []func()
	for s := range sums {
		jobs = append(jobs, func() {
			x := sceneRun{
				model: m, specs: slices.Clone(specs), tables: t, load: flat(1), warm: 100 * time.Second, measure: 150 * time.Second, seed: uint64(s + 1), set: heldRows(),
			}
			x.specs[0].Target = time.Duration(target) * time.Millisecond
			sums[s] = x.play().tally.Scenes[0]
		})
	}
	err = parallel(ctx, workers, jobs)
	return row.RT, statisticOf(sums, q), err
}

func statisticOf(sums []SceneTally, q float64) (ms float64) {
	for s := range sums {
		d := sums[s].Mean()
		if q > 0 {
			d = sums[s].Quantile(q)
		}
		ms += float64(d) / 1e6 / float64(len(sums))
	}
	return ms
}

// Predictions runs rows of a table of means and of tables of percentiles.
func Predictions(ctx context.Context, workers int) ([]Predicted, error) {
	m := Standard(3)
	ladders := sceneLadders(m)
	var out []Predicted
	for _, q := range []float64{0, 0.95, 0.99} {
		specs := specsOf(m, 300, 300)
		for i := range specs {
			specs[i].Statistic.Quantile = q
		}
		tables, err := measured(m, ladders, specs, probing{load: 1, bias: 1, exact: true})
		if err != nil {
			return nil, err
		}
		crowds, err := measured(m, ladders, specs, probing{load: 1, bias: 1})
		if err != nil {
			return nil, err
		}
		for _, target := range []int{130, 160, 200, 250} {
			if target < max(tables[0].First, crowds[0].First) {
				continue
			}
			f := &fixedRow{rows: make([][]*Reading, len(m.Scenes))}
			var predicted float64
			for sc := range m.Scenes {
				row, _ := tables[sc].Row(target)
				if sc == 0 {
					predicted = row.RT
				}
				f.rows[sc] = make([]*Reading, len(m.Points))
				for i, name := range tables[sc].Points {
					for k := range m.Points {
						if m.Apps[m.Points[k].App].Name+"/"+m.Points[k].Name == name && ladders[k] != nil {
							f.rows[sc][k] = &ladders[k].Rows[row.Points[i].Level-1]
						}
					}
				}
			}
			sums := make([]SceneTally, predictedSeeds)
			var jobs []func()
			for s := range sums {
				jobs = append(jobs, func() {
					e := NewEngine(Config{Model: m, Controls: f, Workload: WorkloadConfig{Trace: Conversation(), Rate: int(math.Round(rateOf(m, 1))), Seed: uint64(s + 1)}})
					e.Run(int64(30*time.Second), math.MaxInt)
					e.Tally.Reset()
					e.Run(int64(150*time.Second), math.MaxInt)
					sums[s] = e.Tally.Scenes[0]
				})
			}
			if err := parallel(ctx, workers, jobs); err != nil {
				return nil, err
			}
			x := Predicted{Target: target, Predicted: predicted, Measured: statisticOf(sums, q), Statistic: "mean"}
			if x.Crowds, x.WithCrowds, err = underCrowds(ctx, workers, m, specs, crowds, target, q); err != nil {
				return nil, err
			}
			if q > 0 {
				x.Statistic = map[float64]string{0.95: "p95", 0.99: "p99"}[q]
			}
			out = append(out, x)
		}
	}
	return out, nil
}
