package push

import (
	"slices"
	"sync"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// Stream is what an outbox needs of the stream it serves. Both methods are
// called with the hub's locks held: they must not block and must not call back.
type Stream interface {
	// Wake says that Next may have something. It may come more than once.
	Wake()
	// Cut says, once, that the stream must end: the agent stalled or was replaced.
	Cut(reason string)
}

// Outbox is one agent stream's end of the hub. Next belongs to whoever writes to
// the stream at the moment; the other methods are safe from any goroutine.
type Outbox struct {
	hub      *Hub
	group    *group
	instance string
	stream   Stream
	place    int // in the group's line; the group's lock guards it

	mu      sync.Mutex
	sent    gear.Version // newest version handed to the writer, or held at the hello
	hash    string       // of sent
	refused gear.Version
	tables  []string // sorted hashes the agent has
	slot    [slots]any
	waiting time.Time // since when something newer is due without progress; zero: nothing
	done    bool
}

// Instance names the agent.
func (o *Outbox) Instance() string { return o.instance }

// Reset takes a new hello on the same stream: what the agent holds now counts,
// not what was sent to it.
func (o *Outbox) Reset(h Held) {
	now := o.hub.now()
	g := o.group
	g.mu.Lock()
	if g.members[o.instance] != o {
		g.mu.Unlock()
		return
	}
	o.mu.Lock()
	o.sent, o.hash, o.tables = h.Version, h.Hash, slices.Sorted(slices.Values(h.Tables))
	o.waiting = time.Time{}
	h.Refused = gear.Ack{Version: o.refused, Refused: o.refused != gear.Version{}}
	o.mu.Unlock()
	g.ledger.rejoin(o.instance, h, now)
	if s := g.state.Load(); s != nil {
		o.due(s, now)
	}
	g.mu.Unlock()
	o.hub.changed()
}

// Next appends what is due to dst: slots, then the tables the agent lacks, then
// the newest set. What it returns counts as sent.
func (o *Outbox) Next(dst []any) []any {
	s := o.group.state.Load()
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, f := range o.slot {
		if f != nil {
			dst = append(dst, f)
			o.slot[i] = nil
		}
	}
	if s == nil || !o.dueLocked(s) {
		return dst
	}
	// Only the tables of the newest set count as held from here on: an agent may
	// drop the others, and sending one twice is cheaper than a refusal.
	have := make([]string, 0, len(s.Tables))
	for hash, frame := range s.Tables {
		if _, ok := slices.BinarySearch(o.tables, hash); !ok {
			dst = append(dst, frame)
		}
		have = append(have, hash)
	}
	slices.Sort(have)
	o.tables = have
	o.sent, o.hash = s.Version, s.Hash
	return append(dst, s.Orders)
}

// Sent gives the newest version that was handed out or that the agent brought
// along: it can hold no newer one.
func (o *Outbox) Sent() gear.Version {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sent
}

// dueLocked reports whether s must be sent: it is newer than what the agent has, or
// the same version with other content; and the agent did not refuse it.
func (o *Outbox) dueLocked(s *State) bool {
	if s.Version == o.refused {
		return false
	}
	if s.Version == o.sent {
		return s.Hash != o.hash
	}
	return o.sent.Less(s.Version)
}

// Put leaves a frame in a slot, in place of an older one that was not sent yet.
func (o *Outbox) Put(s Slot, frame any) {
	o.mu.Lock()
	done := o.done
	if !done {
		o.slot[s] = frame
	}
	o.mu.Unlock()
	if !done {
		o.stream.Wake()
	}
}

// Ack notes the agent's answer. ok is false when it answers nothing that was
// sent; newest says that it answers the newest set that was, and so proves that
// everything before has arrived.
func (o *Outbox) Ack(a gear.Ack) (ok, newest bool) {
	now := o.hub.now()
	o.mu.Lock()
	if o.sent.Less(a.Version) {
		o.mu.Unlock()
		return false, false
	}
	if a.Refused {
		// A refusing agent may have thrown the set's tables away with it.
		o.refused, o.tables = a.Version, nil
	}
	newest = a.Version == o.sent
	if newest {
		o.waiting = time.Time{}
	} else if !o.waiting.IsZero() {
		o.waiting = now
	}
	if s := o.group.state.Load(); s != nil && o.dueLocked(s) && o.waiting.IsZero() {
		o.waiting = now
	}
	o.mu.Unlock()
	if o.group.ack(o, a, now) {
		o.hub.changed()
	}
	return true, newest
}

// Leave ends the outbox. clean says that the agent said goodbye; else it stays
// in the ledger as disconnected. The leave of a replaced outbox changes nothing.
func (o *Outbox) Leave(clean bool) {
	o.mu.Lock()
	o.done = true
	o.mu.Unlock()
	if o.group.leave(o, clean, o.hub.now()) {
		o.hub.changed()
	}
}

// due notes that something newer waits, and wakes the writer.
func (o *Outbox) due(s *State, now time.Time) {
	o.mu.Lock()
	due := !o.done && o.dueLocked(s)
	if due && o.waiting.IsZero() {
		o.waiting = now
	}
	o.mu.Unlock()
	if due {
		o.stream.Wake()
	}
}

// end cuts the stream once.
func (o *Outbox) end(reason string) {
	o.mu.Lock()
	first := !o.done
	o.done = true
	o.mu.Unlock()
	if first {
		o.stream.Cut(reason)
	}
}
