package quota

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

const (
	// Frame is how often counts are handed over.
	Frame = 100 * time.Millisecond
	// idleEvery is how often a group that consumed nothing is reported.
	idleEvery = time.Second
	// smoothing is the share of a new frame in what a handle took lately.
	smoothing = 0.1
	// maxGroups and maxHandles bound memory.
	maxGroups  = 256
	maxHandles = 4096
	maxWeight  = 1000
)

// The weights' bounds until a controller gives others.
const (
	defaultWeightMin, defaultWeightMax = 0.5, 1.5
	defaultQuota                       = 100
)

// Config wires a Book.
type Config struct {
	// Offer takes the counts of a frame and the newest frame received. It must not
	// block. Nil: nobody counts.
	Offer func(counts []gear.QuotaCount, frame int64)
	Log   *slog.Logger // nil discards
}

// Book keeps the quotas of one agent.
type Book struct {
	cfg  Config
	pace float64 // of this agent's return: 0.8..1.2

	mu      sync.Mutex
	handles map[gear.QuotaPlace]*Quota
	groups  map[string]*group
	frame   int64
	ended   bool          // nobody drains cells any more
	first   chan struct{} // closed with the first handle
	wake    chan struct{} // of size 1: deadlines moved
}

// group is the state of one group in this agent.
type group struct {
	name    string
	ladder  Ladder
	terms   gear.QuotaTerms
	epoch   int64
	tick    int64
	handles []*Quota
	sent    time.Time // of the last count
}

// New makes a book.
func New(cfg Config) *Book {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Book{
		cfg: cfg, pace: 0.8 + 0.4*rand.Float64(), handles: map[gear.QuotaPlace]*Quota{}, groups: map[string]*group{},
		first: make(chan struct{}), wake: make(chan struct{}, 1),
	}
}

// Quota declares a place, or finds it. Scene "*" stands for requests without a
// scene of their own.
func (b *Book) Quota(scene, point string) *Quota {
	if scene != gear.Any && !gear.PlaceName(scene) {
		scene = gear.Any
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	k := gear.QuotaPlace{Scene: scene, Point: point}
	if q := b.handles[k]; q != nil {
		return q
	}
	if len(b.handles) >= maxHandles { // scenes that requests bring share one
		k.Scene = gear.Any
		if q := b.handles[k]; q != nil {
			return q
		}
	}
	q := &Quota{book: b, scene: k.Scene, point: point, fallback: defaultQuota}
	if len(b.handles) == 0 {
		close(b.first)
	}
	b.handles[k] = q
	b.assign(q)
	b.regrant(q)
	return q
}

// assign finds the group that a handle belongs to. b.mu is held.
func (b *Book) assign(q *Quota) {
	var found *group
	for _, g := range b.groups {
		for _, p := range g.terms.Places {
			if p.Point == q.point && (p.Scene == gear.Any || p.Scene == q.scene) {
				found = g
			}
		}
	}
	if found == q.group {
		return
	}
	if q.group != nil {
		q.group.handles = slices.DeleteFunc(q.group.handles, func(x *Quota) bool { return x == q })
	}
	if q.group = found; found != nil {
		found.handles = append(found.handles, q)
	}
}

// regrant renews what a handle answers with. b.mu is held.
func (b *Book) regrant(q *Quota) {
	g := q.group
	n := &grant{base: q.fallback, unit: q.fallback, min: one, max: maxTake * one, wmin: defaultWeightMin, wmax: defaultWeightMax, cap: noCap, rung: gear.QuotaDefault}
	if g != nil {
		t := &g.terms
		n.base, n.rung = g.ladder.Base(), g.ladder.Rung()
		n.min, n.max = int64(min(t.Min, maxTake)*one), int64(min(t.Max, maxTake)*one)
		n.wmin, n.wmax, n.weigh = min(t.WeightMin, maxWeight), min(t.WeightMax, maxWeight), t.CountWeights
		n.unit = min(n.base*cmp.Or(t.Scale, 1), maxTake)
		if !b.ended {
			n.cap = frameCap(t, q.lately, len(g.handles))
		}
		if n.rung == gear.QuotaLive && len(t.Choices) > 0 {
			n.choices = t.Choices
		}
	}
	q.grant.Store(n)
}

// Apply takes base quotas. A group's older (epoch, tick) is dropped.
func (b *Book) Apply(q gear.BaseQuotas) {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.frame = q.Frame
	for i := range q.Quotas {
		in := &q.Quotas[i]
		g := b.groups[in.Group]
		if g == nil {
			if len(b.groups) >= maxGroups {
				continue
			}
			g = &group{name: in.Group}
			b.groups[in.Group] = g
		}
		if in.Epoch < g.epoch || in.Epoch == g.epoch && in.Tick <= g.tick {
			continue
		}
		moved := !slices.Equal(g.terms.Places, in.Terms.Places)
		g.epoch, g.tick, g.terms = in.Epoch, in.Tick, in.Terms
		g.ladder.Receive(in.Base, in.Terms.TTL, now)
		if moved {
			for _, h := range b.handles {
				was := h.group
				if b.assign(h); h.group == nil && was != nil {
					b.regrant(h)
				}
			}
		}
		b.step(g, now)
	}
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// Restart forgets the frame of a lost stream.
func (b *Book) Restart() {
	b.mu.Lock()
	b.frame = 0
	b.mu.Unlock()
}

// step moves a group's ladder and renews its grants. b.mu is held.
func (b *Book) step(g *group, now time.Time) {
	fallback := g.terms.Default
	if fallback <= 0 {
		fallback = defaultQuota
	}
	slews := Slews{Fallback: g.terms.FallbackSlew, Return: g.terms.ReturnSlew * b.pace}
	if base, changed := g.ladder.Step(fallback, slews, now); changed && g.ladder.Rung() != gear.QuotaLive {
		b.cfg.Log.Warn("base quota", "group", g.name, "rung", g.ladder.Rung().String(), "base", base)
	}
	for _, q := range g.handles {
		b.regrant(q)
	}
}

// Run hands over counts and watches the base quotas until ctx ends. It costs
// nothing before the first handle.
func (b *Book) Run(ctx context.Context) {
	select {
	case <-ctx.Done():
		b.end()
		return
	case <-b.first:
	}
	frame := time.NewTicker(Frame)
	defer frame.Stop()
	lost := time.NewTimer(time.Hour)
	defer lost.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			b.end()
			return
		case <-frame.C:
			now := time.Now()
			b.turn(now, now.Sub(last))
			last = now
		case <-b.wake:
			if at := b.deadline(); !at.IsZero() {
				lost.Reset(max(time.Until(at), 0))
			}
		case <-lost.C:
			b.check(time.Now())
			if at := b.deadline(); !at.IsZero() {
				lost.Reset(max(time.Until(at), time.Millisecond))
			}
		}
	}
}

// end takes the frame's cap off: nobody drains the cells any more, and requests that
// still come are answered by what holds now.
func (b *Book) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	for _, q := range b.handles {
		b.regrant(q)
	}
}

// deadline is when the next signal is lost.
func (b *Book) deadline() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	var first time.Time
	for _, g := range b.groups {
		if at := g.ladder.Lost(); !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

func (b *Book) check(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, g := range b.groups {
		b.step(g, now)
	}
}

// turn ends a frame: it drains the cells and moves the ladders.
func (b *Book) turn(now time.Time, span time.Duration) {
	b.mu.Lock()
	var counts []gear.QuotaCount
	for _, q := range b.handles {
		if q.group == nil {
			q.drain()
		}
	}
	for _, g := range b.groups {
		c := gear.QuotaCount{Group: g.name, At: now, Span: span, Rung: g.ladder.Rung()}
		for _, q := range g.handles {
			n, requests, weight, capped := q.drain()
			q.lately += smoothing * (float64(n) - q.lately)
			c.Consumed, c.Requests, c.WeightMilli, c.Capped = c.Consumed+n, c.Requests+requests, c.WeightMilli+weight, c.Capped+capped
		}
		b.step(g, now)
		c.Base, c.Rung = g.ladder.Base(), g.ladder.Rung()
		if len(g.handles) > 0 && (c.Requests > 0 || now.Sub(g.sent) >= idleEvery) {
			g.sent = now
			counts = append(counts, c)
		}
	}
	frame := b.frame
	b.mu.Unlock()
	if len(counts) > 0 && b.cfg.Offer != nil {
		slices.SortFunc(counts, func(x, y gear.QuotaCount) int { return cmp.Compare(x.Group, y.Group) })
		b.cfg.Offer(counts, frame)
	}
}

func (q *Quota) drain() (consumed, requests, weight, capped int64) {
	v := q.cell.Swap(0)
	if consumed = candidates(v); consumed < 0 {
		q.cell.Add(uint64(consumed)) // of this frame's requests: what is given back counts against them
		v, consumed = v-uint64(consumed), 0
	}
	return consumed, int64(v >> requestShift), q.weight.Swap(0), q.capped.Swap(0)
}

// Status is how a group stands in this agent.
type Status struct {
	Group string
	Rung  gear.QuotaRung
	Base  float64
}

// Status tells how the groups stand, by name.
func (b *Book) Status() []Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]Status, 0, len(b.groups))
	for _, g := range b.groups {
		out = append(out, Status{g.name, g.ladder.Rung(), g.ladder.Base()})
	}
	slices.SortFunc(out, func(x, y Status) int { return cmp.Compare(x.Group, y.Group) })
	return out
}
