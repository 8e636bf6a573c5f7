package plan

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/adhocore/gronx"
)

// Instance is a step in one occurrence of its plan.
type Instance struct {
	Key
	Plan  *Plan
	Step  *Step
	Start time.Time
	End   time.Time // zero for a terminal step
}

// Occurrence is one time through a plan.
type Occurrence struct {
	Name  string // the wall time of its first step
	Steps []Instance
}

// Start is when its first step starts, End when its last hold ends.
func (o *Occurrence) Start() time.Time {
	first := o.Steps[0].Start
	for _, s := range o.Steps {
		if s.Start.Before(first) {
			first = s.Start
		}
	}
	return first
}

// End is when nothing of it is left.
func (o *Occurrence) End() time.Time {
	var last time.Time
	for _, s := range o.Steps {
		for _, t := range []time.Time{s.Start, s.End} {
			if t.After(last) {
				last = t
			}
		}
	}
	return last
}

// ErrSchedule says that a plan's instants cannot be worked out; Check says why.
var ErrSchedule = errors.New("the plan has no schedule")

// Occurrences gives every time through the plan that touches [from, to), by
// start. A plan that passed Check always has them.
func (p *Plan) Occurrences(from, to time.Time) ([]Occurrence, error) {
	zone, err := time.LoadLocation(p.Zone)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchedule, err)
	}
	if p.Repeat == "" {
		o, err := p.occurrence(time.Time{}, zone)
		if err != nil {
			return nil, err
		}
		if o.Start().Before(to) && !o.End().Before(from) {
			return []Occurrence{o}, nil
		}
		return nil, nil
	}
	var out []Occurrence
	wall := WallOf(from.Add(-MaxCycle-time.Hour), zone)
	end := WallOf(to, zone).Add(2 * time.Hour) // clocks may go back meanwhile
	for {
		var ok bool
		if wall, ok = nextWall(p.Repeat, wall); !ok || wall.After(end) {
			return out, nil
		}
		if anchor, ok := p.anchor(wall, zone); ok {
			o, err := p.occurrence(anchor, zone)
			if err != nil {
				return nil, err
			}
			o.named(wall)
			if o.Start().Before(to) && !o.End().Before(from) {
				out = append(out, o)
			}
		}
		wall = wall.Add(time.Minute)
	}
}

func (o *Occurrence) named(wall time.Time) {
	o.Name = wall.Format("2006-01-02T15:04:05")
	for i := range o.Steps {
		o.Steps[i].Occurrence = o.Name
	}
}

// anchor turns a wall time of a repeating plan into the instant of its first
// step, by the plan's own choices.
func (p *Plan) anchor(wall time.Time, zone *time.Location) (time.Time, bool) {
	exact, near := Instants(wall, zone)
	switch {
	case len(exact) == 1:
		return exact[0], true
	case len(exact) == 2 && p.Overlap == Later:
		return exact[1], true
	case len(exact) == 2:
		return exact[0], true
	case p.Gap == GapAfter:
		return near[len(near)-1], true
	}
	return time.Time{}, false
}

// nextWall gives the first wall minute at or after the given one that the
// expression matches.
func nextWall(expr string, wall time.Time) (time.Time, bool) {
	from := wall.Truncate(time.Minute)
	if from.Before(wall) {
		from = from.Add(time.Minute)
	}
	t, err := gronx.NextTickAfter(expr, from, true)
	return t, err == nil
}

// occurrence works out every instant; anchor is the first step's in a repeating
// plan.
func (p *Plan) occurrence(anchor time.Time, zone *time.Location) (Occurrence, error) {
	start := make([]time.Time, len(p.Steps))
	for range p.Steps { // a chain of offsets is at most as long as the plan
		for i := range p.Steps {
			s := &p.Steps[i]
			switch {
			case !start[i].IsZero():
			case s.At != "":
				t, ok := local(s.At, zone, s.Overlap)
				if !ok {
					return Occurrence{}, fmt.Errorf("%w: step %s has no start", ErrSchedule, s.Name)
				}
				start[i] = t
			case s.After != "":
				k := slices.IndexFunc(p.Steps, func(x Step) bool { return x.Name == s.After })
				if k >= 0 && !start[k].IsZero() {
					start[i] = start[k].Add(s.Offset)
				}
			case !anchor.IsZero():
				start[i] = anchor
			}
		}
	}
	o := Occurrence{}
	for i := range p.Steps {
		s := &p.Steps[i]
		if start[i].IsZero() {
			return Occurrence{}, fmt.Errorf("%w: step %s has no start", ErrSchedule, s.Name)
		}
		in := Instance{Key: Key{Plan: p.ID, Step: s.Name}, Plan: p, Step: s, Start: start[i].UTC()}
		if !s.Do.Terminal() {
			var ok bool
			if in.End, ok = p.end(s, start, i, zone); !ok || !in.End.After(in.Start) {
				return Occurrence{}, fmt.Errorf("%w: step %s has no end after its start", ErrSchedule, s.Name)
			}
		}
		o.Steps = append(o.Steps, in)
	}
	slices.SortStableFunc(o.Steps, func(a, b Instance) int { return a.Start.Compare(b.Start) })
	o.named(WallOf(o.Start(), zone))
	return o, nil
}

func (p *Plan) end(s *Step, start []time.Time, i int, zone *time.Location) (time.Time, bool) {
	switch {
	case s.Until != "":
		k := slices.IndexFunc(p.Steps, func(x Step) bool { return x.Name == s.Until })
		if k < 0 {
			return time.Time{}, false
		}
		return start[k].UTC(), true
	case s.UntilAt != "":
		return local(s.UntilAt, zone, s.UntilOverlap)
	case s.For > 0:
		return start[i].Add(s.For).UTC(), true
	}
	return time.Time{}, false
}

func local(text string, zone *time.Location, which Overlap) (time.Time, bool) {
	wall, ok := ParseWall(text)
	if !ok {
		return time.Time{}, false
	}
	t, code, _ := Resolve(wall, zone, which)
	return t, code == ""
}

// Next gives the first step of all that starts at or after now; of a repeating
// plan within a year.
func Next(plans []*Plan, now time.Time) (Instance, bool) {
	var next Instance
	found := false
	for _, p := range plans {
		// A repeating plan is asked for ever longer, so that one that comes daily
		// does not cost a year.
		spans := []time.Duration{25 * time.Hour, 8 * 24 * time.Hour, 366 * 24 * time.Hour}
		if p.Repeat == "" {
			spans = []time.Duration{100 * 366 * 24 * time.Hour}
		}
		for _, ahead := range spans {
			os, err := p.Occurrences(now, now.Add(ahead))
			if err != nil {
				break
			}
			had := false
			for _, o := range os {
				for _, in := range o.Steps {
					if in.Start.Before(now) {
						continue
					}
					had = true
					if !found || in.Start.Before(next.Start) {
						next, found = in, true
					}
				}
			}
			if had {
				break
			}
		}
	}
	return next, found
}

// Active gives the steps that hold at now by the calendar alone, by start.
func Active(plans []*Plan, now time.Time) []Instance {
	var out []Instance
	for _, p := range plans {
		os, err := p.Occurrences(now, now.Add(time.Nanosecond))
		if err != nil {
			continue
		}
		for _, o := range os {
			for _, in := range o.Steps {
				if !in.Start.After(now) && now.Before(in.End) {
					out = append(out, in)
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Instance) int { return a.Start.Compare(b.Start) })
	return out
}

// Fate is what must become of a step.
type Fate string

// The fates.
const (
	FateWait Fate = "wait" // not yet
	FateArm  Fate = "arm"  // its claims are due
	FateFire Fate = "fire" // at its start, or late within the grace
	FateMiss Fate = "miss" // too late
	FateDone Fate = "done" // it happened, or never will
)

// Decide says what must become of an instance at now; run is its record, nil
// when there is none yet. A step that machines hold staged happened on them, so
// controllers that come back follow it as long as it holds.
func Decide(in *Instance, run *Run, staged bool, now time.Time) Fate {
	over := !in.End.IsZero() && !now.Before(in.End)
	start := in.Start
	if run != nil {
		start = run.Start
		staged = staged || run.Staged
	}
	switch {
	case run != nil && run.State != Armed:
		return FateDone
	case now.Before(start.Add(-Ahead)):
		return FateWait
	case now.Before(start):
		if run != nil {
			return FateWait
		}
		return FateArm
	case in.Step.Do.Terminal():
		return FateFire // it only says that what it ends has ended
	case over:
		if run == nil && !staged {
			return FateMiss
		}
		if staged {
			return FateFire
		}
		return FateMiss
	case now.Sub(start) <= Grace || staged:
		return FateFire
	default:
		return FateMiss
	}
}
