package restapi

import (
	"context"
	"math"
	"net/http"
	"time"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/planner"
)

type RehearsalPath struct {
	PlanPath
	Rehearsal string `path:"rehearsal" maxLength:"36" doc:"Rehearsal id."`
}

func (s *Server) rehearsalRoutes() {
	const tag = "Rehearsals"
	handle(s, endpoint{
		method: http.MethodPost, path: "/plans/{plan}/rehearsals", id: "rehearse-plan", tag: tag, verb: auth.Set, status: http.StatusCreated,
		summary: "Rehearse a plan", description: "Play it on the engine model, under the rules that run live, on a recorded or a generated day, with it and without it. The answer comes at once and says that it runs; a replica plays one at a time. The newest 20 are kept.",
	}, s.rehearse)
	handle(s, endpoint{
		method: http.MethodGet, path: "/plans/{plan}/rehearsals", id: "list-rehearsals", tag: tag, verb: auth.Read,
		summary: "List a plan's rehearsals", description: "The newest first, without their series.",
	}, func(ctx context.Context, c *caller, in *PlanPath) (*plain[api.Page[api.Rehearsal]], error) {
		p, err := s.planOf(ctx, c, in.Plan, auth.Read)
		if err != nil {
			return nil, err
		}
		rs, err := s.deps.Plans.Rehearsals(ctx, p.ID)
		return &plain[api.Page[api.Rehearsal]]{api.Page[api.Rehearsal]{Items: mapped(rs, func(r planner.Rehearsal) api.Rehearsal { return toRehearsal(&r, p.Epoch) })}}, err
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/plans/{plan}/rehearsals/{rehearsal}", id: "get-rehearsal", tag: tag, verb: auth.Read,
		summary: "Get a rehearsal", description: "With its time series: RT, CPU, QPS, value, losses and levels, with the plan and without it.",
	}, func(ctx context.Context, c *caller, in *RehearsalPath) (*plain[api.RehearsalDetail], error) {
		p, err := s.planOf(ctx, c, in.Plan, auth.Read)
		if err != nil {
			return nil, err
		}
		r, err := s.deps.Plans.Rehearsal(ctx, p.ID, in.Rehearsal)
		if err != nil {
			return nil, err
		}
		return &plain[api.RehearsalDetail]{toRehearsalDetail(r, p.Epoch)}, nil
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/plans/{plan}/rehearsals/{rehearsal}/comparison", id: "compare-rehearsal", tag: tag, verb: auth.Read,
		summary: "Compare a rehearsal with what happened", description: "Minute by minute against history, once a step of the occurrence has fired. Needs to see every place the plan sets something in.",
		errors: []int{http.StatusConflict},
	}, func(ctx context.Context, c *caller, in *RehearsalPath) (*plain[api.RehearsalComparison], error) {
		p, err := s.planOf(ctx, c, in.Plan, auth.Read)
		if err == nil {
			err = mayPlan(c, auth.Read, p) // it tells of every place
		}
		if err != nil {
			return nil, err
		}
		x, err := s.deps.Plans.Compare(ctx, p.ID, in.Rehearsal)
		if err != nil {
			return nil, err
		}
		return &plain[api.RehearsalComparison]{toComparison(in.Rehearsal, x)}, nil
	})
}

func (s *Server) rehearse(ctx context.Context, c *caller, in *struct {
	PlanPath
	Idempotent
	Body api.RehearsalInput
},
) (*plain[api.Rehearsal], error) {
	p, err := s.planOf(ctx, c, in.Plan, auth.Set)
	if err != nil {
		return nil, err
	}
	id, done, err := s.once(ctx, c, in.IdempotencyKey, "rehearsal")
	if err != nil {
		return nil, err
	}
	var r *planner.Rehearsal
	if done {
		r, err = s.deps.Plans.Rehearsal(ctx, p.ID, id)
	} else {
		b := &in.Body
		day := planner.Day{Kind: planner.DayKind(b.Day), Peak: b.Peak, PeakAt: b.PeakAt, Seed: b.Seed}
		r, err = s.deps.Plans.Rehearse(ctx, p.ID, b.Occurrence, day, c.change(b.Reason, in.IdempotencyKey))
	}
	if err != nil {
		return nil, err
	}
	return &plain[api.Rehearsal]{toRehearsal(r, p.Epoch)}, nil
}

func toRehearsal(r *planner.Rehearsal, epoch int64) api.Rehearsal {
	out := api.Rehearsal{
		ID: r.ID, Plan: r.PlanName, Epoch: r.Epoch, State: string(r.State), Problem: r.Problem, Occurrence: r.Occurrence,
		Day: string(r.Day.Kind), Peak: r.Day.Peak, PeakAt: r.Day.PeakAt, Seed: r.Day.Seed, Machines: r.Machines, From: r.From, To: r.To,
		StepMS: r.Step.Milliseconds(), CreatedBy: r.CreatedBy, CreatedAt: r.CreatedAt, Reason: r.Reason, TookMS: r.Took.Milliseconds(),
		Marks:     mapped(r.Marks, func(m planner.Mark) api.RehearsalMark { return api.RehearsalMark(m) }),
		NotPlayed: mapped(r.NotPlayed, func(s string) string { return s }), PlanChanged: r.Epoch != epoch,
	}
	if r.State == planner.Rehearsed {
		with, without := toTotals(r.With), toTotals(r.Without)
		out.With, out.Without = &with, &without
	}
	return out
}

func toTotals(t planner.Totals) api.RehearsalTotals {
	return api.RehearsalTotals{
		Requests: t.Requests, Value: t.Value, TimeoutRate: t.Lost, RTMeanMS: t.RTMeanMS, RTP99MS: t.RTP99MS,
		CPU: t.CPU, CPUMax: t.CPUMax, HeavyMinutes: t.HeavyMinutes,
	}
}

func toRehearsalDetail(r *planner.Rehearsal, epoch int64) api.RehearsalDetail {
	out := api.RehearsalDetail{Rehearsal: toRehearsal(r, epoch), At: []time.Time{}, Load: []float64{}, Points: []api.RehearsalPoint{}}
	p := r.Played
	if p == nil {
		return out
	}
	for i := range p.Load {
		out.At = append(out.At, r.From.Add(time.Duration(i+1)*r.Step))
	}
	out.Load = p.Load
	curve := func(c *planner.Course) *api.RehearsalCurve {
		return &api.RehearsalCurve{QPS: c.QPS, RTMS: c.RTMS, RTP99MS: c.P99MS, CPU: c.CPU, Value: c.Value, TimeoutRate: c.Lost, Work: c.Work}
	}
	out.Curve, out.Control = curve(&p.With), curve(&p.Without)
	for i := range p.With.Points {
		w, o := &p.With.Points[i], &p.Without.Points[i]
		out.Points = append(out.Points, api.RehearsalPoint{App: w.App, Point: w.Point, RTMS: w.RTMS, Level: w.Level, ControlRTMS: o.RTMS, ControlLevel: o.Level})
	}
	return out
}

func toComparison(id string, x *planner.Comparison) api.RehearsalComparison {
	out := api.RehearsalComparison{
		ID: id, From: x.From, To: x.To, Ran: x.Ran, Coverage: x.Coverage,
		At: mapped(x.At, func(t time.Time) time.Time { return t }), Lines: []api.RehearsalLine{},
	}
	for i := range x.Lines {
		l := &x.Lines[i]
		out.Lines = append(out.Lines, api.RehearsalLine{
			Metric: string(l.Metric), App: l.App, Point: l.Point, Predicted: mapped(l.Predicted, known), Actual: mapped(l.Actual, known),
			MeanPredicted: known(l.MeanPredicted), MeanActual: known(l.MeanActual), Error: known(l.Error),
		})
	}
	return out
}

// known is nil for what is not: JSON has no NaN.
func known(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
