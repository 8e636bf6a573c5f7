package push

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// Hub knows the newest state of every key and the outboxes that carry it.
type Hub struct {
	opt Options
	now func() time.Time

	mu     sync.RWMutex
	groups map[Key]*group

	watchMu  sync.Mutex
	watchers map[chan struct{}]struct{}
	watched  atomic.Int32 // so that an ack need not lock when nobody looks
}

// group is one key's state, members and ledger.
type group struct {
	state atomic.Pointer[State]

	mu      sync.Mutex
	members map[string]*Outbox
	// line holds the members in the order of joining. Streams that joined one
	// after the other lie one after the other in memory: waking them in a map's
	// order costs the server an eighth more CPU a delivery.
	line   []*Outbox
	ledger ledger
}

// NewHub makes an empty hub.
func NewHub(opt Options) *Hub {
	return &Hub{opt: opt.withDefaults(), now: time.Now, groups: map[Key]*group{}, watchers: map[chan struct{}]struct{}{}}
}

func (h *Hub) group(k Key) *group {
	h.mu.RLock()
	g := h.groups[k]
	h.mu.RUnlock()
	if g != nil {
		return g
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if g = h.groups[k]; g == nil {
		g = &group{
			members: map[string]*Outbox{},
			ledger:  ledger{key: k, names: h.opt.Names, keep: h.opt.Records, members: map[string]*member{}},
		}
		h.groups[k] = g
	}
	return g
}

// Publish makes s the state of k and wakes every outbox. A state that is not
// newer is ignored.
func (h *Hub) Publish(k Key, s State) bool {
	g, now := h.group(k), h.now()
	g.mu.Lock()
	if old := g.state.Load(); old != nil && !old.Version.Less(s.Version) {
		g.mu.Unlock()
		return false
	}
	g.state.Store(&s)
	g.ledger.publish(s.Version, s.Hash, now)
	for _, o := range g.line {
		o.due(&s, now)
	}
	g.mu.Unlock()
	h.changed()
	return true
}

// Join makes the outbox of an agent's stream. An older outbox of the same
// instance is cut: the newer session counts. What is due already wakes the
// stream before Join returns.
func (h *Hub) Join(k Key, instance string, held Held, stream Stream) *Outbox {
	g, now := h.group(k), h.now()
	o := &Outbox{
		hub: h, group: g, instance: instance, stream: stream,
		sent: held.Version, hash: held.Hash, tables: slices.Sorted(slices.Values(held.Tables)),
	}
	if held.Refused.Refused {
		o.refused = held.Refused.Version
	}
	g.mu.Lock()
	if old := g.members[instance]; old != nil {
		old.end("replaced by a newer session")
		g.remove(old)
	}
	g.add(o)
	g.ledger.join(instance, held, now)
	if s := g.state.Load(); s != nil {
		o.due(s, now)
	}
	g.mu.Unlock()
	h.changed()
	return o
}

// Broadcast puts a frame into a slot of every outbox of k.
func (h *Hub) Broadcast(k Key, s Slot, frame any) {
	g := h.group(k)
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, o := range g.line {
		o.Put(s, frame)
	}
}

// CutInstance ends an agent's stream, e.g. because it was banned.
func (h *Hub) CutInstance(k Key, instance, reason string) bool {
	g := h.group(k)
	g.mu.Lock()
	defer g.mu.Unlock()
	o := g.members[instance]
	if o != nil {
		o.end(reason)
	}
	return o != nil
}

// Yield cuts an agent's stream because its session is over: what the stream says from
// now on changes nothing here.
func (h *Hub) Yield(k Key, instance, reason string) bool {
	g := h.group(k)
	g.mu.Lock()
	o := g.members[instance]
	if o != nil {
		o.end(reason)
		g.remove(o)
		g.ledger.leave(instance, false, h.now())
	}
	g.mu.Unlock()
	if o != nil {
		h.changed()
	}
	return o != nil
}

// Elsewhere notes in the ledger how an agent stands that another controller serves.
// An agent whose stream is here is not touched.
func (h *Hub) Elsewhere(k Key, instance string, m Elsewhere) {
	g := h.group(k)
	g.mu.Lock()
	changed := g.members[instance] == nil && g.ledger.elsewhere(instance, m)
	g.mu.Unlock()
	if changed {
		h.changed()
	}
}

// Forget takes an instance that will not come back out of the ledger.
func (h *Hub) Forget(k Key, instance string) {
	g := h.group(k)
	g.mu.Lock()
	if g.members[instance] == nil {
		g.ledger.leave(instance, true, h.now())
	}
	g.mu.Unlock()
	h.changed()
}

func (g *group) add(o *Outbox) {
	o.place = len(g.line)
	g.line = append(g.line, o)
	g.members[o.instance] = o
}

// remove fills the gap with the last of the line.
func (g *group) remove(o *Outbox) {
	end := len(g.line) - 1
	last := g.line[end]
	g.line[o.place], last.place = last, o.place
	g.line[end] = nil
	g.line = g.line[:end]
	delete(g.members, o.instance)
}

func (g *group) ack(o *Outbox, a gear.Ack, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.members[o.instance] == o && g.ledger.ack(o.instance, a, now)
}

func (g *group) leave(o *Outbox, clean bool, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.members[o.instance] != o {
		return false // a late close never removes the newer session
	}
	g.remove(o)
	g.ledger.leave(o.instance, clean, now)
	return true
}

// Current gives the version and hash that agents of k should hold.
func (h *Hub) Current(k Key) (v gear.Version, hash string, ok bool) {
	h.mu.RLock()
	g := h.groups[k]
	h.mu.RUnlock()
	if g == nil {
		return v, "", false
	}
	s := g.state.Load()
	if s == nil {
		return v, "", false
	}
	return s.Version, s.Hash, true
}

// Progress tells how far the newest version of k has come.
func (h *Hub) Progress(k Key) (Progress, bool) {
	h.mu.RLock()
	g := h.groups[k]
	h.mu.RUnlock()
	if g == nil || g.state.Load() == nil {
		return Progress{}, false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ledger.progress(), true
}

// ProgressOf tells how far one version of k came, as long as it is remembered.
func (h *Hub) ProgressOf(k Key, v gear.Version) (Progress, bool) {
	p, ok := h.Progress(k)
	if ok && p.Version == v {
		return p, true
	}
	for _, p := range h.History(k) {
		if p.Version == v {
			return p, true
		}
	}
	return Progress{}, false
}

// History gives the superseded versions of k, oldest first.
func (h *Hub) History(k Key) []Progress {
	h.mu.RLock()
	g := h.groups[k]
	h.mu.RUnlock()
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.ledger.past)
}

// All gives the progress of every key's newest version, by app and IDC.
func (h *Hub) All() []Progress {
	h.mu.RLock()
	keys := make([]Key, 0, len(h.groups))
	for k := range h.groups {
		keys = append(keys, k)
	}
	h.mu.RUnlock()
	slices.SortFunc(keys, func(a, b Key) int { return cmp.Or(cmp.Compare(a.App, b.App), cmp.Compare(a.IDC, b.IDC)) })
	out := make([]Progress, 0, len(keys))
	for _, k := range keys {
		if p, ok := h.Progress(k); ok {
			out = append(out, p)
		}
	}
	return out
}

// Watch signals, without queueing, that some progress changed. Call stop once.
func (h *Hub) Watch() (c <-chan struct{}, stop func()) {
	w := make(chan struct{}, 1)
	h.watchMu.Lock()
	h.watchers[w] = struct{}{}
	h.watched.Store(int32(len(h.watchers)))
	h.watchMu.Unlock()
	return w, func() {
		h.watchMu.Lock()
		delete(h.watchers, w)
		h.watched.Store(int32(len(h.watchers)))
		h.watchMu.Unlock()
	}
}

func (h *Hub) changed() {
	if h.watched.Load() == 0 {
		return
	}
	h.watchMu.Lock()
	defer h.watchMu.Unlock()
	for w := range h.watchers {
		select {
		case w <- struct{}{}:
		default:
		}
	}
}

// Run sweeps once a second until ctx ends.
func (h *Hub) Run(ctx context.Context) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			h.Sweep(h.now())
		}
	}
}

// Sweep cuts who stalled, and forgets who has been away for too long.
func (h *Hub) Sweep(now time.Time) (cut int) {
	h.mu.RLock()
	groups := make([]*group, 0, len(h.groups))
	for _, g := range h.groups {
		groups = append(groups, g)
	}
	h.mu.RUnlock()
	for _, g := range groups {
		g.mu.Lock()
		changed := g.ledger.expire(now.Add(-h.opt.AwayFor), now)
		for _, o := range g.line {
			o.mu.Lock()
			slow := !o.done && stalled(o.waiting, now, h.opt.StallAfter)
			o.mu.Unlock()
			if slow {
				o.end("no answer for " + h.opt.StallAfter.String())
				cut++
			}
		}
		g.mu.Unlock()
		if changed {
			h.changed()
		}
	}
	return cut
}
