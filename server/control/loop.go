package control

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/lease"
	"github.com/allspark/allspark/server/template"
)

// Publisher hands a journalled shift to the streams of its app x IDC. Tables hold
// every level table the set refers to. It is called with rising versions only.
type Publisher interface {
	Publish(ctx context.Context, s *Shift) error
}

// Places tells which points registered agents declare, of every app for "".
type Places interface {
	Declared(app string) []fleet.Declared
}

// Config wires a Loop.
type Config struct {
	Holder    string // unique to this process
	Store     Store
	Templates template.Store
	Lease     lease.Store
	Places    Places
	Publisher Publisher
	Tick      time.Duration    // how often it looks by itself; 1 s when zero
	LeaseTTL  time.Duration    // 5 s when zero
	Wall      func() time.Time // of the lease; may be nil
	Log       *slog.Logger
}

// Loop decides while it holds the lease, and follows the journal in any case. It
// owns no rule: Decide and Causes do the thinking.
type Loop struct {
	cfg    Config
	keeper *lease.Keeper
	nudges chan struct{} // for whoever leads
	hints  chan struct{} // for the follower

	mu        sync.Mutex
	published map[place]gear.Version
	pending   map[place]*Shift // not yet taken by the publisher, newest only
	newest    gear.Version
	decided   time.Time
	trouble   string
	raises    time.Time // until when raises of the epoch are used up, one a raiseEvery
}

// place is one app x IDC.
type place struct{ app, idc string }

func (p place) compare(q place) int {
	return cmp.Or(strings.Compare(p.app, q.app), strings.Compare(p.idc, q.idc))
}

// NewLoop makes a loop; Run starts it.
func NewLoop(cfg Config) *Loop {
	if cfg.Tick <= 0 {
		cfg.Tick = time.Second
	}
	if cfg.LeaseTTL <= 0 {
		cfg.LeaseTTL = 5 * time.Second
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	l := &Loop{
		cfg: cfg, nudges: make(chan struct{}, 1), hints: make(chan struct{}, 1),
		published: map[place]gear.Version{}, pending: map[place]*Shift{},
	}
	l.keeper = lease.New(lease.Config{Store: cfg.Lease, Clock: cfg.Store, Holder: cfg.Holder, TTL: cfg.LeaseTTL, Wall: cfg.Wall, Lead: l.lead, Log: cfg.Log})
	return l
}

// Run follows and, whenever it holds the lease, leads, until ctx ends.
func (l *Loop) Run(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() { l.follow(ctx) })
	l.keeper.Run(ctx)
	wg.Wait()
}

// Nudge asks for a look now. It never blocks; a lost nudge costs one tick.
func (l *Loop) Nudge() {
	for _, c := range []chan struct{}{l.nudges, l.hints} {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// Status is what operators see of a loop.
type Status struct {
	Leading      bool
	Holder       string // who holds the lease, as far as this replica knows
	Epoch        int64  // of the lease
	LeaseExpires time.Time
	Waiting      string       // why this replica does not lead
	Decided      time.Time    // reference time of the last complete look; zero when it never led
	Newest       gear.Version // newest version seen in the journal
	Trouble      string       // what keeps it from deciding or publishing, "" when nothing
}

// Status tells how the loop stands.
func (l *Loop) Status() Status {
	k := l.keeper.Status()
	l.mu.Lock()
	defer l.mu.Unlock()
	s := Status{
		Leading: k.Held, Holder: k.Lease.Holder, Epoch: k.Lease.Epoch, LeaseExpires: k.Lease.Expires,
		Decided: l.decided, Newest: l.newest, Trouble: l.trouble,
	}
	if !k.Held {
		s.Waiting = k.Reason
	}
	return s
}

// say logs trouble once, and its end once.
func (l *Loop) say(doing string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := ""
	if err != nil {
		text = doing + ": " + err.Error()
	}
	if text == l.trouble {
		return
	}
	l.trouble = text
	if err != nil {
		l.cfg.Log.Error("control is held up", "doing", doing, "error", err)
	} else {
		l.cfg.Log.Info("control goes on")
	}
}
