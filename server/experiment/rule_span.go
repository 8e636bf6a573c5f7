package experiment

import (
	"time"

	"github.com/allspark/allspark/proto/sketch"
)

// MaxSpans is into how many stretches an experiment's time is cut, so that its rows
// are as many whether it lasts an hour or a month.
const MaxSpans = 60

// SpanKey names what one replica heard of an arm in a stretch of time.
type SpanKey struct {
	Experiment string
	Role       Role
	Arm        string
	Index      int // from the start, in steps of Step
	Writer     string
}

// Span is what was heard. Sums are of all places of the role, all scenes and IDCs.
type Span struct {
	SpanKey
	Requests, Timeouts, Errors, Shed int64
	RT                               float64 // µs, summed
	Value                            float64
	Levels                           int64 // summed
	Blocks                           Blocks
	Sketch                           sketch.Sum
}

// Step is how long a span of an experiment is: whole minutes.
func Step(x *Experiment) time.Duration {
	return max(time.Minute, (x.Planned()/MaxSpans + time.Minute - 1).Truncate(time.Minute))
}

// spanAt is the span of a minute since 1970. What is reported just after the end is
// of its last seconds.
func spanAt(x *Experiment, minute int64) int {
	i := int((time.Duration(minute)*time.Minute - time.Duration(x.StartedAt.Unix()/60)*time.Minute) / Step(x))
	return min(max(i, 0), MaxSpans)
}

// add joins what another replica heard, or another stretch.
func (s *Span) add(o *Span) {
	s.Requests += o.Requests
	s.Timeouts += o.Timeouts
	s.Errors += o.Errors
	s.Shed += o.Shed
	s.RT += o.RT
	s.Value += o.Value
	s.Levels += o.Levels
	s.Blocks.Add(&o.Blocks)
	s.Sketch.Add(&o.Sketch)
}
