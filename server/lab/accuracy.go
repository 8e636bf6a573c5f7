package lab

import (
	"context"
	"fmt"
	"math"
	"time"
)

// Accuracy is what a rig showed after settling, over its crowds that were off
// their bounds and had enough requests.
type Accuracy struct {
	Name      string
	Intervals int     // crowd-intervals judged
	Samples   int64   // requests in them
	OffBound  float64 // share of crowd-intervals with enough requests that were off their bounds
	Within    float64 // true mean in [0.9 T, T]
	Above     float64 // true mean over T
	Mean      float64 // |true mean - T| / T
	Busy      float64
	Cycle     float64 // rms of mean ln work around its moving average of nine intervals
}

const accuracySamples = 400

// judge reads a rig's intervals from one on.
func judge(name string, in []RigInterval, from int) Accuracy {
	a := Accuracy{Name: name}
	enough := 0
	level := map[int]float64{}
	busy := 0
	last := 0
	for _, x := range in {
		if x.Interval < from {
			continue
		}
		level[x.Interval], last = x.Level, max(last, x.Interval)
		a.Busy += x.Busy
		busy++
		if x.N < accuracySamples {
			continue
		}
		enough++
		if !x.Free {
			continue
		}
		a.Intervals++
		a.Samples += x.N
		a.Mean += math.Abs(x.Truth - 1)
		if x.Truth > 1 {
			a.Above++
		} else if x.Truth >= 0.9 {
			a.Within++
		}
	}
	n := float64(max(a.Intervals, 1))
	a.OffBound = float64(a.Intervals) / float64(max(enough, 1))
	a.Within, a.Above, a.Mean, a.Busy = a.Within/n, a.Above/n, a.Mean/n, a.Busy/float64(max(busy, 1))
	const half = 4
	sum, count := 0.0, 0
	for i := from + half; i <= last-half; i++ {
		m := 0.0
		for d := -half; d <= half; d++ {
			m += level[i+d] / (2*half + 1)
		}
		sum += (level[i] - m) * (level[i] - m)
		count++
	}
	a.Cycle = math.Sqrt(sum / float64(max(count, 1)))
	return a
}

const (
	rigTarget = 1400 * time.Microsecond
	rigWarm   = 30 // intervals
	rigLong   = 90
)

// Steady measures accuracy at loads around nominal.
func Steady(ctx context.Context, workers int, seeds int) ([]Accuracy, error) {
	var out []Accuracy
	var jobs []func()
	loads := []float64{0.7, 0.85, 1, 1.15, 1.3}
	all := make([][]RigInterval, len(loads)*seeds)
	for i, load := range loads {
		for s := range seeds {
			jobs = append(jobs, func() {
				r := Rig{Cores: snCores, Load: load, Target: rigTarget, Seed: uint64(s + 1)}
				all[i*seeds+s] = r.Run(rigLong)
			})
		}
	}
	if err := parallel(ctx, workers, jobs); err != nil {
		return nil, err
	}
	for i, load := range loads {
		out = append(out, merge(fmt.Sprintf("%g of nominal", load), all[i*seeds:(i+1)*seeds]))
	}
	return out, nil
}

// merge judges several seeds as one.
func merge(name string, runs [][]RigInterval) Accuracy {
	var a Accuracy
	for _, in := range runs {
		b := judge(name, in, rigWarm)
		n, m := float64(a.Intervals), float64(b.Intervals)
		w := m / max(n+m, 1)
		a.Within += (b.Within - a.Within) * w
		a.Above += (b.Above - a.Above) * w
		a.Mean += (b.Mean - a.Mean) * w
		a.Intervals += b.Intervals
		a.Samples += b.Samples
		k := 1 / float64(len(runs))
		a.OffBound += b.OffBound * k
		a.Busy += b.Busy * k
		a.Cycle += b.Cycle * k
	}
	a.Name = name
	return a
}

// Cycles looks for limit cycles at utilisations from low to high: with one core,
// T decides at which utilisation a load settles.
func Cycles(ctx context.Context, workers int) ([]Accuracy, error) {
	cases := []struct{ load, target float64 }{{0.6, 0.5}, {0.8, 0.8}, {1, 1.4}, {1.2, 2.5}, {1.4, 5}, {1.6, 10}, {1.8, 20}}
	out := make([]Accuracy, len(cases))
	var jobs []func()
	for i, c := range cases {
		jobs = append(jobs, func() {
			r := Rig{Load: c.load, Target: time.Duration(c.target * float64(time.Millisecond)), Seed: 1}
			out[i] = judge(fmt.Sprintf("%.1f of nominal, T %.1f ms", c.load, c.target), r.Run(rigLong), rigWarm)
		})
	}
	return out, parallel(ctx, workers, jobs)
}

// Move is a step of load or target and how long crowds took to follow.
type Move struct {
	Name    string
	Settled int // intervals until true means stayed within [0.85 T, 1.03 T] on the mean of the crowds; -1 never
}

const moveAt = 40

// Moves measures how fast crowds settle after a step.
func Moves(ctx context.Context, workers int) ([]Move, error) {
	cases := []struct {
		name         string
		load, target float64 // after the step, beside before
	}{
		{"load x1.3", 1.3, 1},
		{"load x1.5", 1.5, 1},
		{"load x2", 2, 1},
		{"T x0.8", 1, 0.8},
		{"T x0.5", 1, 0.5},
		{"T x1.2", 1, 1.2},
		{"T x1.5", 1, 1.5},
		{"load /1.3", 1 / 1.3, 1},
		{"load /1.5", 1 / 1.5, 1},
	}
	out := make([]Move, len(cases))
	var jobs []func()
	for i, c := range cases {
		jobs = append(jobs, func() {
			r := Rig{Load: 1, Target: rigTarget, Seed: 1, Change: func(r *Rig, at int) {
				if at == moveAt {
					r.Load, r.Target = c.load, time.Duration(float64(rigTarget)*c.target)
				}
			}}
			out[i] = Move{c.name, settled(r.Run(moveAt + 40))}
		})
	}
	return out, parallel(ctx, workers, jobs)
}

// settled is the first interval after the step from which the free crowds' mean
// of true means stays near T for three intervals.
func settled(in []RigInterval) int {
	sum, n := map[int]float64{}, map[int]float64{}
	last := 0
	for _, x := range in {
		last = max(last, x.Interval)
		if x.Free && x.N >= accuracySamples {
			sum[x.Interval] += x.Truth * float64(x.N)
			n[x.Interval] += float64(x.N)
		}
	}
	calm := 0
	for i := moveAt; i <= last; i++ {
		m := sum[i] / max(n[i], 1)
		if calm++; m < 0.87 || m > 1.03 {
			calm = 0
		}
		if calm == 3 {
			return i - 2 - moveAt
		}
	}
	return -1
}
