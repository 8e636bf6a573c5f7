package lease

import (
	"fmt"
	"time"
)

// MaxSkew is how far a replica's wall clock may be from reference time. Plans
// fire to the second and agents are told offsets in milliseconds; five seconds is
// far outside what NTP keeps and far inside what harms.
const MaxSkew = 5 * time.Second

// renewals per TTL: two may fail before the lease is lost.
const renewals = 3

// answer is what one round with the store gave.
type answer struct {
	sent  time.Time     // before the store was asked
	skew  time.Duration // wall clock less reference time
	lease Lease
	ok    bool
	err   error
}

// term is what this replica knows about its hold. The zero term holds nothing.
type term struct {
	held     bool
	lease    Lease
	deadline time.Time // of our own clock; acting on the lease ends here
}

// judge gives the term after an answer, and why it changed or does not stand.
//
// INVARIANT: held implies now < deadline <= the instant at which the database
// lets another replica in.
func judge(t term, a answer, ttl, maxSkew time.Duration, now time.Time) (term, string) {
	expired := t.held && !now.Before(t.deadline)
	switch {
	case a.skew > maxSkew || a.skew < -maxSkew:
		return term{lease: t.lease}, fmt.Sprintf("this clock is %v from reference time, more than %v", a.skew.Round(time.Millisecond), maxSkew)
	case a.err != nil && expired:
		return term{lease: t.lease}, fmt.Sprintf("not renewed in %v: %v", ttl, a.err)
	case a.err != nil:
		return t, fmt.Sprintf("the store does not answer: %v", a.err)
	case !a.ok:
		return term{lease: a.lease}, fmt.Sprintf("held by %s", a.lease.Holder)
	case !now.Before(a.sent.Add(ttl)):
		// The answer took longer than the lease lives.
		return term{lease: a.lease}, fmt.Sprintf("the store took %v to answer", now.Sub(a.sent).Round(time.Millisecond))
	default:
		return term{held: true, lease: a.lease, deadline: a.sent.Add(ttl)}, "held"
	}
}

// sameTerm reports whether next continues t: the same hold under the same epoch.
func sameTerm(t, next term) bool {
	return t.held && next.held && t.lease.Epoch == next.lease.Epoch
}
