package restapi

import (
	"context"
	"net/http"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
)

// DefaultClaimLife ends a manual claim whose author gave no end.
const DefaultClaimLife = 30 * time.Minute

type ClaimPath struct {
	Claim string `path:"claim" maxLength:"36" doc:"Claim id."`
}

func (s *Server) claimRoutes() {
	const tag = "Claims"
	handle(s, endpoint{
		method: http.MethodGet, path: "/claims", id: "list-claims", tag: tag, verb: auth.Read,
		summary: "List claims", description: "Those that concern the caller's apps and IDCs, newest first.",
	}, s.listClaims)
	handle(s, endpoint{
		method: http.MethodPost, path: "/claims", id: "create-claim", tag: tag, verb: auth.Set, status: http.StatusCreated,
		summary: "Set a field by hand", description: "A manual claim beats plans, presets, feedback and template. It always has an end; emergencies may still lower a level, and the template's limits hold.",
	}, s.createClaim)
	handle(s, endpoint{
		method: http.MethodGet, path: "/claims/{claim}", id: "get-claim", tag: tag, verb: auth.Read,
		summary: "Get a claim", description: "By id, released and expired ones too.",
	}, func(ctx context.Context, c *caller, in *ClaimPath) (*tagged[api.Claim], error) {
		cl, err := s.claim(ctx, c, in.Claim, auth.Read)
		if err != nil {
			return nil, err
		}
		return claimOutput(cl), nil
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/claims/{claim}/extend", id: "extend-claim", tag: tag, verb: auth.Set,
		summary: "Move a claim's end", description: "Later or earlier; it must still stand.",
	}, s.extendClaim)
	handle(s, endpoint{
		method: http.MethodPost, path: "/claims/{claim}/release", id: "release-claim", tag: tag, verb: auth.Set,
		summary: "Release a claim", description: "It ends now; what it overrode counts again.",
	}, func(ctx context.Context, c *caller, in *claimAction) (*tagged[api.Claim], error) {
		return s.onClaim(ctx, c, in, func(cl *control.Claim) (*control.Claim, error) {
			return s.deps.Claims.Release(ctx, cl.ID, 0, c.change(in.Body.Reason, in.IdempotencyKey))
		})
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/claims/{claim}/undo", id: "undo-claim", tag: tag, verb: auth.Set,
		summary: "Undo a claim", description: "Releases one that stands; sets one that was released early again, as a new claim with the same end.",
	}, func(ctx context.Context, c *caller, in *claimAction) (*tagged[api.Claim], error) {
		return s.onClaim(ctx, c, in, func(cl *control.Claim) (*control.Claim, error) {
			return s.undoClaim(ctx, c, cl, in.Body.Reason, in.IdempotencyKey)
		})
	})
}

type claimAction struct {
	ClaimPath
	Idempotent
	Body api.Reason
}

// onClaim finds a claim that the caller may set, and does the action once a key.
func (s *Server) onClaim(ctx context.Context, c *caller, in *claimAction, do func(*control.Claim) (*control.Claim, error)) (*tagged[api.Claim], error) {
	cl, err := s.claim(ctx, c, in.Claim, auth.Set)
	if err != nil {
		return nil, err
	}
	id, done, err := s.once(ctx, c, in.IdempotencyKey, "claim")
	switch {
	case err != nil:
		return nil, err
	case done:
		cl, err = s.deps.Control.GetClaim(ctx, id)
	default:
		cl, err = do(cl)
	}
	if err != nil {
		return nil, withMine(err, in.Body)
	}
	return claimOutput(cl), nil
}

// undoClaim releases a standing claim, or sets a released one again.
func (s *Server) undoClaim(ctx context.Context, c *caller, cl *control.Claim, reason, key string) (*control.Claim, error) {
	now, err := s.deps.Control.Now(ctx)
	if err != nil {
		return nil, err
	}
	if cl.Active(now) || cl.Released.IsZero() && now.Before(cl.Start) {
		return s.deps.Claims.Release(ctx, cl.ID, 0, c.change(reason, key))
	}
	if cl.Released.IsZero() || !cl.End.IsZero() && !now.Before(cl.End) {
		return nil, fault.New(fault.Conflict, "the claim ended by itself; set a new one instead")
	}
	again := *cl
	again.ID, again.Start, again.Author, again.Reason = "", time.Time{}, c.Actor(), reason
	again.Released, again.ReleaseBy, again.Version = time.Time{}, "", 0
	return s.deps.Claims.Set(ctx, &again, c.change(reason, key))
}

func claimOutput(cl *control.Claim) *tagged[api.Claim] {
	return &tagged[api.Claim]{etag(cl.Version), toClaim(cl)}
}

// claim finds a claim that concerns the caller, and wants the verb on its scope.
func (s *Server) claim(ctx context.Context, c *caller, id string, v auth.Verb) (*control.Claim, error) {
	cl, err := s.deps.Control.GetClaim(ctx, id)
	if err == nil && !c.sees(cl.Scope.App, cl.Scope.IDC) {
		err = fault.New(fault.NotFound, "there is no such claim")
	}
	if err == nil && v != auth.Read {
		err = c.may(v, cl.Scope.App, cl.Scope.IDC)
	}
	return cl, err
}

func (s *Server) listClaims(ctx context.Context, c *caller, in *struct {
	Paged
	Scene  string    `query:"scene" maxLength:"63" doc:"Only this scene."`
	IDC    string    `query:"idc" maxLength:"63" doc:"Only this IDC."`
	App    string    `query:"app" maxLength:"63" doc:"Only this app."`
	Point  string    `query:"point" maxLength:"63" doc:"Only this point."`
	Field  string    `query:"field" enum:"level,strategy,available_rt,timeout,target_rt,budget,binding,bucket" doc:"Only this field."`
	Active bool      `query:"active" doc:"Only those that count now."`
	At     time.Time `query:"at" doc:"Only those that counted then."`
},
) (*plain[api.Page[api.Claim]], error) {
	f := control.ClaimFilter{
		Scope: control.Scope{Scene: in.Scene, IDC: in.IDC, App: in.App, Point: in.Point},
		Field: control.Field(in.Field), Active: in.At, After: in.Cursor, Limit: in.Limit,
	}
	if in.Active && in.At.IsZero() {
		now, err := s.deps.Control.Now(ctx)
		if err != nil {
			return nil, err
		}
		f.Active = now
	}
	p := api.Page[api.Claim]{Items: []api.Claim{}}
	// A page may hold claims of foreign apps: it is then shorter, never empty
	// while more follow.
	for range 100 {
		items, next, err := s.deps.Control.ListClaims(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, cl := range items {
			if c.sees(cl.Scope.App, cl.Scope.IDC) {
				p.Items = append(p.Items, toClaim(cl))
			}
		}
		p.NextCursor, f.After = next, next
		if next == "" || len(p.Items) > 0 {
			break
		}
	}
	return &plain[api.Page[api.Claim]]{p}, nil
}

func (s *Server) createClaim(ctx context.Context, c *caller, in *struct {
	Idempotent
	Body api.ClaimInput
},
) (*tagged[api.Claim], error) {
	cl, err := s.fromClaim(ctx, &in.Body)
	if err != nil {
		return nil, err
	}
	if err := c.may(auth.Set, cl.Scope.App, cl.Scope.IDC); err != nil {
		return nil, err
	}
	cl.Author = c.Actor()
	id, done, err := s.once(ctx, c, in.IdempotencyKey, "claim")
	switch {
	case err != nil:
		return nil, err
	case done:
		cl, err = s.deps.Control.GetClaim(ctx, id)
	default:
		cl, err = s.deps.Claims.Set(ctx, cl, c.change(in.Body.Reason, in.IdempotencyKey))
	}
	if err != nil {
		return nil, err
	}
	return claimOutput(cl), nil
}

// fromClaim reads the input; control checks what it means.
func (s *Server) fromClaim(ctx context.Context, in *api.ClaimInput) (*control.Claim, error) {
	cl := &control.Claim{
		Field: control.Field(in.Field), Level: in.Level, Strategy: gear.Strategy(in.Strategy), Number: in.Number, Pin: in.Pin,
		Scope:  control.Scope{Scene: in.Scope.Scene, IDC: in.Scope.IDC, App: in.Scope.App, Point: in.Scope.Point, Bucket: in.Scope.Bucket},
		Source: control.SourceManual, Reason: in.Reason,
	}
	// Before anything is authorised: a blank field means all, as for control.
	for _, f := range []*string{&cl.Scope.Scene, &cl.Scope.IDC, &cl.Scope.App, &cl.Scope.Point, &cl.Scope.Bucket} {
		if *f == "" {
			*f = gear.Any
		}
	}
	var ps gear.Problems
	if in.Duration != "" {
		d, ok := gear.ParseDuration(in.Duration)
		if !ok {
			ps.Add("duration", gear.CodeType, `duration wants a duration like "8ms", got "`+gear.Shown(in.Duration)+`"`)
		}
		cl.Duration = d
	}
	var err error
	if cl.End, err = s.end(ctx, in.For, in.End); err != nil {
		return nil, err
	}
	if in.Template != "" {
		t, err := s.template(ctx, in.Template)
		if fault.Is(err, fault.NotFound) {
			ps.Add("template", gear.CodeUnknown, `there is no template "`+gear.Shown(in.Template)+`"`)
		} else if err != nil {
			return nil, err
		} else {
			cl.Template = t.ID
		}
	}
	if len(ps) > 0 {
		return nil, fault.WithProblems(ps, "the claim is not valid")
	}
	return cl, nil
}

// end reads "for" or "end" against reference time.
func (s *Server) end(ctx context.Context, span string, end time.Time) (time.Time, error) {
	if !end.IsZero() {
		if span != "" {
			return time.Time{}, fault.WithProblems(problem("end", "shape", "give for or end, not both"), "the end is not valid")
		}
		return end, nil
	}
	d := DefaultClaimLife
	if span != "" {
		var ok bool
		if d, ok = gear.ParseDuration(span); !ok || d <= 0 {
			return time.Time{}, fault.WithProblems(problem("for", "type", `for wants a duration like "30m", got %q`, gear.Shown(span)), "the end is not valid")
		}
	}
	now, err := s.deps.Control.Now(ctx)
	return now.Add(d), err
}

func (s *Server) extendClaim(ctx context.Context, c *caller, in *struct {
	ClaimPath
	Idempotent
	Body api.Extend
},
) (*tagged[api.Claim], error) {
	end, err := s.end(ctx, in.Body.For, in.Body.End)
	if err != nil {
		return nil, err
	}
	action := &claimAction{ClaimPath: in.ClaimPath, Idempotent: in.Idempotent, Body: api.Reason{Reason: in.Body.Reason}}
	return s.onClaim(ctx, c, action, func(cl *control.Claim) (*control.Claim, error) {
		return s.deps.Claims.Extend(ctx, cl.ID, 0, end, c.change(in.Body.Reason, in.IdempotencyKey))
	})
}

func toClaim(cl *control.Claim) api.Claim {
	out := api.Claim{
		ID: cl.ID, Field: string(cl.Field), Scope: toScope(cl.Scope), Value: cl.ValueText(), Level: cl.Level, Strategy: string(cl.Strategy),
		Number: cl.Number, Template: cl.Template, Pin: cl.Pin, Source: cl.Source.String(), Origin: cl.Origin, Author: cl.Author,
		Reason: cl.Reason, Start: cl.Start, End: timePtr(cl.End), Released: timePtr(cl.Released), ReleasedBy: cl.ReleaseBy,
		Active: cl.Active(time.Now()), CreatedAt: cl.CreatedAt, Version: cl.Version,
	}
	if cl.Duration != 0 {
		out.Duration = cl.Duration.String()
	}
	return out
}

func toScope(s control.Scope) api.Scope {
	return api.Scope{Scene: s.Scene, IDC: s.IDC, App: s.App, Point: s.Point, Bucket: s.Bucket}
}
