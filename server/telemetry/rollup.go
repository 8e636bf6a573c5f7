package telemetry

import (
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/sketch"
)

// Key names a series.
type Key struct{ Scene, IDC, App, Point string }

// Filter selects series; "" in a field does not filter.
type Filter struct{ Scene, IDC, App, Point string }

func (f Filter) match(k Key) bool {
	return (f.Scene == "" || f.Scene == k.Scene) && (f.IDC == "" || f.IDC == k.IDC) &&
		(f.App == "" || f.App == k.App) && (f.Point == "" || f.Point == k.Point)
}

// Rollup is what was measured in a window.
type Rollup struct {
	At        time.Time     // end of the window
	Window    time.Duration // its length
	Count     int64
	OK        int64
	Timeouts  int64
	Errors    int64
	Shed      int64
	QPS       float64
	Mean      time.Duration // RT; 0 while Count is 0, as the percentiles
	P50       time.Duration
	P95       time.Duration
	P99       time.Duration
	LevelMean float64
	LevelMin  int
	LevelMax  int
	CPU       float64 // mean share of cores busy, negative when no agent knows
	Value     float64
	Load      float64
	Agents    int // that reported
}

// tally adds up reports; percentiles come from the sketches kept beside it.
type tally struct {
	count, ok, timeouts, errors, shed int64
	rtSum                             time.Duration
	value, load                       float64
	levelSum                          int64
	levelMin, levelMax                int
	cpuSum                            float64
	cpuAgents, agents                 int
}

func (t *tally) report(p *gear.PointReport, cpu float64) {
	t.count += p.Count
	t.ok += p.OK
	t.timeouts += p.Timeouts
	t.errors += p.Errors
	t.shed += p.Shed
	t.rtSum += p.RTSum
	t.value += p.Value
	t.load += p.Load
	t.levelSum += p.LevelSum
	t.level(p.LevelMin, p.LevelMax)
	if cpu >= 0 && cpu <= 1 {
		t.cpuSum += cpu
		t.cpuAgents++
	}
	t.agents++
}

// level widens the range; level 0 means that no request read one.
func (t *tally) level(lo, hi int) {
	if lo > 0 && (t.levelMin == 0 || lo < t.levelMin) {
		t.levelMin = lo
	}
	t.levelMax = max(t.levelMax, hi)
}

// add joins a later second to a window. Agents are those of its fullest second.
func (t *tally) add(o *tally) {
	t.count += o.count
	t.ok += o.ok
	t.timeouts += o.timeouts
	t.errors += o.errors
	t.shed += o.shed
	t.rtSum += o.rtSum
	t.value += o.value
	t.load += o.load
	t.levelSum += o.levelSum
	t.level(o.levelMin, o.levelMax)
	t.cpuSum += o.cpuSum
	t.cpuAgents += o.cpuAgents
	t.agents = max(t.agents, o.agents)
}

func (t *tally) rollup(end time.Time, window time.Duration, rt *sketch.Sum) Rollup {
	r := Rollup{
		At: end, Window: window, Count: t.count, OK: t.ok, Timeouts: t.timeouts, Errors: t.errors, Shed: t.shed,
		QPS: float64(t.count) / window.Seconds(), LevelMin: t.levelMin, LevelMax: t.levelMax,
		CPU: -1, Value: t.value, Load: t.load, Agents: t.agents,
	}
	if t.count > 0 {
		r.Mean = t.rtSum / time.Duration(t.count)
		r.LevelMean = float64(t.levelSum) / float64(t.count)
	}
	if t.cpuAgents > 0 {
		r.CPU = t.cpuSum / float64(t.cpuAgents)
	}
	r.P50, r.P95, r.P99 = quantile(rt, 0.50), quantile(rt, 0.95), quantile(rt, 0.99)
	return r
}

func quantile(s *sketch.Sum, q float64) time.Duration {
	us, _ := s.Quantile(q)
	return time.Duration(us * float64(time.Microsecond))
}
