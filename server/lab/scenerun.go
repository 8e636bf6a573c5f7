package lab

import (
	"fmt"
	"math"
	"time"

	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/feedback"
	"github.com/allspark/allspark/server/scene"
)

// sceneRun is one play of a model under regulation of its scenes.
type sceneRun struct {
	model   *Model
	specs   []scene.Spec
	tables  []*allocation.Table
	load    func(t float64) float64
	warm    time.Duration
	measure time.Duration
	seed    uint64
	set     feedback.SceneSettings
	at      map[int]func(specs []*scene.Spec) // by second of the measured part: what an operator changes
}

// sceneSecond is what the front end saw of a scene in one second, in all IDCs.
type sceneSecond struct {
	count, timeouts int64
	ns              float64
	over            float64 // seconds spent beyond the limit
	target          float64 // ms, effective, of the first IDC
	bound           bool    // some IDC's row is at an end of the table
	phase           feedback.Phase
	level           float64 // mean level of the row, over points
}

type played struct {
	seconds [][]sceneSecond // by scene
	tally   Tally
	ended   []feedback.SceneState
}

func (s *sceneSecond) mean() float64 { return s.ns / 1e6 / float64(max(s.count, 1)) }

// play runs it.
func (x *sceneRun) play() *played {
	ladders := sceneLadders(x.model)
	p := newRegulation(x.model, ladders, x.specs, x.tables, x.set, x.seed)
	trace := Conversation()
	e := NewEngine(Config{Model: x.model, Controls: p, Workload: WorkloadConfig{
		Trace: trace, Rate: max(int(math.Round(rateOf(x.model, x.load(0)))), 1), Seed: x.seed, Start: int64(unit(Seed(x.seed, "start")) * float64(trace.Span)),
	}})
	p.engine = e
	out := &played{seconds: make([][]sceneSecond, len(x.model.Scenes))}
	now := make([]sceneSecond, len(x.model.Scenes))
	p.front = func(sc int, _ int64, res Result) {
		s := &now[sc]
		s.count++
		s.ns += float64(res.Elapsed)
		if res.Outcome == TimedOut {
			s.timeouts++
		}
		if limit := 1.5 * s.target * 1e6; limit > 0 {
			s.over += max(0, float64(res.Elapsed)-limit) / 1e9
		}
	}
	// Every link has a spec of its own to change.
	warm := int(x.warm / time.Second)
	for second := range warm + int(x.measure/time.Second) {
		t := second - warm
		if t == 0 {
			e.Tally.Reset()
		}
		e.SetRate(max(int(math.Round(rateOf(x.model, x.load(float64(max(t, 0)))))), 1))
		if change := x.at[t]; change != nil && t >= 0 {
			var specs []*scene.Spec
			for _, k := range p.links {
				specs = append(specs, &k.spec)
			}
			change(specs)
		}
		for sc := range now {
			now[sc] = sceneSecond{}
			for _, k := range p.links {
				if k.scene != sc {
					continue
				}
				if k.idc == 0 {
					now[sc].target, now[sc].phase = float64(k.spec.Target)/1e6, k.state.Phase
					for _, r := range k.row.Points {
						now[sc].level += float64(r.Level) / float64(len(k.row.Points))
					}
				}
				end := float64(k.table.To)
				if k.table.Slowest > 0 {
					end = min(end, k.table.Slowest)
				}
				now[sc].bound = now[sc].bound || k.state.Index >= end || k.state.Index <= float64(k.table.First)
			}
		}
		e.Run(e.Now()+int64(time.Second), math.MaxInt)
		p.Tick(e.Now())
		if t >= 0 {
			for sc := range now {
				out.seconds[sc] = append(out.seconds[sc], now[sc])
			}
		}
	}
	out.tally = e.Tally
	for _, k := range p.links {
		out.ended = append(out.ended, k.state)
	}
	return out
}

// sceneLadders are the gears of a model's points.
func sceneLadders(m *Model) []*Ladder {
	out := make([]*Ladder, len(m.Points))
	for i := range m.Points {
		switch {
		case m.Points[i].External || len(m.Points[i].Params) == 0:
		case m.Points[i].Name == "stage":
			out[i] = ladderOf(Standard(1), Recall)
			out[i].Default = out[i].Top() // its template allows them all by itself
		default:
			out[i] = ladderOf(m, i)
		}
	}
	return out
}

// chainWork is how many times the work of recall a whole chain is: divisible by
// each depth from 1 to 6.
const chainWork = 60

// chain is a model of calls within calls: each app works, then waits for the app
// below it through an external edge. depth counts the apps behind the front end;
// together they are as slow, on cores as many times as many, whatever the depth.
func chain(depth, machines int) *Model {
	m := &Model{
		IDCs: []string{"sh"}, Machines: machines, Noise: workNoise,
		Scenes: []Scene{{Name: "k2", Share: 1, First: 1, Load: 1, Timeout: 3 * time.Second}},
		Apps:   []App{{Name: "frontend", Cores: frontendCores, Limit: frontendLimit, Span: 0, Steps: []Step{{Point: 0}, {Point: -1, Calls: []Edge{{App: 1, Point: -1}}}}}},
		Points: []Point{standardPoints()[Entry]},
	}
	for i := 1; i <= depth; i++ {
		p := standardPoints()[Recall]
		p.Name, p.App, p.IO = "stage", i, 0
		slower := time.Duration(chainWork / depth)
		p.Fixed, p.PerLoad, p.Slope = slower*p.Fixed, slower*p.PerLoad, slower*p.Slope
		a := App{Name: fmt.Sprintf("app%d", i), Cores: snCores * chainWork / depth, Limit: snLimit, Span: -1, Steps: []Step{{Point: len(m.Points)}}}
		m.Points = append(m.Points, p)
		if i < depth {
			e := standardPoints()[CreativeEdge]
			e.Name, e.App = "call", i
			e.Params[0].Default, e.Params[0].Max = secondsOf(2), secondsOf(3)
			a.Steps = append(a.Steps, Step{Point: -1, Calls: []Edge{{App: i + 1, Point: len(m.Points)}}})
			m.Points = append(m.Points, e)
		}
		m.Apps = append(m.Apps, a)
	}
	return m
}
