package quota

import (
	"math"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// DefaultTTL is how long a base quota counts that names no TTL.
const DefaultTTL = 500 * time.Millisecond

// Slews are how fast a base may rise, in ln units a second.
type Slews struct{ Fallback, Return float64 }

// Ladder is the fallback ladder of one group's base quota: pure, it is told the
// time. The zero value never had a base.
type Ladder struct {
	rung   gear.QuotaRung
	base   float64 // in force
	signal float64 // as received last
	heard  time.Time
	at     time.Time // of the last step
	ttl    time.Duration
}

// Rung tells the step that answers.
func (l *Ladder) Rung() gear.QuotaRung {
	if l.rung == 0 {
		return gear.QuotaDefault
	}
	return l.rung
}

// Base is the base quota in force.
func (l *Ladder) Base() float64 { return l.base }

// Lost is when the signal is lost unless it is renewed; zero without one.
func (l *Ladder) Lost() time.Time {
	if l.rung != gear.QuotaLive && l.rung != gear.QuotaReturning {
		return time.Time{}
	}
	return l.heard.Add(l.ttl)
}

// Receive takes a base quota. From a fallback it is not obeyed at once when it
// lies higher.
func (l *Ladder) Receive(base float64, ttl time.Duration, now time.Time) {
	if !(base > 0) || math.IsInf(base, 0) {
		return
	}
	if ttl <= 0 {
		ttl = DefaultTTL
	}
	l.signal, l.heard, l.ttl = base, now, ttl
	switch l.rung {
	case gear.QuotaFallback:
		l.rung = gear.QuotaReturning
	case gear.QuotaReturning, gear.QuotaLive:
	default:
		l.rung = gear.QuotaLive // the first: there is nothing to return from
	}
	if l.rung == gear.QuotaLive || base <= l.base {
		l.rung, l.base = gear.QuotaLive, base
	}
}

// Step moves the base to now. fallback is the default quota. It gives the base in
// force and whether the rung changed.
func (l *Ladder) Step(fallback float64, s Slews, now time.Time) (base float64, changed bool) {
	before := l.rung
	dt := max(now.Sub(l.at).Seconds(), 0)
	if l.at.IsZero() {
		dt = 0
	}
	l.at = now
	switch l.rung {
	case gear.QuotaLive, gear.QuotaReturning:
		if now.Sub(l.heard) >= l.ttl {
			l.rung, l.base = gear.QuotaFallback, min(l.base, fallback)
			break
		}
		if l.rung == gear.QuotaReturning {
			if l.base = min(l.signal, l.base*math.Exp(s.Return*min(dt, 1))); l.base >= l.signal {
				l.rung = gear.QuotaLive
			}
		}
	case gear.QuotaFallback:
		l.base = min(fallback, l.base*math.Exp(s.Fallback*min(dt, 1)))
	default:
		l.base = fallback
	}
	return l.base, before != l.rung
}
