package planner

import (
	"context"
	"slices"
	"time"

	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/plan"
)

// maxBars bounds a timeline to about what a chart can show.
const maxBars = 1000

// Bar is a step of a plan on the time axis, and what it meets there.
type Bar struct {
	Plan *plan.Plan
	StepView
	Conflicts []plan.Conflict
}

// Timeline gives the steps of the plans that the caller sees and that touch
// [from, to), by start: what a Gantt chart shows. A plan that is seen may meet one
// that is not. More tells that there were others.
func (s *Service) Timeline(ctx context.Context, from, to time.Time, sees func(*plan.Plan) bool) (bars []Bar, more bool, now time.Time, err error) {
	if now, err = s.Now(ctx); err != nil {
		return nil, false, now, err
	}
	if from.IsZero() {
		from = now.Add(-12 * time.Hour)
	}
	if to.IsZero() {
		to = from.Add(7 * 24 * time.Hour)
	}
	if !from.Before(to) || to.Sub(from) > plan.MaxSpan {
		return nil, false, now, fault.New(fault.Invalid, "a timeline is of at most %s, from before to", plan.MaxSpan)
	}
	plans, err := s.cfg.Store.ListPlans(ctx)
	if err != nil {
		return nil, false, now, err
	}
	list, err := s.cfg.Store.ListRuns(ctx, "", from.Add(-plan.MaxSpan))
	if err != nil {
		return nil, false, now, err
	}
	runs := map[plan.Key]*plan.Run{}
	for i := range list {
		runs[list[i].Key] = &list[i]
	}
	claims, err := s.cfg.Control.ClaimsAt(ctx, now)
	if err != nil {
		return nil, false, now, err
	}
	var seen, live []plan.Occurrence
	for _, p := range plans {
		os, err := p.Occurrences(from, to)
		if err != nil {
			return nil, false, now, err
		}
		if len(os) > maxBars { // one that comes every few minutes
			os, more = os[:maxBars], true
		}
		if sees(p) {
			seen = append(seen, os...)
		}
		if p.State != plan.Stopped && p.State != plan.Done {
			live = append(live, os...)
		}
	}
	slices.SortStableFunc(seen, func(a, b plan.Occurrence) int { return a.Start().Compare(b.Start()) })
	bars = []Bar{}
	for i := range seen {
		o := &seen[i]
		if len(bars) >= maxBars {
			more = true
			break
		}
		p := o.Steps[0].Plan
		var meets []plan.Conflict
		if p.State != plan.Stopped && p.State != plan.Done && now.Before(o.End()) {
			meets = plan.Conflicts(o, near(live, o), claims)
		}
		for _, in := range o.Steps {
			b := Bar{Plan: p, StepView: StepView{Instance: in, Run: runs[in.Key]}}
			for _, c := range meets {
				if c.Step == in.Step.Name {
					b.Conflicts = append(b.Conflicts, c)
				}
			}
			bars = append(bars, b)
		}
	}
	slices.SortStableFunc(bars, func(a, b Bar) int { return a.Start.Compare(b.Start) })
	return bars, more, now, nil
}

// near leaves those occurrences that an occurrence can meet at all.
func near(all []plan.Occurrence, o *plan.Occurrence) []plan.Occurrence {
	var out []plan.Occurrence
	for i := range all {
		if all[i].Start().Before(o.End()) && o.Start().Before(all[i].End()) {
			out = append(out, all[i])
		}
	}
	return out
}
