package trace

import (
	"context"
	"sync/atomic"
)

// Span is a point or call that a followed request is at. A nil Span is one that is
// not followed; End may be called on it.
type Span struct {
	book     *Book
	trace    *Trace
	at       string // app/point
	point    string
	scene    string
	external bool
	around   *Span
	spans    atomic.Bool // others took place within it
	ended    atomic.Bool
}

// Begin notes that a request came to a point, or is about to make a call, and gives
// the context in which its work runs. The book of the first point that a request
// from outside meets decides whether it is followed.
func (b *Book) Begin(ctx context.Context, scene int, point string, external bool) (context.Context, *Span) {
	p := from(ctx)
	if p.trace == nil {
		p.trace = &Trace{}
		ctx = context.WithValue(ctx, key{}, p)
	}
	t := p.trace
	t.mu.Lock()
	if !t.decided {
		t.decided = true
		if t.follows = b.sample(); t.follows {
			t.scene = b.names(scene)
		}
	}
	if !t.follows {
		t.mu.Unlock()
		return ctx, nil
	}
	s := &Span{book: b, trace: t, at: b.app + "/" + point, point: point, scene: t.scene, external: external, around: p.span}
	b.count(seen{scene: t.scene, point: point, caller: t.in, external: external})
	for _, done := range t.done {
		if done != s.at {
			b.count(seen{scene: t.scene, point: point, external: external, after: done})
		}
	}
	t.mu.Unlock()
	if s.around != nil && !s.around.external {
		s.around.spans.Store(true)
	}
	return context.WithValue(ctx, key{}, place{t, s}), s
}

// End notes that the work of the point, or the call, is over.
func (s *Span) End() {
	if s == nil || s.ended.Swap(true) {
		return
	}
	if s.spans.Load() {
		s.book.count(seen{scene: s.scene, point: s.point, external: s.external, span: true})
	}
	s.trace.mu.Lock()
	s.trace.over(s.at)
	s.trace.mu.Unlock()
}
