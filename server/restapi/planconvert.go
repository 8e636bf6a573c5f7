package restapi

import (
	"context"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/plan"
	"github.com/allspark/allspark/server/planner"
	"github.com/allspark/allspark/server/template"
)

// lackingShown bounds the agents that one answer names.
const lackingShown = 200

func (s *Server) toPlan(ctx context.Context, p *plan.Plan, now time.Time) api.Plan {
	document, err := plan.Write(s.deps.Plans.Named(ctx, p), template.JSON)
	if err != nil {
		document = []byte("{}")
	}
	out := api.Plan{
		ID: p.ID, Name: p.Name, State: string(p.State), Epoch: p.Epoch, Zone: p.Zone, Owner: p.Owner, Executor: p.Executor, Approver: p.Approver,
		Purpose: p.Purpose, Repeat: p.Repeat, Document: document, CreatedBy: p.CreatedBy, CreatedAt: p.CreatedAt, UpdatedBy: p.UpdatedBy, UpdatedAt: p.UpdatedAt,
		ApprovedBy: p.ApprovedBy, ApprovedAt: when(p.ApprovedAt), Glass: p.Glass, Version: p.Version,
	}
	if next, ok := plan.Next([]*plan.Plan{p}, now); ok {
		x := toPlanStep(&planner.StepView{Instance: next})
		out.Next = &x
	}
	return out
}

func toPlanStep(v *planner.StepView) api.PlanStep {
	out := api.PlanStep{Occurrence: v.Occurrence, Name: v.Step.Name, Do: string(v.Step.Do), Sets: v.Step.Texts(), Start: v.Start, End: when(v.End)}
	if out.Sets == nil {
		out.Sets = []string{}
	}
	if r := v.Run; r != nil {
		run := toPlanRun(r)
		out.Run = &run
	}
	for _, a := range v.Acks {
		out.Acks = append(out.Acks, api.PlanAck(a))
	}
	return out
}

func toPlanRun(r *plan.Run) api.PlanRun {
	return api.PlanRun{State: string(r.State), Epoch: r.Epoch, Start: r.Start, End: when(r.End), FiredAt: when(r.FiredAt), Staged: r.Staged, Reason: r.Reason}
}

func toPlanConflict(x plan.Conflict) api.PlanConflict {
	return api.PlanConflict{
		Step: x.Step, Field: string(x.Field), From: x.From, To: x.To, With: x.With, Outcome: x.Outcome,
		Scope: api.Scope{Scene: x.Scope.Scene, IDC: x.Scope.IDC, App: x.Scope.App, Point: x.Scope.Point, Bucket: x.Scope.Bucket},
	}
}

func (s *Server) toPlanDetail(ctx context.Context, d *planner.Detail) api.PlanDetail {
	out := api.PlanDetail{
		Plan: s.toPlan(ctx, d.Plan, d.Now), Now: d.Now, Steps: []api.PlanStep{}, Conflicts: mapped(d.Conflicts, toPlanConflict),
		Readiness: mapped(d.Ready, func(r plan.Ready) api.PlanCheck { return api.PlanCheck(r) }),
		Restore:   mapped(d.Restore, func(r planner.Restore) api.PlanRestore { return api.PlanRestore(r) }),
		Staging:   api.PlanStaging{Expected: d.Staging.Expected, Held: d.Staging.Held, Lacking: []api.PlanLacking{}, Places: mapped(d.Staging.Places, func(a planner.AckView) api.PlanAck { return api.PlanAck(a) })},
	}
	for i := range d.Steps {
		out.Steps = append(out.Steps, toPlanStep(&d.Steps[i]))
	}
	for _, x := range d.Staging.Lacking[:min(len(d.Staging.Lacking), lackingShown)] {
		l := api.PlanLacking{App: x.App, IDC: x.IDC, Instance: x.Instance, Why: string(x.Why)}
		for _, p := range x.Problems {
			l.Problems = append(l.Problems, api.ProblemError{Path: p.Path, Code: p.Code, Message: p.Message})
		}
		out.Staging.Lacking = append(out.Staging.Lacking, l)
	}
	return out
}

func toPreview(v *planner.Preview) api.PlanPreview {
	out := api.PlanPreview{At: v.At, App: v.App, IDC: v.IDC, Steps: v.Steps, Agents: v.Agents, Hash: v.Set.Hash, Orders: []api.Order{}, Changes: []api.PlanChange{}}
	for i := range v.Set.Orders {
		out.Orders = append(out.Orders, toOrder(v.Set.Orders[i], v.Tables))
	}
	order := func(o *gear.Order) *api.Order {
		if o == nil {
			return nil
		}
		x := toOrder(*o, v.Tables)
		return &x
	}
	for _, c := range v.Changes {
		out.Changes = append(out.Changes, api.PlanChange{Scene: c.Scene, Point: c.Point, Bucket: c.Bucket, Before: order(c.Before), After: order(c.After)})
	}
	return out
}
