package alert

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/lease"
)

// LeaseName is the lease of the one replica that raises and sends.
const LeaseName = "alerts"

// Actor signs what the loop does.
const Actor = "system:alerts"

const (
	tick = time.Second
	// refreshEvery is how often rules, sinks and silences are read again; a nudge
	// does it at once.
	refreshEvery = 5 * time.Second
	// storeBudget bounds a look's writes: the next look must come.
	storeBudget = 5 * time.Second
	// maxSaid is how many failures of a look are told of.
	maxSaid = 3
)

// Config wires a Loop.
type Config struct {
	Store  Store
	Clock  lease.Clock
	Lease  lease.Store
	Holder string
	TTL    time.Duration
	Sender Sender
	// Observe looks at everything. It must not wait for anything but memory.
	Observe func(now time.Time) Observation
	// Link gives an alert's address in the console; may be nil.
	Link func(id string) string
	Now  func() time.Time // reference time
	Log  *slog.Logger
}

// Loop watches on every replica, and raises, resolves and sends on the one that
// holds the lease. It owns no rule.
type Loop struct {
	cfg    Config
	keeper *lease.Keeper
	nudge  chan struct{}

	mu    sync.Mutex
	seen  []Sighting // of the newest look
	at    time.Time
	rules Rules
}

// NewLoop makes a loop; Run starts it.
func NewLoop(cfg Config) *Loop {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	l := &Loop{cfg: cfg, nudge: make(chan struct{}, 1), rules: Merged(nil)}
	l.keeper = lease.New(lease.Config{Store: cfg.Lease, Clock: cfg.Clock, Name: LeaseName, Holder: cfg.Holder, TTL: cfg.TTL, Lead: l.lead, Log: cfg.Log})
	return l
}

// Run watches, and leads whenever it holds the lease, until ctx ends.
func (l *Loop) Run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { l.keeper.Run(ctx) })
	all.Go(func() { l.watch(ctx) })
	all.Wait()
}

// Nudge has rules, sinks and silences read again now.
func (l *Loop) Nudge() {
	select {
	case l.nudge <- struct{}{}:
	default:
	}
}

// Leading reports whether this replica raises and sends.
func (l *Loop) Leading() bool {
	_, ok := l.keeper.Held()
	return ok
}

// watch looks once a second, whoever leads: a successor must know how things were.
func (l *Loop) watch(ctx context.Context) {
	w := NewWatch()
	t := time.NewTicker(tick)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		l.mu.Lock()
		rules := l.rules
		l.mu.Unlock()
		o := l.cfg.Observe(l.cfg.Now())
		seen := w.Step(&o, rules)
		l.mu.Lock()
		l.seen, l.at = seen, o.At
		l.mu.Unlock()
	}
}

func (l *Loop) newest() ([]Sighting, time.Time, Rules) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seen, l.at, l.rules
}

// leader is what the holder of the lease knows.
type leader struct {
	book     *Book
	sinks    []*Sink
	silences []Silence
	read     time.Time
	judged   time.Time
	wrote    bool // deliveries that senders do not know of
}

func (l *Loop) lead(ctx context.Context, _ lease.Lease) {
	st := &leader{}
	send := newPost(l.cfg)
	defer send.stop()
	t := time.NewTicker(tick)
	defer t.Stop()
	trouble := false
	for {
		force := false
		select {
		case <-ctx.Done():
			return
		case <-l.nudge:
			force = true
		case <-t.C:
		}
		within, cancel := context.WithTimeout(ctx, storeBudget)
		err := l.once(within, st, send, force)
		cancel()
		switch {
		case err != nil && !trouble && ctx.Err() == nil:
			l.cfg.Log.Error("alerts are held up", "error", err)
		case err == nil && trouble:
			l.cfg.Log.Info("alerts go on")
		}
		trouble = err != nil
	}
}

// once judges the newest look. What the database does not take is tried again
// with the next: the book keeps it.
func (l *Loop) once(ctx context.Context, st *leader, send *post, force bool) error {
	now := l.cfg.Now()
	var all []error // one that cannot be written keeps no other from being told
	keep := func(err error) {
		if err != nil && len(all) < maxSaid {
			all = append(all, err)
		}
	}
	if force || now.Sub(st.read) >= refreshEvery {
		if err := l.refresh(ctx, st, now); err != nil {
			return err
		}
		send.sinks(ctx, st.sinks)
	}
	seen, at, rules := l.newest()
	if !at.IsZero() && at != st.judged {
		st.judged = at
		raise, resolve := st.book.Step(seen, rules, at)
		for _, a := range raise {
			keep(l.raise(ctx, st, a))
		}
		for _, a := range resolve {
			keep(l.resolve(ctx, st, a, now))
		}
	}
	keep(l.notify(ctx, st, now))
	if st.wrote {
		st.wrote = false
		send.wake()
	}
	return errors.Join(all...)
}

func (l *Loop) refresh(ctx context.Context, st *leader, now time.Time) error {
	saved, err := l.cfg.Store.ListRules(ctx)
	if err != nil {
		return err
	}
	sinks, err := l.cfg.Store.ListSinks(ctx)
	if err != nil {
		return err
	}
	silences, err := l.cfg.Store.ListSilences(ctx, now)
	if err != nil {
		return err
	}
	standing, err := l.cfg.Store.ListAlerts(ctx, Filter{Open: true})
	if err != nil {
		return err
	}
	if st.book == nil {
		st.book = NewBook(standing, now)
	}
	for _, a := range standing { // acknowledged meanwhile, or written by the predecessor's last breath
		st.book.Raised(a)
	}
	st.sinks, st.silences, st.read = sinks, silences, now
	l.mu.Lock()
	l.rules = Merged(saved)
	l.mu.Unlock()
	return nil
}

func (l *Loop) change(verb string, a *Alert) audit.Change {
	c := audit.Change{Actor: Actor, Via: "loop", Verb: verb, Kind: "alert", Name: a.Title(), App: a.Scope.App, IDC: a.Scope.IDC, Reason: a.Reason}
	if verb == "resolve" {
		c.Reason = a.Ending
	}
	return c
}

func (l *Loop) raise(ctx context.Context, st *leader, a *Alert) error {
	err := l.cfg.Store.RaiseAlert(ctx, a, l.change("raise", a))
	if fault.Is(err, fault.Conflict) { // it stands: the predecessor was first
		st.read = time.Time{}
		return nil
	}
	if err != nil {
		return err
	}
	l.cfg.Log.Warn("alert", "kind", a.Kind, "app", a.Scope.App, "idc", a.Scope.IDC, "reason", a.Reason)
	st.book.Raised(a)
	return nil
}

func (l *Loop) resolve(ctx context.Context, st *leader, a *Alert, now time.Time) error {
	var told []Delivery
	if !a.NotifiedAt.IsZero() { // else nobody was told
		told = deliveries(a, Resolved, st.sinks, now)
	}
	if err := l.cfg.Store.ResolveAlert(ctx, a, told, l.change("resolve", a)); err != nil {
		return err
	}
	st.book.Dropped(a)
	st.wrote = st.wrote || len(told) > 0
	l.cfg.Log.Info("alert resolved", "kind", a.Kind, "app", a.Scope.App, "idc", a.Scope.IDC, "after", now.Sub(a.FiredAt).Round(time.Second))
	return nil
}

// notify writes deliveries of alerts that nobody was told of and that no silence
// covers: also when a silence has ended and the alert still stands.
func (l *Loop) notify(ctx context.Context, st *leader, now time.Time) (first error) {
	for _, a := range st.book.Standing() {
		if !a.NotifiedAt.IsZero() || covered(st.silences, a, now) != nil {
			continue
		}
		if err := l.cfg.Store.Notify(ctx, a.ID, deliveries(a, Firing, st.sinks, now)); err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		a.NotifiedAt, st.wrote = now, true
	}
	return first
}

func covered(all []Silence, a *Alert, now time.Time) *Silence {
	for i := range all {
		if all[i].Covers(a, now) {
			return &all[i]
		}
	}
	return nil
}
