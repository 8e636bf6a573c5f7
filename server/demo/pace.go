package demo

import (
	"log/slog"
	"time"

	"github.com/allspark/allspark/server/lab"
)

const (
	// Tick is how often the model catches up with the wall clock: a tenth of the
	// shortest response time of a scene, and below what a person sees.
	Tick = 20 * time.Millisecond
	// MaxBehind is how far the model may be behind before the time is skipped:
	// shorter than a report's window, so that no window shows two windows' work.
	MaxBehind = 500 * time.Millisecond

	budget     = Tick / 2 // of wall time a tick: half a core at most
	chunk      = 256      // events between two looks at the clock: about 0.1 ms
	complainIn = 10 * time.Second
)

// pacer keeps the model at the wall clock.
type pacer struct {
	engine     *lab.Engine
	log        *slog.Logger
	start      time.Time
	skipped    time.Duration
	skips      int64
	complained time.Time
	unsaid     time.Duration // skipped since the last complaint
}

// due is where the model's clock should be now.
func (p *pacer) due(now time.Time) time.Duration { return now.Sub(p.start) - p.skipped }

// turn runs what is due, within its budget, and skips what is lost.
func (p *pacer) turn() {
	began := time.Now()
	due := int64(p.due(began))
	for p.engine.Run(due, chunk) == chunk && time.Since(began) < budget {
	}
	now := time.Now()
	behind := p.due(now) - time.Duration(p.engine.Now())
	if behind <= MaxBehind {
		return
	}
	p.skipped += behind
	p.unsaid += behind
	p.skips++
	if now.Sub(p.complained) >= complainIn {
		p.log.Warn("the sample engine cannot keep pace and skipped some of its time; lower its rate",
			"skipped", p.unsaid.Round(time.Millisecond), "rate", p.engine.Workload().Rate())
		p.complained, p.unsaid = now, 0
	}
}
