package feedback

import (
	"math"
	"time"

	"github.com/allspark/allspark/server/scene"
	"github.com/allspark/allspark/server/telemetry"
)

// recent is how long telemetry's longer window is.
const recent = 10 * time.Second

// meter adds up what was measured of a scene in an IDC since the last change has
// settled. A mean adds up exactly over seconds. A percentile does not: it is taken
// of the last ten seconds as soon as they lie wholly after the change, and till
// then as the mean of the seconds' own, which is a little low.
type meter struct {
	last   time.Time // end of the newest second added
	front  tallied
	calls  []tallied
	seenAt []time.Time
}

type tallied struct {
	count, timeouts int64
	rt              float64 // ms x count
	whole           float64 // ms, of ten seconds; 0 while there are none
}

func (m *meter) reset() {
	m.front = tallied{}
	clear(m.calls)
}

func (m *meter) read(w Windows, s *scene.Scene, idc string, layers []Layer, from, now time.Time) {
	for len(m.calls) < len(layers) {
		m.calls, m.seenAt = append(m.calls, tallied{}), append(m.seenAt, time.Time{})
	}
	one := func(p scene.Place, into *tallied, seen *time.Time, q float64) {
		if p == (scene.Place{}) {
			return
		}
		for _, x := range w.Points(telemetry.Filter{Scene: s.Name, IDC: idc, App: p.App, Point: p.Point}, now) {
			if x.Last == nil || !x.Last.At.After(*seen) || x.Last.At.Add(-x.Last.Window).Before(from) {
				continue
			}
			*seen = x.Last.At
			into.count += x.Last.Count
			into.timeouts += x.Last.Timeouts
			into.rt += quantileOf(x.Last, q) * float64(x.Last.Count)
			into.whole = 0
			if q > 0 && x.Recent != nil && !x.Recent.At.Add(-recent).Before(from) {
				into.whole = quantileOf(x.Recent, q)
			}
		}
	}
	one(s.Front, &m.front, &m.last, s.Statistic.Quantile)
	for i := 1; i < len(layers); i++ {
		one(layers[i].Place, &m.calls[i], &m.seenAt[i], 0)
	}
}

func (m *meter) samples(s *scene.Scene, layers int) (front LayerSample, calls []LayerSample) {
	calls = make([]LayerSample, layers)
	for i := 1; i < layers && i < len(m.calls); i++ {
		calls[i] = m.calls[i].sample()
	}
	return m.front.sample(), calls
}

func (t *tallied) sample() LayerSample {
	out := LayerSample{Count: t.count}
	if t.count > 0 {
		out.RT, out.Timeouts = t.rt/float64(t.count), float64(t.timeouts)/float64(t.count)
	}
	if t.whole > 0 {
		out.RT = t.whole
	}
	return out
}

// quantileOf reads a rollup at a quantile, 0 is the mean; between those that are
// known it goes along the logarithm of the tail.
func quantileOf(r *telemetry.Rollup, q float64) float64 {
	switch {
	case q == 0:
		return millis(r.Mean)
	case q <= 0.5:
		return millis(r.P50)
	case q <= 0.95:
		return between(0.5, millis(r.P50), 0.95, millis(r.P95), q)
	default:
		return between(0.95, millis(r.P95), 0.99, millis(r.P99), q)
	}
}

func between(q0, v0, q1, v1, q float64) float64 {
	x := (math.Log(1-q) - math.Log(1-q0)) / (math.Log(1-q1) - math.Log(1-q0))
	return v0 + (v1-v0)*x
}
