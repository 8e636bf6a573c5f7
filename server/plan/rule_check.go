package plan

import (
	"fmt"
	"slices"
	"time"

	"github.com/adhocore/gronx"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
)

// CodeEnd says that a step has no end, or more than one.
const CodeEnd = "end"

// checkAhead is how far a repeating plan is looked at for days on which its
// local time does not exist or exists twice.
const checkAhead = 2 * 366 * 24 * time.Hour

type checker struct {
	p    *Plan
	zone *time.Location
	out  gear.Problems
}

func (c *checker) bad(path, code, format string, args ...any) {
	c.out.Add(path, code, fmt.Sprintf(format, args...))
}

// Check tells everything wrong with a plan that is saved at now; paths are those
// of its document.
func Check(p *Plan, now time.Time) gear.Problems {
	c := &checker{p: p}
	c.head()
	if len(p.Steps) == 0 {
		c.bad("steps", gear.CodeRequired, "a plan needs steps")
	}
	if len(p.Steps) > MaxSteps {
		c.bad("steps", gear.CodeLength, "a plan has at most %d steps, got %d", MaxSteps, len(p.Steps))
		return c.out
	}
	for i := range p.Steps {
		c.step(i)
	}
	if len(c.out) > 0 || c.zone == nil {
		return c.out
	}
	if p.Repeat != "" {
		c.repeat(now)
	}
	if len(c.out) == 0 {
		c.span(now)
	}
	return c.out
}

func (c *checker) head() {
	p := c.p
	if !gear.PlaceName(p.Name) {
		c.bad("name", gear.CodeName, "a plan's name wants letters, digits, '.', '_' and '-', got %q", gear.Shown(p.Name))
	}
	for _, f := range []struct{ path, text string }{{"owner", p.Owner}, {"executor", p.Executor}, {"approver", p.Approver}, {"purpose", p.Purpose}} {
		want := gear.Param{Name: f.path, Kind: gear.KindString}
		if x, ok := want.Check(gear.String(f.text)); !ok {
			c.bad(f.path, x.Code, "%s", x.Message)
		}
	}
	if len(p.Purpose) > MaxPurpose {
		c.bad("purpose", gear.CodeLength, "purpose has at most %d bytes", MaxPurpose)
	}
	if p.Owner == "" {
		c.bad("owner", gear.CodeRequired, "a plan needs an owner: who decides")
	}
	if p.Executor == "" {
		c.bad("executor", gear.CodeRequired, "a plan needs an executor: who is at the controls")
	}
	zone, err := time.LoadLocation(p.Zone)
	if err != nil || p.Zone == "" || p.Zone == "Local" {
		c.bad("zone", gear.CodeUnknown, "zone wants a name such as Asia/Shanghai, got %q", gear.Shown(p.Zone))
		return
	}
	c.zone = zone
}

func (c *checker) step(i int) {
	s, at := &c.p.Steps[i], fmt.Sprintf("steps[%d]", i)
	if !gear.PlaceName(s.Name) {
		c.bad(at+".name", gear.CodeName, "a step's name wants letters, digits, '.', '_' and '-', got %q", gear.Shown(s.Name))
	}
	if k := slices.IndexFunc(c.p.Steps, func(x Step) bool { return x.Name == s.Name }); k < i {
		c.bad(at+".name", gear.CodeDuplicate, "step %q is given twice", gear.Shown(s.Name))
	}
	c.start(i)
	switch s.Do {
	case KindSet:
		c.ends(i)
		if len(s.Sets) == 0 {
			c.bad(at+".set", gear.CodeRequired, "step %s sets nothing", gear.Shown(s.Name))
		}
		if len(s.Sets) > MaxSets {
			c.bad(at+".set", gear.CodeLength, "a step sets at most %d places, got %d", MaxSets, len(s.Sets))
			return
		}
		for k := range s.Sets {
			c.set(&s.Sets[k], fmt.Sprintf("%s.set[%d]", at, k))
		}
	case KindAuto, KindRestore:
		if s.Until != "" || s.UntilAt != "" || s.For != 0 {
			c.bad(at+".until", CodeEnd, "%s is an end itself and has none", s.Do)
		}
		if len(s.Sets) > 0 {
			c.bad(at+".set", gear.CodeShape, "%s sets nothing: it hands back what other steps set", s.Do)
		}
	default:
		c.bad(at+".do", gear.CodeEnum, "do wants set, auto or restore, got %q", gear.Shown(string(s.Do)))
	}
}

func (c *checker) start(i int) {
	s, at := &c.p.Steps[i], fmt.Sprintf("steps[%d]", i)
	switch {
	case s.At != "" && s.After != "":
		c.bad(at+".after", gear.CodeShape, "a step starts at a time or after another step, not both")
	case s.At != "" && c.p.Repeat != "":
		c.bad(at+".at", gear.CodeShape, "a repeating plan starts by its cron expression; its other steps are offsets")
	case s.At != "":
		c.wall(at+".at", s.At, s.Overlap)
	case s.After != "":
		if s.After == s.Name || !c.reaches(i) {
			c.bad(at+".after", gear.CodeUnknown, "after wants another step that leads to a start, got %q", gear.Shown(s.After))
		}
		if s.Offset < 0 || s.Offset > MaxSpan {
			c.bad(at+".offset", gear.CodeRange, "offset wants duration 0s..%s, got %s", MaxSpan, s.Offset)
		}
	case c.p.Repeat == "" || i > 0:
		c.bad(at+".at", gear.CodeRequired, "step %q needs a start: at, or after and offset", gear.Shown(s.Name))
	}
}

// reaches reports whether the chain of after ends at a start.
func (c *checker) reaches(i int) bool {
	for range c.p.Steps {
		s := &c.p.Steps[i]
		if s.After == "" {
			return s.At != "" || c.p.Repeat != "" && i == 0
		}
		if i = slices.IndexFunc(c.p.Steps, func(x Step) bool { return x.Name == s.After }); i < 0 {
			return false
		}
	}
	return false
}

func (c *checker) wall(path, text string, which Overlap) {
	if which != "" && which != Earlier && which != Later {
		c.bad(path, gear.CodeEnum, "overlap wants earlier or later, got %q", gear.Shown(string(which)))
	}
	w, ok := ParseWall(text)
	if !ok {
		c.bad(path, gear.CodeText, "a local time wants the form 2026-11-10 23:56:00, got %q", gear.Shown(text))
		return
	}
	if c.zone == nil {
		return
	}
	if _, code, message := Resolve(w, c.zone, which); code != "" {
		c.bad(path, code, "%s", message)
	}
}

func (c *checker) ends(i int) {
	s, at := &c.p.Steps[i], fmt.Sprintf("steps[%d]", i)
	given := 0
	for _, set := range []bool{s.Until != "", s.UntilAt != "", s.For != 0} {
		if set {
			given++
		}
	}
	if given != 1 {
		c.bad(at+".until", CodeEnd, "step %s needs one end: until a later step, until_at a local time, or for a length", gear.Shown(s.Name))
		return
	}
	switch {
	case s.Until != "":
		if _, ok := c.p.Step(s.Until); !ok || s.Until == s.Name {
			c.bad(at+".until", gear.CodeUnknown, "until wants another step of this plan, got %q", gear.Shown(s.Until))
		}
	case s.UntilAt != "":
		if c.p.Repeat != "" {
			c.bad(at+".until_at", gear.CodeShape, "a step of a repeating plan ends at another step or after a length")
			return
		}
		c.wall(at+".until_at", s.UntilAt, s.UntilOverlap)
	case s.For < time.Second || s.For > MaxSpan:
		c.bad(at+".for", gear.CodeRange, "for wants duration 1s..%s, got %s", MaxSpan, s.For)
	}
}

func (c *checker) set(s *Set, at string) {
	if s.Template != "" && s.Version < 1 {
		c.bad(at+".version", gear.CodeRequired, "a plan pins the template's version: what it means must not change before its hour")
	}
	if s.Template == "" && s.Version != 0 {
		c.bad(at+".template", gear.CodeRequired, "version names a template's; which")
	}
	if s.Level < 0 || s.AvailableRT < 0 || s.Timeout < 0 || s.Target < 0 || s.Budget < 0 {
		c.bad(at, gear.CodeRange, "what a step sets lies above 0")
		return
	}
	in := Instance{Plan: c.p, Step: &Step{Name: "x", Sets: []Set{*s}}, Start: time.Unix(1, 0), End: time.Unix(2, 0)}
	claims := Claims(&in, "")
	if len(claims) == 0 {
		c.bad(at, gear.CodeRequired, "nothing is set: level, strategy, available_rt, timeout, target_rt, budget or template")
	}
	for _, x := range claims {
		x.Reason = ""
		for _, bad := range control.CheckClaim(x, time.Unix(0, 0)) {
			path := at + "." + bad.Path
			switch bad.Path {
			case "duration":
				path = at + "." + string(x.Field)
			case "number":
				path = at + ".budget"
			}
			if len(bad.Path) > 6 && bad.Path[:6] == "scope." {
				path = at + "." + bad.Path[6:]
			}
			if !slices.ContainsFunc(c.out, func(q gear.Problem) bool { return q.Path == path }) {
				c.out.Add(path, bad.Code, bad.Message)
			}
		}
	}
}

// repeat checks the expression, and the days on which its time is no instant.
func (c *checker) repeat(now time.Time) {
	p := c.p
	if parts, err := gronx.Segments(p.Repeat); err != nil || len(parts) < 6 || parts[0] != "0" || !gronx.IsValid(p.Repeat) {
		c.bad("repeat", gear.CodeSyntax, "repeat wants a cron expression of five fields such as 56 23 * * 1-5, got %q", gear.Shown(p.Repeat))
		return
	}
	if p.Gap != "" && p.Gap != GapSkip && p.Gap != GapAfter {
		c.bad("gap", gear.CodeEnum, "gap wants skip or after, got %q", gear.Shown(string(p.Gap)))
	}
	if p.Overlap != "" && p.Overlap != Earlier && p.Overlap != Later {
		c.bad("overlap", gear.CodeEnum, "overlap wants earlier or later, got %q", gear.Shown(string(p.Overlap)))
	}
	if _, ok := nextWall(p.Repeat, WallOf(now, c.zone)); !ok {
		c.bad("repeat", gear.CodeRange, "no day matches %q", gear.Shown(p.Repeat))
		return
	}
	for day := now; day.Before(now.Add(checkAhead)); day = day.Add(24 * time.Hour) {
		_, a := day.In(c.zone).Zone()
		_, b := day.Add(24 * time.Hour).In(c.zone).Zone()
		if a == b {
			continue
		}
		end := WallOf(day, c.zone).Add(27 * time.Hour)
		for w, ok := nextWall(p.Repeat, WallOf(day, c.zone).Add(-3*time.Hour)); ok && w.Before(end); w, ok = nextWall(p.Repeat, w.Add(time.Minute)) {
			switch exact, _ := Instants(w, c.zone); {
			case len(exact) == 0 && p.Gap == "":
				_, _, message := Resolve(w, c.zone, "")
				c.bad("gap", CodeGap, "%s; say gap skip, or gap after", message)
				return
			case len(exact) == 2 && p.Overlap == "":
				_, code, message := Resolve(w, c.zone, "")
				c.bad("overlap", code, "%s", message)
				return
			}
		}
	}
}

// span works the whole plan out once and bounds it.
func (c *checker) span(now time.Time) {
	p := c.p
	var o Occurrence
	var err error
	if p.Repeat == "" {
		o, err = p.occurrence(time.Time{}, c.zone)
	} else {
		wall, _ := nextWall(p.Repeat, WallOf(now, c.zone))
		anchor, ok := p.anchor(wall, c.zone)
		if !ok {
			anchor = now
		}
		o, err = p.occurrence(anchor, c.zone)
		longest := c.shortestCycle(wall)
		if err == nil && o.End().Sub(o.Start()) > min(MaxCycle, longest) {
			c.bad("repeat", gear.CodeRange, "the plan takes %s, and would begin again before it ended", o.End().Sub(o.Start()))
		}
	}
	if err != nil {
		for i := range p.Steps {
			s := &p.Steps[i]
			if s.Do.Terminal() {
				continue
			}
			if field := map[bool]string{true: "until", false: "until_at"}[s.Until != ""]; s.For == 0 {
				if start, end, ok := c.instants(i); ok && !end.After(start) {
					c.bad(fmt.Sprintf("steps[%d].%s", i, field), CodeEnd, "step %s must end after its start", s.Name)
				}
			}
		}
		if len(c.out) == 0 {
			c.bad("steps", gear.CodeShape, "%v", err)
		}
		return
	}
	if o.End().Sub(o.Start()) > MaxSpan {
		c.bad("steps", gear.CodeRange, "a plan spans at most %s, got %s", MaxSpan, o.End().Sub(o.Start()))
	}
}

// shortestCycle looks at the next times a plan repeats.
func (c *checker) shortestCycle(wall time.Time) time.Duration {
	shortest := MaxCycle
	for range 64 {
		next, ok := nextWall(c.p.Repeat, wall.Add(time.Minute))
		if !ok {
			break
		}
		shortest = min(shortest, next.Sub(wall))
		wall = next
	}
	return shortest
}

// instants works out one step's start and end alone.
func (c *checker) instants(i int) (start, end time.Time, ok bool) {
	lone := *c.p
	lone.Steps = slices.Clone(c.p.Steps)
	for k := range lone.Steps {
		lone.Steps[k].Until, lone.Steps[k].UntilAt, lone.Steps[k].For = "", "", time.Second
	}
	anchor := time.Time{}
	if c.p.Repeat != "" {
		anchor = time.Unix(0, 0)
	}
	o, err := lone.occurrence(anchor, c.zone)
	if err != nil {
		return start, end, false
	}
	starts := make([]time.Time, len(lone.Steps))
	for _, in := range o.Steps {
		starts[slices.IndexFunc(lone.Steps, func(x Step) bool { return x.Name == in.Step.Name })] = in.Start
	}
	end, ok = c.p.end(&c.p.Steps[i], starts, i, c.zone)
	return starts[i], end, ok
}
