package restapi

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/quota"
	"github.com/allspark/allspark/server/template"
)

type QuotaPath struct {
	Group string `path:"group" maxLength:"63" doc:"Quota group, by name or id."`
}

func (s *Server) quotaRoutes() {
	const tag = "Quota"
	handle(s, endpoint{
		method: http.MethodGet, path: "/quota-groups", id: "list-quota-groups", tag: tag, verb: auth.Read,
		summary: "List quota groups", description: "Those with a member the caller may see, by name, and how they stand.",
	}, func(ctx context.Context, c *caller, in *Paged) (*plain[api.Page[api.QuotaState]], error) {
		all, err := s.deps.QuotaStore.ListGroups(ctx)
		if err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(all, func(g *quota.Group) bool { return !seesGroup(c, g) })
		slices.SortFunc(all, func(a, b *quota.Group) int { return cmp.Compare(a.Name, b.Name) })
		return pageOf(all, *in, func(g *quota.Group) string { return g.Name }, s.quotaState)
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/quota-groups", id: "create-quota-group", tag: tag, verb: auth.Bind, status: http.StatusCreated,
		summary: "Create a quota group", description: "Needs the verb on every member. A place belongs to one group at most.",
	}, s.createQuota)
	handle(s, endpoint{
		method: http.MethodGet, path: "/quota-groups/{group}", id: "get-quota-group", tag: tag, verb: auth.Read,
		summary: "Get a quota group", description: "With how it stands: budget, window sum, base quota and the terms of its last step.",
	}, func(ctx context.Context, c *caller, in *QuotaPath) (*tagged[api.QuotaState], error) {
		g, err := s.quotaGroup(ctx, c, in.Group)
		if err != nil {
			return nil, err
		}
		return &tagged[api.QuotaState]{etag(g.Version), s.quotaState(g)}, nil
	})
	handle(s, endpoint{
		method: http.MethodPut, path: "/quota-groups/{group}", id: "update-quota-group", tag: tag, verb: auth.Bind,
		summary: "Replace a quota group", description: "In force with the next tick; the base quota goes on from where it is.", errors: []int{http.StatusPreconditionRequired},
	}, s.updateQuota)
	handle(s, endpoint{
		method: http.MethodDelete, path: "/quota-groups/{group}", id: "delete-quota-group", tag: tag, verb: auth.Bind, status: http.StatusNoContent,
		summary: "Delete a quota group", description: "Its agents fall back to default_quota. Its history goes with it.",
		errors: []int{http.StatusPreconditionRequired},
	}, func(ctx context.Context, c *caller, in *struct {
		QuotaPath
		Conditional
		Reasoned
	},
	) (*struct{}, error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		g, err := s.quotaGroup(ctx, c, in.Group)
		if err == nil {
			err = mayGroup(c, auth.Bind, g.Members)
		}
		if err != nil {
			return nil, err
		}
		return nil, s.deps.Quota.Delete(ctx, g.ID, version, c.change(in.Reason, ""))
	})
	s.quotaLooks(tag)
}

// quotaLooks are the routes that change nothing.
func (s *Server) quotaLooks(tag string) {
	handle(s, endpoint{
		method: http.MethodGet, path: "/quota-groups/{group}/history", id: "quota-history", tag: tag, verb: auth.Read,
		summary: "Get a group's history", description: "Seconds of the last ten minutes from the replica that decides; minutes from the database.",
	}, func(ctx context.Context, c *caller, in *struct {
		QuotaPath
		Step string    `query:"step" enum:"second,minute" default:"second" doc:"Of the points."`
		From time.Time `query:"from" doc:"Minutes from then on; an hour ago by default."`
		To   time.Time `query:"to" doc:"Minutes before then; now by default."`
	},
	) (*plain[api.QuotaHistory], error) {
		g, err := s.quotaGroup(ctx, c, in.Group)
		if err != nil {
			return nil, err
		}
		out := api.QuotaHistory{Step: in.Step, Items: []api.QuotaPoint{}}
		if in.Step == "second" {
			out.Items = mapped(s.deps.QuotaLoop.Recent(g.ID), toQuotaSecond)
			return &plain[api.QuotaHistory]{out}, nil
		}
		if in.To.IsZero() {
			in.To = time.Now()
		}
		if in.From.IsZero() {
			in.From = in.To.Add(-time.Hour)
		}
		if d := in.To.Sub(in.From); d <= 0 || d > 7*24*time.Hour {
			return nil, fault.WithProblems(problem("query.from", "range", "from and to want a span of at most 7 days, got %s", d), "the span is not valid")
		}
		ms, err := s.deps.QuotaStore.QuotaMinutes(ctx, g.ID, in.From, in.To)
		if err != nil {
			return nil, err
		}
		out.Items = mapped(ms, toQuotaMinute)
		return &plain[api.QuotaHistory]{out}, nil
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/quota-groups/{group}/calibration", id: "calibrate-quota", tag: tag, verb: auth.Read,
		summary: "Suggest a budget", description: "Fits CPU to consumed quota over the last day and reads the budget off at the watermark.",
	}, func(ctx context.Context, c *caller, in *QuotaPath) (*plain[api.QuotaCalibration], error) {
		g, err := s.quotaGroup(ctx, c, in.Group)
		if err != nil {
			return nil, err
		}
		now := time.Now()
		ms, err := s.deps.QuotaStore.QuotaMinutes(ctx, g.ID, now.Add(-24*time.Hour), now)
		if err != nil {
			return nil, err
		}
		m := s.deps.QuotaLoop.Status(g.ID).Machines
		readings := quota.Readings(ms, s.deps.QuotaLoop.Recent(g.ID), m.Count, m.Builds)
		fit := quota.Calibrate(&g.Settings, readings, now, m.Count, m.Builds)
		return &plain[api.QuotaCalibration]{toCalibration(g, fit, readings)}, nil
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/quota-groups/{group}/simulate", id: "simulate-quota", tag: tag, verb: auth.Read,
		summary: "Try settings", description: "Plays the group's recent traffic under the settings in force and under those given. Saves nothing.",
	}, s.simulateQuota)
}

func seesGroup(c *caller, g *quota.Group) bool {
	return slices.ContainsFunc(g.Members, func(m template.Selector) bool { return c.sees(m.App, m.IDC) })
}

// mayGroup wants the verb on every member.
func mayGroup(c *caller, v auth.Verb, members []template.Selector) error {
	for _, m := range members {
		if err := c.may(v, m.App, m.IDC); err != nil {
			return err
		}
	}
	return nil
}

// quotaGroup finds one that concerns the caller; a foreign one does not exist.
func (s *Server) quotaGroup(ctx context.Context, c *caller, id string) (*quota.Group, error) {
	g, err := s.deps.QuotaStore.GetGroup(ctx, id)
	if err == nil && !seesGroup(c, g) {
		err = fault.New(fault.NotFound, "there is no such quota group")
	}
	return g, err
}

func (s *Server) createQuota(ctx context.Context, c *caller, in *struct {
	Idempotent
	Body api.QuotaGroupInput
},
) (*tagged[api.QuotaGroup], error) {
	g, err := fromQuotaGroup(&in.Body)
	if err != nil {
		return nil, err
	}
	if err := mayGroup(c, auth.Bind, g.Members); err != nil {
		return nil, err
	}
	id, done, err := s.once(ctx, c, in.IdempotencyKey, "quota-group")
	switch {
	case err != nil:
		return nil, err
	case done:
		g, err = s.deps.QuotaStore.GetGroup(ctx, id)
	default:
		g, err = s.deps.Quota.Create(ctx, g, c.change(in.Body.Reason, in.IdempotencyKey))
	}
	if err != nil {
		return nil, err
	}
	return &tagged[api.QuotaGroup]{etag(g.Version), toQuotaGroup(g)}, nil
}

func (s *Server) updateQuota(ctx context.Context, c *caller, in *struct {
	QuotaPath
	Conditional
	Body api.QuotaGroupInput
},
) (*tagged[api.QuotaGroup], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	old, err := s.quotaGroup(ctx, c, in.Group)
	if err != nil {
		return nil, err
	}
	g, err := fromQuotaGroup(&in.Body)
	if err != nil {
		return nil, err
	}
	for _, members := range [][]template.Selector{old.Members, g.Members} {
		if err := mayGroup(c, auth.Bind, members); err != nil {
			return nil, err
		}
	}
	g.ID, g.Version = old.ID, version
	if g, err = s.deps.Quota.Update(ctx, g, c.change(in.Body.Reason, "")); err != nil {
		return nil, withMine(err, in.Body)
	}
	return &tagged[api.QuotaGroup]{etag(g.Version), toQuotaGroup(g)}, nil
}

func (s *Server) simulateQuota(ctx context.Context, c *caller, in *struct {
	QuotaPath
	Body api.QuotaSimulationInput
},
) (*plain[api.QuotaSimulation], error) {
	g, err := s.quotaGroup(ctx, c, in.Group)
	if err != nil {
		return nil, err
	}
	tried, err := fromQuotaSettings(&in.Body.Settings)
	if err != nil {
		return nil, err
	}
	if ps := tried.Check(); len(ps) > 0 {
		return nil, fault.WithProblems(ps.Under("settings"), "the settings are not valid")
	}
	arrivals := in.Body.Arrivals
	recent := s.deps.QuotaLoop.Recent(g.ID)
	consumed, wanted := 0.0, 0.0
	for _, p := range recent {
		if in.Body.Arrivals == nil {
			arrivals = append(arrivals, p.Arrivals)
		}
		consumed, wanted = consumed+p.Consumed, wanted+p.Base*p.Arrivals
	}
	yield := 1.0
	if wanted > 0 && consumed > 0 {
		yield = consumed / wanted
	}
	show := func(set *quota.Settings) []api.QuotaSimulated {
		return mapped(quota.Simulate(set, arrivals, yield), func(x quota.Simulated) api.QuotaSimulated {
			return api.QuotaSimulated{AtMS: x.At.Milliseconds(), Arrivals: x.Arrivals, Base: x.Base, Sum: x.Sum / set.Total}
		})
	}
	return &plain[api.QuotaSimulation]{api.QuotaSimulation{Now: show(&g.Settings), Tried: show(&tried), Yield: yield}}, nil
}
