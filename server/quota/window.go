package quota

import (
	"context"
	"sync"
	"time"
)

// Count is what entered ranking in one place of a group.
type Count struct {
	Consumed int64 // candidates
	Requests int64
	Weight   int64 // sum of weights in thousandths, 0 unless asked for
}

// Plus adds.
func (c Count) Plus(d Count) Count {
	return Count{c.Consumed + d.Consumed, c.Requests + d.Requests, c.Weight + d.Weight}
}

// Amount is a Count of part of a bucket.
type Amount struct{ Consumed, Requests, Weight float64 }

func (a *Amount) add(c Count, share float64) {
	a.Consumed += float64(c.Consumed) * share
	a.Requests += float64(c.Requests) * share
	a.Weight += float64(c.Weight) / 1000 * share
}

// SubWindow is the grain of windows.
const SubWindow = Tick

// Lag is how far behind now a window is read: agents batch for one frame, so the
// last sub-window is not complete before.
const Lag = SubWindow

// spreadBack bounds how far back a late count may count.
const spreadBack = 5 * SubWindow

// Bucket numbers the sub-window of an instant.
func Bucket(t time.Time) int64 { return t.UnixNano() / int64(SubWindow) }

// Part is one sub-window's share of a count.
type Part struct {
	Bucket int64
	Count
}

// Spread divides a count that was gathered over span until now among sub-windows,
// so that the phase of an agent's frames cannot show as a jump of arrivals.
func Spread(dst []Part, now time.Time, span time.Duration, c Count) []Part {
	span = min(max(span, time.Millisecond), spreadBack)
	from := now.Add(-span)
	first, last := Bucket(from), Bucket(now.Add(-1))
	if first >= last {
		return append(dst, Part{last, c})
	}
	left := c
	for b := first; b < last; b++ {
		end := time.Unix(0, (b+1)*int64(SubWindow))
		share := float64(end.Sub(from)) / float64(now.Sub(from))
		part := Count{int64(float64(left.Consumed) * share), int64(float64(left.Requests) * share), int64(float64(left.Weight) * share)}
		dst = append(dst, Part{b, part})
		left = Count{left.Consumed - part.Consumed, left.Requests - part.Requests, left.Weight - part.Weight}
		from = end
	}
	return append(dst, Part{last, left})
}

// Query asks for the sums of a group.
type Query struct {
	Group  string
	Window time.Duration
}

// Sums are a group's, as of Lag before now.
type Sums struct {
	Window Amount
	Half   Amount // of the newer half of the window
	Fast   Amount // over FastSpan
}

// Added is what was counted of a group since the last exchange.
type Added struct {
	Group string
	Parts []Part
	Keep  time.Duration // the longest window that will be asked for
}

// Window keeps sliding sums. Exchange adds and reads in one go: it is called once
// an interval, never for a request.
type Window interface {
	Exchange(ctx context.Context, now time.Time, add []Added, ask []Query) ([]Sums, error)
}

// Sum adds up the sub-windows that lie in the window, the first one by the share
// of it that does. at gives a sub-window's count.
func Sum(now time.Time, window time.Duration, at func(bucket int64) Count) Amount {
	end := now.Add(-Lag)
	begin := end.Add(-window)
	var out Amount
	for b := Bucket(begin); b <= Bucket(end); b++ {
		lo, hi := time.Unix(0, b*int64(SubWindow)), time.Unix(0, (b+1)*int64(SubWindow))
		if begin.After(lo) {
			lo = begin
		}
		if end.Before(hi) {
			hi = end
		}
		if d := hi.Sub(lo); d > 0 {
			out.add(at(b), float64(d)/float64(SubWindow))
		}
	}
	return out
}

// Read gives every sum of a group from its sub-windows.
func Read(now time.Time, window time.Duration, at func(bucket int64) Count) Sums {
	return Sums{Window: Sum(now, window, at), Half: Sum(now, window/2, at), Fast: Sum(now, FastSpan, at)}
}

// ringSize holds the longest window, its lag and what comes late.
const ringSize = int(MaxWindow/SubWindow) + 8

// Ring keeps one group's sub-windows. The zero value is empty.
type Ring struct {
	cells []ringCell
}

type ringCell struct {
	bucket int64
	Count
}

// Add counts into a sub-window; one that was overwritten since is dropped.
func (r *Ring) Add(p Part) {
	if r.cells == nil {
		r.cells = make([]ringCell, ringSize)
	}
	c := &r.cells[uint64(p.Bucket)%uint64(ringSize)]
	switch {
	case c.bucket == p.Bucket:
		c.Count = c.Count.Plus(p.Count)
	case c.bucket < p.Bucket:
		c.bucket, c.Count = p.Bucket, p.Count
	}
}

// Set replaces a sub-window.
func (r *Ring) Set(p Part) {
	if r.cells == nil {
		r.cells = make([]ringCell, ringSize)
	}
	c := &r.cells[uint64(p.Bucket)%uint64(ringSize)]
	if c.bucket <= p.Bucket {
		c.bucket, c.Count = p.Bucket, p.Count
	}
}

// At gives a sub-window.
func (r *Ring) At(bucket int64) Count {
	if r.cells == nil {
		return Count{}
	}
	if c := &r.cells[uint64(bucket)%uint64(ringSize)]; c.bucket == bucket {
		return c.Count
	}
	return Count{}
}

// Local is the window of one process.
type Local struct {
	mu    sync.Mutex
	rings map[string]*Ring
	used  map[string]time.Time
}

// NewLocal makes an empty window.
func NewLocal() *Local { return &Local{rings: map[string]*Ring{}, used: map[string]time.Time{}} }

func (l *Local) ring(group string, now time.Time) *Ring {
	r := l.rings[group]
	if r == nil {
		r = &Ring{}
		l.rings[group] = r
	}
	l.used[group] = now
	return r
}

// Exchange implements Window. It never fails.
func (l *Local) Exchange(_ context.Context, now time.Time, add []Added, ask []Query) ([]Sums, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range add {
		r := l.ring(a.Group, now)
		for _, p := range a.Parts {
			r.Add(p)
		}
	}
	out := make([]Sums, len(ask))
	for i, q := range ask {
		r := l.ring(q.Group, now)
		out[i] = Read(now, q.Window, r.At)
	}
	for g, at := range l.used { // groups that were deleted
		if now.Sub(at) > 2*MaxWindow {
			delete(l.rings, g)
			delete(l.used, g)
		}
	}
	return out, nil
}

var _ Window = (*Local)(nil)

// Publish implements Relay: nobody follows a process that is alone.
func (l *Local) Publish(context.Context, []Decision) error { return nil }

// Follow implements Relay.
func (l *Local) Follow(context.Context, []string) ([]Decision, error) { return nil, nil }
