package control

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/template"
)

// view is everything read for one look.
type view struct {
	now      time.Time
	bindings []*template.Binding
	claims   []*Claim
	versions map[string]map[int]*template.Version
	names    map[string]string
	declared map[place][]string
	missing  map[tableKey]error // versions that could not be read, by pin
}

// view reads one consistent enough picture: whatever is written meanwhile also
// nudges, so the next look sees it.
func (t *leader) view(ctx context.Context) (*view, error) {
	cfg := &t.loop.cfg
	v := &view{versions: map[string]map[int]*template.Version{}, names: map[string]string{}, declared: map[place][]string{}}
	var err error
	if v.now, err = cfg.Store.Now(ctx); err != nil {
		return nil, err
	}
	if v.bindings, err = cfg.Templates.ListBindings(ctx); err != nil {
		return nil, err
	}
	if v.claims, err = cfg.Store.ClaimsAt(ctx, v.now); err != nil {
		return nil, err
	}
	// Those about to start: their start is the next timer.
	soon, err := cfg.Store.ClaimsAt(ctx, v.now.Add(cfg.Tick))
	if err != nil {
		return nil, err
	}
	known := claimIndex(v.claims)
	for _, c := range soon {
		if known[c.ID] == nil {
			v.claims = append(v.claims, c)
		}
	}
	if err := t.readVersions(ctx, v); err != nil {
		return nil, err
	}
	for _, d := range cfg.Places.Declared("") {
		p := place{d.App, d.IDC}
		v.declared[p] = append(v.declared[p], d.Point)
	}
	return v, nil
}

// readVersions finds the versions that bindings and claims name. Published
// versions never change, so each is read once a term.
func (t *leader) readVersions(ctx context.Context, v *view) error {
	type want struct {
		id  string
		pin int
	}
	wants := map[want]bool{}
	for _, b := range v.bindings {
		wants[want{b.TemplateID, b.Pin}] = true
	}
	for _, c := range v.claims {
		if c.Field == FieldBinding {
			wants[want{c.Template, c.Pin}] = true
		}
	}
	if len(wants) == 0 {
		return nil
	}
	latest := map[string]int{}
	filter := template.Filter{Sort: "name", Limit: 200}
	for {
		items, next, err := t.loop.cfg.Templates.ListTemplates(ctx, filter)
		if err != nil {
			return err
		}
		for _, x := range items {
			latest[x.ID], v.names[x.ID] = x.Latest, x.Name
		}
		if next == "" {
			break
		}
		filter.After = next
	}
	in := Input{Versions: v.versions}
	for w := range wants {
		number := w.pin
		if number == 0 {
			number = latest[w.id]
		}
		if number == 0 {
			continue // never published: Decide notes it
		}
		key := tableKey{w.id, number}
		x := t.cache[key]
		if x == nil {
			var err error
			if x, err = t.loop.cfg.Templates.GetVersion(ctx, w.id, number); fault.Is(err, fault.NotFound) {
				continue
			} else if err != nil {
				if ctx.Err() != nil {
					return err
				}
				if v.missing == nil {
					v.missing = map[tableKey]error{}
				}
				v.missing[tableKey{w.id, w.pin}] = fmt.Errorf("read version %d of template %s: %w", number, v.names[w.id], err)
				continue
			}
			t.cache[key] = x
		}
		in.addVersion(w.id, x, w.pin == 0)
	}
	return nil
}

// unread says why a place cannot be decided: a version that it may need is there,
// but was not read, and without it Decide would take it for gone.
func (v *view) unread(p place) error {
	if len(v.missing) == 0 {
		return nil
	}
	touches := func(app, idc string) bool {
		return (app == gear.Any || app == p.app) && (idc == gear.Any || idc == p.idc)
	}
	for _, b := range v.bindings {
		if err := v.missing[tableKey{b.TemplateID, b.Pin}]; err != nil && touches(b.Selector.App, b.Selector.IDC) {
			return err
		}
	}
	for _, c := range v.claims {
		if err := v.missing[tableKey{c.Template, c.Pin}]; err != nil && c.Field == FieldBinding && touches(c.Scope.App, c.Scope.IDC) {
			return err
		}
	}
	return nil
}

// print is equal for two views on which everything is decided alike, so that an
// idle second costs no decisions.
func (v *view) print() string {
	var b strings.Builder
	for _, x := range v.bindings {
		fmt.Fprintf(&b, "b %s %d %s\n", x.ID, x.Version, x.Template)
	}
	for _, x := range v.claims {
		fmt.Fprintf(&b, "c %s %d %t\n", x.ID, x.Version, x.Active(v.now))
	}
	for _, id := range slices.Sorted(maps.Keys(v.versions)) {
		for _, pin := range slices.Sorted(maps.Keys(v.versions[id])) {
			fmt.Fprintf(&b, "v %s %s %d %d\n", id, v.names[id], pin, v.versions[id][pin].Number)
		}
	}
	for _, p := range slices.SortedFunc(maps.Keys(v.declared), place.compare) {
		points := slices.Compact(slices.Sorted(slices.Values(v.declared[p])))
		fmt.Fprintf(&b, "p %s %s %q\n", p.app, p.idc, points)
	}
	return b.String()
}

// places lists every app x IDC that may have orders: declared by agents, bound by
// name, or in the journal.
func (v *view) places(last map[place]*Shift) []place {
	all := map[place]bool{}
	for p := range v.declared {
		all[p] = true
	}
	for p := range last {
		all[p] = true
	}
	for _, b := range v.bindings {
		if b.Selector.App != gear.Any && b.Selector.IDC != gear.Any {
			all[place{b.Selector.App, b.Selector.IDC}] = true
		}
	}
	return slices.SortedFunc(maps.Keys(all), place.compare)
}

// input gives what Decide looks at. While no agent of the app x IDC is registered
// its points are those it had: a registry that forgot must not empty a set that
// machines still obey.
func (v *view) input(p place, before *Shift) Input {
	points := v.declared[p]
	if len(points) == 0 && before != nil {
		points = before.Basis.Points
	}
	return Input{App: p.app, IDC: p.idc, Points: points, Bindings: v.bindings, Versions: v.versions, Names: v.names, Claims: v.claims, Now: v.now}
}

// quiet is how long nothing can happen by itself: until the tick, or the next
// claim's start or end.
func (v *view) quiet(tick time.Duration) time.Duration {
	wait := tick
	for _, c := range v.claims {
		for _, at := range []time.Time{c.Start, c.End} {
			if d := at.Sub(v.now); d > 0 {
				wait = min(wait, d)
			}
		}
	}
	return max(wait, time.Millisecond)
}
