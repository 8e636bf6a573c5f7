package loop

import (
	"sync"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// TickEvery is how often Tick wants to be called: windows are multiples of it.
const TickEvery = 500 * time.Millisecond

// Key names a loop: every scene of a point has its own, because its requests
// have their own distribution of loads.
type Key struct{ Scene, Point, Bucket string }

// Loops are the local loops of one agent. They own no goroutine: the agent calls
// Tick. All methods may be called at once from anywhere.
type Loops struct {
	mu     sync.Mutex
	crowds map[Key]*crowdLoop
	edges  map[Key]*edgeLoop
	round  uint64
}

// NewLoops makes loops of nothing.
func NewLoops() *Loops {
	return &Loops{crowds: map[Key]*crowdLoop{}, edges: map[Key]*edgeLoop{}}
}

// Bind gives the crowds of a crowd_rt order. A loop remembers over orders that
// change only settings or levels; other work factors are another loop, which
// begins at the order's level. Work is by level, as long as the order's table.
func (l *Loops) Bind(k Key, o *gear.Order, work []float64) *Crowds {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.crowds[k]
	if c == nil || !equal(c.work, work) {
		if c != nil {
			c.sink.close()
		}
		c = &crowdLoop{work: work, sink: new(Sink)}
		l.crowds[k] = c
	}
	c.round = l.round
	if c.handle == nil || !sameOrder(&c.order, o) {
		c.obey(o)
	}
	return c.handle
}

// BindEdge starts or keeps the timeout loop of an external_timeout order. publish
// is called, under a lock, with the timeout to grant now and with every later one.
func (l *Loops) BindEdge(k Key, o *gear.Order, publish func(time.Duration)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.edges[k]
	if e == nil || !sameOrder(&e.order, o) {
		e = &edgeLoop{order: *o, set: EdgeSettingsOf(o)}
		e.state = NewEdgeState(e.set)
		l.edges[k] = e
	}
	e.round, e.publish = l.round, publish
	publish(e.state.Timeout)
}

// Rebind runs f, which binds every loop that is still wanted; with sweep the
// others are forgotten afterwards.
func (l *Loops) Rebind(sweep bool, f func()) {
	l.mu.Lock()
	l.round++
	l.mu.Unlock()
	f()
	if !sweep {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for k, c := range l.crowds {
		if c.round != l.round {
			c.sink.close()
			delete(l.crowds, k)
		}
	}
	for k, e := range l.edges {
		if e.round != l.round {
			delete(l.edges, k)
		}
	}
}

// Tick runs every rule whose window is over. Utilisation is the machine's since
// the last Tick, negative when unknown.
func (l *Loops) Tick(now time.Time, utilisation float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.crowds {
		c.tick(now, utilisation)
	}
	for _, e := range l.edges {
		e.tick(now)
	}
}

// Observe takes what the meter drained: edges live on it, and every series of a
// crowd loop learns what its crowds did. Call it once a drain, before the reports
// leave.
func (l *Loops) Observe(points []gear.PointReport) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range points {
		p := &points[i]
		k := Key{p.Scene, p.Point, gear.Any}
		if e := l.edges[k]; e != nil {
			e.seen.Count += p.Count - p.Shed
			e.seen.Timeouts += p.Timeouts
		}
		if c := l.crowds[k]; c != nil {
			c.report(p)
		}
	}
}

// ObserveBuckets does the same for divided traffic. Each bucket has its own loops,
// so what is in one is none of the rest's business; call it after Observe.
func (l *Loops) ObserveBuckets(buckets []gear.BucketReport) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range buckets {
		p := &buckets[i]
		if e := l.edges[Key{p.Scene, p.Point, p.Bucket}]; e != nil {
			e.seen.Count += p.Count - p.Shed
			e.seen.Timeouts += p.Timeouts
		}
		if e := l.edges[Key{p.Scene, p.Point, gear.Any}]; e != nil {
			e.seen.Count = max(e.seen.Count-p.Count+p.Shed, 0)
			e.seen.Timeouts = max(e.seen.Timeouts-p.Timeouts, 0)
		}
	}
}

func equal(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// sameOrder tells whether two orders of one place ask the same of a loop.
func sameOrder(a, b *gear.Order) bool {
	if a.Level != b.Level || a.MinLevel != b.MinLevel || a.MaxLevel != b.MaxLevel || a.AvailableRT != b.AvailableRT ||
		a.Timeout != b.Timeout || a.Pinned != b.Pinned || a.Strategy != b.Strategy || len(a.Settings) != len(b.Settings) {
		return false
	}
	for i := range a.Settings {
		if a.Settings[i] != b.Settings[i] {
			return false
		}
	}
	return true
}

// edgeLoop moves the timeout of one call edge.
type edgeLoop struct {
	order   gear.Order
	set     EdgeSettings
	state   EdgeState
	seen    EdgeSample
	end     time.Time
	publish func(time.Duration)
	round   uint64
}

func (e *edgeLoop) tick(now time.Time) {
	if e.end.IsZero() {
		e.end = now.Add(e.set.Interval)
		return
	}
	if now.Before(e.end) {
		return
	}
	e.end = now.Add(e.set.Interval)
	before := e.state.Timeout
	e.state = StepEdge(e.state, e.seen, e.set)
	e.seen = EdgeSample{}
	if e.state.Timeout != before {
		e.publish(e.state.Timeout)
	}
}
