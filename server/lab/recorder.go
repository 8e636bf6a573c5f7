package lab

import (
	"math"
	"time"

	"github.com/allspark/allspark/proto/sketch"
)

// recorder keeps what a run's totals do not tell: losses by time, how work moved,
// how many cores there were.
type recorder struct {
	plan   *Plan
	engine *Engine

	lost     []bool // by 5 s: more than 2 % were lost
	bad, all int64
	points   []PointTally
	work     []float64 // mean work by point in the last 10 s; -1 unknown
	moved    float64
	moves    int
	cores    float64
	looks    int
	busy     float64
	own      *sketch.Sum // RT of the search node's own visits
	ended    int64       // requests, warm-up and all
	seconds  []perSecond // how it went, a second a point
	last     perSecond   // the totals at the last one
}

// perSecond is what happened in one second: requests and those lost, value, and what
// prerank was asked for.
type perSecond struct {
	all, bad, visits       float64
	offered, value, amount float64
	busy                   float64 // ns of the search node's cores
}

// totals are the sums of all seconds so far.
func (r *recorder) totals() (t perSecond) {
	for i := range r.engine.Tally.Scenes {
		s := &r.engine.Tally.Scenes[i]
		t.all, t.bad = t.all+float64(s.Count()), t.bad+float64(s.Count()-s.Outcomes[OK])
		t.offered, t.value = t.offered+s.Offered, t.value+s.Value
	}
	p := &r.engine.Tally.Points[Prerank]
	t.visits, t.amount, t.busy = float64(p.Visits), p.Amount, r.snBusy()-r.busy
	return t
}

func (t perSecond) minus(o perSecond) perSecond {
	return perSecond{t.all - o.all, t.bad - o.bad, t.visits - o.visits, t.offered - o.offered, t.value - o.value, t.amount - o.amount, t.busy - o.busy}
}

const (
	settleBucket = 5 * time.Second
	settleLost   = 0.02
	settleCalm   = 6 // buckets
	churnWindow  = 10 * time.Second
)

func (r *recorder) begin() {
	r.points = make([]PointTally, len(r.engine.Tally.Points))
	for range r.points {
		r.work = append(r.work, -1)
	}
	r.busy = r.snBusy()
}

func (r *recorder) snBusy() (sum float64) {
	for m := range r.engine.machines {
		if app, _, _ := r.engine.model.Place(m); app == SN {
			sum += r.engine.Busy(m)
		}
	}
	return sum
}

func (r *recorder) look() {
	e := r.engine
	since := e.Now() - int64(r.plan.Scenario.Warm)
	if since%int64(time.Second) == 0 {
		r.looks++
		base, now := 0, 0
		for m := range e.machines {
			app, _, _ := e.model.Place(m)
			base += e.model.Apps[app].Cores
			now += e.Cores(m)
		}
		r.cores += float64(now) / float64(base)
		sofar := r.totals()
		r.seconds, r.last = append(r.seconds, sofar.minus(r.last)), sofar
	}
	if since%int64(settleBucket) == 0 {
		bad, all := r.losses()
		r.lost = append(r.lost, float64(bad-r.bad) > settleLost*float64(all-r.all))
		r.bad, r.all = bad, all
	}
	if since%int64(churnWindow) == 0 {
		r.churn()
	}
}

func (r *recorder) losses() (bad, all int64) {
	for i := range r.engine.Tally.Scenes {
		s := &r.engine.Tally.Scenes[i]
		all += s.Count()
		bad += s.Count() - s.Outcomes[OK]
	}
	return bad, all
}

func (r *recorder) churn() {
	for i, l := range r.plan.ladders {
		if l == nil {
			continue
		}
		t := r.engine.Tally.Points[i]
		n := t.Visits - r.points[i].Visits
		if n == 0 {
			continue
		}
		w := (t.Amount - r.points[i].Amount) / float64(n) / l.Rows[l.Top()-1][0]
		if r.work[i] >= 0 {
			r.moved += math.Abs(w - r.work[i])
			r.moves++
		}
		r.work[i], r.points[i] = w, t
	}
}

// settle is how long after the event losses end for good, or at least for half a
// minute; a run in which they never do counts until its end.
func (r *recorder) settle() float64 {
	first := int(r.plan.Scenario.Event / settleBucket.Seconds())
	calm := 0
	for i := first; i < len(r.lost); i++ {
		if calm++; r.lost[i] {
			calm = 0
		}
		if calm == settleCalm {
			return float64(i+1-first-calm) * settleBucket.Seconds()
		}
	}
	return float64(max(len(r.lost)-first-calm, 0)) * settleBucket.Seconds()
}

func (r *recorder) outcomes() Outcomes {
	e := r.engine
	var rt sketch.Sum
	var value, offered, elapsed, depth, cut float64
	bad, all := r.losses()
	for i := range e.Tally.Scenes {
		s := &e.Tally.Scenes[i]
		rt.Add(&s.RT)
		value, offered = value+s.Value, offered+s.Offered
		elapsed += float64(s.Elapsed)
		depth, cut = depth+s.Depth, cut+s.Cut
	}
	var judged, needless int64
	for i := range e.Tally.Points {
		judged += e.Tally.Points[i].Judged
		needless += e.Tally.Points[i].Needless
	}
	quantile := func(s *sketch.Sum, q float64) float64 {
		us, _ := s.Quantile(q)
		return us / 1000
	}
	recall := &e.Tally.Points[Recall]
	o := Outcomes{
		MetricValue: value / max(offered, 1e-9), MetricDepth: recall.Amount / float64(max(recall.Visits, 1)),
		MetricMean: elapsed / float64(max(all, 1)) / 1e6, MetricP50: quantile(&rt, 0.5), MetricP99: quantile(&rt, 0.99),
		MetricTimeouts: float64(bad) / float64(max(all, 1)), MetricNeedless: float64(needless) / float64(max(judged, 1)),
		MetricCut: cut / max(depth, 1e-9), MetricChurn: 100 * r.moved / float64(max(r.moves, 1)),
		MetricSNp99: quantile(r.own, 0.99), MetricCores: r.cores / float64(max(r.looks, 1)),
		MetricCPU: (r.snBusy() - r.busy) / float64(snCores*len(e.model.IDCs)*e.model.Machines) / float64(r.plan.Scenario.Measure),
	}
	if p := &e.Tally.Points[Prerank]; p.Visits > 0 {
		o[MetricCandidates] = p.Amount / float64(p.Visits)
	}
	if r.plan.Scenario.Event > 0 {
		o[MetricSettle] = r.settle()
	}
	return o
}
