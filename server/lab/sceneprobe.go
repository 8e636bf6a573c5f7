package lab

import (
	"fmt"
	"math"
	"time"

	"github.com/allspark/allspark/proto/sketch"
	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/feedback"
	"github.com/allspark/allspark/server/profile"
	"github.com/allspark/allspark/server/scene"
)

// levelProbe runs every point of one app at one share of its levels, the other apps
// at the middle of theirs, and hands what that app's visits took and earned to a
// learner, as the agents' reports would.
type levelProbe struct {
	model   *Model
	ladders []*Ladder
	app     int
	share   float64
	bias    float64 // on RT: profiles of another day
	mean    float64 // load
	seen    map[[4]int]*profile.Observation
	rt      map[[4]int]*sketch.Sum
}

func (p *levelProbe) level(point int) int {
	share, n := p.share, p.ladders[point].Top()
	if p.model.Points[point].App != p.app {
		share = probeMiddle
	}
	return min(max(int(math.Round(share*float64(n))), 1), n)
}

func (p *levelProbe) Begin(v *Visit, r *Reading) {
	if p.ladders[v.Point] != nil {
		*r = p.ladders[v.Point].Rows[p.level(int(v.Point))-1]
	}
}

func (p *levelProbe) End(v *Visit, res Result) {
	if v.Now < int64(probeFrom) || res.Outcome != OK || p.ladders[v.Point] == nil || p.model.Points[v.Point].App != p.app {
		return
	}
	class, name := 2, "heavy"
	switch x := v.Load / p.mean; {
	case x < 0.5:
		class, name = 0, "light"
	case x < 1.5:
		class, name = 1, "middle"
	}
	k := [4]int{int(v.Scene), int(v.Point), class, p.level(int(v.Point))}
	o := p.seen[k]
	if o == nil {
		pt := &p.model.Points[v.Point]
		o = &profile.Observation{
			Key:   profile.Key{App: p.model.Apps[pt.App].Name, Point: pt.Name, Scene: p.model.Scenes[v.Scene].Name},
			Class: name, Level: k[3], Of: p.ladders[v.Point].Top(),
		}
		p.seen[k], p.rt[k] = o, &sketch.Sum{}
	}
	o.Count++
	o.Work += float64(res.CPU) / 1e6
	o.Effect += res.Effect
	o.Taken += res.Taken
	o.TakenMax = max(o.TakenMax, res.Taken)
	o.Output += res.Output
	p.rt[k].Record(uint64(max(float64(res.Elapsed)*p.bias, 0)/1000), 1)
}

// play runs the share at the highest rate up to the given one that the machines bear,
// and tells the learner.
func (p *levelProbe) play(learner *profile.Learner, rate float64, seed uint64, at time.Time) {
	trace := Conversation()
	p.mean = trace.MeanLoad
	for busy := 1.0; busy > probeBusy && rate > 1; rate *= 0.9 {
		p.seen, p.rt = map[[4]int]*profile.Observation{}, map[[4]int]*sketch.Sum{}
		e := NewEngine(Config{Model: p.model, Controls: p, Workload: WorkloadConfig{Trace: trace, Rate: max(int(math.Round(rate)), 1), Seed: seed}})
		e.Run(int64(probeLasts), math.MaxInt)
		busy = 0
		for k := range e.machines {
			busy = max(busy, e.Busy(k)/float64(probeLasts)/float64(e.machines[k].cores))
		}
	}
	for k, o := range p.seen {
		o.RT, o.At, o.Worked = p.rt[k].AppendTo(nil), at, o.Count
		learner.Observe(*o)
	}
}

// probeShares are run one after the other. 0.89 and 0.9 are the two sides of where rank
// takes a larger model: between them no line can be drawn.
var probeShares = []float64{0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.89, 0.9, 1}

const (
	// probeMiddle is where the apps run that are not measured. With all apps turned
	// together score was measured on a twentieth of what rank hands it in a row, and
	// merge at half the load: rows were up to 18 % too slow, and neighbours apart by as
	// much, which feedback swung between.
	probeMiddle = 0.5
	probeBusy   = 0.85 // of the cores: where more would be busy, the rate is lowered
	probeLasts  = 64 * time.Second
	probeFrom   = 4 * time.Second
)

// probing says how profiles are measured and what the solver sees.
type probing struct {
	load     float64
	bias     float64 // on RT
	isolated bool    // without links
	exact    bool    // no point has crowds: all run at the level of the row
}

// measured learns the profiles of a model at a load, app by app, and builds each
// scene's table. A point that hands on nothing to compare takes whatever comes.
func measured(m *Model, ladders []*Ladder, specs []scene.Spec, how probing) ([]*allocation.Table, error) {
	at := time.Unix(1_700_000_000, 0)
	learner := profile.NewLearner()
	for app := range m.Apps {
		turned := false
		for i, l := range ladders {
			turned = turned || l != nil && m.Points[i].App == app
		}
		if !turned {
			continue
		}
		for n, share := range probeShares {
			p := levelProbe{model: m, ladders: ladders, app: app, share: share, bias: how.bias}
			p.play(learner, rateOf(m, how.load), 9100+uint64(n), at)
		}
	}
	var ps []*profile.Profile
	for _, k := range learner.Keys() {
		if p, ok := learner.Profile(k, nil); ok {
			for l := range p.Levels { // what was cut short above says less than the level would take
				if l > 0 {
					p.Levels[l].Cap = max(p.Levels[l].Cap, p.Levels[l-1].Cap)
				}
			}
			ps = append(ps, p)
		}
	}
	var out []*allocation.Table
	for i := range specs {
		in, missing, problems := specs[i].Input(func(pl scene.Place) *profile.Profile {
			return profile.Best(ps, pl.App, pl.Point, specs[i].Name, "", at)
		}, func(pl scene.Place) scene.Level {
			point := m.Point(pl.App, pl.Point)
			if how.exact || !crowded(&m.Points[point]) {
				return scene.Level{}
			}
			return scene.Level{Crowds: true, Max: feedback.CapOf(ladders[point].Top(), ladders[point].Default, 1, ladders[point].Top())}
		})
		if len(missing)+len(problems) > 0 {
			return nil, fmt.Errorf("scene %s: %v %v", specs[i].Name, missing, problems)
		}
		if how.isolated {
			for k := range in.Points {
				in.Points[k].Feeder = allocation.None
			}
		}
		t, problems := allocation.Build(in)
		if len(problems) > 0 {
			return nil, fmt.Errorf("scene %s: %w", specs[i].Name, problems)
		}
		out = append(out, t)
	}
	return out, nil
}

// rateOf is how many copies of the trace make a load.
func rateOf(m *Model, load float64) float64 {
	return load * nominal * float64(len(m.IDCs)*m.Machines) / Conversation().Rate()
}
