package planner

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/plan"
)

// Rehearse plays the next occurrence of a plan, or the named one, and gives the
// record at once; the playing goes on beside and fills it in. A replica plays one
// at a time: it takes a core for seconds.
func (s *Service) Rehearse(ctx context.Context, id, occurrence string, day Day, c audit.Change) (*Rehearsal, error) {
	if s.cfg.Rehearser == nil {
		return nil, fault.New(fault.Unavailable, "this controller rehearses nothing")
	}
	p, now, err := s.standing(ctx, id, 0)
	if err != nil {
		return nil, err
	}
	o, err := s.occurrence(p, occurrence, now)
	if err != nil {
		return nil, err
	}
	r := &Rehearsal{PlanID: p.ID, PlanName: p.Name, Epoch: p.Epoch, State: Rehearsing, Occurrence: o.Name, Day: day, Reason: c.Reason}
	if err := stretch(r, p, o); err != nil {
		return nil, err
	}
	select {
	case s.playing <- struct{}{}:
	default:
		return nil, fault.New(fault.RateLimited, "a rehearsal is running on this replica: wait for it")
	}
	script, err := s.script(ctx, p, o, r, now)
	if err == nil {
		c.Verb = "rehearse"
		err = s.cfg.Store.CreateRehearsal(ctx, r, keepRehearsals, c)
	}
	if err != nil {
		<-s.playing
		return nil, err
	}
	started := *r
	s.cfg.Go(func(ctx context.Context) {
		defer func() { <-s.playing }()
		s.play(ctx, r, script)
	})
	return &started, nil
}

// play runs the script and stores what came of it.
func (s *Service) play(ctx context.Context, r *Rehearsal, script *Script) {
	began := time.Now()
	played, err := s.cfg.Rehearser.Rehearse(ctx, script)
	r.Took = time.Since(began)
	if err != nil {
		r.State, r.Problem = Failed, err.Error()
	} else {
		r.State, r.Played, r.With, r.Without = Rehearsed, played, played.With.Totals, played.Without.Totals
		r.NotPlayed = append(r.NotPlayed, played.NotPlayed...)
	}
	// Not under ctx: that the controller is going down is worth telling.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := s.cfg.Store.FinishRehearsal(ctx, r); err != nil {
		s.cfg.Log.Error("what a rehearsal came to is lost", "plan", r.PlanName, "rehearsal", r.ID, "error", err)
	}
}

// occurrence finds one by name, or the next that has not ended.
func (s *Service) occurrence(p *plan.Plan, name string, now time.Time) (*plan.Occurrence, error) {
	from, to := now.Add(-plan.MaxSpan), now.Add(366*24*time.Hour)
	if p.Repeat == "" {
		from, to = time.Time{}, now.Add(100*366*24*time.Hour)
	}
	os, err := p.Occurrences(from, to)
	if err != nil {
		return nil, err
	}
	for i := range os {
		if name == os[i].Name || name == "" && (now.Before(os[i].End()) || p.Repeat == "") {
			return &os[i], nil
		}
	}
	return nil, fault.New(fault.NotFound, "plan %s has no occurrence %q", p.Name, gear.Shown(name))
}

// stretch decides what is played: from shortly before the first step to a while
// after the last end and the peak.
func stretch(r *Rehearsal, p *plan.Plan, o *plan.Occurrence) error {
	var ps gear.Problems
	d := &r.Day
	if d.Kind == "" {
		d.Kind = DayConversation
	}
	if d.Kind != DayConversation && d.Kind != DayCode && d.Kind != DayGenerated {
		ps.Add("day", gear.CodeEnum, "day wants conversation, code or generated")
	}
	if !(d.Peak >= minPeak && d.Peak <= maxPeak) {
		ps.Add("peak", gear.CodeRange, fmt.Sprintf("peak wants %g to %g times the ordinary load", minPeak, maxPeak))
	}
	d.Seed = max(d.Seed, 1)
	start, end := o.Start(), o.Start()
	for i := range o.Steps {
		if e := o.Steps[i].End; e.After(end) {
			end = e
		}
	}
	if d.PeakAt.IsZero() {
		d.PeakAt = nextHour(start, p.Zone)
	}
	d.PeakAt = d.PeakAt.UTC()
	r.From = start.Add(-before)
	r.To = end.Add(after)
	if to := d.PeakAt.Add(after); to.After(r.To) {
		r.To = to
	}
	if most := r.From.Add(maxRehearsed); r.To.After(most) {
		r.To = most
	}
	if d.PeakAt.Before(r.From) || d.PeakAt.After(r.To) {
		ps.Add("peak_at", gear.CodeRange, fmt.Sprintf("the peak must come between %s and %s", r.From.Format(time.RFC3339), r.To.Format(time.RFC3339)))
	}
	if len(ps) > 0 {
		return fault.WithProblems(ps, "the day is not valid")
	}
	for r.Step = 5 * time.Second; r.To.Sub(r.From) > maxSamples*r.Step; {
		r.Step += 5 * time.Second
	}
	r.To = r.From.Add(r.To.Sub(r.From) / r.Step * r.Step)
	for i := range o.Steps {
		in := &o.Steps[i]
		r.Marks = append(r.Marks, Mark{in.Start, in.Step.Name, false})
		if !in.End.IsZero() {
			r.Marks = append(r.Marks, Mark{in.End, in.Step.Name, true})
		}
	}
	r.Marks = slices.DeleteFunc(r.Marks, func(m Mark) bool { return m.At.After(r.To) })
	slices.SortStableFunc(r.Marks, func(a, b Mark) int { return a.At.Compare(b.At) })
	return nil
}

// nextHour is the first full hour of the zone's clock at or after an instant.
func nextHour(t time.Time, zone string) time.Time {
	z, err := time.LoadLocation(zone)
	if err != nil {
		z = time.UTC
	}
	_, offset := t.In(z).Zone()
	shift := time.Duration(offset) * time.Second
	wall := t.UTC().Add(shift)
	if h := wall.Truncate(time.Hour); h.Before(wall) {
		wall = h.Add(time.Hour)
	}
	return wall.Add(-shift)
}

// script works out what control would order through the stretch, by the rule and
// from the places of the real push, with the plan's claims and without them.
func (s *Service) script(ctx context.Context, p *plan.Plan, o *plan.Occurrence, r *Rehearsal, now time.Time) (*Script, error) {
	var claims []*control.Claim
	instants := []time.Time{r.From}
	for i := range o.Steps {
		in := &o.Steps[i]
		if in.Step.Do.Terminal() {
			continue
		}
		claims = append(claims, plan.Claims(in, actor)...)
		for _, t := range []time.Time{in.Start, in.End} {
			if t.After(r.From) && t.Before(r.To) {
				instants = append(instants, t)
			}
		}
	}
	slices.SortFunc(instants, time.Time.Compare)
	instants = slices.CompactFunc(instants, time.Time.Equal)
	// What is stored of this plan is left out of both: the claims above say better
	// what it does, and an older epoch of it is no longer meant.
	mine := func(c *control.Claim) bool {
		return c.Source == control.SourcePlan && slices.ContainsFunc(p.Steps, func(x plan.Step) bool { return c.Origin == plan.Origin(p, x.Name) })
	}
	script := &Script{Day: r.Day, From: r.From, To: r.To, Step: r.Step}
	for _, x := range []struct {
		into *[]Turn
		more []*control.Claim
	}{{&script.With, claims}, {&script.Without, nil}} {
		for _, at := range instants {
			ds, err := s.cfg.Foreseer.At(ctx, at, x.more, mine)
			if err != nil {
				return nil, err
			}
			t := Turn{At: at}
			for i := range ds {
				t.Sets = append(t.Sets, Ordered{ds[i].Set, ds[i].Tables})
			}
			*x.into = append(*x.into, t)
		}
	}
	places, _ := s.places(p, now)
	r.Machines = 1
	for _, as := range places {
		r.Machines = max(r.Machines, min(len(as), maxModelled))
	}
	script.Machines = r.Machines
	r.NotPlayed = unplayed(p, script.Without[0].Sets)
	return script, nil
}

// unplayed names what a plan sets that no order set carries.
func unplayed(p *plan.Plan, sets []Ordered) []string {
	var out []string
	for i := range p.Steps {
		for k := range p.Steps[i].Sets {
			x := &p.Steps[i].Sets[k]
			if x.Target > 0 {
				out = append(out, fmt.Sprintf("step %s: the target RT of %s works through its allocation table", p.Steps[i].Name, x.Scope.Scene))
			}
			if x.Budget > 0 {
				out = append(out, fmt.Sprintf("step %s: the budget of %s", p.Steps[i].Name, x.Scope))
			}
			found := slices.ContainsFunc(sets, func(s Ordered) bool {
				return slices.ContainsFunc(s.Set.Orders, func(o gear.Order) bool {
					return plan.Overlapping(x.Scope, control.Scope{Scene: o.Scene, IDC: s.Set.IDC, App: s.Set.App, Point: o.Point, Bucket: o.Bucket})
				})
			})
			if !found {
				out = append(out, fmt.Sprintf("step %s: no agent declares a bound point in %s", p.Steps[i].Name, x.Scope))
			}
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(out)))
}

// Rehearsals lists those of a plan, the newest first, without their series.
func (s *Service) Rehearsals(ctx context.Context, id string) ([]Rehearsal, error) {
	p, now, err := s.standing(ctx, id, 0)
	if err != nil {
		return nil, err
	}
	rs, err := s.cfg.Store.ListRehearsals(ctx, p.ID)
	for i := range rs {
		rs[i].age(now)
	}
	return rs, err
}

// Rehearsal gives one with its series.
func (s *Service) Rehearsal(ctx context.Context, id, rehearsal string) (*Rehearsal, error) {
	p, now, err := s.standing(ctx, id, 0)
	if err != nil {
		return nil, err
	}
	r, err := s.cfg.Store.GetRehearsal(ctx, rehearsal)
	if err == nil && r.PlanID != p.ID {
		err = fault.New(fault.NotFound, "plan %s has no such rehearsal", p.Name)
	}
	if err != nil {
		return nil, err
	}
	r.age(now)
	return r, nil
}

// age tells of a rehearsal whose replica went away.
func (r *Rehearsal) age(now time.Time) {
	if r.State == Rehearsing && now.Sub(r.CreatedAt) > deadAfter {
		r.State, r.Problem = Failed, "the controller that played it went away"
	}
}
