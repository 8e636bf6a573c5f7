package link

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	backoffBase = 500 * time.Millisecond
	backoffCap  = 20 * time.Second // everybody is back within half a minute of an outage's end

	// settled is how long a stream must live past its welcome to count as good.
	settled = 5 * time.Second
)

// backoff gives how long to wait before attempt n (from 0): full jitter.
func backoff(n int) time.Duration {
	limit := backoffCap
	if n < 6 { // 0.5 s · 2^6 is past the cap
		limit = min(backoffBase<<n, backoffCap)
	}
	return rand.N(limit)
}

// spread adds up to half to a retry-after, so that those who were told the same
// do not come back at once.
func spread(after time.Duration) time.Duration {
	return after + rand.N(after/2+time.Millisecond)
}

// pause waits, or reports false when ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
