package auth

import (
	"container/list"
	"sync"
	"time"
)

// Login limits: attempts in a burst, and how fast they come back. An account
// survives a person who forgot; an address, an office behind one NAT.
const (
	accountBurst = 10
	accountEvery = 6 * time.Second
	addressBurst = 30
	addressEvery = 2 * time.Second

	// limiterSize bounds memory (about 2 MB). The account's bucket cannot be
	// flushed by spraying names, because that empties the address's first.
	limiterSize = 10_000
)

// limiter is a token bucket a key, the least recently used dropped first.
type limiter struct {
	mu    sync.Mutex
	burst float64
	every time.Duration
	size  int
	order *list.List // of *bucket, most recent in front
	keys  map[string]*list.Element
}

type bucket struct {
	key  string
	left float64
	at   time.Time
}

func newLimiter(burst int, every time.Duration, size int) *limiter {
	return &limiter{burst: float64(burst), every: every, size: size, order: list.New(), keys: map[string]*list.Element{}}
}

// take uses one attempt; when none is left it says how long to wait.
func (l *limiter) take(key string, now time.Time) (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, found := l.keys[key]
	if !found {
		if l.order.Len() >= l.size {
			old := l.order.Back()
			delete(l.keys, old.Value.(*bucket).key)
			l.order.Remove(old)
		}
		e = l.order.PushFront(&bucket{key: key, left: l.burst, at: now})
		l.keys[key] = e
	}
	l.order.MoveToFront(e)
	b := e.Value.(*bucket)
	if d := now.Sub(b.at); d > 0 {
		b.left = min(l.burst, b.left+float64(d)/float64(l.every))
		b.at = now
	}
	if b.left < 1 {
		return time.Duration((1 - b.left) * float64(l.every)), false
	}
	b.left--
	return 0, true
}

// forget gives a key its burst back: a right password was no attack.
func (l *limiter) forget(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.keys[key]; ok {
		l.order.Remove(e)
		delete(l.keys, key)
	}
}
