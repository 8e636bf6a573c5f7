package agentapi

import (
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// minRetry keeps a refused agent from coming back within the same rush.
	minRetry = 250 * time.Millisecond
	// maxRetry bounds how long an agent may be sent away.
	maxRetry = 30 * time.Second
	// maxApps bounds the allowances that are remembered; identities are
	// verified first, so a stranger cannot fill them.
	maxApps = 10_000
)

// admission lets hellos in at a bounded rate, each app within its own.
type admission struct {
	mu      sync.Mutex
	all     bucket
	apps    map[string]*bucket
	refused int64 // since the last admitted: how many are out there
}

// admit reports whether a hello of app may be served now; else after how long to
// come back. The wait grows with the number of those that were sent away and is
// drawn at random, so that they do not return together.
func (a *admission) admit(app string, now time.Time, rate, appRate float64) (ok bool, retry time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	b := a.apps[app]
	if b == nil {
		if len(a.apps) >= maxApps {
			clear(a.apps)
		}
		b = &bucket{}
		a.apps[app] = b
	}
	ok, after := b.try(now, appRate, appRate)
	if ok {
		if ok, after = a.all.try(now, rate, rate); !ok {
			b.tokens++ // what the common allowance refused was not used
		}
	}
	if ok {
		a.refused = max(a.refused-1, 0)
		return true, 0
	}
	a.refused++
	spread := time.Duration(float64(a.refused) / min(rate, appRate) * float64(time.Second))
	spread = min(max(spread, minRetry), maxRetry)
	return false, min(max(after, minRetry)+rand.N(spread), maxRetry)
}
