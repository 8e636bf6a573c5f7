package planner

import (
	"context"
	"fmt"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/plan"
)

// find gives a step of an occurrence: of the named one, or the nearest that has
// not ended.
func (s *Service) find(ctx context.Context, id, occurrence, step string) (*plan.Instance, *plan.Run, time.Time, error) {
	p, now, err := s.standing(ctx, id, 0)
	if err != nil {
		return nil, nil, now, err
	}
	os, err := p.Occurrences(now.Add(-plan.MaxSpan), now.Add(366*24*time.Hour))
	if err != nil {
		return nil, nil, now, err
	}
	runs, err := s.cfg.Store.ListRuns(ctx, p.ID, now.Add(-lookBack-plan.MaxSpan))
	if err != nil {
		return nil, nil, now, err
	}
	for i := range os {
		if occurrence != "" && os[i].Name != occurrence || occurrence == "" && !now.Before(os[i].End()) && i+1 < len(os) {
			continue
		}
		for k := range os[i].Steps {
			in := &os[i].Steps[k]
			if in.Step.Name != step {
				continue
			}
			for r := range runs {
				if runs[r].Key == in.Key {
					return in, &runs[r], now, nil
				}
			}
			return in, nil, now, nil
		}
		break
	}
	return nil, nil, now, fault.New(fault.NotFound, "plan %s has no step %q in occurrence %q", p.Name, gear.Shown(step), gear.Shown(occurrence))
}

// Skip lets a step out of one occurrence.
func (s *Service) Skip(ctx context.Context, id, occurrence, step string, c audit.Change) error {
	in, run, _, err := s.find(ctx, id, occurrence, step)
	if err != nil {
		return err
	}
	defer s.cfg.Nudge()
	c.Verb = "skip"
	if run != nil {
		return s.cfg.Store.EndRun(ctx, in.Key, plan.Skipped, c.Reason, c)
	}
	return s.cfg.Store.RecordRun(ctx, &plan.Run{Key: in.Key, Epoch: in.Plan.Epoch, State: plan.Skipped, Start: in.Start, End: in.End, Reason: c.Reason}, nil, c)
}

// RunNow fires a step of one occurrence at once instead of at its start. A
// terminal step ends now what it would end.
func (s *Service) RunNow(ctx context.Context, id, occurrence, step string, c audit.Change) error {
	in, run, now, err := s.find(ctx, id, occurrence, step)
	if err != nil {
		return err
	}
	defer s.cfg.Nudge()
	c.Verb = "run"
	if run != nil && run.State != plan.Armed {
		return fault.New(fault.Conflict, "step %s of %s is %s", step, in.Occurrence, run.State)
	}
	if in.Step.Do.Terminal() {
		return s.endBefore(ctx, in, run, now, c)
	}
	if run != nil {
		return fault.New(fault.Conflict, "step %s starts within %s by itself", step, plan.Ahead)
	}
	if !now.Before(in.End) {
		return fault.New(fault.Conflict, "its end %s has passed", in.End.Format(time.RFC3339))
	}
	early := *in
	early.Start = now
	r, err := Arm(ctx, s.cfg.Store, &early, false, c)
	if err != nil {
		return err
	}
	c.Verb, c.IdempotencyKey = "fire", ""
	return s.cfg.Store.FireRun(ctx, in.Key, r.Epoch, "run by "+c.Actor, c)
}

func (s *Service) endBefore(ctx context.Context, in *plan.Instance, run *plan.Run, now time.Time, c audit.Change) error {
	runs, err := s.cfg.Store.ListRuns(ctx, in.Plan.ID, now)
	if err != nil {
		return err
	}
	for i := range runs {
		r := &runs[i]
		if x, ok := in.Plan.Step(r.Step); ok && r.Occurrence == in.Occurrence && x.Until == in.Step.Name && r.State == plan.Fired {
			end := c
			end.Verb, end.IdempotencyKey = "end", ""
			if err := s.cfg.Store.EndRun(ctx, r.Key, plan.Ended, in.Step.Name+" was run by "+c.Actor, end); err != nil {
				return err
			}
		}
	}
	if run == nil {
		c.Verb = "fire"
		return s.cfg.Store.RecordRun(ctx, &plan.Run{Key: in.Key, Epoch: in.Plan.Epoch, State: plan.Fired, Start: now, FiredAt: now, Reason: "run by " + c.Actor}, nil, c)
	}
	c.Verb = "fire"
	return s.cfg.Store.FireRun(ctx, in.Key, run.Epoch, "run by "+c.Actor, c)
}

// Extend moves the end of a step in force.
func (s *Service) Extend(ctx context.Context, id, occurrence, step string, end time.Time, c audit.Change) error {
	in, run, now, err := s.find(ctx, id, occurrence, step)
	if err != nil {
		return err
	}
	if run == nil || run.State != plan.Fired {
		return fault.New(fault.Conflict, "step %s is not in force", step)
	}
	if !end.After(now) || end.Sub(run.Start) > plan.MaxSpan {
		return fault.WithProblems(gear.Problems{{Path: "end", Code: gear.CodeRange, Message: fmt.Sprintf("the end must lie ahead, at most %s after the start", plan.MaxSpan)}}, "the step cannot end then")
	}
	defer s.cfg.Nudge()
	return s.cfg.Store.ExtendRun(ctx, in.Key, end.UTC(), c)
}
