package control

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/allspark/allspark/server/template"
)

// Foreseer decides what every app x IDC will have to do at an instant ahead, by
// the same rules and from the same places as the Loop. What it gives is what the
// Loop gives at that instant, unless bindings, templates, declared points or
// claims change before.
type Foreseer struct {
	mu sync.Mutex // a decider is not for concurrent use
	t  leader
}

// NewForeseer makes a Foreseer.
func NewForeseer(store Store, templates template.Store, places Places) *Foreseer {
	l := &Loop{cfg: Config{Store: store, Templates: templates, Places: places, Tick: time.Second, Log: slog.New(slog.DiscardHandler)}}
	return &Foreseer{t: leader{loop: l, cache: map[tableKey]*template.Version{}, refused: map[place]string{}}}
}

// At decides for an instant, with more claims: one that has a stored claim's id
// stands in its place. Without counts reports stored claims that are left out.
func (f *Foreseer) At(ctx context.Context, at time.Time, more []*Claim, without func(*Claim) bool) ([]Decision, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	cfg := &f.t.loop.cfg
	v := &view{now: at, versions: map[string]map[int]*template.Version{}, names: map[string]string{}, declared: map[place][]string{}}
	var err error
	if v.bindings, err = cfg.Templates.ListBindings(ctx); err != nil {
		return nil, err
	}
	stored, err := cfg.Store.ClaimsAt(ctx, at)
	if err != nil {
		return nil, err
	}
	mine := claimIndex(more)
	for _, c := range stored {
		if mine[c.ID] == nil && (without == nil || !without(c)) {
			v.claims = append(v.claims, c)
		}
	}
	for _, c := range more {
		if c.Active(at) {
			v.claims = append(v.claims, c)
		}
	}
	if err := f.t.readVersions(ctx, v); err != nil {
		return nil, err
	}
	for _, d := range cfg.Places.Declared("") {
		p := place{d.App, d.IDC}
		v.declared[p] = append(v.declared[p], d.Point)
	}
	shifts, err := cfg.Store.LatestShifts(ctx)
	if err != nil {
		return nil, err
	}
	last := map[place]*Shift{}
	for _, s := range shifts {
		// The basis is left out; the points of a set are those of its orders.
		for i := range s.Set.Orders {
			s.Basis.Points = append(s.Basis.Points, s.Set.Orders[i].Point)
		}
		s.Basis.Points = slices.Compact(slices.Sorted(slices.Values(s.Basis.Points)))
		last[place{s.App, s.IDC}] = s
	}
	var out []Decision
	for _, p := range v.places(last) {
		if err := v.unread(p); err != nil {
			return nil, err
		}
		d := f.t.decider.Decide(v.input(p, last[p]))
		if f.t.fit(p, &d) {
			out = append(out, d)
		}
	}
	return out, nil
}
