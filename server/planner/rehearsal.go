package planner

import (
	"context"
	"fmt"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// Rehearser plays order sets on a model of the engine, under the rules that
// agents and control run live.
type Rehearser interface {
	Rehearse(ctx context.Context, s *Script) (*Played, error)
}

// DayKind says who comes to the engine.
type DayKind string

// The kinds of day.
const (
	DayConversation DayKind = "conversation" // the recorded trace of that name
	DayCode         DayKind = "code"         // another one, of bursts
	DayGenerated    DayKind = "generated"    // users drawn by the seed
)

// Day is what comes to the engine while a plan is rehearsed: an ordinary evening,
// and a peak that comes within seconds and falls over minutes.
type Day struct {
	Kind   DayKind
	Peak   float64 // times the load the engine is made for
	PeakAt time.Time
	Seed   int64
}

// Limits of a rehearsal.
const (
	minPeak, maxPeak = 1.0, 10.0
	before           = 3 * time.Minute  // shown before the first step
	after            = 10 * time.Minute // shown after the last end and after the peak
	maxRehearsed     = 90 * time.Minute
	maxSamples       = 400
	maxModelled      = 3 // machines of each app in each IDC
	keepRehearsals   = 20
	// deadAfter is when a rehearsal that still says it runs has lost its replica.
	deadAfter = 10 * time.Minute
)

// Turn is what control orders from an instant on.
type Turn struct {
	At   time.Time
	Sets []Ordered
}

// Ordered is an order set with the level tables it refers to.
type Ordered struct {
	Set    gear.OrderSet
	Tables []gear.LevelTable
}

// Script is what is to be played twice, under With and under Without. Turns rise;
// the first one holds from the beginning.
type Script struct {
	Day           Day
	From, To      time.Time
	Step          time.Duration
	Machines      int // of each app in each IDC
	With, Without []Turn
}

// Played is what came of it: columns of equal length, a sample a step.
type Played struct {
	Front         Place     // the point whose RT is end to end
	Load          []float64 // times the load the engine is made for
	With, Without Course
	NotPlayed     []string
}

// Place is a point of an app.
type Place struct{ App, Point string }

// Course is one of the two runs.
type Course struct {
	Totals                                   Totals
	QPS, RTMS, P99MS, CPU, Value, Lost, Work []float64
	Earned                                   []float64 // value a second, in the model's unit
	Points                                   []PointCourse
}

// PointCourse is one point over time.
type PointCourse struct {
	Place
	RTMS, Level, CPU []float64
}

// Totals are the figures of a whole run.
type Totals struct {
	Requests          int64
	Value, Lost       float64
	RTMeanMS, RTP99MS float64
	CPU, CPUMax       float64
	HeavyMinutes      float64
}

// RehearsalState says how far a rehearsal is.
type RehearsalState string

// The states.
const (
	Rehearsing RehearsalState = "running"
	Rehearsed  RehearsalState = "done"
	Failed     RehearsalState = "failed"
)

// Mark is a start or an end on the time axis.
type Mark struct {
	At   time.Time
	Step string
	Ends bool
}

// Rehearsal is the record of one.
type Rehearsal struct {
	ID         string
	PlanID     string
	PlanName   string
	Epoch      int64
	State      RehearsalState
	Problem    string
	Occurrence string
	Day        Day
	Machines   int
	From, To   time.Time
	Step       time.Duration
	Marks      []Mark
	Reason     string
	Took       time.Duration
	With       Totals
	Without    Totals
	NotPlayed  []string
	CreatedBy  string
	CreatedAt  time.Time
	Played     *Played // nil in lists, and until it is done
}

// line says in a war log what a rehearsal foretold.
func (r *Rehearsal) line() string {
	what := fmt.Sprintf("rehearse %s on the day %s with a peak of %gx, %s", r.Occurrence, r.Day.Kind, r.Day.Peak, r.State)
	switch r.State {
	case Rehearsed:
		what += fmt.Sprintf(": lost %.2f %% with the plan, %.2f %% without; heavy degradation %.1f and %.1f min; p99 %.0f and %.0f ms",
			100*r.With.Lost, 100*r.Without.Lost, r.With.HeavyMinutes, r.Without.HeavyMinutes, r.With.RTP99MS, r.Without.RTP99MS)
	case Failed:
		what += ": " + r.Problem
	}
	if r.Reason != "" {
		what += " (" + r.Reason + ")"
	}
	return what
}
