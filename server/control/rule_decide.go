package control

import (
	"maps"
	"slices"
	"strings"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/template"
)

// Decision is what one app x IDC must do, and why.
type Decision struct {
	Set    gear.OrderSet     // without a version; Hash is filled in
	Tables []gear.LevelTable // every table the set refers to, by hash
	Why    []Why             // Why[i] tells of Set.Orders[i]
	// Notes are short sentences about what could not be served.
	Notes []string
	Basis Basis
}

// Why is the chain of claims behind one order.
type Why struct {
	Place           Scope
	Binding         *template.Binding // nil when a claim chose the template
	Template        string
	TemplateVersion int
	Fields          []FieldWhy
}

// Field finds how a field was decided.
func (w *Why) Field(f Field) (FieldWhy, bool) {
	for _, x := range w.Fields {
		if x.Field == f {
			return x, true
		}
	}
	return FieldWhy{}, false
}

// Decider is Decide with a memory of expanded level tables, which are functions
// of immutable versions. It is not for concurrent use.
type Decider struct {
	tables   map[tableKey]*gear.LevelTable
	settings map[settingsKey][]gear.Setting
}

type settingsKey struct {
	tableKey
	strategy gear.Strategy
}

type tableKey struct {
	template string
	number   int
}

// Decide gives all orders of one app x IDC. It is pure: the same Input gives the
// same Decision, whatever the order of its claims and bindings.
func Decide(in Input) Decision { return new(Decider).Decide(in) }

// Decide is Decide.
func (d *Decider) Decide(in Input) Decision {
	r := newRound(d, in)
	out := Decision{Set: gear.OrderSet{App: in.App, IDC: in.IDC, Decided: in.Now}}
	used := map[string]*gear.LevelTable{}
	for _, point := range r.points() {
		orders, whys := r.point(point)
		for i := range orders {
			used[orders[i].Table] = r.used[orders[i].Table]
		}
		out.Set.Orders = append(out.Set.Orders, orders...)
		out.Why = append(out.Why, whys...)
	}
	for _, h := range slices.Sorted(maps.Keys(used)) {
		out.Tables = append(out.Tables, *used[h])
	}
	out.Notes = slices.Compact(slices.Sorted(slices.Values(r.notes)))
	out.Set.Hash = out.Set.ComputeHash()
	out.Basis = r.basis()
	return out
}

// DecidePlace gives the order and the chain of one place, whether or not the set
// lists it by itself; order is nil when nothing serves it.
func (d *Decider) DecidePlace(in Input, scene, point, bucket string) (*gear.Order, Why) {
	r := newRound(d, in)
	return r.place(Scope{Scene: scene, IDC: in.IDC, App: in.App, Point: point, Bucket: bucket})
}

// round is one run of Decide.
type round struct {
	decider  *Decider
	in       Input
	bindings []*template.Binding // that can match this app x IDC, by id
	claims   []*Claim            // active and able to match, by id
	versions map[VersionRef]bool
	used     map[string]*gear.LevelTable
	notes    []string
}

func newRound(d *Decider, in Input) *round {
	if d.tables == nil {
		d.tables, d.settings = map[tableKey]*gear.LevelTable{}, map[settingsKey][]gear.Setting{}
	}
	r := &round{decider: d, in: in, versions: map[VersionRef]bool{}, used: map[string]*gear.LevelTable{}}
	for _, b := range in.Bindings {
		if covers(b.Selector.App, in.App) && covers(b.Selector.IDC, in.IDC) {
			r.bindings = append(r.bindings, b)
		}
	}
	for _, c := range in.Claims {
		if c.Active(in.Now) && covers(c.Scope.App, in.App) && covers(c.Scope.IDC, in.IDC) {
			r.claims = append(r.claims, c)
		}
	}
	slices.SortFunc(r.bindings, func(a, b *template.Binding) int { return strings.Compare(a.ID, b.ID) })
	slices.SortFunc(r.claims, func(a, b *Claim) int { return strings.Compare(a.ID, b.ID) })
	return r
}

func (r *round) points() []string {
	all := map[string]bool{}
	for _, p := range r.in.Points {
		all[p] = true
	}
	for _, b := range r.bindings {
		all[b.Selector.Point] = true
	}
	delete(all, gear.Any)
	return slices.Sorted(maps.Keys(all))
}

// point gives the orders of one point: Any, then the scenes that differ from it.
func (r *round) point(point string) ([]gear.Order, []Why) {
	scenes, buckets := map[string]bool{gear.Any: true}, map[string]bool{gear.Any: true}
	for _, s := range r.in.Scenes {
		scenes[s] = true
	}
	for _, b := range r.bindings {
		if covers(b.Selector.Point, point) {
			scenes[b.Selector.Scene] = true
		}
	}
	near := *r
	near.claims = nil
	for _, c := range r.claims {
		if !covers(c.Scope.Point, point) {
			continue
		}
		near.claims = append(near.claims, c)
		scenes[orAny(c.Scope.Scene)], buckets[orAny(c.Scope.Bucket)] = true, true
	}
	columns := slices.SortedFunc(maps.Keys(buckets), anyFirst)
	var orders []gear.Order
	var whys []Why
	var general []gear.Order // of scene Any
	for _, scene := range slices.SortedFunc(maps.Keys(scenes), anyFirst) {
		var mine []gear.Order
		var mineWhy []Why
		for _, bucket := range columns {
			if bucket != gear.Any && !near.divides(scene, bucket) {
				continue
			}
			o, why := near.place(Scope{Scene: scene, IDC: r.in.IDC, App: r.in.App, Point: point, Bucket: bucket})
			if o != nil {
				mine, mineWhy = append(mine, *o), append(mineWhy, why)
			}
		}
		if scene == gear.Any {
			general = mine
		} else if sameButScene(mine, general) {
			continue
		}
		orders, whys = append(orders, mine...), append(whys, mineWhy...)
	}
	r.notes = near.notes
	return orders, whys
}

// divides tells whether a claim names the bucket for the scene: traffic of other
// scenes is not divided.
func (r *round) divides(scene, bucket string) bool {
	for _, c := range r.claims {
		if orAny(c.Scope.Bucket) == bucket && covers(c.Scope.Scene, scene) {
			return true
		}
	}
	return false
}

func orAny(name string) string {
	if name == "" {
		return gear.Any
	}
	return name
}

func sameButScene(a, b []gear.Order) bool {
	return slices.EqualFunc(a, b, func(x, y gear.Order) bool {
		return x.Point == y.Point && x.Bucket == y.Bucket && x.Table == y.Table && x.Strategy == y.Strategy &&
			slices.Equal(x.Settings, y.Settings) && x.Level == y.Level && x.MinLevel == y.MinLevel && x.MaxLevel == y.MaxLevel &&
			x.AvailableRT == y.AvailableRT && x.Timeout == y.Timeout && x.Pinned == y.Pinned &&
			x.Template == y.Template && x.TemplateVersion == y.TemplateVersion
	})
}

// place decides every field of one place.
func (r *round) place(place Scope) (*gear.Order, Why) {
	why := Why{Place: place}
	v, table := r.chooseTemplate(place, &why)
	if v == nil {
		return nil, why
	}
	s := &v.Spec
	o := &gear.Order{
		Scene: place.Scene, Point: place.Point, Bucket: place.Bucket, Table: table.Hash,
		MinLevel: s.Min, MaxLevel: s.Max, Template: why.Template, TemplateVersion: v.Number,
	}
	r.chooseLevel(place, s, o, &why)
	rt, timeout := r.chooseSetpoint(place, s, FieldAvailableRT, &why), r.chooseSetpoint(place, s, FieldTimeout, &why)
	r.chooseStrategy(place, v, rt, timeout, o, &why)
	return o, why
}

// basis gives what this round looked at.
func (r *round) basis() Basis {
	b := Basis{
		Now: r.in.Now, Points: slices.Compact(slices.Sorted(slices.Values(r.in.Points))),
		Scenes: slices.Compact(slices.Sorted(slices.Values(r.in.Scenes))), Bindings: r.bindings, Claims: r.claims,
	}
	b.Versions = slices.SortedFunc(maps.Keys(r.versions), func(x, y VersionRef) int {
		if n := strings.Compare(x.TemplateID, y.TemplateID); n != 0 {
			return n
		}
		if x.Number != y.Number {
			return x.Number - y.Number
		}
		if x.Latest == y.Latest {
			return 0
		} else if x.Latest {
			return -1
		}
		return 1
	})
	return b
}
