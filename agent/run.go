package agent

import (
	"context"
	"errors"
	"time"

	"github.com/allspark/allspark/agent/loop"
	"github.com/allspark/allspark/agent/meter"
	"github.com/allspark/allspark/proto/gear"
)

func capabilities() []string { return loop.Capabilities() }

// tickEvery is how often the ladder is looked at, whatever the report interval.
const tickEvery = time.Second

// run owns the agent's clock: it drains the meter, steps the ladder and asks for
// saves. On the way out it hands over the last report.
func (a *Agent) run(ctx context.Context, save chan<- struct{}) {
	cpu := a.cfg.CPU
	if cpu == nil {
		cpu = new(meter.CPU).Share
	}
	r := reporter{agent: a, last: time.Now()}
	cpu() // the kernel's counters need a first reading
	every := a.reportEvery()
	report := time.NewTicker(every)
	defer report.Stop()
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	loops := time.NewTicker(loop.TickEvery)
	defer loops.Stop()
	for {
		select {
		case <-ctx.Done():
			r.send(true)
			return
		case <-report.C:
			r.send(false)
			if now := a.reportEvery(); now != every {
				every = now
				report.Reset(every)
			}
		case now := <-loops.C:
			// The one reader of the CPU: readings since the last one would be halved
			// by a second.
			u := share(cpu())
			r.read(u)
			a.loops.Tick(now, u)
		case <-tick.C:
			a.box.Tick()
			select {
			case save <- struct{}{}:
			default:
			}
		}
	}
}

func (a *Agent) reportEvery() time.Duration {
	if a.link == nil {
		return time.Second
	}
	return a.link.Intervals().Report
}

// reporter turns what was measured into numbered reports.
type reporter struct {
	agent    *Agent
	sequence int64
	last     time.Time
	levels   time.Time            // when levels were sent last
	buckets  time.Time            // when buckets were
	tables   map[[2]string]string // hash of the level table then, by scene and point
	left     leftovers

	busy  float64 // CPU readings since the last report, added up
	reads int
}

func (r *reporter) read(cpu float64) {
	if cpu >= 0 {
		r.busy += cpu
		r.reads++
	}
}

// cpu is the mean of the readings since the last report.
func (r *reporter) cpu() float64 {
	if r.reads == 0 {
		return meter.Unknown
	}
	mean := r.busy / float64(r.reads)
	r.busy, r.reads = 0, 0
	return mean
}

func (r *reporter) send(last bool) {
	a := r.agent
	r.left.add(a.traces.Take(last), r.takeLevels(last))
	points := a.meter.Drain() // also without a link, so that no sum runs over
	a.loops.Observe(points)
	r.left.buckets = keepNewest(append(r.left.buckets, r.takeBuckets(last)...))
	now := time.Now()
	window := now.Sub(r.last)
	r.last = now
	if a.link == nil || window <= 0 {
		r.left = leftovers{}
		return
	}
	cpu := r.cpu()
	at, ahead, _ := a.link.Reference()
	held, _ := a.box.Held()
	for n := 0; n == 0 || len(points) > 0 || r.left.waiting() && (last || n < reportsAtOnce); n++ {
		r.sequence++
		report := &gear.Report{
			Sequence: r.sequence, At: at, Window: window, Held: held, Rung: a.box.Load().Rung, CPU: cpu, Clock: ahead,
		}
		points = r.left.fill(report, points)
		a.link.Offer(report)
	}
}

// share keeps a reading of the app's own from spoiling a report.
func share(v float64) float64 {
	if v >= 0 && v <= 1 {
		return v
	}
	if v > 1 {
		return 1
	}
	return meter.Unknown // negative or NaN
}

// keep writes the snapshot when asked, and once more at the end. A disk that
// hangs holds up nobody but this.
func (a *Agent) keep(save <-chan struct{}) {
	for range save {
		a.persist()
	}
	a.persist()
}

func (a *Agent) persist() {
	err := errors.Join(a.box.Persist(a.cfg.DataDir), a.box.PersistStaged(a.cfg.DataDir))
	a.mu.Lock()
	before := a.disk
	if err != nil || a.box.Persisted() {
		a.disk = err
	}
	a.mu.Unlock()
	if err != nil && (before == nil || before.Error() != err.Error()) {
		a.cfg.Log.Warn("orders are not kept on disk", "error", err)
	}
}
