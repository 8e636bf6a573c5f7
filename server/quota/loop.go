package quota

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/fleet"
)

// tickBudget bounds a tick's calls together; each has half of it at most.
const (
	tickBudget   = 90 * time.Millisecond
	refreshEvery = time.Second
	storeBudget  = 5 * time.Second
)

// Config wires a Loop.
type Config struct {
	Groups Store
	Window Window
	Relay  Relay // nil: there are no other replicas
	Meter  *Meter
	// Lease tells whether this replica decides, and under which epoch.
	Lease func() (epoch int64, held bool)
	Now   func() time.Time // reference time
	// Places gives every app x IDC that has an agent here.
	Places func() []fleet.Place
	// Send hands base quotas to the agents of an app x IDC. It must not block.
	Send func(app, idc string, q *gear.BaseQuotas)
	// Machines tells how busy a group's machines are; nil: unknown.
	Machines func(g *Group) Machines
	// Retention bounds the history; 0 keeps a week.
	Retention func() time.Duration
	Log       *slog.Logger
}

// Machines is what is known of a group's machines.
type Machines struct {
	CPU    float64 // mean share of their cores, negative unknown
	Count  int
	Builds string // joined
}

// Loop decides the base quotas while it holds the lease, and passes on the
// leader's otherwise. It owns no rule.
type Loop struct {
	cfg   Config
	nudge chan struct{}

	mu      sync.Mutex
	groups  []*Group
	status  map[string]*Status // by group id
	history map[string]*series
	leading bool
	trouble string
	since   time.Time // of the trouble

	// Of the goroutine that ticks.
	pilots map[string]*pilot
	frame  int64
	heard  time.Time // when the window answered last
}

// Status is how a group stands on this replica.
type Status struct {
	Decision
	Heard    bool // there is a decision not older than BaseTTL
	Leading  bool // decided here
	Crew     Crew // agents of this replica
	Machines Machines
	Trouble  string // why there is no decision
}

// NewLoop makes a loop; Run starts it.
func NewLoop(cfg Config) *Loop {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Loop{cfg: cfg, nudge: make(chan struct{}, 1), status: map[string]*Status{}, history: map[string]*series{}, pilots: map[string]*pilot{}}
}

// Nudge has the groups read again now.
func (l *Loop) Nudge() {
	select {
	case l.nudge <- struct{}{}:
	default:
	}
}

// Run ticks until ctx ends. The database is read and written beside the ticks:
// when it is away the groups known stay in force.
func (l *Loop) Run(ctx context.Context) {
	var beside sync.WaitGroup
	beside.Go(func() { l.refresh(ctx) })
	defer beside.Wait()
	t := time.NewTicker(Tick)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			l.tick(ctx, l.cfg.Now())
		}
	}
}

// refresh reads the groups and keeps their history.
func (l *Loop) refresh(ctx context.Context) {
	t := time.NewTicker(refreshEvery)
	defer t.Stop()
	pruned := time.Time{}
	for {
		l.read(ctx)
		l.measure()
		l.keep(ctx, &pruned)
		select {
		case <-ctx.Done():
			return
		case <-l.nudge:
		case <-t.C:
		}
	}
}

func (l *Loop) read(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storeBudget)
	defer cancel()
	groups, err := l.cfg.Groups.ListGroups(ctx)
	if err != nil {
		if ctx.Err() == nil {
			l.cfg.Log.Warn("quota groups not read, the last ones stand", "error", err)
		}
		return
	}
	l.cfg.Meter.Know(groups)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.groups = groups
	known := make(map[string]bool, len(groups))
	for _, g := range groups {
		known[g.ID] = true
		if l.status[g.ID] == nil {
			l.status[g.ID] = &Status{}
		}
	}
	for id := range l.status {
		if !known[id] {
			delete(l.status, id)
			delete(l.history, id)
		}
	}
}

// measure asks how busy the machines are.
func (l *Loop) measure() {
	if l.cfg.Machines == nil {
		return
	}
	l.mu.Lock()
	groups := l.groups
	l.mu.Unlock()
	for _, g := range groups {
		m := l.cfg.Machines(g)
		l.mu.Lock()
		if s := l.status[g.ID]; s != nil {
			s.Machines = m
		}
		l.mu.Unlock()
	}
}

// tick is one turn: hand on what was counted, decide or follow, tell the agents.
func (l *Loop) tick(ctx context.Context, now time.Time) {
	l.mu.Lock()
	groups := l.groups
	l.mu.Unlock()
	epoch, leads := l.cfg.Lease()
	added, crews := l.cfg.Meter.take(now)
	var enabled []*Group
	var ask []Query
	for _, g := range groups {
		if g.Enabled {
			enabled = append(enabled, g)
			ask = append(ask, Query{Group: g.ID, Window: g.Settings.Window})
		}
	}
	if !leads {
		clear(l.pilots)
		ask = nil
	}
	if len(enabled) == 0 && len(added) == 0 {
		l.note(nil, nil, crews, leads, nil, now)
		return
	}
	call, cancel := context.WithTimeout(ctx, tickBudget)
	defer cancel()
	sums, err := l.cfg.Window.Exchange(call, now, added, ask)
	if err != nil {
		l.cfg.Meter.put(added, now)
		// A tick missed is one tick. After an outage what was decided last must not
		// be taken up again: agents have moved on by themselves.
		if now.Sub(l.heard) >= BaseTTL {
			for _, p := range l.pilots {
				p.begun, p.since = false, time.Time{}
			}
		}
		l.note(enabled, nil, crews, leads, err, now)
		return
	}
	l.heard = now
	var ds []Decision
	if leads {
		for i, g := range enabled {
			p := l.pilots[g.ID]
			if p == nil {
				p = &pilot{}
				l.pilots[g.ID] = p
				l.takeOver(call, p, g)
			}
			if d, ok := p.decide(g, sums[i], crews[g.Name], epoch, now); ok {
				ds = append(ds, d)
			}
		}
	} else if l.cfg.Relay != nil {
		ids := make([]string, len(enabled))
		for i, g := range enabled {
			ids[i] = g.ID
		}
		if ds, err = l.cfg.Relay.Follow(call, ids); err != nil {
			l.note(enabled, nil, crews, leads, err, now)
			return
		}
	}
	l.send(enabled, ds)
	if leads && l.cfg.Relay != nil && len(ds) > 0 {
		if err := l.cfg.Relay.Publish(call, ds); err != nil {
			l.cfg.Log.Debug("quota decisions not relayed", "error", err)
		}
	}
	l.note(enabled, ds, crews, leads, nil, now)
}

// takeOver begins where the leader before left off.
func (l *Loop) takeOver(ctx context.Context, p *pilot, g *Group) {
	if l.cfg.Relay == nil {
		return
	}
	if ds, err := l.cfg.Relay.Follow(ctx, []string{g.ID}); err == nil && len(ds) == 1 {
		p.last, p.tick = ds[0], ds[0].Tick
	}
}

// send tells the agents of every place. A decision that is not new is not sent
// again: silence is how agents learn that nobody decides.
func (l *Loop) send(groups []*Group, ds []Decision) {
	byID := make(map[string]*Decision, len(ds))
	l.mu.Lock()
	for i := range ds {
		d := &ds[i]
		if s := l.status[d.Group]; s == nil || s.Epoch > d.Epoch || s.Epoch == d.Epoch && s.Tick >= d.Tick {
			continue
		}
		byID[d.Group] = d
	}
	l.mu.Unlock()
	if len(byID) == 0 {
		return
	}
	l.frame++
	for _, at := range l.cfg.Places() {
		f := &gear.BaseQuotas{Frame: l.frame}
		for _, g := range groups {
			if d := byID[g.ID]; d != nil {
				if q, ok := quotaOf(g, d, at.App, at.IDC); ok {
					f.Quotas = append(f.Quotas, q)
				}
			}
		}
		if len(f.Quotas) > 0 {
			l.cfg.Send(at.App, at.IDC, f)
		}
	}
}

// note keeps what people see.
func (l *Loop) note(groups []*Group, ds []Decision, crews map[string]Crew, leads bool, err error, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leading = leads
	text := ""
	if err != nil {
		text = "the quota window does not answer: " + err.Error()
	}
	switch {
	case err == nil && l.trouble != "":
		l.cfg.Log.Info("base quotas go on", "after", now.Sub(l.since).Round(time.Millisecond))
		l.trouble = ""
	case err != nil && l.trouble == "" && now.Sub(l.heard) >= BaseTTL:
		l.cfg.Log.Error("base quotas stop, agents fall back", "error", err)
		l.trouble, l.since = text, l.heard
	}
	for i := range ds {
		s := l.status[ds[i].Group]
		if s == nil || s.Epoch > ds[i].Epoch || s.Epoch == ds[i].Epoch && s.Tick >= ds[i].Tick {
			continue
		}
		s.Decision = ds[i]
		if leads {
			h := l.history[ds[i].Group]
			if h == nil {
				h = &series{}
				l.history[ds[i].Group] = h
			}
			h.add(&ds[i], s.Machines)
		}
	}
	for _, g := range groups {
		if s := l.status[g.ID]; s != nil {
			s.Crew, s.Leading, s.Trouble = crews[g.Name], leads, text
		}
	}
}

// Status tells how a group stands here.
func (l *Loop) Status(id string) Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.status[id]
	if s == nil {
		return Status{Trouble: "not read yet"}
	}
	out := *s
	out.Heard = l.cfg.Now().Sub(s.At) <= BaseTTL && out.Tick > 0
	if !out.Heard && out.Trouble == "" {
		out.Trouble = "no decision lately"
	}
	return out
}

// Recent gives the last ten minutes of a group by the second, as far as this
// replica decided them.
func (l *Loop) Recent(id string) []Point {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.history[id]; h != nil {
		return h.points()
	}
	return nil
}

var _ Relay = (*Local)(nil)
