package restapi

import (
	"sync"
	"time"
)

// memo reuses a value for a short while and lets only one caller renew it.
type memo[T any] struct {
	mu    sync.Mutex
	value T
	until time.Time
	life  time.Duration
}

func (m *memo[T]) get(now time.Time, read func() (T, error)) (T, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now.Before(m.until) {
		return m.value, nil
	}
	v, err := read()
	if err == nil {
		m.value, m.until = v, now.Add(m.life)
	}
	return v, err
}

// drop makes the next get read again.
func (m *memo[T]) drop() {
	m.mu.Lock()
	m.until = time.Time{}
	m.mu.Unlock()
}
