package restapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/profile"
)

// ProfilePath names a profile.
type ProfilePath struct {
	Profile string `path:"profile" maxLength:"36" doc:"Profile id."`
}

func (s *Server) profileRoutes() {
	const tag = "Profiles"
	handle(s, endpoint{
		method: http.MethodGet, path: "/profiles", id: "list-profiles", tag: tag, verb: auth.Read,
		summary: "List profiles", description: "Those of the caller's apps, without their levels.",
	}, func(ctx context.Context, c *caller, in *struct {
		Paged
		App    string `query:"app" maxLength:"63" doc:"Only this app."`
		Point  string `query:"point" maxLength:"63" doc:"Only this point."`
		Scene  string `query:"scene" maxLength:"63" doc:"Only this scene."`
		Source string `query:"source" enum:"uploaded,learned" doc:"Only this source."`
	},
	) (*plain[api.Page[api.Profile]], error) {
		now, err := s.deps.Control.Now(ctx)
		if err != nil {
			return nil, err
		}
		f := profile.Filter{App: in.App, Point: in.Point, Scene: in.Scene, Source: profile.Source(in.Source), After: in.Cursor, Limit: in.Limit}
		p := api.Page[api.Profile]{Items: []api.Profile{}}
		for range 100 { // a page of foreign apps is not the end
			items, next, err := s.deps.Profiles.List(ctx, f)
			if err != nil {
				return nil, err
			}
			for _, x := range items {
				if c.sees(x.App, gear.Any) {
					o := s.toProfile(x, now)
					o.Levels = nil
					p.Items = append(p.Items, o)
				}
			}
			p.NextCursor, f.After = next, next
			if next == "" || len(p.Items) > 0 {
				break
			}
		}
		return &plain[api.Page[api.Profile]]{p}, nil
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/profiles", id: "upload-profile", tag: tag, verb: auth.Set, status: http.StatusCreated,
		summary: "Upload a profile", description: "What is wrong is told by line and column, all at once. An effect that falls with the level is only warned of.",
	}, func(ctx context.Context, c *caller, in *struct{ Body api.ProfileUpload }) (*tagged[api.Profile], error) {
		u := fromUpload(&in.Body)
		if err := c.may(auth.Set, u.App, gear.Any); err != nil {
			return nil, err
		}
		x, _, err := s.deps.Profiles.Upload(ctx, u, strings.NewReader(in.Body.Document), c.change(in.Body.Reason, ""))
		if err != nil {
			return nil, err
		}
		return s.profileOutput(ctx, x.ID)
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/profiles/check", id: "check-profile", tag: tag, verb: auth.Read,
		summary: "Check a profile", description: "Saves nothing.",
	}, func(_ context.Context, _ *caller, in *struct{ Body api.ProfileUpload }) (*plain[api.Judgement], error) {
		_, problems, warnings := s.deps.Profiles.Judge(fromUpload(&in.Body), strings.NewReader(in.Body.Document))
		return &plain[api.Judgement]{api.Judgement{Problems: problemErrors(problems), Warnings: problemErrors(warnings)}}, nil
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/profiles/{profile}", id: "get-profile", tag: tag, verb: auth.Read,
		summary: "Get a profile", description: "With its levels.",
	}, func(ctx context.Context, c *caller, in *ProfilePath) (*tagged[api.Profile], error) {
		if _, err := s.profile(ctx, c, in.Profile); err != nil {
			return nil, err
		}
		return s.profileOutput(ctx, in.Profile)
	})
	handle(s, endpoint{
		method: http.MethodDelete, path: "/profiles/{profile}", id: "delete-profile", tag: tag, verb: auth.Set, status: http.StatusNoContent,
		summary: "Delete a profile", description: "Tables that were built from it stay.", errors: []int{http.StatusPreconditionRequired},
	}, func(ctx context.Context, c *caller, in *struct {
		ProfilePath
		Conditional
		Reasoned
	},
	) (*struct{}, error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		x, err := s.profile(ctx, c, in.Profile)
		if err == nil {
			err = c.may(auth.Set, x.App, gear.Any)
		}
		if err != nil {
			return nil, err
		}
		return nil, s.deps.Profiles.Delete(ctx, x.ID, version, c.change(in.Reason, ""))
	})
}

// profile finds one of an app that the caller sees; a foreign one does not exist.
func (s *Server) profile(ctx context.Context, c *caller, id string) (*profile.Profile, error) {
	x, err := s.deps.Profiles.Get(ctx, id)
	if err == nil && !c.sees(x.App, gear.Any) {
		err = fault.New(fault.NotFound, "there is no such profile")
	}
	return x, err
}

func (s *Server) profileOutput(ctx context.Context, id string) (*tagged[api.Profile], error) {
	x, err := s.deps.Profiles.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	now, err := s.deps.Control.Now(ctx)
	if err != nil {
		return nil, err
	}
	return &tagged[api.Profile]{etag(x.Version), s.toProfile(x, now)}, nil
}

func fromUpload(in *api.ProfileUpload) profile.Upload {
	return profile.Upload{
		Key: profile.Key{App: in.App, Point: in.Point, Scene: in.Scene, Table: in.Table}, Template: in.Template,
		TemplateVersion: in.TemplateVersion, Format: profile.Format(in.Format), MeasuredAt: in.MeasuredAt, Version: in.Replaces,
	}
}

func (s *Server) toProfile(x *profile.Profile, now time.Time) api.Profile {
	stale, why := x.Stale("", now)
	out := api.Profile{
		ID: x.ID, App: x.App, Point: x.Point, Scene: x.Scene, Table: x.Table, Template: x.Template, TemplateVersion: x.TemplateVersion,
		Source: string(x.Source), LevelCount: len(x.Levels), Samples: x.Samples(), MeasuredAt: x.MeasuredAt, AgeMS: x.Age(now).Milliseconds(), Stale: stale,
		StaleReason: why, Warnings: problemErrors(x.Warnings()), Version: x.Version, UpdatedBy: x.UpdatedBy, UpdatedAt: x.UpdatedAt,
	}
	out.Classes = mapped(x.Classes, func(c allocation.Class) api.ProfileClass { return api.ProfileClass(c) })
	for l := range x.Levels {
		v := &x.Levels[l]
		out.Levels = append(out.Levels, api.ProfileLevel{
			MeanMS: x.MeanRT(l), Work: v.Work, Effect: v.Effect, Output: v.Output, Cap: v.Cap, Samples: v.Samples,
			RT: mapped(v.RT, func(qs []allocation.Quantile) []api.ProfileQuantile {
				return mapped(qs, func(q allocation.Quantile) api.ProfileQuantile { return api.ProfileQuantile(q) })
			}),
		})
	}
	return out
}
