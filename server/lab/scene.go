package lab

import (
	"time"

	"github.com/allspark/allspark/agent/loop"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/feedback"
	"github.com/allspark/allspark/server/scene"
)

// regulation holds the response time of a model's scenes end to end, with the
// production rules: feedback.StepScene for each scene and IDC once a second, rows of
// an allocation table, and below them the crowd loop of every machine, point and
// scene under the cap and the available RT of the row. Pushing takes no time here.
type regulation struct {
	model   *Model
	ladders []*Ladder
	engine  *Engine
	salt    uint64
	links   []*sceneLink // by IDC, scene
	loops   []*cappedLoop
	cpu     []cpuMeter
	fast    []cpuMeter
	bins    []uint8 // by visit
	front   func(scene int, now int64, res Result)
}

// sceneLink is a scene in an IDC.
type sceneLink struct {
	idc, scene int
	spec       scene.Spec
	table      *allocation.Table
	layers     []feedback.Layer
	set        feedback.SceneSettings
	state      feedback.SceneState
	sums       []layerSum // by layer; the front end first
	timeouts   []int64    // by point, ns; 0: as declared
	row        allocation.Row
}

type layerSum struct {
	count, timeouts int64
	ns              float64
}

// cappedLoop is a crowd loop under an order that is moved.
type cappedLoop struct {
	crowdLoop
	cap   int
	fixed bool // exactly at the cap
}

// crowded tells which points have crowds: those of the sample engine's templates.
// The others run exactly at the level of the row.
func crowded(p *Point) bool { return p.Name == "recall" || p.Name == "stage" }

func newRegulation(m *Model, ladders []*Ladder, specs []scene.Spec, tables []*allocation.Table, set feedback.SceneSettings, seed uint64) *regulation {
	p := &regulation{model: m, ladders: ladders, salt: Seed(seed, "scene")}
	n := m.MachineCount()
	p.cpu, p.fast = make([]cpuMeter, n), make([]cpuMeter, n)
	p.loops = make([]*cappedLoop, n*len(m.Points)*len(m.Scenes))
	for at := range n {
		app, _, _ := m.Place(at)
		for i, l := range ladders {
			if l == nil || m.Points[i].App != app {
				continue
			}
			for sc := range m.Scenes {
				c := &cappedLoop{crowdLoop: crowdLoop{machine: at, point: i, ladder: l}, fixed: !crowded(&m.Points[i])}
				if c.order(l.Default, time.Hour); !c.fixed {
					c.state = loop.NewState(c.set)
					c.obey()
				}
				p.loops[p.index(at, i, sc)] = c
			}
		}
	}
	for idc := range m.IDCs {
		for sc := range m.Scenes {
			k := &sceneLink{idc: idc, scene: sc, spec: specs[sc], table: tables[sc], set: set, timeouts: make([]int64, len(m.Points))}
			k.layers, _ = feedback.Layers(&k.spec.Graph)
			k.sums = make([]layerSum, len(k.layers))
			p.links = append(p.links, k)
		}
	}
	return p
}

func (p *regulation) index(machine, point, scene int) int {
	return (machine*len(p.model.Points)+point)*len(p.model.Scenes) + scene
}

// order gives the loop a row's share.
func (c *cappedLoop) order(level int, available time.Duration) {
	if c.cap = min(max(level, 1), c.ladder.Top()); c.fixed {
		return
	}
	c.cap = feedback.CapOf(level, c.ladder.Default, 1, c.ladder.Top())
	c.set = loop.SettingsOf(&gear.Order{
		Strategy: gear.StrategyCrowdRT, Level: c.cap, MinLevel: 1, MaxLevel: c.cap, AvailableRT: available,
	}, c.ladder.Work)
}

func (c *cappedLoop) obey() {
	for k := range c.state.Count {
		c.mixes[k] = loop.LevelsOf(c.ladder.Work, c.state.Crowds[k].Work, 1, c.cap)
	}
}

func (p *regulation) link(v *Visit) *sceneLink {
	_, idc, _ := p.model.Place(int(v.Machine))
	return p.links[idc*len(p.model.Scenes)+int(v.Scene)]
}

func (p *regulation) Begin(v *Visit, r *Reading) {
	if p.model.Points[v.Point].External {
		if t := p.link(v).timeouts[v.Point]; t > 0 {
			r[0] = float64(t)
		}
		return
	}
	c := p.loops[p.index(int(v.Machine), int(v.Point), int(v.Scene))]
	if c == nil {
		return
	}
	for int(v.ID) >= len(p.bins) {
		p.bins = append(p.bins, 0)
	}
	if c.fixed {
		*r = c.ladder.Rows[c.cap-1]
		return
	}
	b := loop.Bin(v.Load)
	p.bins[v.ID] = uint8(b)
	level := c.mixes[c.state.Assign[b]].Pick(draw(p.salt+uint64(v.Point), v.Key))
	*r = c.ladder.Rows[level-1]
}

func (p *regulation) End(v *Visit, res Result) {
	pt := &p.model.Points[v.Point]
	if pt.External || int(v.Point) == p.model.Apps[0].Span {
		k := p.link(v)
		if int(v.Point) == p.model.Apps[0].Span && p.front != nil {
			p.front(int(v.Scene), v.Now, res)
		}
		if at := k.layer(p.model, int(v.Point)); at >= 0 && time.Unix(0, v.Now).After(k.state.Changed.Add(k.set.Settle)) {
			s := &k.sums[at]
			s.count++
			s.ns += float64(res.Elapsed)
			if res.Outcome == TimedOut {
				s.timeouts++
			}
		}
		return
	}
	c := p.loops[p.index(int(v.Machine), int(v.Point), int(v.Scene))]
	if c == nil || c.fixed || res.Outcome == Refused || res.Outcome == Failed {
		return
	}
	us := float64(res.Elapsed) / 1000
	bin := &c.fast.Bins[p.bins[v.ID]]
	bin.N++
	bin.Sum += us
	bin.Square += us * us
}

// layer finds what a point is the caller's measure of: the front end, or a call.
func (k *sceneLink) layer(m *Model, point int) int {
	if !m.Points[point].External {
		return 0
	}
	at := scene.Place{App: m.Apps[m.Points[point].App].Name, Point: m.Points[point].Name}
	for i := range k.layers {
		if i > 0 && k.layers[i].Place == at {
			return i
		}
	}
	return -1
}

// Tick implements Policy; it is called once a second.
func (p *regulation) Tick(now int64) {
	for _, k := range p.links {
		p.step(k, now)
	}
	if now%int64(2*time.Second) != 0 {
		return
	}
	slow := now%int64(10*time.Second) == 0
	for at := range p.cpu {
		u, v := p.fast[at].read(p.engine, at), 0.0
		if slow {
			v = p.cpu[at].read(p.engine, at)
		}
		for i := range p.model.Points {
			for sc := range p.model.Scenes {
				if c := p.loops[p.index(at, i, sc)]; c != nil && !c.fixed {
					c.tick(u, v, slow)
					c.obey()
				}
			}
		}
	}
}

func (p *regulation) step(k *sceneLink, now int64) {
	at := time.Unix(0, now)
	ladder := append([]time.Duration{k.spec.Target}, k.spec.Ladder...)
	in := feedback.SceneSample{
		Target: k.spec.Target, Steps: len(ladder), First: float64(k.table.First), Last: float64(k.table.To),
		Ladder: func(n int) time.Duration { return ladder[min(max(n, 1), len(ladder))-1] },
		Calls:  make([]feedback.LayerSample, len(k.layers)),
	}
	if k.table.Slowest > 0 {
		in.Last = min(in.Last, k.table.Slowest)
	}
	in.Front = k.sums[0].sample()
	for i := 1; i < len(k.layers); i++ {
		in.Calls[i] = k.sums[i].sample()
	}
	set := k.set
	set.Layer.Timeouts = k.spec.MaxTimeouts
	set.Preset = set.Preset && !k.spec.FeedbackAlone
	next, act := feedback.StepScene(k.state, in, set, at)
	if !next.Judged.Equal(k.state.Judged) || !next.Changed.Equal(k.state.Changed) {
		clear(k.sums)
	}
	k.state = next
	if act == feedback.Nothing {
		return
	}
	shares, row, _ := feedback.Preset(k.table, &k.spec.Graph, next.Index, next.Scales())
	k.row = row
	for _, s := range shares {
		p.give(k, &s)
	}
}

// give puts one share of a row in force.
func (p *regulation) give(k *sceneLink, s *feedback.Share) {
	point := p.model.Point(s.Place.App, s.Place.Point)
	if point < 0 {
		return
	}
	if s.Call {
		k.timeouts[point] = int64(s.Timeout)
		return
	}
	for n := range p.model.Machines {
		machine := (k.idc*len(p.model.Apps)+p.model.Points[point].App)*p.model.Machines + n
		c := p.loops[p.index(machine, point, k.scene)]
		if c == nil || s.Level == 0 {
			continue
		}
		before := c.set.AvailableRT
		fresh := before == float64(time.Hour/time.Microsecond)
		c.order(s.Level, s.AvailableRT)
		if c.fixed {
			continue
		}
		if fresh {
			c.state = loop.NewState(c.set)
		} else {
			c.state = c.state.Retarget(before, c.set.AvailableRT, c.set)
		}
		c.obey()
	}
}

func (s *layerSum) sample() feedback.LayerSample {
	out := feedback.LayerSample{Count: s.count}
	if s.count > 0 {
		out.RT, out.Timeouts = s.ns/1e6/float64(s.count), float64(s.timeouts)/float64(s.count)
	}
	return out
}
