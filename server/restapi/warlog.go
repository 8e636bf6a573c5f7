package restapi

import (
	"context"
	"net/http"
	"time"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/plan"
)

// warRoutes are what one looks at across plans and after a peak.
func (s *Server) warRoutes(tag string) {
	handle(s, endpoint{
		method: http.MethodGet, path: "/plan-timeline", id: "plan-timeline", tag: tag, verb: auth.Read,
		summary: "List the steps of all plans in a stretch of time", description: "By start, with what became of them: the bars of a Gantt chart. From 12 hours ago for a week by default, at most 31 days.",
	}, s.planTimeline)
	handle(s, endpoint{
		method: http.MethodGet, path: "/plans/{plan}/war-log", id: "plan-war-log", tag: tag, verb: auth.Read,
		summary: "Read a plan's war log", description: "What people and loops did, and what control ordered meanwhile, oldest first. Needs to see every place the plan sets something in. The export in format md is the same to read.",
	}, func(ctx context.Context, c *caller, in *PlanPath) (*plain[api.PlanWarLog], error) {
		p, err := s.planOf(ctx, c, in.Plan, auth.Read)
		if err == nil {
			err = mayPlan(c, auth.Read, p) // it tells of every place
		}
		if err != nil {
			return nil, err
		}
		log, err := s.deps.Plans.WarLog(ctx, p.ID)
		if err != nil {
			return nil, err
		}
		return &plain[api.PlanWarLog]{toWarLog(log)}, nil
	})
}

func (s *Server) planTimeline(ctx context.Context, c *caller, in *struct {
	From time.Time `query:"from" doc:"Start."`
	To   time.Time `query:"to" doc:"End."`
},
) (*plain[api.PlanTimeline], error) {
	bars, more, now, err := s.deps.Plans.Timeline(ctx, in.From, in.To, func(p *plan.Plan) bool { return seesPlan(c, p) })
	if err != nil {
		return nil, err
	}
	out := api.PlanTimeline{From: in.From, To: in.To, Now: now, More: more, Items: []api.PlanTimelineItem{}}
	if out.From.IsZero() {
		out.From = now.Add(-12 * time.Hour)
	}
	if out.To.IsZero() {
		out.To = out.From.Add(7 * 24 * time.Hour)
	}
	for i := range bars {
		b := &bars[i]
		out.Items = append(out.Items, api.PlanTimelineItem{
			Plan: b.Plan.Name, State: string(b.Plan.State), PlanStep: toPlanStep(&b.StepView), Conflicts: mapped(b.Conflicts, toPlanConflict),
		})
	}
	return &plain[api.PlanTimeline]{out}, nil
}

func toWarLog(l *plan.Log) api.PlanWarLog {
	p := l.Plan
	out := api.PlanWarLog{
		Plan: p.Name, Purpose: p.Purpose, Zone: p.Zone, State: string(p.State), Owner: p.Owner, Executor: p.Executor, ApprovedBy: p.ApprovedBy, Glass: p.Glass,
		Steps: []api.PlanWarStep{}, Lines: []api.PlanWarLine{}, Truncated: l.Truncated,
	}
	for i := range l.Runs {
		r := &l.Runs[i]
		x := api.PlanWarStep{Occurrence: r.Occurrence, Step: r.Step, PlanRun: toPlanRun(r)}
		if !r.FiredAt.IsZero() {
			late := r.FiredAt.Sub(r.Start).Milliseconds()
			x.LateMS = &late
		}
		out.Steps = append(out.Steps, x)
	}
	for _, x := range l.Lines {
		source := "audit"
		if x.Revision > 0 {
			source = "journal"
		}
		out.Lines = append(out.Lines, api.PlanWarLine{At: x.At, Source: source, Who: x.Who, What: x.What, App: x.App, IDC: x.IDC, Revision: x.Revision})
	}
	return out
}
