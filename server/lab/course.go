package lab

import (
	"time"

	"github.com/allspark/allspark/proto/sketch"
	"github.com/allspark/allspark/server/planner"
)

// heavyWork is the share of the ordinary gears' work below which degradation
// counts as heavy.
const heavyWork = 0.5

// courseRecorder watches a run sample by sample.
type courseRecorder struct {
	*ordered
	engine *Engine
	step   time.Duration

	points   []pointSum
	ordinary []float64 // CPU a visit's scalable work takes at the app's defaults
	busy     []float64 // by app, at the last sample
	cores    []float64
	apps     [][]float64 // CPU by app and sample
	c        planner.Course
	rt       sketch.Sum
	offered  float64
	earned   float64
	lost     int64
	elapsed  float64
}

// pointSum is one point since the last sample.
type pointSum struct {
	n, levels, work float64 // of visits that began
	ended, us       float64
}

func newCourseRecorder(m *Model, p *ordered, step time.Duration) *courseRecorder {
	r := &courseRecorder{
		ordered: p, step: step, points: make([]pointSum, len(m.Points)), ordinary: make([]float64, len(m.Points)),
		busy: make([]float64, len(m.Apps)), cores: make([]float64, len(m.Apps)), apps: make([][]float64, len(m.Apps)),
	}
	for i := range m.Apps {
		r.cores[i] = float64(m.Apps[i].Cores * m.Machines * len(m.IDCs))
	}
	for i := range m.Points {
		d := m.Defaults(i)
		r.ordinary[i] = workAt(&m.Points[i], &d)
		if len(m.Points[i].Params) > 0 {
			r.c.Points = append(r.c.Points, planner.PointCourse{Place: planner.Place{App: m.Apps[m.Points[i].App].Name, Point: m.Points[i].Name}})
		}
	}
	return r
}

// workAt is the CPU that a reading's scalable work takes at mean load.
func workAt(p *Point, r *Reading) float64 {
	w := float64(p.Slope) * r[0]
	if len(p.Factor) > 0 {
		w *= p.Factor[min(max(int(r[1]), 0), len(p.Factor)-1)]
	}
	return w
}

// Begin implements Controls.
func (r *courseRecorder) Begin(v *Visit, x *Reading) {
	r.ordered.Begin(v, x)
	p := &r.points[v.Point]
	p.levels += float64(r.open[v.ID].level)
	p.work += workAt(&r.model.Points[v.Point], x)
	p.n++
}

// End implements Controls.
func (r *courseRecorder) End(v *Visit, res Result) {
	r.ordered.End(v, res)
	if res.Outcome != Refused {
		r.points[v.Point].ended++
		r.points[v.Point].us += float64(res.Elapsed) / 1000
	}
}

// begin forgets the warm-up.
func (r *courseRecorder) begin() {
	r.engine.Tally.Reset()
	clear(r.points)
	r.measure()
}

// measure gives the share of cores busy since the last call, by app.
func (r *courseRecorder) measure() []float64 {
	out := make([]float64, len(r.busy))
	for m := range r.model.MachineCount() {
		app, _, _ := r.model.Place(m)
		out[app] += r.engine.Busy(m)
	}
	for a := range out {
		now := out[a]
		out[a] = min((now-r.busy[a])/float64(r.step)/r.cores[a], 1)
		r.busy[a] = now
	}
	return out
}

// look closes a sample.
func (r *courseRecorder) look() {
	var rt sketch.Sum
	var value, offered, elapsed float64
	var all, bad int64
	for i := range r.engine.Tally.Scenes {
		s := &r.engine.Tally.Scenes[i]
		rt.Add(&s.RT)
		value, offered, elapsed = value+s.Value, offered+s.Offered, elapsed+float64(s.Elapsed)
		all += s.Count()
		bad += s.Count() - s.Outcomes[OK]
	}
	r.engine.Tally.Reset()
	r.rt.Add(&rt)
	r.offered, r.earned, r.lost, r.elapsed = r.offered+offered, r.earned+value, r.lost+bad, r.elapsed+elapsed
	c := &r.c
	c.Totals.Requests += all
	n := float64(max(all, 1))
	p99, _ := rt.Quantile(0.99)
	seconds := r.step.Seconds()
	c.QPS = append(c.QPS, round(float64(all-bad)/seconds))
	c.RTMS = append(c.RTMS, round(elapsed/n/1e6))
	c.P99MS = append(c.P99MS, round(p99/1000))
	c.Value = append(c.Value, round(value/max(offered, 1e-9)))
	c.Earned = append(c.Earned, round(value/seconds))
	c.Lost = append(c.Lost, round(float64(bad)/n))
	cpu := r.measure()
	for a := range cpu {
		r.apps[a] = append(r.apps[a], round(cpu[a]))
	}
	work, ordinary := 0.0, 0.0
	k := 0
	for i := range r.points {
		p := &r.points[i]
		point := &r.model.Points[i]
		if len(point.Params) == 0 {
			continue
		}
		x := &c.Points[k]
		k++
		visits := max(p.n, 1)
		x.RTMS, x.Level, x.CPU = append(x.RTMS, round(p.us/max(p.ended, 1)/1000)), append(x.Level, round(p.levels/visits)), append(x.CPU, round(cpu[point.App]))
		work, ordinary = work+p.work, ordinary+p.n*r.ordinary[i]
	}
	clear(r.points)
	share := 1.0
	if ordinary > 0 {
		share = work / ordinary
	}
	c.Work = append(c.Work, round(share))
	if share < heavyWork {
		c.Totals.HeavyMinutes += r.step.Minutes()
	}
}

// busiest is the app whose cores are busiest over the whole run.
func (r *courseRecorder) busiest() (app int) {
	most := -1.0
	for a := range r.apps {
		if sum := average(r.apps[a]); sum > most {
			app, most = a, sum
		}
	}
	return app
}

func average(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(max(len(v), 1))
}

// course is the finished run, with the CPU of one app.
func (r *courseRecorder) course(app int) planner.Course {
	c := r.c
	c.CPU = r.apps[app]
	t := &c.Totals
	p99, _ := r.rt.Quantile(0.99)
	t.Value, t.Lost = round(r.earned/max(r.offered, 1e-9)), round(float64(r.lost)/float64(max(t.Requests, 1)))
	t.RTMeanMS, t.RTP99MS = round(r.elapsed/float64(max(t.Requests, 1))/1e6), round(p99/1000)
	t.CPU, t.HeavyMinutes = round(average(c.CPU)), round(t.HeavyMinutes)
	for _, v := range c.CPU {
		t.CPUMax = max(t.CPUMax, v)
	}
	return c
}
