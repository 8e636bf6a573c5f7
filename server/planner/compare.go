package planner

import (
	"context"
	"math"
	"time"

	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/plan"
	"github.com/allspark/allspark/server/telemetry"
)

// History is what was measured.
type History interface {
	Range(ctx context.Context, f telemetry.Filter, from, to time.Time, step time.Duration) ([]telemetry.Series, error)
}

// Metric names a quantity that is both foretold and measured.
type Metric string

// The metrics.
const (
	MetricQPS   Metric = "qps"
	MetricRT    Metric = "rt_ms"
	MetricLost  Metric = "timeout_rate"
	MetricValue Metric = "value" // per request, beside its mean over the stretch
	MetricCPU   Metric = "cpu"
	MetricLevel Metric = "level"
)

// Line is one quantity at one place, a minute a sample; NaN where unknown.
type Line struct {
	Metric Metric
	Place
	Predicted, Actual         []float64
	MeanPredicted, MeanActual float64 // over minutes known to both; NaN without any
	Error                     float64 // mean |actual - predicted| / mean predicted
}

// Comparison sets what was foretold against what was measured.
type Comparison struct {
	From, To time.Time
	Ran      bool
	Coverage float64
	At       []time.Time
	Lines    []Line
}

// Compare gives the comparison of a rehearsal. A plan that was run early or late
// is compared from when it ran.
func (s *Service) Compare(ctx context.Context, id, rehearsal string) (*Comparison, error) {
	r, err := s.Rehearsal(ctx, id, rehearsal)
	if err != nil {
		return nil, err
	}
	if r.Played == nil {
		return nil, fault.New(fault.Conflict, "the rehearsal is %s", r.State)
	}
	now, err := s.Now(ctx)
	if err != nil {
		return nil, err
	}
	shift, ran, err := s.ranAt(ctx, r)
	if err != nil {
		return nil, err
	}
	c := &Comparison{From: r.From.Add(shift), To: r.To.Add(shift), Ran: ran}
	if c.To.After(now) {
		c.To = now
	}
	first := c.From.Truncate(time.Minute)
	if first.Before(c.From) {
		first = first.Add(time.Minute)
	}
	for at := first; ran && !at.Add(time.Minute).After(c.To); at = at.Add(time.Minute) {
		c.At = append(c.At, at)
	}
	if len(c.At) == 0 {
		return c, nil
	}
	measured, err := s.measured(ctx, r, c)
	if err != nil {
		return nil, err
	}
	c.Lines = lines(r, measured, c.At, shift)
	known := 0
	for _, v := range c.Lines[0].Actual {
		if !math.IsNaN(v) {
			known++
		}
	}
	c.Coverage = float64(known) / float64(len(c.At))
	return c, nil
}

// ranAt tells how much later than by the calendar the occurrence ran.
func (s *Service) ranAt(ctx context.Context, r *Rehearsal) (shift time.Duration, ran bool, err error) {
	runs, err := s.cfg.Store.ListRuns(ctx, r.PlanID, time.Time{})
	if err != nil {
		return 0, false, err
	}
	for _, m := range r.Marks {
		for i := range runs {
			x := &runs[i]
			if !m.Ends && x.Step == m.Step && x.Occurrence == r.Occurrence && (x.State == plan.Fired || x.State == plan.Ended) {
				return x.Start.Sub(m.At), true, nil
			}
		}
	}
	return 0, false, nil
}

// minuteOf is a place in one minute, over scenes and IDCs.
type minuteOf struct {
	Place
	at int64
}

// sums adds up samples so that means come out weighted by requests.
type sums struct {
	n, lost, rt, level, value, cpu, agents float64
}

func (s *Service) measured(ctx context.Context, r *Rehearsal, c *Comparison) (map[minuteOf]*sums, error) {
	out := map[minuteOf]*sums{}
	places := []Place{r.Played.Front}
	for i := range r.Played.With.Points {
		places = append(places, r.Played.With.Points[i].Place)
	}
	for _, p := range places {
		series, err := s.cfg.History.Range(ctx, telemetry.Filter{App: p.App, Point: p.Point}, c.At[0], c.To, time.Minute)
		if err != nil {
			return nil, err
		}
		for i := range series {
			for _, x := range series[i].Samples {
				k := minuteOf{p, x.At.Unix()}
				m := out[k]
				if m == nil {
					m = &sums{}
					out[k] = m
				}
				n := float64(x.Count)
				m.n += n
				m.lost += float64(x.Timeouts + x.Errors + x.Shed)
				m.rt += n * float64(x.MeanUS) / 1000
				m.level += n * float64(x.LevelCenti) / 100
				m.value += float64(x.ValueMilli) / 1000
				if x.CPUMilli >= 0 {
					m.cpu += float64(x.Agents) * float64(x.CPUMilli) / 1000
					m.agents += float64(x.Agents)
				}
			}
		}
	}
	return out, nil
}

// lines puts both sides on the same minutes.
func lines(r *Rehearsal, measured map[minuteOf]*sums, at []time.Time, shift time.Duration) []Line {
	w := &r.Played.With
	var out []Line
	add := func(metric Metric, p Place, predicted []float64, actual func(*sums) float64) {
		l := Line{Metric: metric, Place: p}
		for _, t := range at {
			l.Predicted = append(l.Predicted, minuteMean(predicted, r.From.Add(shift), r.Step, t))
			v := math.NaN()
			if m := measured[minuteOf{p, t.Unix()}]; m != nil && m.n > 0 {
				v = actual(m)
			}
			l.Actual = append(l.Actual, v)
		}
		if metric == MetricValue {
			relative(l.Predicted)
			relative(l.Actual)
		}
		l.judge()
		out = append(out, l)
	}
	perRequest := make([]float64, len(w.Earned))
	for i := range perRequest {
		perRequest[i] = w.Earned[i] / max(w.QPS[i], 1e-9)
	}
	f := r.Played.Front
	add(MetricQPS, f, w.QPS, func(m *sums) float64 { return (m.n - m.lost) / 60 })
	add(MetricRT, f, w.RTMS, func(m *sums) float64 { return m.rt / m.n })
	add(MetricLost, f, w.Lost, func(m *sums) float64 { return m.lost / m.n })
	add(MetricValue, f, perRequest, func(m *sums) float64 { return m.value / m.n })
	for i := range w.Points {
		p := &w.Points[i]
		add(MetricRT, p.Place, p.RTMS, func(m *sums) float64 { return m.rt / m.n })
		add(MetricLevel, p.Place, p.Level, func(m *sums) float64 { return m.level / m.n })
		add(MetricCPU, p.Place, p.CPU, func(m *sums) float64 { return m.cpu / m.agents })
	}
	return out
}

// minuteMean is the mean of the samples that end within the minute from t on.
func minuteMean(v []float64, from time.Time, step time.Duration, t time.Time) float64 {
	sum, n := 0.0, 0
	for i := range v {
		end := from.Add(time.Duration(i+1) * step)
		if end.After(t) && !end.After(t.Add(time.Minute)) {
			sum += v[i]
			n++
		}
	}
	return sum / float64(n) // NaN without any
}

// relative divides by the mean: the model's unit of value is its own.
func relative(v []float64) {
	sum, n := 0.0, 0
	for _, x := range v {
		if !math.IsNaN(x) {
			sum += x
			n++
		}
	}
	for i := range v {
		v[i] /= sum / float64(n)
		if math.IsInf(v[i], 0) {
			v[i] = math.NaN()
		}
	}
}

func (l *Line) judge() {
	var p, a, d float64
	n := 0
	for i := range l.Predicted {
		if x := l.Actual[i] - l.Predicted[i]; !math.IsNaN(x) {
			p, a, d = p+l.Predicted[i], a+l.Actual[i], d+math.Abs(x)
			n++
		}
	}
	l.MeanPredicted, l.MeanActual, l.Error = p/float64(n), a/float64(n), d/p
	if p == 0 {
		l.Error = math.NaN()
	}
}
