package lab

import "time"

// Reading is what a point's parameters say for one request, in declared order:
// ints and floats as numbers, durations in nanoseconds, an enum as its place in
// the list of values, a bool as 0 or 1.
type Reading [maxParams]float64

// Outcome is how a visit or a request ended.
type Outcome uint8

// The outcomes.
const (
	OK Outcome = iota
	TimedOut
	Failed  // something below refused or failed
	Refused // the machine held its limit
	outcomes
)

var outcomeNames = [outcomes]string{"ok", "timeout", "error", "shed"}

// String gives the outcome's name in metrics.
func (o Outcome) String() string { return outcomeNames[o] }

// Visit is one request at one point of one machine.
type Visit struct {
	// ID is the visit's slot: unique among the visits under way and bounded by
	// them, so that it can index an array.
	ID      int32
	Frame   int32 // slot of the call that it is part of, or at an external edge makes
	Machine int32
	Point   int32
	Scene   int32
	Now     int64
	Load    float64 // predicted, tokens
	Value   float64 // of the user, mean 1
	Key     uint64
	// Refuse may be set by Begin: the machine turns the visit away, as limiters do.
	Refuse bool
}

// Result is how a visit ended.
type Result struct {
	Elapsed int64
	Outcome Outcome
	Earned  float64 // value of the response; at the point in front only

	// Of own work that was done.
	CPU           time.Duration
	Taken, Output float64 // results from above, and handed on; 0 where the point has none
	Effect        float64 // share of a full answer that the work earns for the average user
}

// Controls is all the engine knows of control: what the parameters say now. The
// engine calls it from one goroutine, Begin before End, in order of its time.
type Controls interface {
	// Begin reads the parameters of a visit into r, which holds the defaults.
	Begin(v *Visit, r *Reading)
	// End reports how the visit ended; v.Now is the moment it did.
	End(v *Visit, res Result)
}

// Follower is a Controls that is told how requests pass from machine to machine, as
// middleware at both ends of a call is. Frames are slots of calls, as Visit.ID is.
type Follower interface {
	// Called says that a call begins: made by the call from, -1 for a user, through
	// the external edge that the visit edge is at, -1 for none.
	Called(frame, from, edge int32)
	// Returned says that a call's answer has reached the call that made it.
	Returned(frame, to int32)
}

// Free is no control at all: every point runs at the defaults its app declared.
type Free struct{}

// Begin leaves the defaults.
func (Free) Begin(*Visit, *Reading) {}

// End ignores the result.
func (Free) End(*Visit, Result) {}
