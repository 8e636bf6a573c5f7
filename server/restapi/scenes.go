package restapi

import (
	"context"
	"net/http"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/scene"
)

// ScenePath names a scene.
type ScenePath struct {
	Scene string `path:"scene" maxLength:"63" doc:"Scene, by name or id."`
}

func (s *Server) sceneRoutes() {
	const tag = "Scenes"
	handle(s, endpoint{
		method: http.MethodGet, path: "/scenes", id: "list-scenes", tag: tag, verb: auth.Read,
		summary: "List scenes", description: "By name.",
	}, func(ctx context.Context, _ *caller, in *struct{ Paged }) (*plain[api.Page[api.Scene]], error) {
		all, err := s.deps.Scenes.List(ctx)
		if err != nil {
			return nil, err
		}
		return pageOf(all, in.Paged, func(x *scene.Scene) string { return x.Name }, toScene)
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/scenes", id: "create-scene", tag: tag, verb: auth.Set, status: http.StatusCreated,
		summary: "Create a scene", description: "Without a graph it is only a name and a target. A graph with a circle, an unknown point, or a call whose timeout is shorter than what runs within it is refused, with the sum. Needs the verb on every app: a scene crosses them.",
	}, s.createScene)
	handle(s, endpoint{
		method: http.MethodPost, path: "/scenes/check", id: "check-scene", tag: tag, verb: auth.Read,
		summary: "Check a scene", description: "Saves nothing.",
	}, func(_ context.Context, _ *caller, in *struct{ Body api.SceneInput }) (*plain[api.Judgement], error) {
		spec, ps := fromScene(&in.Body.SceneDocument)
		var warnings gear.Problems
		if len(ps) == 0 {
			ps, warnings = s.deps.Scenes.Judge(spec)
		}
		return &plain[api.Judgement]{api.Judgement{Problems: problemErrors(ps), Warnings: problemErrors(warnings)}}, nil
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/scenes/draft", id: "draft-scene", tag: tag, verb: auth.Read,
		summary: "Draft a graph from traffic", description: "Made of what agents report of who runs after whom and who calls whom in a few requests a second. Saves nothing. A replica knows what its own agents reported.",
	}, s.draftScene)
	handle(s, endpoint{
		method: http.MethodGet, path: "/scenes/{scene}", id: "get-scene", tag: tag, verb: auth.Read,
		summary: "Get a scene", description: "Its newest version, or the one asked for.",
	}, func(ctx context.Context, _ *caller, in *struct {
		ScenePath
		Version int64 `query:"version" minimum:"0" doc:"0 for the newest."`
	},
	) (*tagged[api.Scene], error) {
		x, err := s.deps.Scenes.Get(ctx, in.Scene)
		if err == nil && in.Version > 0 {
			x, err = s.deps.Scenes.Version(ctx, x.ID, in.Version)
		}
		return sceneOutput(x, err)
	})
	handle(s, endpoint{
		method: http.MethodPut, path: "/scenes/{scene}", id: "update-scene", tag: tag, verb: auth.Set,
		summary: "Save a scene", description: "Makes the next version. A new target is looked up in the allocation table and pushed at once.", errors: []int{http.StatusPreconditionRequired},
	}, func(ctx context.Context, c *caller, in *struct {
		ScenePath
		Conditional
		Body api.SceneInput
	},
	) (*tagged[api.Scene], error) {
		x, version, err := s.mayScene(ctx, c, in.Scene, in.Conditional)
		if err != nil {
			return nil, err
		}
		spec, ps := fromScene(&in.Body.SceneDocument)
		if len(ps) > 0 {
			return nil, fault.WithProblems(ps, "the scene is not valid")
		}
		y, err := s.deps.Scenes.Save(ctx, x.ID, version, spec, c.change(in.Body.Reason, ""))
		if err != nil {
			return nil, withMine(err, in.Body)
		}
		return sceneOutput(y, nil)
	})
	handle(s, endpoint{
		method: http.MethodPut, path: "/scenes/{scene}/target", id: "set-scene-target", tag: tag, verb: auth.Set,
		summary: "Change the target", description: "Steps of the ladder that no longer lie below it are left out.", errors: []int{http.StatusPreconditionRequired},
	}, func(ctx context.Context, c *caller, in *struct {
		ScenePath
		Conditional
		Body api.SceneTarget
	},
	) (*tagged[api.Scene], error) {
		x, version, err := s.mayScene(ctx, c, in.Scene, in.Conditional)
		if err != nil {
			return nil, err
		}
		target, ok := gear.ParseDuration(in.Body.Target)
		if !ok {
			return nil, fault.WithProblems(problem("target", gear.CodeType, `target wants a duration like "160ms", got %q`, gear.Shown(in.Body.Target)), "the target is not valid")
		}
		y, err := s.deps.Scenes.SetTarget(ctx, x.ID, version, target, c.change(in.Body.Reason, ""))
		if err != nil {
			return nil, withMine(err, in.Body)
		}
		return sceneOutput(y, nil)
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/scenes/{scene}/rollback", id: "rollback-scene", tag: tag, verb: auth.Set,
		summary: "Restore a version", description: "Makes an old version the newest again, as a new version.", errors: []int{http.StatusPreconditionRequired},
	}, func(ctx context.Context, c *caller, in *struct {
		ScenePath
		Conditional
		Body api.SceneRollback
	},
	) (*tagged[api.Scene], error) {
		x, version, err := s.mayScene(ctx, c, in.Scene, in.Conditional)
		if err != nil {
			return nil, err
		}
		y, err := s.deps.Scenes.Restore(ctx, x.ID, version, in.Body.Version, c.change(in.Body.Reason, ""))
		if err != nil {
			return nil, withMine(err, in.Body)
		}
		return sceneOutput(y, nil)
	})
	handle(s, endpoint{
		method: http.MethodDelete, path: "/scenes/{scene}", id: "delete-scene", tag: tag, verb: auth.Set, status: http.StatusNoContent,
		summary: "Delete a scene", description: "Its points go back to their templates; its versions stay readable.", errors: []int{http.StatusPreconditionRequired},
	}, func(ctx context.Context, c *caller, in *struct {
		ScenePath
		Conditional
		Reasoned
	},
	) (*struct{}, error) {
		x, version, err := s.mayScene(ctx, c, in.Scene, in.Conditional)
		if err != nil {
			return nil, err
		}
		return nil, s.deps.Scenes.Delete(ctx, x.ID, version, c.change(in.Reason, ""))
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/scenes/{scene}/versions", id: "list-scene-versions", tag: tag, verb: auth.Read,
		summary: "List a scene's versions", description: "The newest 200, newest first.",
	}, func(ctx context.Context, _ *caller, in *ScenePath) (*plain[api.Page[api.Scene]], error) {
		x, err := s.deps.Scenes.Get(ctx, in.Scene)
		if err != nil {
			return nil, err
		}
		all, err := s.deps.Scenes.Versions(ctx, x.ID, 200)
		if err != nil {
			return nil, err
		}
		return &plain[api.Page[api.Scene]]{api.Page[api.Scene]{Items: mapped(all, toScene)}}, nil
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/scenes/{scene}/live", id: "scene-live", tag: tag, verb: auth.Read,
		summary: "How a scene stands", description: "Target, RT gear, phase and what every node has and does, in each IDC that the caller sees; now, or as it was in a past minute.",
	}, s.sceneLive)
	handle(s, endpoint{
		method: http.MethodGet, path: "/scenes/{scene}/history", id: "scene-history", tag: tag, verb: auth.Read,
		summary: "How a scene stood over a range", description: "Target, RT gear, front end and each node in an IDC, by minute or by hour. At most 10,080 samples.",
	}, s.sceneHistory)
}

// mayScene finds a scene that the caller may write, and the version they edited.
func (s *Server) mayScene(ctx context.Context, c *caller, name string, in Conditional) (*scene.Scene, int64, error) {
	version, err := in.version()
	if err != nil {
		return nil, 0, err
	}
	x, err := s.deps.Scenes.Get(ctx, name)
	if err == nil {
		err = c.may(auth.Set, gear.Any, gear.Any)
	}
	return x, version, err
}

func (s *Server) createScene(ctx context.Context, c *caller, in *struct {
	Idempotent
	Body api.SceneInput
},
) (*tagged[api.Scene], error) {
	if err := c.may(auth.Set, gear.Any, gear.Any); err != nil {
		return nil, err
	}
	spec, ps := fromScene(&in.Body.SceneDocument)
	if len(ps) > 0 {
		return nil, fault.WithProblems(ps, "the scene is not valid")
	}
	id, done, err := s.once(ctx, c, in.IdempotencyKey, "scene")
	if err != nil {
		return nil, err
	}
	if done {
		return sceneOutput(s.deps.Scenes.Get(ctx, id))
	}
	return sceneOutput(s.deps.Scenes.Create(ctx, spec, c.change(in.Body.Reason, in.IdempotencyKey)))
}

func sceneOutput(x *scene.Scene, err error) (*tagged[api.Scene], error) {
	if err != nil {
		return nil, err
	}
	return &tagged[api.Scene]{etag(x.Version), toScene(x)}, nil
}
