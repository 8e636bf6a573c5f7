package restapi

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/plan"
	"github.com/allspark/allspark/server/template"
)

type PlanPath struct {
	Plan string `path:"plan" maxLength:"63" doc:"Plan, by name or id." example:"double-11"`
}

type PlanStepPath struct {
	PlanPath
	Step string `path:"step" maxLength:"63" doc:"Step." example:"midnight-gears"`
}

type planAction struct {
	PlanPath
	Idempotent
	Body api.Reason
}

type planStepAction struct {
	PlanStepPath
	Idempotent
	Body api.PlanStepAction
}

// exported is a file to be saved.
type exported struct {
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	Body        []byte
}

func planRequest() *huma.RequestBody {
	schema := &huma.Schema{Type: "object", Description: "A plan's document: see the plan example double-11."}
	return &huma.RequestBody{Required: true, Description: "The plan document.", Content: map[string]*huma.MediaType{
		"application/json": {Schema: schema}, "application/yaml": {Schema: schema},
	}}
}

func (s *Server) planRoutes() {
	const tag = "Plans"
	handle(s, endpoint{
		method: http.MethodGet, path: "/plans", id: "list-plans", tag: tag, verb: auth.Read,
		summary: "List plans", description: "Those that set something the caller may see, by name.",
	}, s.listPlans)
	handle(s, endpoint{
		method: http.MethodPost, path: "/plans", id: "create-plan", tag: tag, verb: auth.Set, status: http.StatusCreated, request: planRequest(),
		summary: "Create a plan", description: "As a draft. Every step that sets something needs an end. Needs the verb wherever it sets something.",
	}, s.createPlan)
	handle(s, endpoint{
		method: http.MethodPost, path: "/plans/dry-run", id: "dry-run-plan", tag: tag, verb: auth.Read, request: planRequest(),
		summary: "Play a plan without effect", description: "What the real push would send to which agents, at every start and end of the next occurrence. Saves nothing.",
	}, s.dryRunPlan)
	handle(s, endpoint{
		method: http.MethodGet, path: "/plans/{plan}", id: "get-plan", tag: tag, verb: auth.Read,
		summary: "Get a plan", description: "With its steps and what became of them, readiness, who holds them, conflicts and the restore checklist.",
	}, func(ctx context.Context, c *caller, in *PlanPath) (*tagged[api.PlanDetail], error) {
		p, err := s.planOf(ctx, c, in.Plan, auth.Read)
		if err != nil {
			return nil, err
		}
		return s.planDetail(ctx, p.ID)
	})
	handle(s, endpoint{
		method: http.MethodPut, path: "/plans/{plan}", id: "update-plan", tag: tag, verb: auth.Set, request: planRequest(),
		summary: "Replace a plan", description: "It is a draft again, and what was armed or staged of it is withdrawn. Refused while a step is in force.",
		errors: []int{http.StatusPreconditionRequired, http.StatusLocked},
	}, s.updatePlan)
	handle(s, endpoint{
		method: http.MethodDelete, path: "/plans/{plan}", id: "delete-plan", tag: tag, verb: auth.Set, status: http.StatusNoContent,
		summary: "Delete a plan", description: "Refused while a step is in force. What became of its steps stays in the log.",
		errors: []int{http.StatusPreconditionRequired, http.StatusLocked},
	}, func(ctx context.Context, c *caller, in *struct {
		PlanPath
		Conditional
		Reasoned
	},
	) (*struct{}, error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		p, err := s.planOf(ctx, c, in.Plan, auth.Set)
		if err != nil {
			return nil, err
		}
		return nil, s.deps.Plans.Delete(ctx, p.ID, version, c.change(in.Reason, ""))
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/plans/{plan}/export", id: "export-plan", tag: tag, verb: auth.Read,
		summary: "Export a plan", description: "Its document (yaml, json), its calendar (ics) or its war log (md).",
	}, s.exportPlan)
	s.planActions(tag)
	s.warRoutes(tag)
	s.rehearsalRoutes()
	s.freezeRoutes()
}

func (s *Server) planActions(tag string) {
	act := func(verb, summary, description string, do func(ctx context.Context, id string, c *caller, in *planAction) error) {
		handle(s, endpoint{
			method: http.MethodPost, path: "/plans/{plan}/" + verb, id: verb + "-plan", tag: tag, verb: auth.Set,
			summary: summary, description: description, errors: []int{http.StatusLocked},
		}, func(ctx context.Context, c *caller, in *planAction) (*tagged[api.PlanDetail], error) {
			p, err := s.planOf(ctx, c, in.Plan, auth.Set)
			if err != nil {
				return nil, err
			}
			if _, done, err := s.once(ctx, c, in.IdempotencyKey, "plan"); err != nil {
				return nil, err
			} else if !done {
				if err := do(ctx, p.ID, c, in); err != nil {
					return nil, err
				}
			}
			return s.planDetail(ctx, p.ID)
		})
	}
	act("approve", "Approve a plan", "Its steps fire from now on. A plan that touches a protected scene is approved by somebody else than its author.",
		func(ctx context.Context, id string, c *caller, in *planAction) error {
			_, err := s.deps.Plans.Approve(ctx, id, 0, c.change(in.Body.Reason, in.IdempotencyKey))
			return err
		})
	act("hold", "Hold a plan", "No further step fires; what is in force still ends by itself. The answer names agents that have not confirmed.",
		func(ctx context.Context, id string, c *caller, in *planAction) error {
			_, err := s.deps.Plans.Hold(ctx, id, c.change(in.Body.Reason, in.IdempotencyKey))
			return err
		})
	act("resume", "Resume a held plan", "Steps that were due meanwhile are missed past their grace.",
		func(ctx context.Context, id string, c *caller, in *planAction) error {
			_, err := s.deps.Plans.Resume(ctx, id, c.change(in.Body.Reason, in.IdempotencyKey))
			return err
		})
	act("stop", "Stop all of a plan", "Everything it holds is let go now. The answer names agents that have not confirmed and may still fire.",
		func(ctx context.Context, id string, c *caller, in *planAction) error {
			_, err := s.deps.Plans.Stop(ctx, id, c.change(in.Body.Reason, in.IdempotencyKey))
			return err
		})
	step := func(verb, summary, description string, do func(ctx context.Context, id string, c *caller, in *planStepAction) error) {
		handle(s, endpoint{
			method: http.MethodPost, path: "/plans/{plan}/steps/{step}/" + verb, id: verb + "-plan-step", tag: tag, verb: auth.Set,
			summary: summary, description: description, errors: []int{http.StatusLocked},
		}, func(ctx context.Context, c *caller, in *planStepAction) (*tagged[api.PlanDetail], error) {
			p, err := s.planOf(ctx, c, in.Plan, auth.Set)
			if err != nil {
				return nil, err
			}
			if _, done, err := s.once(ctx, c, in.IdempotencyKey, "plan"); err != nil {
				return nil, err
			} else if !done {
				if err := do(ctx, p.ID, c, in); err != nil {
					return nil, err
				}
			}
			return s.planDetail(ctx, p.ID)
		})
	}
	step("skip", "Skip a step", "It does not fire in this occurrence.", func(ctx context.Context, id string, c *caller, in *planStepAction) error {
		return s.deps.Plans.Skip(ctx, id, in.Body.Occurrence, in.Step, c.change(in.Body.Reason, in.IdempotencyKey))
	})
	step("run", "Run a step now", "Instead of at its start. Running auto or restore ends now what it would end.", func(ctx context.Context, id string, c *caller, in *planStepAction) error {
		return s.deps.Plans.RunNow(ctx, id, in.Body.Occurrence, in.Step, c.change(in.Body.Reason, in.IdempotencyKey))
	})
	step("extend", "Move a step's end", "Later or earlier, while it is in force.", func(ctx context.Context, id string, c *caller, in *planStepAction) error {
		end := in.Body.End
		if in.Body.For != "" {
			d, ok := gear.ParseDuration(in.Body.For)
			if !ok || d <= 0 || !end.IsZero() {
				return fault.WithProblems(problem("for", "type", `extend wants end, or for as a duration like "10m"`), "the new end is not valid")
			}
			now, err := s.deps.Plans.Now(ctx)
			if err != nil {
				return err
			}
			end = now.Add(d)
		}
		return s.deps.Plans.Extend(ctx, id, in.Body.Occurrence, in.Step, end, c.change(in.Body.Reason, in.IdempotencyKey))
	})
}

// scopesOf lists where a plan sets something.
func scopesOf(p *plan.Plan) []control.Scope {
	var out []control.Scope
	for i := range p.Steps {
		for k := range p.Steps[i].Sets {
			out = append(out, p.Steps[i].Sets[k].Scope)
		}
	}
	return out
}

func seesPlan(c *caller, p *plan.Plan) bool {
	return slices.ContainsFunc(scopesOf(p), func(x control.Scope) bool { return c.sees(x.App, x.IDC) })
}

func mayPlan(c *caller, v auth.Verb, p *plan.Plan) error {
	for _, x := range scopesOf(p) {
		if err := c.may(v, x.App, x.IDC); err != nil {
			return err
		}
	}
	return nil
}

// planOf finds a plan that concerns the caller, and wants the verb wherever it
// sets something.
func (s *Server) planOf(ctx context.Context, c *caller, id string, v auth.Verb) (*plan.Plan, error) {
	p, err := s.deps.Plans.Get(ctx, id)
	if err == nil && !seesPlan(c, p) {
		err = fault.New(fault.NotFound, "there is no such plan")
	}
	if err == nil && v != auth.Read {
		err = mayPlan(c, v, p)
	}
	return p, err
}

func (s *Server) planDetail(ctx context.Context, id string) (*tagged[api.PlanDetail], error) {
	d, err := s.deps.Plans.Detail(ctx, id)
	if err != nil {
		return nil, err
	}
	return &tagged[api.PlanDetail]{etag(d.Plan.Version), s.toPlanDetail(ctx, d)}, nil
}

func (s *Server) listPlans(ctx context.Context, c *caller, in *Paged) (*plain[api.Page[api.Plan]], error) {
	all, err := s.deps.Plans.List(ctx)
	if err != nil {
		return nil, err
	}
	now, err := s.deps.Plans.Now(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(p *plan.Plan) bool { return !seesPlan(c, p) })
	return pageOf(all, *in, func(p *plan.Plan) string { return p.Name }, func(p *plan.Plan) api.Plan { return s.toPlan(ctx, p, now) })
}

// readPlan reads the document of a request.
func (s *Server) readPlan(ctx context.Context, in *DocumentBody) (*plan.Plan, error) {
	format, err := formatOf(in.ContentType)
	if err != nil {
		return nil, err
	}
	now, err := s.deps.Plans.Now(ctx)
	if err != nil {
		return nil, err
	}
	p, problems := plan.Read(in.RawBody, format, now)
	if len(problems) > 0 {
		return nil, fault.WithProblems(problems, "the plan document is not valid")
	}
	return p, nil
}

func (s *Server) createPlan(ctx context.Context, c *caller, in *struct {
	Idempotent
	Reasoned
	DocumentBody
},
) (*tagged[api.PlanDetail], error) {
	p, err := s.readPlan(ctx, &in.DocumentBody)
	if err == nil {
		err = mayPlan(c, auth.Set, p)
	}
	if err != nil {
		return nil, err
	}
	id, done, err := s.once(ctx, c, in.IdempotencyKey, "plan")
	if err != nil {
		return nil, err
	}
	if !done {
		if p, err = s.deps.Plans.Create(ctx, p, c.change(in.Reason, in.IdempotencyKey)); err != nil {
			return nil, err
		}
		id = p.ID
	}
	return s.planDetail(ctx, id)
}

func (s *Server) updatePlan(ctx context.Context, c *caller, in *struct {
	PlanPath
	Conditional
	Reasoned
	DocumentBody
},
) (*tagged[api.PlanDetail], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	old, err := s.planOf(ctx, c, in.Plan, auth.Set)
	if err != nil {
		return nil, err
	}
	p, err := s.readPlan(ctx, &in.DocumentBody)
	if err == nil {
		err = mayPlan(c, auth.Set, p)
	}
	if err != nil {
		return nil, err
	}
	if _, err = s.deps.Plans.Update(ctx, old.ID, version, p, c.change(in.Reason, "")); err != nil {
		return nil, err
	}
	return s.planDetail(ctx, old.ID)
}

func (s *Server) dryRunPlan(ctx context.Context, c *caller, in *struct{ DocumentBody }) (*plain[api.PlanDryRun], error) {
	p, err := s.readPlan(ctx, &in.DocumentBody)
	if err == nil {
		err = mayPlan(c, auth.Read, p)
	}
	if err != nil {
		return nil, err
	}
	previews, err := s.deps.Plans.DryRun(ctx, p)
	if err != nil {
		return nil, err
	}
	conflicts, err := s.deps.Plans.Conflicts(ctx, p)
	if err != nil {
		return nil, err
	}
	out := api.PlanDryRun{Previews: []api.PlanPreview{}, Conflicts: mapped(conflicts, toPlanConflict)}
	for i := range previews {
		if v := &previews[i]; c.sees(v.App, v.IDC) {
			out.Previews = append(out.Previews, toPreview(v))
		}
	}
	return &plain[api.PlanDryRun]{out}, nil
}

func (s *Server) exportPlan(ctx context.Context, c *caller, in *struct {
	PlanPath
	Format string `query:"format" enum:"yaml,json,ics,md" default:"yaml" doc:"Of the file."`
},
) (*exported, error) {
	p, err := s.planOf(ctx, c, in.Plan, auth.Read)
	if err != nil {
		return nil, err
	}
	out := &exported{Disposition: `attachment; filename="` + p.Name + "." + in.Format + `"`}
	switch in.Format {
	case "ics":
		text, err := s.deps.Plans.ICal(ctx, p)
		out.ContentType, out.Body = "text/calendar; charset=utf-8", []byte(text)
		return out, err
	case "md":
		if err := mayPlan(c, auth.Read, p); err != nil { // it tells of every place
			return nil, err
		}
		log, err := s.deps.Plans.WarLog(ctx, p.ID)
		if err != nil {
			return nil, err
		}
		out.ContentType, out.Body = "text/markdown; charset=utf-8", []byte(log.Markdown())
		return out, nil
	case "json":
		out.ContentType = "application/json"
		out.Body, err = plan.Write(s.deps.Plans.Named(ctx, p), template.JSON)
		return out, err
	}
	out.ContentType = "application/yaml"
	out.Body, err = plan.Write(s.deps.Plans.Named(ctx, p), template.YAML)
	return out, err
}

func when(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
