package gearbox

import (
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// ladder decides how far the held set can be believed.
type ladder struct {
	ttl     time.Duration
	live    bool      // a stream is up, and what is held is what its controller wants
	refused bool      // the newest set was refused
	contact time.Time // the last word from a controller, monotonic
	shown   gear.Rung // of the set in force
}

func (l *ladder) touch(now time.Time) { l.contact = now }

func (l *ladder) rung(held bool, now time.Time) gear.Rung {
	switch {
	case !held:
		return gear.RungDefault
	case l.live && l.refused:
		return gear.RungLastGood
	case l.live:
		return gear.RungLive
	case !l.contact.IsZero() && now.Sub(l.contact) < l.ttl:
		return gear.RungLastGood
	default:
		return gear.RungDefault
	}
}

// SetTTL takes the TTL a controller named; 0 keeps the one in force.
func (b *Box) SetTTL(ttl time.Duration) {
	if ttl <= 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if ttl != b.ladder.ttl {
		b.ladder.ttl = ttl
		b.disk.dirty = b.held != nil
	}
}

// Contact notes that the controller has said all it wants: what the box holds is
// live, or was refused.
func (b *Box) Contact() {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ladder.touch(now)
	if !b.ladder.live {
		b.ladder.live = true
		b.resolve(now)
	}
}

// Lost notes that the stream is down. The TTL counts from here.
func (b *Box) Lost() {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ladder.live {
		b.ladder.live = false
		b.ladder.touch(now)
		b.resolve(now)
	}
}

// Tick fires a staged step that is due, and steps down the ladder when the TTL
// has run out. The agent calls it every second.
func (b *Box) Tick() {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	if set, rung := b.inForce(now); set != b.shown || rung != b.ladder.shown {
		b.resolve(now)
	}
	b.arm(now)
}
