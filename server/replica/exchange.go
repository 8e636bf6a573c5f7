package replica

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"
)

// Part is one piece of what a replica tells about a topic. An empty body says that
// there is nothing any more.
type Part struct {
	Topic, Name string
	Body        []byte
}

// Beat is a replica's sign of life.
type Beat struct {
	Name string
	Boot string    // of one complete account
	Seq  int64     // of its newest parts
	At   time.Time // reference time
}

// Store carries beats and parts.
type Store interface {
	// Publish beats, at reference time, and puts the parts under b.Seq, all or
	// nothing. With whole they replace everything the name had. Without, known is
	// false and nothing is written when the stored boot is another.
	Publish(ctx context.Context, b Beat, whole bool, parts []Part) (known bool, err error)
	// Replicas gives everybody's last beat, and reference time.
	Replicas(ctx context.Context) (beats []Beat, now time.Time, err error)
	// PartsAfter gives a replica's parts with numbers above seq, and the highest.
	PartsAfter(ctx context.Context, name string, seq int64) (parts []Part, newest int64, err error)
	// ForgetReplicas drops those whose last beat is older than before.
	ForgetReplicas(ctx context.Context, before time.Time) (int64, error)
}

// Topic is one kind of thing that replicas tell each other. The exchange calls it
// from one goroutine.
type Topic interface {
	// Topic names it, for ever.
	Topic() string
	// Tell gives what changed since the last call, or with whole everything.
	Tell(now time.Time, whole bool) []Part
	// Hear takes a peer's part.
	Hear(peer string, p Part, now time.Time) error
	// Reset says that everything heard of a peer is void.
	Reset(peer string, now time.Time)
	// Peer is told every turn how a peer stands.
	Peer(peer string, alive bool, beat time.Time, now time.Time)
}

// Config wires an Exchange.
type Config struct {
	Name   string // of this replica
	Store  Store
	Topics []Topic
	// After is called at the end of a turn. May be nil.
	After func(now time.Time)
	// Leading tells whether this replica tidies up. May be nil: it does not.
	Leading func() bool
	Every   time.Duration // between turns; Every when zero
	Log     *slog.Logger
}

// Exchange is one replica's part in it.
type Exchange struct {
	cfg   Config
	boot  string
	seq   int64
	alone bool // nobody listens
	whole bool // everything is to be told
	owed  map[partKey]Part
	peers map[string]*peer
	lost  clashes // of accounts that somebody else ended
	tidy  time.Time
	now   time.Time // reference, as last read
	read  time.Time // when, by this process's clock
}

type partKey struct{ topic, name string }

type peer struct {
	boot string
	seq  int64
	beat time.Time
}

// New makes an exchange; Run starts it.
func New(cfg Config) *Exchange {
	if cfg.Every <= 0 {
		cfg.Every = Every
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Exchange{cfg: cfg, boot: rand.Text(), alone: true, whole: true, owed: map[partKey]Part{}, peers: map[string]*peer{}}
}

// Run takes turns until ctx ends.
func (e *Exchange) Run(ctx context.Context) {
	t := time.NewTicker(e.cfg.Every)
	defer t.Stop()
	said := ""
	for {
		err := e.Turn(ctx)
		if ctx.Err() != nil {
			return
		}
		switch {
		case err == nil && said != "":
			e.cfg.Log.Info("controllers hear each other again")
			said = ""
		case err != nil && err.Error() != said:
			said = err.Error()
			e.cfg.Log.Warn("other controllers are not heard, or do not hear this one", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// Turn tells what changed and hears what others did. Whatever fails, peers grow old:
// a database that says nothing is not waited for.
func (e *Exchange) Turn(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, turnBudget)
	defer cancel()
	beats, now, err := e.cfg.Store.Replicas(ctx)
	if err == nil {
		e.now, e.read = now, time.Now()
		err = e.hear(ctx, beats)
	}
	now = e.reference()
	err = errors.Join(err, e.tell(ctx, now))
	for name, p := range e.peers {
		for _, t := range e.cfg.Topics {
			t.Peer(name, alive(p.beat, now), p.beat, now)
		}
	}
	if e.cfg.After != nil {
		e.cfg.After(now)
	}
	if err != nil {
		return err
	}
	return e.forget(ctx, now)
}

// reference is the database's time, also while it is away.
func (e *Exchange) reference() time.Time {
	if e.read.IsZero() {
		return time.Now()
	}
	return e.now.Add(time.Since(e.read))
}

func (e *Exchange) tell(ctx context.Context, now time.Time) error {
	alone := true
	for _, p := range e.peers {
		alone = alone && !alive(p.beat, now)
	}
	if alone != e.alone {
		e.alone = alone
		e.begin()
	}
	if e.whole {
		clear(e.owed) // what could not be told, and may be gone by now, is no part of it
	}
	if !alone {
		for _, t := range e.cfg.Topics {
			for _, p := range t.Tell(now, e.whole) {
				e.owed[partKey{p.Topic, p.Name}] = p
			}
		}
	}
	e.seq++
	parts := slices.Collect(maps.Values(e.owed))
	known, err := e.cfg.Store.Publish(ctx, Beat{Name: e.cfg.Name, Boot: e.boot, Seq: e.seq}, e.whole, parts)
	switch {
	case err != nil:
		return fmt.Errorf("tell other controllers: %w", err)
	case known:
		e.whole = false
		clear(e.owed)
		return nil
	}
	// The account is gone, or another process writes under this name.
	if e.lost.add(now) {
		e.cfg.Log.Error("another controller has this one's name: give each a replica name of its own", "replica", e.cfg.Name)
	}
	e.begin()
	return nil
}

// begin starts a new account: everything is told again under it.
func (e *Exchange) begin() {
	e.boot, e.whole = rand.Text(), true
	clear(e.owed)
}

func (e *Exchange) hear(ctx context.Context, beats []Beat) error {
	there := map[string]bool{}
	for _, b := range beats {
		if b.Name == e.cfg.Name {
			continue
		}
		there[b.Name] = true
		p := e.peers[b.Name]
		if p == nil {
			p = &peer{}
			e.peers[b.Name] = p
		}
		p.beat = b.At
		if p.boot != b.Boot {
			if p.boot != "" {
				e.reset(b.Name)
			}
			p.boot, p.seq = b.Boot, 0
		}
		if b.Seq <= p.seq {
			continue
		}
		parts, newest, err := e.cfg.Store.PartsAfter(ctx, b.Name, p.seq)
		if err != nil {
			return fmt.Errorf("hear %s: %w", b.Name, err)
		}
		for _, x := range parts {
			e.pass(b.Name, x)
		}
		p.seq = max(b.Seq, newest)
	}
	for name := range e.peers {
		if !there[name] {
			e.reset(name)
			delete(e.peers, name)
		}
	}
	return nil
}

func (e *Exchange) pass(from string, x Part) {
	for _, t := range e.cfg.Topics {
		if t.Topic() != x.Topic {
			continue
		}
		if err := t.Hear(from, x, e.now); err != nil {
			e.cfg.Log.Warn("a part of what another controller told is skipped", "replica", from, "topic", x.Topic, "part", x.Name, "error", err)
		}
	}
}

func (e *Exchange) reset(name string) {
	for _, t := range e.cfg.Topics {
		t.Reset(name, e.now)
	}
}

// forget drops once a minute who has been silent for too long.
func (e *Exchange) forget(ctx context.Context, now time.Time) error {
	if e.cfg.Leading == nil || now.Sub(e.tidy) < time.Minute || !e.cfg.Leading() {
		return nil
	}
	e.tidy = now
	n, err := e.cfg.Store.ForgetReplicas(ctx, now.Add(-ForgetAfter))
	if n > 0 {
		e.cfg.Log.Info("controllers that did not come back are forgotten", "count", n)
	}
	return err
}
