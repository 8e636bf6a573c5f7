package lab

import (
	"context"
	"math"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/feedback"
	"github.com/allspark/allspark/server/scene"
)

func secondsOf(s float64) gear.Value { return gear.Duration(time.Duration(s * float64(time.Second))) }

func millisOf(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// specsOf makes a spec for each scene of a model.
func specsOf(m *Model, targets ...float64) []scene.Spec {
	var out []scene.Spec
	for i, s := range m.Scenes {
		out = append(out, scene.Spec{
			Name: s.Name, Target: millisOf(targets[i]), Timeout: s.Timeout, MaxTimeouts: 0.01, From: 60 * time.Millisecond, To: 450 * time.Millisecond,
			Front: scene.Place{App: m.Apps[0].Name, Point: m.Points[m.Apps[0].Span].Name}, Graph: Graph(m),
		})
	}
	return out
}

// Retarget is what a change of the target from 300 to 160 ms came to, from the
// second of the save on.
type Retarget struct {
	Name     string
	Target   float64   // ms
	Within15 float64   // s until mean RT stays within 15 % of the target for 5 s
	Within5  float64   // share of 10 s windows from the hand-over on within 5 %
	Over     float64   // timeout-request-seconds: what requests spent beyond 1.5 times the target
	Ceiling  float64   // the same of windows against their own run's mean, with the row held as it is: all but their noise is taken away
	Late     float64   // share of requests that timed out in front, from the hand-over on
	RT       []float64 // ms by second, mean over seeds
	Overs    []float64 // timeout-request-seconds by second, mean over seeds
}

// retargetAt is when the target is saved, in seconds of the measured part.
const retargetAt, retargetFor, retargetHold = 30, 240, 20

func retarget(ctx context.Context, workers int, name string, m *Model, tables []*allocation.Table, alone bool, from, to float64, seeds int) (Retarget, error) {
	out := Retarget{Name: name, Target: to, RT: make([]float64, retargetFor), Overs: make([]float64, retargetFor)}
	runs := make([]*played, seeds)
	var jobs []func()
	for i := range runs {
		jobs = append(jobs, func() {
			targets := []float64{from, 300}
			x := sceneRun{
				model: m, specs: specsOf(m, targets[:len(m.Scenes)]...), tables: tables, load: flat(1), warm: 150 * time.Second,
				measure: (retargetAt + retargetFor) * time.Second, seed: uint64(i + 1), set: feedback.DefaultScene,
				at: map[int]func([]*scene.Spec){retargetAt: func(all []*scene.Spec) {
					for _, s := range all {
						if s.Name == "k2" {
							s.Target, s.FeedbackAlone = millisOf(to), alone
						}
					}
				}},
			}
			runs[i] = x.play()
		})
	}
	if err := parallel(ctx, workers, jobs); err != nil {
		return out, err
	}
	for _, r := range runs {
		seconds := r.seconds[0][retargetAt:]
		within := float64(retargetFor)
		for t := 0; t+5 <= len(seconds); t++ {
			ok := true
			for _, s := range seconds[t : t+5] {
				ok = ok && math.Abs(s.mean()/to-1) <= 0.15
			}
			if ok {
				within = float64(t)
				break
			}
		}
		out.Within15 += within / float64(seeds)
		good, windows, count, late := 0.0, 0.0, 0.0, 0.0
		for t := retargetHold; t+10 <= len(seconds); t += 10 {
			w := sumOf(seconds[t : t+10])
			windows++
			if math.Abs(w.mean()/to-1) <= 0.05 {
				good++
			}
			count, late = count+float64(w.count), late+float64(w.timeouts)
		}
		out.Within5 += good / windows / float64(seeds)
		out.Late += late / max(count, 1) / float64(seeds)
		for t := range seconds {
			out.RT[t] += seconds[t].mean() / float64(seeds)
			out.Overs[t] += seconds[t].over / float64(seeds)
			out.Over += seconds[t].over / float64(seeds)
		}
	}
	return out, nil
}

// heldRows are settings under which the row of a target stays as it is.
func heldRows() feedback.SceneSettings {
	set := feedback.DefaultScene
	set.Hold, set.Fast = 24*time.Hour, 24*time.Hour
	return set
}

// ceiling is what no regulation by rows could do better than: each seed under the one
// constant row that is right for it on the whole.
func ceiling(ctx context.Context, workers int, m *Model, tables []*allocation.Table, to float64, seeds int) (float64, error) {
	shares := make([]float64, seeds)
	var jobs []func()
	for i := range shares {
		jobs = append(jobs, func() {
			x := sceneRun{
				model: m, specs: specsOf(m, []float64{to, 300}[:len(m.Scenes)]...), tables: tables, load: flat(1), warm: (150 + retargetAt + retargetHold) * time.Second,
				measure: (retargetFor - retargetHold) * time.Second, seed: uint64(i + 1), set: heldRows(),
			}
			seconds := x.play().seconds[0]
			whole, good, windows := sumOf(seconds), 0.0, 0.0
			for t := 0; t+10 <= len(seconds); t += 10 {
				w := sumOf(seconds[t : t+10])
				windows++
				if math.Abs(w.mean()/whole.mean()-1) <= 0.05 {
					good++
				}
			}
			shares[i] = good / windows
		})
	}
	err := parallel(ctx, workers, jobs)
	return Of(shares).Mean, err
}

func sumOf(all []sceneSecond) (out sceneSecond) {
	for _, s := range all {
		out.count, out.timeouts, out.ns, out.over = out.count+s.count, out.timeouts+s.timeouts, out.ns+s.ns, out.over+s.over
		out.bound = out.bound || s.bound
		out.target = s.target
	}
	return out
}

// Retargets plays 300 to 160 ms on the standard model: with a table as measured,
// with one that is a fifth too high or too low, and by feedback alone; then by
// feedback alone, and by preset, on chains of one to six calls deep.
func Retargets(ctx context.Context, workers, seeds int) (standard, depths []Retarget, err error) {
	m := Standard(3)
	for _, x := range []struct {
		name  string
		bias  float64
		alone bool
	}{{"preset", 1, false}, {"preset, table says a fifth too little", 0.8, false}, {"preset, table says a quarter too much", 1.25, false}, {"feedback alone", 1, true}} {
		tables, err := measured(m, sceneLadders(m), specsOf(m, 300, 300), probing{load: 1, bias: x.bias})
		if err != nil {
			return nil, nil, err
		}
		r, err := retarget(ctx, workers, x.name, m, tables, x.alone, 300, 160, seeds)
		if err == nil && !x.alone && x.bias == 1 {
			r.Ceiling, err = ceiling(ctx, workers, m, tables, 160, seeds)
		}
		if err != nil {
			return nil, nil, err
		}
		standard = append(standard, r)
	}
	for depth := 1; depth <= 6; depth++ {
		m := chain(depth, 2)
		tables, err := measured(m, sceneLadders(m), specsOf(m, 300), probing{load: 1, bias: 1})
		if err != nil {
			return nil, nil, err
		}
		// Deeper chains take longer: the same step, from what the row of four fifths of
		// the slowest takes down to 160/300 of it.
		from := math.Round(min(0.8*tables[0].Slowest, 400))
		for _, alone := range []bool{true, false} {
			name := "preset"
			if alone {
				name = "feedback alone"
			}
			r, err := retarget(ctx, workers, name, m, tables, alone, from, math.Round(from*160/300), seeds)
			if err == nil && !alone {
				r.Ceiling, err = ceiling(ctx, workers, m, tables, r.Target, seeds)
			}
			if err != nil {
				return nil, nil, err
			}
			depths = append(depths, r)
		}
	}
	return standard, depths, nil
}

// LinkedRow is linked against isolated regulation at one load, seed by seed.
type LinkedRow struct {
	Load                                 float64
	Linked, Isolated                     Interval // value, share of the offered
	Value, Cut                           Interval // linked - isolated
	CutLinked, CutIsolated               Interval // share of the work above that the point below cut off
	RTLinked, RTIsolated, LateL, LateIso float64  // k2: mean RT, ms; timeouts
}

// LinkedAgainstIsolated plays rows of a table whose solver sees that points work on
// each other's results, and rows of one that does not, on the same machines.
func LinkedAgainstIsolated(ctx context.Context, workers, seeds int) ([]LinkedRow, error) {
	return linkedAgainst(ctx, workers, seeds, Standard(3), []float64{0.7, 1, 1.4})
}

func linkedAgainst(ctx context.Context, workers, seeds int, m *Model, loads []float64) ([]LinkedRow, error) {
	specs := specsOf(m, 160, 160)
	var tables [2][]*allocation.Table
	for i := range tables {
		var err error
		if tables[i], err = measured(m, sceneLadders(m), specs, probing{load: 1, bias: 1, isolated: i == 1}); err != nil {
			return nil, err
		}
	}
	var out []LinkedRow
	for _, load := range loads {
		var value, cut [2][]float64
		row := LinkedRow{Load: load}
		for i := range tables {
			value[i], cut[i] = make([]float64, seeds), make([]float64, seeds)
		}
		runs := make([][2]*played, seeds)
		var jobs []func()
		for s := range seeds {
			for i := range tables {
				jobs = append(jobs, func() {
					x := sceneRun{
						model: m, specs: specs, tables: tables[i], load: flat(load), warm: 120 * time.Second, measure: 180 * time.Second,
						seed: uint64(s + 1), set: feedback.DefaultScene,
					}
					runs[s][i] = x.play()
				})
			}
		}
		if err := parallel(ctx, workers, jobs); err != nil {
			return nil, err
		}
		for s := range runs {
			for i, r := range runs[s] {
				var earned, offered, depth, lost float64
				for k := range r.tally.Scenes {
					t := &r.tally.Scenes[k]
					earned, offered, depth, lost = earned+t.Value, offered+t.Offered, depth+t.Depth, lost+t.Cut
				}
				value[i][s], cut[i][s] = earned/offered, lost/max(depth, 1)
				rt, late := float64(r.tally.Scenes[0].Mean())/1e6/float64(seeds), r.tally.Scenes[0].Rate(TimedOut)/float64(seeds)
				if i == 0 {
					row.RTLinked, row.LateL = row.RTLinked+rt, row.LateL+late
				} else {
					row.RTIsolated, row.LateIso = row.RTIsolated+rt, row.LateIso+late
				}
			}
		}
		row.Linked, row.Isolated, row.Value = Of(value[0]), Of(value[1]), Paired(value[0], value[1])
		row.CutLinked, row.CutIsolated, row.Cut = Of(cut[0]), Of(cut[1]), Paired(cut[0], cut[1])
		out = append(out, row)
	}
	return out, nil
}

// Day is the chain held at 130 ms through a day with two peaks.
type Day struct {
	Windows        int
	Under          float64 // share of 10 s windows at or under 136.5 ms
	Within5        float64 // share of windows off the bounds within 5 %
	OffBound       float64 // share of the windows
	Before, After  float64 // mean level of the rows, before the target is raised to 200 ms and after
	RTBefore, RTAt float64 // ms: mean over the day, and at the end under 200 ms
	Course         []float64
}

// TwoPeaks plays it, and raises the target at the end.
func TwoPeaks(ctx context.Context, workers, seeds int) (Day, error) {
	m := Standard(3)
	specs := specsOf(m, 130, 160)
	var out Day
	tables, err := measured(m, sceneLadders(m), specs, probing{load: 1, bias: 1})
	if err != nil {
		return out, err
	}
	const day, more = 900, 180
	runs := make([]*played, seeds)
	var jobs []func()
	for i := range runs {
		jobs = append(jobs, func() {
			x := sceneRun{
				model: m, specs: specs, tables: tables, warm: 180 * time.Second, measure: (day + more) * time.Second, seed: uint64(i + 1), set: feedback.DefaultScene,
				load: func(t float64) float64 { return twoPeaks(min(t, day)) },
				at: map[int]func([]*scene.Spec){day: func(all []*scene.Spec) {
					for _, s := range all {
						s.Target = millisOf(200)
					}
				}},
			}
			runs[i] = x.play()
		})
	}
	if err := parallel(ctx, workers, jobs); err != nil {
		return out, err
	}
	off := 0.0
	for _, r := range runs {
		for t := 0; t+10 <= day; t += 10 {
			w := sumOf(r.seconds[0][t : t+10])
			out.Windows++
			if w.mean() <= 136.5 {
				out.Under++
			}
			out.RTBefore += w.mean()
			if seeds == 1 || r == runs[0] {
				out.Course = append(out.Course, w.mean())
			}
			if !w.bound {
				off++
				if math.Abs(w.mean()/130-1) <= 0.05 {
					out.Within5++
				}
			}
		}
		n := float64(seeds)
		out.Before += r.seconds[0][day-1].level / n
		last := r.seconds[0][len(r.seconds[0])-1]
		out.After += last.level / n
		tail := sumOf(r.seconds[0][day+more-60:])
		out.RTAt += tail.mean() / n
	}
	out.Under, out.OffBound, out.Within5 = out.Under/float64(out.Windows), off/float64(out.Windows), out.Within5/max(off, 1)
	out.RTBefore /= float64(out.Windows)
	return out, nil
}
