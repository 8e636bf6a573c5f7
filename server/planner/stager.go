package planner

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/plan"
	"github.com/allspark/allspark/server/push"
)

// awayFor is how long an agent whose stream broke still counts.
const awayFor = 5 * time.Minute

// StagerConfig wires a Stager.
type StagerConfig struct {
	Store    Store
	Clock    Clock
	Foreseer *control.Foreseer
	// Encode makes the frame of staged steps, once for all streams of an app x IDC.
	Encode func(s *gear.Staged, tables []gear.LevelTable) (frame any, err error)
	Tick   time.Duration // 1 s when zero
	Log    *slog.Logger
}

// Stager sends steps ahead to the agents of this replica, and knows who holds
// them.
type Stager struct {
	cfg    StagerConfig
	nudges chan struct{}

	mu     sync.Mutex
	ready  bool
	groups map[push.Key]*stageGroup
	marked map[StagedKey]bool
}

type stageGroup struct {
	line    *timeline
	frame   any
	members map[string]*Member
}

// Member is one agent's end.
type Member struct {
	stager   *Stager
	group    *stageGroup
	instance string
	put      func(frame any)
	hash     string // of what it holds
	refused  string // hash it refused
	problems gear.Problems
	away     time.Time
}

// NewStager makes a stager; Run starts it.
func NewStager(cfg StagerConfig) *Stager {
	if cfg.Tick <= 0 {
		cfg.Tick = time.Second
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	return &Stager{cfg: cfg, nudges: make(chan struct{}, 1), groups: map[push.Key]*stageGroup{}, marked: map[StagedKey]bool{}}
}

// Nudge asks for a look now; it never blocks.
func (s *Stager) Nudge() {
	select {
	case s.nudges <- struct{}{}:
	default:
	}
}

// Run stages until ctx ends.
func (s *Stager) Run(ctx context.Context) {
	tick := time.NewTicker(s.cfg.Tick)
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := s.Look(ctx); err != nil && ctx.Err() == nil {
			s.cfg.Log.Warn("plan steps not staged, trying again", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-s.nudges:
		}
	}
}

func (s *Stager) group(k push.Key) *stageGroup {
	g := s.groups[k]
	if g == nil {
		g = &stageGroup{members: map[string]*Member{}}
		s.groups[k] = g
	}
	return g
}

// Look works out what is to be staged and sends what changed.
func (s *Stager) Look(ctx context.Context) error {
	now, err := s.cfg.Clock.Now(ctx)
	if err != nil {
		return err
	}
	hs, err := readHolds(ctx, s.cfg.Store, now)
	if err != nil {
		return err
	}
	lines := map[push.Key]*timeline{}
	if len(hs) > 0 {
		if lines, err = foresee(ctx, s.cfg.Foreseer, hs, now); err != nil {
			return err
		}
	}
	s.mu.Lock()
	for k := range lines {
		s.group(k)
	}
	for k, g := range s.groups {
		line := lines[k]
		if line == nil {
			line = &timeline{staged: gear.Staged{App: k.App, IDC: k.IDC, AsOf: now}}
		}
		if g.line != nil && g.line.staged.Hash == line.staged.Hash {
			g.line.steps = line.steps
			continue
		}
		frame, err := s.cfg.Encode(&line.staged, line.tables)
		if err != nil {
			s.mu.Unlock()
			return err
		}
		g.line, g.frame = line, frame
		for _, m := range g.members {
			if m.hash != line.staged.Hash && m.away.IsZero() {
				m.put(frame)
			}
		}
	}
	s.ready = true
	due := s.unmarked()
	s.forget()
	s.mu.Unlock()
	return s.mark(ctx, due)
}

func readHolds(ctx context.Context, store Store, now time.Time) ([]hold, error) {
	plans, err := store.ListPlans(ctx)
	if err != nil || len(plans) == 0 {
		return nil, err
	}
	runs, err := store.ListRuns(ctx, "", now.Add(-lookBack-plan.MaxSpan))
	if err != nil {
		return nil, err
	}
	return holds(plans, runs, now)
}

// unmarked lists the steps that some machine holds and the database does not
// know so yet.
func (s *Stager) unmarked() []StagedKey {
	var out []StagedKey
	for _, g := range s.groups {
		if g.line == nil || g.line.staged.Hash == "" {
			continue
		}
		held := false
		for _, m := range g.members {
			held = held || m.hash == g.line.staged.Hash
		}
		for _, k := range g.line.steps {
			if held && !s.marked[k] {
				out = append(out, k)
			}
		}
	}
	return out
}

func (s *Stager) mark(ctx context.Context, due []StagedKey) error {
	for _, k := range due {
		if err := s.cfg.Store.MarkStaged(ctx, k.Key, k.Epoch); err != nil {
			return err
		}
		s.mu.Lock()
		s.marked[k] = true
		s.mu.Unlock()
	}
	return nil
}

func (s *Stager) forget() {
	before := time.Now().Add(-awayFor)
	for _, g := range s.groups {
		for name, m := range g.members {
			if !m.away.IsZero() && m.away.Before(before) {
				delete(g.members, name)
			}
		}
	}
}

// Join takes an agent's stream: hash names what it holds already; put leaves a
// frame in its outbox and must not block. What is due is put before Join returns.
func (s *Stager) Join(app, idc, instance, hash string, put func(frame any)) *Member {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.group(push.Key{App: app, IDC: idc})
	m := &Member{stager: s, group: g, instance: instance, put: put, hash: hash}
	g.members[instance] = m
	switch {
	case !s.ready:
	case g.line == nil: // of an app x IDC that nobody has looked at yet
		if hash != "" {
			s.Nudge()
		}
	case g.line.staged.Hash != hash:
		put(g.frame)
	}
	return m
}

// Ack notes the agent's answer.
func (m *Member) Ack(a gear.StagedAck) {
	s := m.stager
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.Refused {
		m.refused, m.problems = a.Hash, a.Problems
		return
	}
	m.hash, m.refused, m.problems = a.Hash, "", nil
	if m.group.line != nil && m.hash == m.group.line.staged.Hash && len(s.unmarked()) > 0 {
		s.Nudge()
	}
}

// Leave notes that the stream ended; a newer session of the agent is not touched.
func (m *Member) Leave(clean bool) {
	s := m.stager
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.group.members[m.instance] != m {
		return
	}
	if m.away = time.Now(); clean && m.hash == "" {
		delete(m.group.members, m.instance) // a machine that holds nothing owes nothing
	}
}

// Lacking is an agent that does not hold what is staged.
type Lacking struct {
	App, IDC, Instance string
	Why                push.Why
	Problems           gear.Problems
}

// Progress is who holds the newest staged steps, or the newest cancellation.
type Progress struct {
	Expected int
	Held     int
	Lacking  []Lacking // refused first, then by name
	Places   []AckView // the same by app x IDC, by name
}

// Progress tells how far staging has come, of one app x IDC or, for "", of all.
func (s *Stager) Progress(concerns func(app, idc string) bool) Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	var p Progress
	for k, g := range s.groups {
		if g.line == nil || concerns != nil && !concerns(k.App, k.IDC) {
			continue
		}
		at := AckView{App: k.App, IDC: k.IDC, Expected: len(g.members)}
		for _, m := range g.members {
			p.Expected++
			if m.hash == g.line.staged.Hash {
				p.Held++
				at.Held++
				continue
			}
			x := Lacking{App: k.App, IDC: k.IDC, Instance: m.instance, Why: push.Waiting}
			if m.refused == g.line.staged.Hash {
				x.Why, x.Problems = push.Refused, m.problems
			} else if !m.away.IsZero() {
				x.Why = push.Disconnected
			}
			p.Lacking = append(p.Lacking, x)
		}
		if at.Expected > 0 {
			p.Places = append(p.Places, at)
		}
	}
	slices.SortFunc(p.Places, func(a, b AckView) int { return cmp.Or(cmp.Compare(a.App, b.App), cmp.Compare(a.IDC, b.IDC)) })
	rank := map[push.Why]int{push.Refused: 0, push.Disconnected: 1, push.Waiting: 2}
	slices.SortFunc(p.Lacking, func(a, b Lacking) int {
		return cmp.Or(cmp.Compare(rank[a.Why], rank[b.Why]), cmp.Compare(a.Instance, b.Instance))
	})
	return p
}

// Staged gives what an app x IDC is to hold, nil for nothing.
func (s *Stager) Staged(app, idc string) *gear.Staged {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.groups[push.Key{App: app, IDC: idc}]
	if g == nil || g.line == nil || g.line.staged.Hash == "" {
		return nil
	}
	return &g.line.staged
}
