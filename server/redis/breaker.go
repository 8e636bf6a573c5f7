package redis

import (
	"errors"
	"sync"
	"time"
)

const (
	// breakAfter is how many failures in a row open the breaker.
	breakAfter = 5
	// retryAfter is how long it stays open before one call may try.
	retryAfter = 200 * time.Millisecond
)

// ErrOpen says that Redis failed lately and was not asked.
var ErrOpen = errors.New("redis is away, not asked again yet")

// breaker keeps a loop that ticks ten times a second from waiting for a Redis
// that hangs. It is told the time.
type breaker struct {
	lock     sync.Mutex
	failures int
	until    time.Time
}

func (b *breaker) allow(now time.Time) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.failures < breakAfter {
		return nil
	}
	if now.Before(b.until) {
		return ErrOpen
	}
	b.until = now.Add(retryAfter) // the others wait while this one tries
	return nil
}

func (b *breaker) report(err error, now time.Time) {
	b.lock.Lock()
	defer b.lock.Unlock()
	if err == nil {
		b.failures = 0
		return
	}
	b.failures++
	b.until = now.Add(retryAfter)
}
