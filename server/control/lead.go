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
	"github.com/allspark/allspark/server/lease"
	"github.com/allspark/allspark/server/template"
)

// leader is what one term of the lease knows.
type leader struct {
	loop    *Loop
	fence   int64
	epoch   int64 // of the journal, as last seen
	decider Decider
	last    map[place]*Shift
	cache   map[tableKey]*template.Version
	refused map[place]string // what was last logged as not fit to send
	again   map[place]bool   // to be journalled once more, changed or not
	seen    string           // print of the last view that was decided completely
}

// lead decides until ctx, the term of the lease, ends.
func (l *Loop) lead(ctx context.Context, held lease.Lease) {
	defer func() { // whoever leads next says what troubles it
		l.mu.Lock()
		l.trouble = ""
		l.mu.Unlock()
	}()
	t := &leader{loop: l, fence: held.Epoch, cache: map[tableKey]*template.Version{}, refused: map[place]string{}, again: map[place]bool{}}
	for ctx.Err() == nil {
		wait, err := t.look(ctx)
		if ctx.Err() != nil {
			return
		}
		// A stale fence means that somebody else leads; the keeper is about to notice
		// and end ctx.
		l.say("decide", err)
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-l.nudges:
		}
		timer.Stop()
	}
}

// look decides everything once and says how long nothing can happen.
func (t *leader) look(ctx context.Context) (wait time.Duration, err error) {
	tick := t.loop.cfg.Tick
	if t.last == nil {
		if err := t.begin(ctx); err != nil {
			return tick, err
		}
	}
	v, err := t.view(ctx)
	if err != nil {
		return tick, err
	}
	if err := t.watchEpoch(ctx); err != nil {
		return tick, err
	}
	if print := v.print(); print != t.seen || len(t.again) > 0 {
		t.seen = ""
		for _, p := range v.places(t.last) {
			if err := t.decide(ctx, v, p); err != nil {
				return tick, err
			}
		}
		t.seen = print
	}
	t.loop.mu.Lock()
	t.loop.decided = v.now
	t.loop.mu.Unlock()
	return v.quiet(tick), nil
}

func (t *leader) begin(ctx context.Context) error {
	head, err := t.loop.cfg.Store.RaiseEpoch(ctx, 0)
	if err != nil {
		return err
	}
	t.epoch = max(head, t.fence)
	shifts, err := t.loop.cfg.Store.LatestShifts(ctx)
	if err != nil {
		return err
	}
	now, err := t.loop.cfg.Store.Now(ctx)
	if err != nil {
		return err
	}
	var given int64
	for _, s := range shifts {
		given = max(given, s.Version.Epoch)
	}
	last := map[place]*Shift{}
	for _, s := range shifts {
		// The basis is not read along; without it everything would look new.
		if s, err = t.loop.cfg.Store.ShiftAt(ctx, s.App, s.IDC, now); err != nil {
			return err
		}
		last[place{s.App, s.IDC}] = s
	}
	t.last = last
	if head > given { // raised, and nobody led to journal everything again
		for p := range last {
			t.again[p] = true
		}
	}
	return nil
}

// watchEpoch sees when somebody raised the journal's epoch: then agents hold
// versions beyond it, and every set must be given again.
func (t *leader) watchEpoch(ctx context.Context) error {
	epoch, err := t.loop.cfg.Store.RaiseEpoch(ctx, 0)
	if err != nil || epoch <= t.epoch {
		return err
	}
	t.epoch = epoch
	for p := range t.last {
		t.again[p] = true
	}
	return nil
}

// decide journals what changed for one app x IDC.
func (t *leader) decide(ctx context.Context, v *view, p place) error {
	before := t.last[p]
	d := t.decider.Decide(v.input(p, before))
	if before == nil && len(d.Set.Orders) == 0 {
		return nil
	}
	if before != nil && !t.again[p] && before.Hash == d.Set.Hash && sameGround(&before.Basis, &d.Basis) {
		return nil
	}
	if !t.fit(p, &d) {
		return nil
	}
	s := &Shift{App: p.app, IDC: p.idc, Hash: d.Set.Hash, Set: d.Set, Basis: d.Basis}
	var was *Basis
	if before != nil {
		was = &before.Basis
	}
	s.Causes, s.Claims = Causes(was, &d.Basis)
	s.Cause = Sentence(s.Causes)
	kept := t.kept()
	for _, table := range d.Tables {
		if !kept[table.Hash] {
			s.Tables = append(s.Tables, table)
		}
	}
	if err := t.loop.cfg.Store.AppendShift(ctx, s, t.fence); err != nil {
		return fmt.Errorf("journal %s in %s: %w", p.app, p.idc, err)
	}
	// Publishing wants every table, the journal only new ones.
	whole := *s
	whole.Tables = d.Tables
	whole.Set.Epoch, whole.Set.Revision = s.Version.Epoch, s.Version.Revision
	t.last[p] = &whole
	delete(t.again, p)
	t.loop.offer(&whole)
	select {
	case t.loop.hints <- struct{}{}:
	default:
	}
	t.loop.cfg.Log.Info("shift", "app", p.app, "idc", p.idc, "epoch", s.Version.Epoch, "revision", s.Version.Revision,
		"orders", len(d.Set.Orders), "cause", s.Cause)
	return nil
}

// kept are the tables that the journal certainly has: those of sets in force. Any
// other may have been pruned since it was last named.
func (t *leader) kept() map[string]bool {
	out := map[string]bool{}
	for _, s := range t.last {
		for i := range s.Tables {
			out[s.Tables[i].Hash] = true
		}
	}
	return out
}

// fit is the last gate: a set that agents would refuse as malformed is never sent.
func (t *leader) fit(p place, d *Decision) bool {
	problems := gear.CheckOrderSet(&d.Set, func(hash string) *gear.LevelTable {
		i := slices.IndexFunc(d.Tables, func(x gear.LevelTable) bool { return x.Hash == hash })
		if i < 0 {
			return nil
		}
		return &d.Tables[i]
	})
	said := ""
	if len(problems) > 0 {
		said = problems.Error()
	}
	if said != t.refused[p] && said != "" {
		t.loop.cfg.Log.Error("a decided set is not fit to send; the last one stays", "app", p.app, "idc", p.idc, "problems", said)
	}
	t.refused[p] = said
	return said == ""
}

// view is everything read for one look.
type view struct {
	now      time.Time
	bindings []*template.Binding
	claims   []*Claim
	versions map[string]map[int]*template.Version
	names    map[string]string
	declared map[place][]string
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
				return err
			}
			t.cache[key] = x
		}
		in.addVersion(w.id, x, w.pin == 0)
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
