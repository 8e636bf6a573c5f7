package control

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	bare    map[place]bool   // known without their basis
	seen    string           // print of the last view that was decided completely
}

// lead decides until ctx, the term of the lease, ends.
func (l *Loop) lead(ctx context.Context, held lease.Lease) {
	defer func() { // whoever leads next says what troubles it
		l.mu.Lock()
		l.trouble = ""
		l.mu.Unlock()
	}()
	t := &leader{loop: l, fence: held.Epoch, cache: map[tableKey]*template.Version{}, refused: map[place]string{}, again: map[place]bool{}, bare: map[place]bool{}}
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
		if err := t.decideAll(ctx, v); err != nil {
			return tick, err
		}
		t.seen = print
	}
	t.loop.mu.Lock()
	t.loop.decided = v.now
	t.loop.mu.Unlock()
	return v.quiet(tick), nil
}

// maxSaid is how many failed places are told of at once.
const maxSaid = 3

// decideAll decides every place that it can, and says what keeps the others. Two
// failures stop it: a lost lease, and a database that answers nobody.
func (t *leader) decideAll(ctx context.Context, v *view) error {
	var out []error
	failed := 0
	for _, p := range v.places(t.last) {
		err := t.recall(ctx, p)
		if err == nil {
			err = v.unread(p)
		}
		if err == nil {
			err = t.decide(ctx, v, p)
		}
		if err == nil {
			continue
		}
		if failed++; failed <= maxSaid {
			out = append(out, err)
		}
		if fault.Is(err, fault.Stale) || ctx.Err() != nil {
			break
		}
		if _, err := t.loop.cfg.Store.Now(ctx); err != nil {
			out = append(out, err)
			break
		}
	}
	if failed > maxSaid {
		out = append(out, fmt.Errorf("and %d other places", failed-maxSaid))
	}
	return errors.Join(out...)
}

// begin finds the sets that are in force. Their bases come one by one, see recall.
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
	var given int64
	last := map[place]*Shift{}
	for _, s := range shifts {
		given = max(given, s.Version.Epoch)
		last[place{s.App, s.IDC}] = s
		t.bare[place{s.App, s.IDC}] = true
	}
	t.last = last
	if head > given { // raised, and nobody led to journal everything again
		for p := range last {
			t.again[p] = true
		}
	}
	return nil
}

// recall reads a set in force once more, with the basis that the list leaves out:
// without it everything would look new.
func (t *leader) recall(ctx context.Context, p place) error {
	if !t.bare[p] {
		return nil
	}
	now, err := t.loop.cfg.Store.Now(ctx)
	if err != nil {
		return err
	}
	s, err := t.loop.cfg.Store.ShiftAt(ctx, p.app, p.idc, now)
	if err != nil {
		return fmt.Errorf("read what is in force of %s in %s: %w", p.app, p.idc, err)
	}
	t.last[p] = s
	delete(t.bare, p)
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
