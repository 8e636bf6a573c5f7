package agent

import (
	"time"

	"github.com/allspark/allspark/agent/gearbox"
	"github.com/allspark/allspark/agent/meter"
	"github.com/allspark/allspark/proto/gear"
)

// Request is what the caller knows of a request before the work is done. All of
// it is optional.
type Request struct {
	// Load predicts cost, in any unit: ads, documents, tokens, or the app's own
	// prediction of the response time (Predicted). Only ratios between requests
	// matter.
	Load float64
	// Value is what the user or request is worth, for strategies that weigh by it;
	// those of today do not.
	Value float64
	Key   string // decides the bucket, where orders divide traffic: a user id
}

// Predicted gives an app's own prediction of the response time as a Load: at one
// reference level, whatever the request will get. Crowds are formed by it.
//
// It is no field of its own because a Request and a Decision of four words travel
// in registers, and larger ones do not: that is 12 of 25 ns a request.
func Predicted(rt time.Duration) float64 { return float64(rt) / float64(time.Microsecond) }

// Outcome is how a request ended at a point.
type Outcome = meter.Outcome

// The outcomes.
const (
	OK      = meter.OK
	Timeout = meter.Timeout
	Error   = meter.Error
	Shed    = meter.Shed // refused before any work: it has no elapsed time
)

// Result is what a request came to at a point.
type Result struct {
	Elapsed time.Duration // of the point's own work
	Outcome Outcome
	Value   float64 // what was earned, when the app knows
}

// Decision is how much work one request gets at one point. It is a value: keep
// it where the request is, and End it once.
type Decision struct {
	row  *gearbox.Row
	rule *gearbox.Rule
	cell *meter.Cell
	load float64
}

// Begin decides how much work a request gets. It never waits and never fails.
func (p *Point) Begin(scene Scene, r Request) Decision {
	e := p.box.Load().Entry(p.id, scene.id)
	rule := e.Rule
	if e.Buckets != nil {
		rule = e.Buckets.Pick(r.Key)
	}
	if rule.Loop {
		return ask(rule, e.Cell, r.Load)
	}
	return Decision{row: rule.Row, rule: rule, cell: e.Cell, load: r.Load}
}

// ask lets the local loop of a rule decide. It stays out of Begin, so that other
// requests do not pay for its frame.
//
//go:noinline
func ask(rule *gearbox.Rule, cell *meter.Cell, load float64) Decision {
	if rule.Edge != nil {
		// The row is that of the bucket's block, which the loop does not know.
		return Decision{row: rule.Row, rule: rule.Edge.Load(), cell: cell, load: load}
	}
	level, held := rule.Crowds.Pick(load)
	row := rule.HeldOut
	if !held {
		row = &rule.Rows[level-1]
	}
	return Decision{row: row, rule: rule, cell: cell, load: load}
}

// End counts the request. A second End of the same Decision does nothing.
func (d *Decision) End(r Result) {
	if d.cell != nil {
		d.cell.Record(d.row.Level, r.Outcome, r.Elapsed, d.load, r.Value)
		d.cell = nil
	}
}

// EndSince is End for a caller that noted when the work began: it reads the clock
// once.
func (d *Decision) EndSince(began time.Time, outcome Outcome) {
	d.End(Result{Elapsed: time.Since(began), Outcome: outcome})
}

// Level is the level that answers, 0 on the app's defaults. It is for logs: work
// is turned by parameters.
func (d *Decision) Level() int {
	if d.row == nil {
		return 0
	}
	return meter.LevelOf(d.row.Level)
}

// Timeout is how long an external call may take; 0 at a point that is none.
func (d *Decision) Timeout() time.Duration {
	if d.rule == nil {
		return 0
	}
	return d.rule.Timeout
}

// Version names the orders that decided, zero without any.
func (d *Decision) Version() gear.Version {
	if d.rule == nil {
		return gear.Version{}
	}
	return d.rule.Version
}

// Rung is the step of the fallback ladder that answered.
func (d *Decision) Rung() gear.Rung {
	if d.rule == nil {
		return gear.RungDefault
	}
	return d.rule.Rung
}
