package quota

import (
	"sync/atomic"

	"github.com/allspark/allspark/proto/gear"
)

// A cell counts requests above candidates, so that one addition counts both.
const (
	requestShift = 40
	requestUnit  = 1 << requestShift
)

// candidates of a cell. Below zero they are what a request gave back in the next
// frame, because a drain came between its addition and its cut.
func candidates(cell uint64) int64 { return int64(cell<<(64-requestShift)) >> (64 - requestShift) }

// maxTake bounds one answer, so that a frame's candidates fit the cell.
const maxTake = 1 << 20

// Quota answers for one place: a scene at a point. Resolve it once and keep it.
type Quota struct {
	grant  atomic.Pointer[grant]
	_      [56]byte // the counter is written by every request, the grant read
	cell   atomic.Uint64
	weight atomic.Int64 // thousandths
	capped atomic.Int64

	book         *Book
	scene, point string
	fallback     float64 // the app's own default; the book's lock holds
	group        *group  // nil: none
	lately       float64 // candidates a frame, smoothed
}

// Default sets the app's own default quota: what Take answers with while no
// controller has spoken. It is 100 unless set.
func (q *Quota) Default(candidates int) *Quota {
	q.book.mu.Lock()
	defer q.book.mu.Unlock()
	q.fallback = float64(min(max(candidates, 1), maxTake))
	q.book.regrant(q)
	return q
}

// Take gives the number of candidates that a request may rank: at most available,
// more for users of higher value (1 is the mean). It counts the answer: call it
// once a request, before the ranking runs.
func (q *Quota) Take(value float64, available int) int {
	g := q.grant.Load()
	weight := g.weight(value)
	exact := int64(g.unit * weight * one)
	if g.choices != nil {
		exact = g.chosen(value)
	}
	n := g.round(exact, q.cell.Load()>>requestShift)
	if n > available {
		n = max(available, 0)
	}
	if g.weigh {
		q.weight.Add(int64(weight * 1000))
	}
	used := candidates(q.cell.Add(requestUnit + uint64(n)))
	if used > g.cap {
		return q.cut(g, n, used)
	}
	return n
}

// cut gives back what the local cap takes away.
func (q *Quota) cut(g *grant, n int, used int64) int {
	m := g.shrunk(n, used)
	if m < n {
		q.cell.Add(-uint64(n - m))
		q.capped.Add(1)
	}
	return m
}

// Base is the base quota in force, and the step of the fallback ladder that
// answers.
func (q *Quota) Base() (base float64, rung gear.QuotaRung) {
	g := q.grant.Load()
	return g.base, g.rung
}
