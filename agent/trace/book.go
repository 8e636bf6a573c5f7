package trace

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

const (
	// SampleEvery is the shortest time between two requests from outside that an
	// agent begins to follow. Two thousand requests show an order of two points to
	// within a percent; one agent sees so many in about three minutes, a hundred in
	// two seconds.
	SampleEvery = 100 * time.Millisecond
	// TakeEvery is how often counts are worth sending: graphs change with releases.
	TakeEvery = 10 * time.Second

	maxSeen = 4096
)

// Book counts what an agent saw. Its methods may be called by any number of
// goroutines.
type Book struct {
	app   string
	names func(scene int) string
	now   func() time.Time
	last  atomic.Int64 // when a request was last begun to be followed, Unix ns

	mu     sync.Mutex
	counts map[seen]int64
	taken  time.Time
}

type seen struct {
	scene, point  string
	caller, after string
	external      bool
	span          bool
}

// NewBook makes the book of an app's agent; names gives the name of an interned
// scene.
func NewBook(app string, names func(scene int) string) *Book {
	return &Book{app: app, names: names, now: time.Now, counts: map[seen]int64{}}
}

// sample tells whether it is a request's turn to be followed.
func (b *Book) sample() bool {
	now, last := b.now().UnixNano(), b.last.Load()
	return now-last >= int64(SampleEvery) && b.last.CompareAndSwap(last, now)
}

func (b *Book) count(s seen) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.counts[s]; ok || len(b.counts) < maxSeen {
		b.counts[s]++
	}
}

// Take gives what was counted since it last gave something, and nothing before
// TakeEvery has passed unless it is the last time.
func (b *Book) Take(last bool) []gear.CallReport {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := b.now(); len(b.counts) == 0 || now.Sub(b.taken) < TakeEvery && !last {
		return nil
	} else {
		b.taken = now
	}
	out := make([]gear.CallReport, 0, len(b.counts))
	for s, n := range b.counts {
		out = append(out, gear.CallReport{
			Scene: s.scene, Point: s.point, External: s.external, Caller: s.caller, After: s.after, Span: s.span, Count: n,
		})
	}
	clear(b.counts)
	slices.SortFunc(out, func(x, y gear.CallReport) int {
		return cmp.Or(cmp.Compare(x.Scene, y.Scene), cmp.Compare(x.Point, y.Point), cmp.Compare(x.After, y.After), cmp.Compare(x.Caller, y.Caller))
	})
	return out
}
