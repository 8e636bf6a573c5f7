package lab

import (
	"fmt"
	"math"
	"time"

	"github.com/allspark/allspark/proto/sketch"
	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/profile"
	"github.com/allspark/allspark/server/scene"
)

// levelProbe runs every point at one share of its levels, and hands what visits
// took and earned to a learner, as the agents' reports would.
type levelProbe struct {
	model   *Model
	ladders []*Ladder
	share   float64
	from    int64
	mean    float64 // load
	bias    float64 // on RT: profiles of another day
	seen    map[[4]int]*profile.Observation
	rt      map[[4]int]*sketch.Sum
}

func (p *levelProbe) level(point int) int {
	n := p.ladders[point].Top()
	return min(max(int(math.Round(p.share*float64(n))), 1), n)
}

func (p *levelProbe) Begin(v *Visit, r *Reading) {
	if p.ladders[v.Point] != nil {
		*r = p.ladders[v.Point].Rows[p.level(int(v.Point))-1]
	}
}

func (p *levelProbe) End(v *Visit, res Result) {
	if v.Now < p.from || res.Outcome != OK || p.ladders[v.Point] == nil {
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

// probeShares are run one after the other; the machines are as busy as when the
// whole engine works as hard. Beyond four fifths there is more work than cores at
// the nominal rate, so those run at a lower one.
var probeShares = []float64{0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}

// probing says how profiles are measured and what the solver sees.
type probing struct {
	load     float64
	bias     float64 // on RT
	isolated bool    // without links
	exact    bool    // no point has crowds: all run at the level of the row
}

// measured learns the profiles of a model at a load and builds each scene's table.
// A point that hands on nothing to compare takes whatever comes.
func measured(m *Model, ladders []*Ladder, specs []scene.Spec, how probing) ([]*allocation.Table, error) {
	learner := profile.NewLearner()
	trace := Conversation()
	at := time.Unix(1_700_000_000, 0)
	for n, share := range probeShares {
		p := &levelProbe{
			model: m, ladders: ladders, share: share, from: int64(4 * time.Second), mean: trace.MeanLoad, bias: how.bias,
			seen: map[[4]int]*profile.Observation{}, rt: map[[4]int]*sketch.Sum{},
		}
		rate := rateOf(m, how.load) * min(1, math.Pow(0.8/max(share, 0.8), 3))
		e := NewEngine(Config{Model: m, Controls: p, Workload: WorkloadConfig{Trace: trace, Rate: max(int(rate), 1), Seed: 9100 + uint64(n)}})
		e.Run(int64(64*time.Second), math.MaxInt)
		for k, o := range p.seen {
			o.RT, o.At, o.Worked = p.rt[k].AppendTo(nil), at, o.Count
			learner.Observe(*o)
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
			return scene.Level{Crowds: !how.exact && crowded(&m.Points[m.Point(pl.App, pl.Point)])}
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
