package lease

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// Clock is reference time: the database's.
type Clock interface {
	Now(ctx context.Context) (time.Time, error)
}

// Config says what a Keeper keeps.
type Config struct {
	Store  Store
	Clock  Clock
	Name   string        // Controller when empty
	Holder string        // unique to this process; two processes must never share one
	TTL    time.Duration // how long a dead holder blocks its successor
	// MaxSkew replaces the package's MaxSkew when it is not zero.
	MaxSkew time.Duration
	// Wall is this machine's clock, which is held against reference time; time.Now
	// when nil.
	Wall func() time.Time
	// Lead runs while the lease is held and must return soon after ctx ends; the
	// Keeper does not hold the lease again before it has. May be nil.
	Lead func(ctx context.Context, l Lease)
	Log  *slog.Logger
}

// Status is what operators see.
type Status struct {
	Held   bool
	Lease  Lease // last known: who holds it, under which epoch
	Skew   time.Duration
	Reason string // "held", or why this replica does not hold it
}

// Keeper acquires one lease and keeps it. Run it once.
type Keeper struct {
	cfg Config

	mu     sync.Mutex
	term   term
	skew   time.Duration
	reason string

	stop  *time.Timer // ends the term at its deadline, even while the store is asked
	endIt context.CancelFunc
	lead  chan struct{} // closed when Lead has returned
}

// New makes a Keeper; nothing happens before Run.
func New(cfg Config) *Keeper {
	if cfg.Name == "" {
		cfg.Name = Controller
	}
	if cfg.MaxSkew == 0 {
		cfg.MaxSkew = MaxSkew
	}
	if cfg.Wall == nil {
		cfg.Wall = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	return &Keeper{cfg: cfg, reason: "not asked for yet"}
}

// Held tells whether this replica may act on the lease at this instant, and the
// fencing epoch to act under.
func (k *Keeper) Held() (epoch int64, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.term.held || !time.Now().Before(k.term.deadline) {
		return 0, false
	}
	return k.term.lease.Epoch, true
}

// Status tells who holds the lease as far as this replica knows.
func (k *Keeper) Status() Status {
	k.mu.Lock()
	defer k.mu.Unlock()
	held := k.term.held && time.Now().Before(k.term.deadline)
	return Status{Held: held, Lease: k.term.lease, Skew: k.skew, Reason: k.reason}
}

// Run keeps the lease until ctx ends, then gives it up so that a successor need
// not wait for it to run out.
func (k *Keeper) Run(ctx context.Context) {
	for {
		k.round(ctx)
		select {
		case <-ctx.Done():
			k.resign(ctx)
			return
		case <-time.After(k.pause()):
		}
	}
}

// pause spreads the waiting replicas, so that they do not ask in step; the holder
// renews early rather than late.
func (k *Keeper) pause() time.Duration {
	third := k.cfg.TTL / renewals
	return third - time.Duration(rand.Int64N(int64(third/5)+1))
}

// round asks the store once and acts on the answer.
func (k *Keeper) round(ctx context.Context) {
	a := k.ask(ctx)
	k.mu.Lock()
	old := k.term
	next, reason := judge(old, a, k.cfg.TTL, k.cfg.MaxSkew, time.Now())
	said := k.reason
	k.term, k.skew, k.reason = next, a.skew, reason
	k.mu.Unlock()

	if old.held && !next.held && a.ok {
		// The store renewed what we refuse to hold, or may have: let others in.
		k.release(ctx)
	}
	switch {
	case sameTerm(old, next) && k.stop.Stop():
		k.stop.Reset(time.Until(next.deadline))
	case next.held: // also when the answer came after Lead was told to end
		k.endTerm()
		k.cfg.Log.Info("lease acquired", "name", k.cfg.Name, "epoch", next.lease.Epoch, "holder", k.cfg.Holder)
		k.begin(ctx, next)
	case old.held:
		k.endTerm()
		k.cfg.Log.Warn("lease lost", "name", k.cfg.Name, "epoch", old.lease.Epoch, "reason", reason)
	case reason != said:
		k.cfg.Log.Info("waiting for the lease", "name", k.cfg.Name, "reason", reason)
	}
}

// ask never takes longer than a renewal interval, nor past the term's deadline.
func (k *Keeper) ask(ctx context.Context) (a answer) {
	limit := k.cfg.TTL / renewals
	k.mu.Lock()
	if k.term.held {
		limit = min(limit, time.Until(k.term.deadline))
	}
	held := k.term.held
	k.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, max(limit, time.Millisecond))
	defer cancel()

	a.sent = time.Now()
	wall := k.cfg.Wall()
	ref, err := k.cfg.Clock.Now(ctx)
	if err != nil {
		a.err = err
		return a
	}
	back := time.Now()
	// The database read its clock somewhere between; halfway errs least.
	a.skew = wall.Round(0).Add(back.Sub(a.sent) / 2).Sub(ref.Round(0))
	if a.skew > k.cfg.MaxSkew || a.skew < -k.cfg.MaxSkew {
		a.ok = held // so that what is held is given up
		return a
	}
	a.sent = time.Now()
	a.lease, a.ok, a.err = k.cfg.Store.AcquireLease(ctx, k.cfg.Name, k.cfg.Holder, k.cfg.TTL)
	return a
}

func (k *Keeper) begin(ctx context.Context, t term) {
	ctx, cancel := context.WithCancel(ctx)
	k.endIt, k.lead = cancel, make(chan struct{})
	k.stop = time.AfterFunc(time.Until(t.deadline), cancel)
	done := k.lead
	if k.cfg.Lead == nil {
		close(done)
		return
	}
	go func() {
		defer close(done)
		k.cfg.Lead(ctx, t.lease)
	}()
}

// endTerm cancels Lead and waits for it, so that two terms of one process never overlap.
func (k *Keeper) endTerm() {
	if k.endIt == nil {
		return
	}
	k.stop.Stop()
	k.endIt()
	<-k.lead
	k.endIt = nil
}

func (k *Keeper) resign(ctx context.Context) {
	k.endTerm()
	k.mu.Lock()
	held := k.term.held
	k.term.held, k.reason = false, "stopped"
	k.mu.Unlock()
	if held {
		k.release(ctx)
	}
}

// release is best effort: a lease that is not given up runs out by itself.
func (k *Keeper) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), k.cfg.TTL/renewals)
	defer cancel()
	if err := k.cfg.Store.ReleaseLease(ctx, k.cfg.Name, k.cfg.Holder); err != nil && !errors.Is(err, context.Canceled) {
		k.cfg.Log.Warn("lease not released, it will run out", "name", k.cfg.Name, "error", err)
	}
}
