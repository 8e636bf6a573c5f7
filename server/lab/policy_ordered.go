package lab

import (
	"slices"
	"time"

	"github.com/allspark/allspark/agent/loop"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/feedback"
	"github.com/allspark/allspark/server/planner"
)

// ordered does what agents and control do under order sets that change over time:
// each order's strategy runs its production rule, and what a claim pins stays put.
//
// The layer feedback of scenes, quotas and buckets are not part of it.
type ordered struct {
	model  *Model
	engine *Engine
	salt   uint64
	turns  []planner.Turn
	from   time.Time // the instant of engine time 0
	next   int

	cells   []*orderCell // by machine, point, scene; nil without an order
	central map[centralKey]*centralCell
	open    []openVisit
	fast    []cpuMeter // by machine
	slow    []cpuMeter
}

// orderCell is one order at one machine, point and scene.
type orderCell struct {
	point   int
	order   gear.Order
	rows    []Reading
	work    []float64
	level   int // of fixed orders
	crowds  *crowdCell
	edge    *edgeCell
	central *centralCell
}

// crowdCell is the crowd loop of one agent.
type crowdCell struct {
	set          loop.Settings
	state        loop.State
	mixes        [loop.MaxCrowds]loop.Mix
	lo, hi       int
	window, fast loop.Sample
}

type edgeCell struct {
	set   loop.EdgeSettings
	state loop.EdgeState
	seen  loop.EdgeSample
}

// centralKey names the points that share one central level.
type centralKey struct {
	idc, point int
	scene      string // of the order
}

// centralCell is control's loop of one of them.
type centralCell struct {
	set    feedback.Settings
	state  feedback.State
	level  int
	pinned bool
	sum    rollup
}

func newOrdered(m *Model, turns []planner.Turn, from time.Time, seed uint64) *ordered {
	n := m.MachineCount()
	p := &ordered{
		model: m, salt: Seed(seed, "ordered"), turns: turns, from: from, central: map[centralKey]*centralCell{},
		cells: make([]*orderCell, n*len(m.Points)*len(m.Scenes)), fast: make([]cpuMeter, n), slow: make([]cpuMeter, n),
	}
	p.turn(0)
	return p
}

func (p *ordered) at(machine, point, scene int) int {
	return (machine*len(p.model.Points)+point)*len(p.model.Scenes) + scene
}

// turn puts the order sets of an engine time in force.
func (p *ordered) turn(now int64) {
	at := p.from.Add(time.Duration(now))
	was := p.next
	for p.next < len(p.turns) && (p.next == 0 || !p.turns[p.next].At.After(at)) {
		p.next++
	}
	if p.next == was {
		return
	}
	t := &p.turns[p.next-1]
	for m := range p.model.MachineCount() {
		app, idc, _ := p.model.Place(m)
		set := setOf(t.Sets, p.model.Apps[app].Name, p.model.IDCs, idc)
		for i := range p.model.Points {
			if p.model.Points[i].App != app {
				continue
			}
			for sc := range p.model.Scenes {
				k := p.at(m, i, sc)
				p.cells[k] = p.obey(p.cells[k], set, idc, i, p.model.Scenes[sc].Name)
			}
		}
	}
}

// setOf finds the order set of an app in a modelled IDC. IDCs that are called
// otherwise stand for the modelled ones in the order of their names.
func setOf(sets []planner.Ordered, app string, idcs []string, idc int) *planner.Ordered {
	var mine []*planner.Ordered
	for i := range sets {
		if sets[i].Set.App == app {
			if sets[i].Set.IDC == idcs[idc] {
				return &sets[i]
			}
			mine = append(mine, &sets[i])
		}
	}
	if len(mine) == 0 {
		return nil
	}
	slices.SortFunc(mine, func(a, b *planner.Ordered) int {
		if a.Set.IDC < b.Set.IDC {
			return -1
		}
		return 1
	})
	return mine[idc%len(mine)]
}

// orderOf finds the order of a point and scene as agents do.
func orderOf(set *planner.Ordered, point, scene string) *gear.Order {
	if set == nil {
		return nil
	}
	for _, sc := range []string{scene, gear.Any} {
		for i := range set.Set.Orders {
			if o := &set.Set.Orders[i]; o.Point == point && o.Scene == sc && o.Bucket == gear.Any {
				return o
			}
		}
	}
	return nil
}

// obey gives the cell under the order set: loops remember over orders that change
// only levels or settings.
func (p *ordered) obey(old *orderCell, set *planner.Ordered, idc, point int, scene string) *orderCell {
	o := orderOf(set, p.model.Points[point].Name, scene)
	if o == nil {
		return nil
	}
	c := &orderCell{point: point, order: *o, level: min(max(o.Level, o.MinLevel), o.MaxLevel)}
	same := old != nil && old.order.Table == o.Table && old.order.Strategy == o.Strategy
	if same {
		c.rows, c.work, c.crowds, c.edge = old.rows, old.work, old.crowds, old.edge
	} else {
		c.rows, c.work = rowsOf(set.Tables, o.Table, &p.model.Points[point])
	}
	switch o.Strategy {
	case gear.StrategyCrowdRT:
		c.bindCrowds(old, same)
	case gear.StrategyExternalTimeout:
		if s := loop.EdgeSettingsOf(o); !same || c.edge.set != s {
			c.edge = &edgeCell{set: s, state: loop.NewEdgeState(s)}
		}
	case gear.StrategyCentral:
		c.central = p.bindCentral(centralKey{idc, point, o.Scene}, c)
	}
	return c
}

// rowsOf reads a level table the way the SDK does: by the names that the app
// declares; what the table does not say stays at the app's default.
func rowsOf(tables []gear.LevelTable, hash string, point *Point) ([]Reading, []float64) {
	i := slices.IndexFunc(tables, func(t gear.LevelTable) bool { return t.Hash == hash })
	if i < 0 {
		return nil, nil
	}
	t := &tables[i]
	var rows []Reading
	for _, values := range t.Rows {
		var r Reading
		for k := range point.Params {
			d := &point.Params[k]
			r[k] = number(d, d.Default)
			if c := slices.IndexFunc(t.Params, func(x gear.TableParam) bool { return x.Name == d.Name }); c >= 0 {
				r[k] = number(d, values[c])
			}
		}
		rows = append(rows, r)
	}
	return rows, t.Work
}

func (c *orderCell) bindCrowds(old *orderCell, same bool) {
	if len(c.work) == 0 {
		return
	}
	o := &c.order
	set := loop.SettingsOf(o, c.work)
	if !same || c.crowds == nil {
		c.crowds = &crowdCell{state: loop.NewState(set)}
	} else if before := old.crowds.set.AvailableRT; before > 0 && before != set.AvailableRT {
		c.crowds.state = c.crowds.state.Retarget(before, set.AvailableRT, set)
		c.crowds.fast, c.crowds.window = loop.Sample{}, loop.Sample{}
	}
	c.crowds.set = set
	c.crowds.hi = min(max(o.Level, o.MinLevel, 1), len(c.work))
	c.crowds.lo = min(max(o.MinLevel, 1), c.crowds.hi)
	c.crowds.publish(c.work)
}

// publish turns the crowds' work into levels.
func (c *crowdCell) publish(work []float64) {
	for k := range c.state.Count {
		if c.set.Pinned {
			c.mixes[k] = loop.Mix{Level: c.hi}
		} else {
			c.mixes[k] = loop.LevelsOf(work, c.state.Crowds[k].Work, c.lo, c.hi)
		}
	}
}

// bindCentral follows control: what a claim pins is where regulation goes on from
// when the claim ends.
func (p *ordered) bindCentral(k centralKey, c *orderCell) *centralCell {
	x := p.central[k]
	if x == nil {
		x = &centralCell{}
		x.state.Level = c.level
		p.central[k] = x
	}
	x.set, x.pinned = feedback.SettingsOf(&c.order, c.work...), c.order.Pinned
	if x.pinned {
		x.state.Level = c.level
	}
	x.level = x.state.Level
	return x
}

// Begin implements Controls.
func (p *ordered) Begin(v *Visit, r *Reading) {
	for int(v.ID) >= len(p.open) {
		p.open = append(p.open, openVisit{})
	}
	c := p.cells[p.at(int(v.Machine), int(v.Point), int(v.Scene))]
	p.open[v.ID] = openVisit{}
	if c == nil {
		return
	}
	switch {
	case c.edge != nil:
		r[0] = float64(c.edge.state.Timeout)
		return
	case len(c.rows) == 0:
		return
	case c.crowds != nil:
		level := c.pick(v, p.salt, &p.open[v.ID])
		*r = c.rows[level-1]
		p.open[v.ID].level = uint8(level)
		return
	}
	level := c.level
	if c.central != nil {
		level = c.central.level
	}
	level = min(max(level, 1), len(c.rows))
	*r = c.rows[level-1]
	p.open[v.ID].level = uint8(level)
}

func (c *orderCell) pick(v *Visit, salt uint64, open *openVisit) int {
	w := c.crowds
	b := loop.Bin(v.Load)
	m := w.mixes[w.state.Assign[b]]
	word := draw(salt+uint64(v.Point), v.Key)
	open.bin = uint8(b)
	if m.Level < w.hi && !w.set.Pinned && unit(mix(word)) < w.set.HoldOut {
		open.held = true
		return w.hi
	}
	return m.Pick(word)
}

// End implements Controls.
func (p *ordered) End(v *Visit, res Result) {
	c := p.cells[p.at(int(v.Machine), int(v.Point), int(v.Scene))]
	if c == nil || res.Outcome == Refused {
		return
	}
	o := p.open[v.ID]
	us := float64(res.Elapsed) / 1000
	switch {
	case c.edge != nil:
		c.edge.seen.Count++
		if res.Outcome == TimedOut {
			c.edge.seen.Timeouts++
		}
	case c.central != nil:
		c.central.sum.n++
		c.central.sum.us += us
		c.central.sum.levels += float64(o.level)
	case c.crowds != nil:
		w := c.crowds
		bin := &w.fast.Bins[o.bin]
		if o.held {
			bin = &w.fast.HeldOut[o.bin]
			if us <= w.set.AvailableRT {
				w.fast.HeldOutGood[o.bin]++
			}
		}
		bin.N++
		bin.Sum += us
		bin.Square += us * us
	}
}

// Tick is called every second of the engine.
func (p *ordered) Tick(now int64) {
	p.turn(now)
	due := func(every time.Duration) bool { return every > 0 && now%int64(max(every, time.Second)) == 0 }
	fast, slow := due(2*time.Second), due(10*time.Second)
	for m := range p.fast {
		u, v := -1.0, -1.0
		if fast {
			u = p.fast[m].read(p.engine, m)
		}
		if slow {
			v = p.slow[m].read(p.engine, m)
		}
		for i := m * len(p.model.Points) * len(p.model.Scenes); i < (m+1)*len(p.model.Points)*len(p.model.Scenes); i++ {
			c := p.cells[i]
			switch {
			case c == nil:
			case c.edge != nil && due(c.edge.set.Interval):
				c.edge.state = loop.StepEdge(c.edge.state, c.edge.seen, c.edge.set)
				c.edge.seen = loop.EdgeSample{}
			case c.crowds != nil && fast:
				c.crowds.tick(u, v, slow, c.work)
			}
		}
	}
	for _, c := range p.central {
		c.tick(due(c.set.Interval))
	}
}

func (c *crowdCell) tick(u, v float64, slow bool, work []float64) {
	c.fast.Utilisation = u
	c.state, _ = loop.Emergency(c.state, &c.fast, c.set)
	c.window.Add(&c.fast)
	c.fast = loop.Sample{}
	if slow {
		c.window.Utilisation = v
		c.state = loop.Step(c.state, &c.window, c.set)
		c.window = loop.Sample{}
	}
	c.publish(work)
}

func (c *centralCell) tick(due bool) {
	if !due {
		return
	}
	in := feedback.Sample{Count: c.sum.n}
	if in.Count > 0 {
		in.MeanRT, in.Level = c.sum.us/float64(in.Count), c.sum.levels/float64(in.Count)
	}
	c.sum = rollup{}
	if !c.pinned && c.set.AvailableRT > 0 {
		c.state, c.level, _ = feedback.Central(c.state, in, c.set)
	}
}
