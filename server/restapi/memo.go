package restapi

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/allspark/allspark/server/fault"
)

// renewLimit bounds one renewal, which no caller's end bounds.
const renewLimit = 10 * time.Second

// memo reuses a value for a short while. One read at a time renews it, for all who
// want it then; each waits no longer than its own context lasts, and none ends the
// read for the others. Errors are not kept.
type memo[T any] struct {
	life time.Duration

	mu     sync.Mutex // never held while something is read
	value  T
	until  time.Time
	flight *flight[T] // nil: nothing is being read
}

// flight is a read under way; value and err count once done is closed.
type flight[T any] struct {
	done  chan struct{}
	value T
	err   error
}

func (m *memo[T]) get(ctx context.Context, now time.Time, read func(context.Context) (T, error)) (T, error) {
	m.mu.Lock()
	if now.Before(m.until) {
		defer m.mu.Unlock()
		return m.value, nil
	}
	f := m.flight
	if f == nil {
		f = &flight[T]{done: make(chan struct{})}
		m.flight = f
		go m.renew(context.WithoutCancel(ctx), f, now, read)
	}
	m.mu.Unlock()
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

func (m *memo[T]) renew(ctx context.Context, f *flight[T], now time.Time, read func(context.Context) (T, error)) {
	ctx, cancel := context.WithTimeout(ctx, renewLimit)
	defer cancel()
	defer func() {
		if p := recover(); p != nil { // outside a request's goroutine nobody else would catch it
			f.err = fault.Wrap(fault.Internal, fmt.Errorf("%v\n%s", p, debug.Stack()), "a read panicked")
		}
		m.mu.Lock()
		if m.flight == f { // else what was read may be older than the drop
			m.flight = nil
			if f.err == nil {
				m.value, m.until = f.value, now.Add(m.life)
			}
		}
		m.mu.Unlock()
		close(f.done)
	}()
	f.value, f.err = read(ctx)
}

// drop makes the next get read again, and not join a read that began before.
func (m *memo[T]) drop() {
	m.mu.Lock()
	m.until, m.flight = time.Time{}, nil
	m.mu.Unlock()
}
