package lab

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/planner"
	"github.com/allspark/allspark/server/template"
)

// Night is one way through the midnight of a sale: which strategy regulates by
// itself, and between which times a plan holds the gears that fit the peak.
type Night struct {
	Name, About string
	strategy    gear.Strategy
	factor      float64       // available RT beside each point's mean under nominal load
	from, to    time.Duration // of the plan, from midnight; both 0: no plan
}

// Midnight is when the peak comes; the date is of no matter.
var Midnight = time.Date(2026, 11, 11, 0, 0, 0, 0, time.UTC)

// Of the nights. The peak gears fit PeakOfNight on a tenth less than all cores.
const (
	PeakOfNight = 5.0
	nightBegins = -20 * time.Minute
	nightEnds   = 20 * time.Minute
	nightStep   = 5 * time.Second
	// peakShare of the cores: of 0.8 to 1.1, the one that earns most at the peak, on a
	// seed that nothing else uses. Below it gears give away more than queues take.
	peakShare = 0.9

	planFires  = -4 * time.Minute  // 23:56, in one step
	manyPushes = -15 * time.Minute // 23:45, when many separate plans had to be pushed one by one
	automatic  = 3 * time.Minute   // 0:03, automatic gears
)

// Nights lists them: the seed design's plan, the same gears from 23:45 on as it was
// done before, and feedback alone, each over both laws that regulate by themselves.
func Nights() []Night {
	var out []Night
	for _, law := range []struct {
		name     string
		strategy gear.Strategy
		factor   float64
	}{{"central", gear.StrategyCentral, centralFactor}, {"crowd", gear.StrategyCrowdRT, crowdFactor}} {
		out = append(out,
			Night{law.name + " alone", "no plan: the law alone sees the peak come", law.strategy, law.factor, 0, 0},
			Night{law.name + " + plan", "the plan: midnight gears at 23:56, automatic gears at 0:03", law.strategy, law.factor, planFires, automatic},
			Night{law.name + " + 23:45", "the same gears pushed from 23:45 on", law.strategy, law.factor, manyPushes, automatic})
	}
	return out
}

// orders gives every app x IDC its order set: the sample engine's gears under a
// strategy, with the levels of a plan pinned where they are given.
func (n *Night) orders(m *Model, levels []int) []planner.Ordered {
	var out []planner.Ordered
	for a := range m.Apps {
		for _, idc := range m.IDCs {
			o := planner.Ordered{Set: gear.OrderSet{App: m.Apps[a].Name, IDC: idc}}
			for i := range m.Points {
				g, ok := gears[i]
				if !ok || m.Points[i].App != a {
					continue
				}
				t, err := template.Expand(specOf(&m.Points[i], g.levels, g.initial, g.how, g.anchors, g.models))
				if err != nil {
					panic("lab: gears of " + m.Points[i].Name) // constants of the program
				}
				x := gear.Order{
					Scene: gear.Any, Point: m.Points[i].Name, Bucket: gear.Any, Table: t.Hash, Strategy: n.strategy,
					Level: g.initial, MinLevel: 1, MaxLevel: g.levels,
					AvailableRT: time.Duration(nominalTargets()[i]/targetFactor*n.factor) * time.Microsecond,
				}
				if n.strategy == gear.StrategyCrowdRT {
					x.Level = g.levels // start and cap
				}
				if levels != nil {
					x.Level, x.Pinned = levels[i], true
				}
				o.Set.Orders = append(o.Set.Orders, x)
				o.Tables = append(o.Tables, *t)
			}
			out = append(out, o)
		}
	}
	return out
}

// script plays the night's plan; peak is its levels by point.
func (n *Night) script(m *Model, peak []int, seed uint64) *planner.Script {
	free := n.orders(m, nil)
	turns := []planner.Turn{{At: Midnight.Add(nightBegins), Sets: free}}
	if n.from != n.to {
		turns = append(turns, planner.Turn{At: Midnight.Add(n.from), Sets: n.orders(m, peak)}, planner.Turn{At: Midnight.Add(n.to), Sets: free})
	}
	return &planner.Script{
		Day:  planner.Day{Kind: planner.DayConversation, Peak: PeakOfNight, PeakAt: Midnight, Seed: int64(seed)},
		From: Midnight.Add(nightBegins), To: Midnight.Add(nightEnds), Step: nightStep, Machines: m.Machines, With: turns,
	}
}

// peakLevels are the gears that earn most on paper while every app keeps a tenth of
// its cores at the peak.
func peakLevels(m *Model) []int {
	f := fluid{m, make([]*Ladder, len(m.Points))}
	for i := range m.Points {
		f.ladders[i] = ladderOf(m, i)
	}
	return f.best(nominal*PeakOfNight, peakShare)
}

// Metrics of a night.
const (
	NightValue    = "value"           // earned / offered, over the whole forty minutes
	NightLost     = "lost"            // timed out, failed or refused / all, the same
	NightPeakLost = "lost at peak"    // of those who came from 0:00 to 0:03
	NightHeavy    = "heavy minutes"   // work below half of the ordinary gears'
	NightBefore   = "value before"    // earned / offered from 23:45 to 0:00
	NightPeak     = "value at peak"   // from 0:00 to 0:03
	NightAfter    = "value after"     // from 0:03 to 0:20
	NightCPU      = "busiest CPU max" // of any 5 s, of the app that is busiest over the night
)

// NightMetrics lists them in the order tables show them.
func NightMetrics() []string {
	return []string{NightValue, NightBefore, NightPeak, NightAfter, NightLost, NightPeakLost, NightHeavy, NightCPU}
}

// NightResult is a night on several seeds.
type NightResult struct {
	Night
	By     map[string][]float64 // metric -> by seed
	Course planner.Course       // of the first seed
}

// NightResults are all of them, on the same users.
type NightResults struct {
	Seeds  int
	Levels []int // of the plan, by point
	Load   []float64
	Nights []NightResult
}

// PlayNights plays every night on seeds 1 to the given one.
func PlayNights(ctx context.Context, seeds, workers int, progress func(done, total int, what string)) (*NightResults, error) {
	m := Standard(1)
	out := &NightResults{Seeds: seeds, Levels: peakLevels(m)}
	nights := Nights()
	courses := make([][]*planner.Course, len(nights))
	tell := &teller{to: progress, total: len(nights) * seeds}
	var jobs []func()
	for i := range nights {
		courses[i] = make([]*planner.Course, seeds)
		for seed := range seeds {
			jobs = append(jobs, func() {
				s := nights[i].script(m, out.Levels, uint64(seed+1))
				r := &rehearsal{script: s, model: m, trace: dayOf(s.Day)}
				if rec, err := r.play(ctx, s.With); err == nil {
					c := rec.course(rec.busiest())
					courses[i][seed] = &c
					tell.did(nights[i].Name)
				}
			})
		}
	}
	if err := parallel(ctx, workers, jobs); err != nil {
		return nil, err
	}
	for i := range nights {
		x := NightResult{Night: nights[i], By: map[string][]float64{}, Course: *courses[i][0]}
		for _, c := range courses[i] {
			for metric, v := range nightOf(c) {
				x.By[metric] = append(x.By[metric], v)
			}
		}
		out.Nights = append(out.Nights, x)
	}
	for i := range out.Nights[0].Course.QPS {
		at := nightBegins + time.Duration(i)*nightStep + nightStep/2
		out.Load = append(out.Load, peakLoad(at, PeakOfNight))
	}
	return out, nil
}

func nightOf(c *planner.Course) map[string]float64 {
	// between gives the value share and the loss of a stretch.
	between := func(from, to time.Duration) (value, lost float64) {
		var earned, offered, bad, all float64
		for i := range c.QPS {
			at := nightBegins + time.Duration(i)*nightStep
			if at < from || at >= to || c.Value[i] <= 0 {
				continue
			}
			earned += c.Earned[i]
			offered += c.Earned[i] / c.Value[i]
			n := c.QPS[i] / max(1-c.Lost[i], 1e-9)
			bad, all = bad+n*c.Lost[i], all+n
		}
		return earned / max(offered, 1e-9), bad / max(all, 1e-9)
	}
	before, _ := between(manyPushes, 0)
	peak, lost := between(0, automatic)
	after, _ := between(automatic, nightEnds)
	return map[string]float64{
		NightValue: c.Totals.Value, NightLost: c.Totals.Lost, NightHeavy: c.Totals.HeavyMinutes, NightCPU: slices.Max(c.CPU),
		NightBefore: before, NightPeak: peak, NightPeakLost: lost, NightAfter: after,
	}
}

// Saved is how much more the plan earns than another night under the same law, as a
// share of what that one earns, and how many minutes of heavy degradation it
// saves; both paired by seed.
func (r *NightResults) Saved(plan, other string) (value, minutes Interval) {
	find := func(name string) *NightResult {
		return &r.Nights[slices.IndexFunc(r.Nights, func(n NightResult) bool { return n.Name == name })]
	}
	a, b := find(plan), find(other)
	value = Paired(a.By[NightValue], b.By[NightValue])
	scale := 1 / math.Max(Of(b.By[NightValue]).Mean, 1e-9)
	value.Mean, value.Half = value.Mean*scale, value.Half*scale
	return value, Paired(b.By[NightHeavy], a.By[NightHeavy])
}
