package loop

import (
	"math"
	"time"
	"unicode/utf8"

	"github.com/allspark/allspark/proto/gear"
)

// crowdLoop is the thin runner of one crowd loop: it owns the windows, the rule
// owns the arithmetic. It is guarded by its Loops' lock.
type crowdLoop struct {
	work   []float64
	order  gear.Order
	set    Settings
	bounds bounds
	handle *Crowds
	sink   *Sink // apart: meters hold it after the loop has gone
	round  uint64
	live   *live // nil before the first request
}

// live is what a loop with requests remembers; it is large, and most scenes have
// none.
type live struct {
	state      State
	mixes      [MaxCrowds]Mix
	fast, slow window
	fastEnd    time.Time
	slowEnd    time.Time
	shown      [MaxCrowds]shown
	said       [MaxCrowds]string
	reports    int
	restart    bool // windows begin anew with the next tick: T has changed
}

// window is a sample under way, and the mean utilisation over it.
type window struct {
	Sample
	busy  float64
	ticks int
}

func (w *window) add(in *Sample, utilisation float64) {
	w.Sample.Add(in)
	if utilisation >= 0 {
		w.busy += utilisation
		w.ticks++
	}
}

// take closes the window.
func (w *window) take() *Sample {
	w.Utilisation = -1
	if w.ticks > 0 {
		w.Utilisation = w.busy / float64(w.ticks)
	}
	return &w.Sample
}

// shown is what a crowd did since the last report.
type shown struct {
	count int64
	sum   float64 // µs
	below float64 // requests below the cap, as the dithering expects them
}

// obey takes a new order. Requests that began under the old one keep its table.
func (c *crowdLoop) obey(o *gear.Order) {
	before := c.set.AvailableRT
	c.order, c.set = *o, SettingsOf(o, c.work)
	if v := c.live; v != nil && before > 0 && c.set.AvailableRT != before {
		v.state = v.state.Retarget(before, c.set.AvailableRT, c.set)
		v.fast, v.slow = window{}, window{}
		// The first windows under the new T begin now.
		v.restart = true
	}
	hi := min(max(o.Level, o.MinLevel, 1), len(c.work), math.MaxUint8)
	c.bounds = bounds{lo: min(max(o.MinLevel, 1), hi), hi: hi}
	c.sink.within.Store(uint64(max(o.AvailableRT.Microseconds(), 0)))
	c.handle = &Crowds{sink: c.sink}
	c.publish()
}

// publish puts the crowds' work in force.
func (c *crowdLoop) publish() {
	if c.live == nil {
		start := NewState(c.set)
		mixes := start.mixes(c.set, c.work, c.bounds)
		c.handle.table.Store(tableOf(&start, &mixes, c.set, c.bounds))
		return
	}
	c.live.mixes = c.live.state.mixes(c.set, c.work, c.bounds)
	c.handle.table.Store(tableOf(&c.live.state, &c.live.mixes, c.set, c.bounds))
}

func (c *crowdLoop) tick(now time.Time, utilisation float64) {
	x := c.sink.cells.Load()
	if x == nil {
		return
	}
	if c.live == nil {
		c.live = &live{state: NewState(c.set), fastEnd: now.Add(c.set.EmergencyWindow), slowEnd: now.Add(c.set.Interval)}
		c.publish()
	}
	v := c.live
	c.drain(x, utilisation)
	if v.restart { // requests that began under the old T are in what was just drained
		v.restart, v.fast, v.slow = false, window{}, window{}
		v.fastEnd, v.slowEnd = now.Add(c.set.EmergencyWindow), now.Add(c.set.Interval)
	}
	moved := false
	if !now.Before(v.fastEnd) {
		v.state, moved = Emergency(v.state, v.fast.take(), c.set)
		v.fast, v.fastEnd = window{}, now.Add(c.set.EmergencyWindow)
	}
	if !now.Before(v.slowEnd) {
		v.state, moved = Step(v.state, v.slow.take(), c.set), true
		v.slow, v.slowEnd = window{}, now.Add(c.set.Interval)
	}
	if moved {
		c.publish()
	}
}

// drain moves what was counted into both windows and into the next report.
func (c *crowdLoop) drain(x *cells, utilisation float64) {
	v := c.live
	in := x.drain()
	v.fast.add(&in, utilisation)
	v.slow.add(&in, utilisation)
	for b := range in.Bins {
		n, held := in.Bins[b].N, in.HeldOut[b].N
		if n+held == 0 {
			continue
		}
		k := v.state.Assign[b]
		s := &v.shown[k]
		s.count += n + held
		s.sum += in.Bins[b].Sum + in.HeldOut[b].Sum
		s.below += float64(n) * below(v.mixes[k], c.bounds)
	}
}

const (
	// repeatReasons: a reason that did not change is said again in every fifth
	// report, so that whoever keeps ten always has it.
	repeatReasons = 5
	maxReason     = 120 // bytes of a reason in a report
)

// report fills in what the crowds did since the last report of the series.
func (c *crowdLoop) report(p *gear.PointReport) {
	v := c.live
	if v == nil {
		return
	}
	if x := c.sink.cells.Load(); x != nil {
		c.drain(x, -1)
	}
	p.AvailableRT, p.FitResidual = c.order.AvailableRT, v.state.Fit.Residual()
	p.Crowds = make([]gear.CrowdReport, v.state.Count)
	v.reports++
	for k := range p.Crowds {
		x, s := &v.state.Crowds[k], &v.shown[k]
		r := gear.CrowdReport{
			Crowd: k, Edge: micros(v.state.Edge(k)), Count: s.count, RTSum: micros(s.sum),
			Work: x.Work, Level: v.mixes[k].Level, Bounded: string(x.Bound), Downgraded: int64(math.Round(s.below)),
		}
		s.below -= float64(r.Downgraded) // the rest of a request is for the next report
		s.count, s.sum = 0, 0
		if r.Downgraded > 0 {
			r.Needless, r.NeedlessError = v.state.Needless(k, c.set)
		}
		reason := cut(x.Reason)
		if c.set.Pinned {
			r.Work, r.Bounded, reason = c.set.Start, "", "pinned by a claim"
		}
		if reason != v.said[k] || v.reports%repeatReasons == 0 {
			r.Reason, v.said[k] = reason, reason
		}
		p.Crowds[k] = r
	}
}

// cut keeps a reason short, and whole runes of it.
func cut(s string) string {
	if len(s) <= maxReason {
		return s
	}
	n := maxReason
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func micros(us float64) time.Duration {
	if !(us > 0) {
		return 0
	}
	return time.Duration(min(us, maxMicros)) * time.Microsecond
}
