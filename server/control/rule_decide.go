package control

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

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
	out := Decision{Set: gear.OrderSet{App: in.App, IDC: in.IDC}}
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
	o := &gear.Order{Scene: place.Scene, Point: place.Point, Bucket: place.Bucket, Table: table.Hash,
		MinLevel: s.Min, MaxLevel: s.Max, Template: why.Template, TemplateVersion: v.Number}
	r.chooseLevel(place, s, o, &why)
	rt, timeout := r.chooseSetpoint(place, s, FieldAvailableRT, &why), r.chooseSetpoint(place, s, FieldTimeout, &why)
	r.chooseStrategy(place, v, rt, timeout, o, &why)
	return o, why
}

// chooseTemplate resolves binding claims, then bindings.
func (r *round) chooseTemplate(place Scope, why *Why) (*template.Version, *gear.LevelTable) {
	c := muster(r.claims, FieldBinding, place)
	candidates := template.Candidates(r.bindings, place.place())
	own := ""
	if len(candidates) > 0 {
		b := candidates[0]
		own = fmt.Sprintf("binding %s of template %s", b.Selector, r.name(b.TemplateID))
	}
	if own == "" && len(c.claims) == 0 {
		return nil, nil
	}
	claim, field := c.choose(own, r.claimText, func(c *Claim) string {
		if v, _ := r.version(c.Template, c.Pin); v == nil {
			return "the template has no such published version"
		}
		return ""
	})
	id, pin, name := "", 0, ""
	if claim != nil {
		id, pin, name = claim.Template, claim.Pin, r.name(claim.Template)
	} else if len(candidates) > 0 {
		why.Binding = candidates[0]
		id, pin, name = why.Binding.TemplateID, why.Binding.Pin, r.name(why.Binding.TemplateID)
	} else {
		why.Fields = append(why.Fields, field)
		return nil, nil
	}
	for _, b := range candidates {
		if b == why.Binding {
			continue
		}
		lost := "a claim stands above bindings"
		if why.Binding != nil {
			lost = fmt.Sprintf("less specific: %d of 4 selector fields against %d", b.Selector.Specificity(), why.Binding.Selector.Specificity())
		} else if b == candidates[0] {
			continue // it is the template's own value in the contest
		}
		field.Considered = append(field.Considered, Considered{Source: SourceTemplate, Outcome: Lost, Reason: lost,
			Value: fmt.Sprintf("binding %s of template %s", b.Selector, r.name(b.TemplateID))})
	}
	v, table := r.version(id, pin)
	if v == nil {
		r.notes = append(r.notes, fmt.Sprintf("%s is bound to template %s, which has no such published version", place, gear.Shown(name)))
		why.Fields = append(why.Fields, field)
		return nil, nil
	}
	field.Value = fmt.Sprintf("template %s version %d", name, v.Number)
	why.Template, why.TemplateVersion = name, v.Number
	why.Fields = append(why.Fields, field)
	return v, table
}

// name gives a template's name as orders and sentences show it. Bindings carry
// it, so that a replay of the basis words losers alike.
func (r *round) name(id string) string {
	for _, b := range r.bindings {
		if b.TemplateID == id && b.Template != "" {
			return b.Template
		}
	}
	if n := r.in.Names[id]; n != "" {
		return n
	}
	return id
}

// claimText is Claim.ValueText with the template's name where its version is known.
func (r *round) claimText(c *Claim) string {
	if c.Field == FieldBinding {
		if v, _ := r.version(c.Template, c.Pin); v != nil {
			named := *c
			named.Template = r.name(c.Template)
			return named.ValueText()
		}
	}
	return c.ValueText()
}

// version finds a version and its expanded table, and notes it for the basis.
func (r *round) version(id string, pin int) (*template.Version, *gear.LevelTable) {
	v := r.in.Versions[id][pin]
	if v == nil {
		return nil, nil
	}
	key := tableKey{id, v.Number}
	t := r.decider.tables[key]
	if t == nil {
		var err error
		if t, err = template.Expand(&v.Spec); err != nil {
			r.notes = append(r.notes, fmt.Sprintf("template %s version %d cannot be expanded: %v", gear.Shown(id), v.Number, err))
			return nil, nil
		}
		r.decider.tables[key] = t
	}
	r.versions[VersionRef{TemplateID: id, Name: r.in.Names[id], Number: v.Number, Latest: pin == 0}] = true
	r.used[t.Hash] = t
	return v, t
}

func (r *round) chooseLevel(place Scope, s *template.Spec, o *gear.Order, why *Why) {
	c := muster(r.claims, FieldLevel, place)
	claim, field := c.choose("level "+strconv.Itoa(s.Default), r.claimText, func(*Claim) string { return "" })
	level := s.Default
	if claim != nil {
		level = claim.Level
		o.Pinned = claim.Source == SourceManual || claim.Source == SourcePlan
	}
	level = lower(c, level, func(c *Claim) int { return c.Level }, &field)
	o.Level = min(max(level, s.Min), s.Max)
	if o.Level != level {
		field.Limited = fmt.Sprintf("the template holds levels in %d..%d, so %d becomes %d", s.Min, s.Max, level, o.Level)
	}
	field.Value = "level " + strconv.Itoa(o.Level)
	why.Fields = append(why.Fields, field)
}

// chooseSetpoint decides available_rt or timeout: 0 when neither the template
// nor a claim has one.
func (r *round) chooseSetpoint(place Scope, s *template.Spec, f Field, why *Why) time.Duration {
	c := muster(r.claims, f, place)
	own, text := s.Strategy.Settings[string(f)].Duration(), ""
	if own > 0 {
		text = string(f) + " " + gear.Duration(own).Format()
	}
	if text == "" && len(c.claims)+len(c.emergency) == 0 {
		return 0
	}
	claim, field := c.choose(text, r.claimText, func(*Claim) string { return "" })
	d := own
	if claim != nil {
		d = claim.Duration
	}
	if d > 0 {
		d = lower(c, d, func(c *Claim) time.Duration { return c.Duration }, &field)
	}
	lo, hi := MinSetpoint, MaxSetpoint
	if f == FieldTimeout && s.Strategy.Kind == gear.StrategyExternalTimeout {
		for _, x := range s.Settings() {
			switch x.Name {
			case gear.SettingMinTimeout:
				lo = x.Value.Duration()
			case gear.SettingMaxTimeout:
				hi = x.Value.Duration()
			}
		}
	}
	if held := min(max(d, lo), hi); d > 0 && held != d {
		field.Limited = fmt.Sprintf("%s is held in %s..%s, so %s becomes %s", f, gear.Duration(lo).Format(), gear.Duration(hi).Format(),
			gear.Duration(d).Format(), gear.Duration(held).Format())
		d = held
	}
	field.Value = string(f) + " none"
	if d > 0 {
		field.Value = string(f) + " " + gear.Duration(d).Format()
	}
	why.Fields = append(why.Fields, field)
	return d
}

// settings gives an order's settings; all orders of a version share the slice.
func (r *round) settings(v *template.Version, k gear.Strategy) []gear.Setting {
	key := settingsKey{tableKey{v.TemplateID, v.Number}, k}
	out, ok := r.decider.settings[key]
	if !ok {
		// The setpoints are fields of their own.
		out = slices.DeleteFunc(v.Spec.DefaultSettings(k), func(x gear.Setting) bool {
			return x.Name == gear.SettingAvailableRT || x.Name == gear.SettingTimeout
		})
		r.decider.settings[key] = out
	}
	return out
}

func (r *round) chooseStrategy(place Scope, v *template.Version, rt, timeout time.Duration, o *gear.Order, why *Why) {
	lacks := func(k gear.Strategy) string {
		switch {
		case (k == gear.StrategyCrowdRT || k == gear.StrategyCentral) && rt == 0:
			return string(k) + " needs an available RT, and neither template nor claim gives one"
		case k == gear.StrategyExternalTimeout && timeout == 0:
			return string(k) + " needs a timeout, and neither template nor claim gives one"
		case gear.StrategyParams(k) == nil:
			return "no such strategy"
		}
		return ""
	}
	c := muster(r.claims, FieldStrategy, place)
	claim, field := c.choose("strategy "+string(v.Spec.Strategy.Kind), r.claimText, func(c *Claim) string { return lacks(c.Strategy) })
	o.Strategy = v.Spec.Strategy.Kind
	if claim != nil {
		o.Strategy = claim.Strategy
	}
	why.Fields = append(why.Fields, field)
	o.Settings = r.settings(v, o.Strategy)
	if o.Strategy == gear.StrategyCrowdRT || o.Strategy == gear.StrategyCentral {
		o.AvailableRT = rt
	}
	if o.Strategy == gear.StrategyExternalTimeout {
		o.Timeout = timeout
	}
}

// basis gives what this round looked at.
func (r *round) basis() Basis {
	b := Basis{Now: r.in.Now, Points: slices.Compact(slices.Sorted(slices.Values(r.in.Points))),
		Scenes: slices.Compact(slices.Sorted(slices.Values(r.in.Scenes))), Bindings: r.bindings, Claims: r.claims}
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
