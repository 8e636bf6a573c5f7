package demo

import (
	"math"
	"slices"
	"time"

	"github.com/allspark/allspark/server/lab"
)

// Status is how the sample engine stood at the end of its last second.
type Status struct {
	Rate    int           // copies of the trace
	Speed   float64       // of the trace's clock
	Elapsed time.Duration // model time since the start
	// Skipped is the model time that was lost because the process could not keep
	// pace, in Skips pieces.
	Skipped time.Duration
	Skips   int64

	InFlight int           // requests in the engine
	Scenes   []SceneStatus // nil before the first second is over
	Totals   []SceneTotals // since the start
	Apps     []AppStatus

	Agents    int // in all
	Connected int // now
}

// SceneStatus is one scene's last second.
type SceneStatus struct {
	Scene    string
	QPS      float64
	Mean     time.Duration
	P99      time.Duration
	Timeouts float64 // share of requests
	Lost     float64 // share of requests that timed out, failed or were refused
	Value    float64 // earned, of what a full answer to everybody would earn
}

// SceneTotals counts a scene's requests since the start.
type SceneTotals struct {
	Scene                      string
	OK, Timeouts, Errors, Shed int64
}

// AppStatus is the mean CPU of an app's machines in the last second, 0..1.
type AppStatus struct {
	App string
	CPU float64
}

func (t *SceneTotals) add(s *lab.SceneTally) {
	t.OK += s.Outcomes[lab.OK]
	t.Timeouts += s.Outcomes[lab.TimedOut]
	t.Errors += s.Outcomes[lab.Failed]
	t.Shed += s.Outcomes[lab.Refused]
}

func sceneStatus(name string, s *lab.SceneTally, window time.Duration) SceneStatus {
	out := SceneStatus{
		Scene: name, QPS: float64(s.Count()) / window.Seconds(), Mean: s.Mean(), P99: s.Quantile(0.99),
		Timeouts: s.Rate(lab.TimedOut), Value: s.Value / max(s.Offered, 1e-9),
	}
	if s.Count() > 0 {
		out.Lost = 1 - s.Rate(lab.OK)
	}
	return out
}

// measure makes the status; scenes are those of the second that just ended.
func (d *Demo) measure(p *pacer, scenes []SceneStatus) *Status {
	s := &Status{
		Speed: d.cfg.Speed, Elapsed: time.Duration(d.engine.Now()), Skipped: p.skipped, Skips: p.skips,
		InFlight: d.engine.InFlight(), Scenes: scenes, Agents: len(d.machines),
	}
	for i := range d.totals {
		d.totals[i].Scene = d.model.Scenes[i].Name
	}
	s.Totals = slices.Clone(d.totals)
	for a := range d.model.Apps {
		s.Apps = append(s.Apps, AppStatus{App: d.model.Apps[a].Name})
	}
	for i, m := range d.machines {
		app, _, _ := d.model.Place(i)
		s.Apps[app].CPU += math.Float64frombits(m.cpu.Load()) / float64(len(d.model.IDCs)*d.model.Machines)
	}
	return s
}

// Status tells how the engine stands. It may be called from any goroutine.
func (d *Demo) Status() Status {
	s := *d.status.Load()
	s.Rate = d.Rate()
	for _, m := range d.machines {
		if m.agent.Status().Connected {
			s.Connected++
		}
	}
	return s
}
