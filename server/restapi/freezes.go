package restapi

import (
	"context"
	"net/http"
	"slices"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/plan"
)

func toFreeze(f plan.Freeze) api.Freeze {
	return api.Freeze{ID: f.ID, App: f.App, IDC: f.IDC, From: f.From, Until: f.Until, Reason: f.Reason, CreatedBy: f.CreatedBy}
}

func toGlass(g plan.Glass) api.Glass {
	return api.Glass{ID: g.ID, RequestedBy: g.RequestedBy, RequestedAt: g.RequestedAt, Reason: g.Reason, Until: g.Until, ApprovedBy: g.ApprovedBy, ApprovedAt: when(g.ApprovedAt)}
}

// freezeRoutes: a freeze refuses every write that decides what machines do, with
// 423, unless the Break-Glass header names leave that a second person approved.
func (s *Server) freezeRoutes() {
	const tag = "Freezes"
	handle(s, endpoint{
		method: http.MethodGet, path: "/freezes", id: "list-freezes", tag: tag, verb: auth.Read,
		summary: "List freezes", description: "Those that have not ended, by start.",
	}, func(ctx context.Context, _ *caller, _ *struct{}) (*plain[api.Page[api.Freeze]], error) {
		fs, err := s.deps.Plans.Freezes(ctx)
		return &plain[api.Page[api.Freeze]]{api.Page[api.Freeze]{Items: mapped(fs, toFreeze)}}, err
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/freezes", id: "create-freeze", tag: tag, verb: auth.Settings, status: http.StatusCreated,
		summary: "Freeze", description: "Writes to templates, bindings, claims, plans, scenes and budgets are refused with 423 meanwhile; planned steps fire as before.",
	}, func(ctx context.Context, c *caller, in *struct {
		Idempotent
		Body api.Freeze
	},
	) (*plain[api.Freeze], error) {
		b := &in.Body
		if err := c.may(auth.Settings, b.App, b.IDC); err != nil {
			return nil, err
		}
		f, err := s.deps.Plans.CreateFreeze(ctx, &plan.Freeze{App: b.App, IDC: b.IDC, From: b.From, Until: b.Until, Reason: b.Reason}, c.change(b.Reason, in.IdempotencyKey))
		if err != nil {
			return nil, err
		}
		return &plain[api.Freeze]{toFreeze(*f)}, nil
	})
	handle(s, endpoint{
		method: http.MethodDelete, path: "/freezes/{freeze}", id: "delete-freeze", tag: tag, verb: auth.Settings, status: http.StatusNoContent,
		summary: "Lift a freeze", description: "At once.",
	}, func(ctx context.Context, c *caller, in *struct {
		Freeze string `path:"freeze" maxLength:"36" doc:"Freeze id."`
		Reasoned
	},
	) (*struct{}, error) {
		freezes, err := s.deps.Plans.Freezes(ctx)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(freezes, func(f plan.Freeze) bool { return f.ID == in.Freeze })
		if i < 0 {
			return nil, fault.New(fault.NotFound, "there is no such freeze in force")
		}
		if err := c.may(auth.Settings, freezes[i].App, freezes[i].IDC); err != nil {
			return nil, err
		}
		return nil, s.deps.Plans.DeleteFreeze(ctx, in.Freeze, c.change(in.Reason, ""))
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/break-glass", id: "list-break-glass", tag: tag, verb: auth.Read,
		summary: "List leaves to change things in a freeze", description: "Those that have not ended.",
	}, func(ctx context.Context, _ *caller, _ *struct{}) (*plain[api.Page[api.Glass]], error) {
		gs, err := s.deps.Plans.Glasses(ctx)
		return &plain[api.Page[api.Glass]]{api.Page[api.Glass]{Items: mapped(gs, toGlass)}}, err
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/break-glass", id: "request-break-glass", tag: tag, verb: auth.Set, status: http.StatusCreated,
		summary: "Ask to break the glass", description: "It counts once a second person approves it; every change made with it is flagged in the log.",
	}, func(ctx context.Context, c *caller, in *struct {
		Idempotent
		Body api.GlassInput
	},
	) (*plain[api.Glass], error) {
		d, ok := gear.ParseDuration(in.Body.For)
		if !ok {
			return nil, fault.WithProblems(problem("for", "type", `for wants a duration like "30m"`), "the request is not valid")
		}
		g, err := s.deps.Plans.AskGlass(ctx, in.Body.Reason, d, c.change(in.Body.Reason, in.IdempotencyKey))
		if err != nil {
			return nil, err
		}
		return &plain[api.Glass]{toGlass(*g)}, nil
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/break-glass/{glass}/approve", id: "approve-break-glass", tag: tag, verb: auth.Set,
		summary: "Approve breaking the glass", description: "Not by the one who asked.",
	}, func(ctx context.Context, c *caller, in *struct {
		Glass string `path:"glass" maxLength:"36" doc:"Request id."`
		Idempotent
		Body api.Reason
	},
	) (*plain[api.Glass], error) {
		g, err := s.deps.Plans.ApproveGlass(ctx, in.Glass, c.change(in.Body.Reason, in.IdempotencyKey))
		if err != nil {
			return nil, err
		}
		return &plain[api.Glass]{toGlass(*g)}, nil
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/protected-scenes", id: "list-protected-scenes", tag: tag, verb: auth.Read,
		summary: "List protected scenes", description: "Plans that touch them are approved by a second person.",
	}, func(ctx context.Context, _ *caller, _ *struct{}) (*plain[api.Page[string]], error) {
		scenes, err := s.deps.Plans.Protected(ctx)
		return &plain[api.Page[string]]{api.Page[string]{Items: mapped(scenes, func(s string) string { return s })}}, err
	})
	protect := func(method, id, summary string, on bool) {
		handle(s, endpoint{
			method: method, path: "/protected-scenes/{scene}", id: id, tag: tag, verb: auth.Settings, status: http.StatusNoContent,
			summary: summary, description: "For every app and IDC.",
		}, func(ctx context.Context, c *caller, in *struct {
			Scene string `path:"scene" maxLength:"63" doc:"Scene."`
			Reasoned
		},
		) (*struct{}, error) {
			if err := c.may(auth.Settings, gear.Any, gear.Any); err != nil {
				return nil, err
			}
			return nil, s.deps.Plans.Protect(ctx, in.Scene, on, c.change(in.Reason, ""))
		})
	}
	protect(http.MethodPut, "protect-scene", "Protect a scene", true)
	protect(http.MethodDelete, "unprotect-scene", "Stop protecting a scene", false)
}
