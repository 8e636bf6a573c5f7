package gearbox

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/allspark/allspark/agent/loop"
	"github.com/allspark/allspark/agent/meter"
	"github.com/allspark/allspark/proto/gear"
)

type compiledKey struct {
	table string
	point int
}

// compiled is a level table laid out for one point, or why it cannot be.
type compiled struct {
	rows     []Row
	problems gear.Problems
}

func (b *Box) compile(point int, t *gear.LevelTable) *compiled {
	k := compiledKey{t.Hash, point}
	if c := b.compiled[k]; c != nil {
		return c
	}
	c := &compiled{}
	b.compiled[k] = c
	decl := b.points[point].Params
	if c.problems = gear.CheckTable(decl, t); len(c.problems) > 0 {
		return c
	}
	column := make([]int, len(decl))
	for i := range decl {
		column[i] = slices.IndexFunc(t.Params, func(p gear.TableParam) bool { return p.Name == decl[i].Name })
	}
	c.rows = make([]Row, len(t.Rows))
	values := make([]gear.Value, len(decl))
	for l, row := range t.Rows {
		for i, col := range column {
			values[i] = row[col]
		}
		c.rows[l] = newRow(point, l+1, values)
	}
	return c
}

// resolve builds the Set for what is held, declared and due at the moment.
//
// INVARIANT: it is called with the lock held (or from New), so sets are stored in
// the order of their causes.
func (b *Box) resolve(now time.Time) {
	set, rung := b.inForce(now)
	s := &Set{Rung: rung, scenes: len(b.sceneNames), points: len(b.points)}
	if b.held != nil {
		s.Version = b.held.Version()
	}
	s.entries = make([]Entry, len(b.points)*len(b.sceneNames))
	b.misfit = nil
	orders := map[[2]string][]*gear.Order{} // by point and scene
	if set != nil {
		for i := range set.Orders {
			o := &set.Orders[i]
			k := [2]string{o.Point, o.Scene}
			orders[k] = append(orders[k], o)
		}
	}
	// On the defaults no order binds its loop, but may again: what they know stays.
	b.cfg.Loops.Rebind(rung != gear.RungDefault, func() {
		for p := range b.points {
			b.resolvePoint(s, p, orders)
		}
	})
	b.ladder.shown, b.shown = rung, set
	b.current.Store(s)
}

func (b *Box) resolvePoint(s *Set, p int, orders map[[2]string][]*gear.Order) {
	name := b.points[p].Name
	defaults := b.defaults(p, s.Version)
	s.defaults = append(s.defaults, defaults)
	rules := map[*gear.Order]*Rule{} // scenes that fall to "*" share its rules
	ruleOf := func(o *gear.Order) *Rule {
		if r := rules[o]; r != nil {
			return r
		}
		r := defaults
		c := b.compile(p, b.tables[o.Table])
		switch {
		case len(c.problems) > 0: // declared after the set was applied
			for _, x := range c.problems.Under("points." + name) {
				b.misfit.Add(x.Path, x.Code, x.Message)
			}
		case s.Rung != gear.RungDefault:
			sp := loop.Of(o)
			r = &Rule{Rows: c.rows, Work: b.tables[o.Table].Work, Row: &c.rows[sp.Level-1], Order: o, Timeout: sp.Timeout, Version: s.Version, Rung: s.Rung}
			if r.Timeout == 0 {
				r.Timeout = b.points[p].Timeout.Default
			}
		}
		rules[o] = r
		return r
	}
	for sc, scene := range b.sceneNames {
		e := &s.entries[p*s.scenes+sc]
		e.Cell = b.cell(scene, name)
		e.Rule = defaults
		mine := func(o *gear.Order) *Rule { return b.looped(ruleOf(o), scene, e.Cell) }
		own := orders[[2]string{name, scene}]
		if scene != gear.Any {
			// An order that this scene's own hides must not start a loop.
			if !slices.ContainsFunc(own, func(o *gear.Order) bool { return o.Bucket == gear.Any }) {
				fill(e, orders[[2]string{name, gear.Any}], mine)
			}
		}
		fill(e, own, mine)
	}
}

// looped gives a rule that a local loop moves, for one scene: scenes share an
// order, but each has its own requests and so its own loop.
func (b *Box) looped(r *Rule, scene string, cell *meter.Cell) *Rule {
	o := r.Order
	if o == nil {
		return r
	}
	k := loop.Key{Scene: scene, Point: o.Point, Bucket: o.Bucket}
	switch o.Strategy {
	case gear.StrategyCrowdRT:
		if o.AvailableRT <= 0 {
			return r
		}
		mine := *r
		mine.Loop, mine.Crowds = true, b.cfg.Loops.Bind(k, o, r.Work)
		mine.code(cell.Attach(mine.Crowds.Sink()))
		return &mine
	case gear.StrategyExternalTimeout:
		if set := loop.EdgeSettingsOf(o); !set.Room() {
			return r
		}
		mine := *r
		mine.Loop, mine.Edge = true, new(atomic.Pointer[Rule])
		b.cfg.Loops.BindEdge(k, o, func(timeout time.Duration) {
			now := mine
			now.Timeout = timeout
			mine.Edge.Store(&now)
		})
		return &mine
	}
	return r
}

// fill lays the orders of a scene over what holds already.
func fill(e *Entry, orders []*gear.Order, ruleOf func(*gear.Order) *Rule) {
	var spans []span
	rest := false
	for _, o := range orders {
		r := ruleOf(o)
		if lo, hi, ok := ParseBucket(o.Bucket); ok {
			spans = append(spans, divide(lo, hi, r, o.Bucket, e.Cell))
			continue
		}
		e.Rule = r
		rest = true
	}
	if rest {
		e.Buckets = nil // the wider scene's buckets are hidden by this scene's "*"
	}
	if len(spans) == 0 {
		return
	}
	if e.Buckets != nil {
		spans = append(spans, e.Buckets.spans...)
	}
	e.Buckets = &Buckets{spans: spans, rest: e.Rule}
}

func (b *Box) defaults(p int, v gear.Version) *Rule {
	decl := &b.points[p]
	values := make([]gear.Value, len(decl.Params))
	for i := range decl.Params {
		values[i] = Default(&decl.Params[i])
	}
	row := newRow(p, 0, values)
	return &Rule{Row: &row, Timeout: decl.Timeout.Default, Version: v, Rung: gear.RungDefault}
}

// Default is the value a parameter has without an order. A declaration without
// one is a mistake that the agent reports; its reader gets the low end.
func Default(p *gear.Param) gear.Value {
	switch {
	case !p.Default.IsZero():
		return p.Default
	case !p.Min.IsZero():
		return p.Min
	case p.Kind == gear.KindEnum && len(p.Values) > 0:
		return gear.Enum(p.Values[0])
	}
	return gear.Value{}
}

func (b *Box) cell(scene, point string) *meter.Cell { return b.cfg.Meter.Cell(scene, point) }

// code gives the rule rows of its own whose levels tell the meter where they
// belong. Row stays plain: it is what the order says.
func (r *Rule) code(sink int) {
	r.Rows = slices.Clone(r.Rows)
	held := r.Rows[r.Row.Level-1]
	held.Level = meter.Coded(held.Level, sink, true)
	r.HeldOut = &held
	for i := range r.Rows {
		r.Rows[i].Level = meter.Coded(r.Rows[i].Level, sink, false)
	}
}
