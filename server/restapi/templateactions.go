package restapi

import (
	"context"
	"net/http"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/template"
)

// templateActions are the verbs of a template that are more than a write.
func (s *Server) templateActions() {
	const tag = "Templates"
	handle(s, endpoint{
		method: http.MethodPost, path: "/templates/{template}/publish", id: "publish-template", tag: tag, verb: auth.Publish,
		summary: "Publish the draft", description: "As the next version. Refused when registered builds would refuse it, unless forced; then they refuse it themselves and keep their last good set.",
		errors: []int{http.StatusPreconditionRequired},
	}, func(ctx context.Context, c *caller, in *struct {
		TemplatePath
		Conditional
		Idempotent
		Body api.Publish
	},
	) (*templateOutput, error) {
		return s.act(ctx, c, auth.Publish, in.Template, in.Conditional, in.IdempotencyKey, in.Body.Reason, in.Body, func(ctx context.Context, id string, version int64, key string) error {
			_, err := s.deps.Templates.Publish(ctx, id, version, in.Body.Force, c.change(in.Body.Reason, key))
			return err
		})
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/templates/{template}/rollback", id: "rollback-template", tag: tag, verb: auth.Publish,
		summary: "Restore a version", description: "As a new version, so that history never lies. A draft is kept.",
		errors: []int{http.StatusPreconditionRequired},
	}, func(ctx context.Context, c *caller, in *struct {
		TemplatePath
		Conditional
		Idempotent
		Body api.Rollback
	},
	) (*templateOutput, error) {
		return s.act(ctx, c, auth.Publish, in.Template, in.Conditional, in.IdempotencyKey, in.Body.Reason, in.Body, func(ctx context.Context, id string, version int64, key string) error {
			_, err := s.deps.Templates.Rollback(ctx, id, version, in.Body.Version, in.Body.Force, c.change(in.Body.Reason, key))
			return err
		})
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/templates/{template}/copy-gear", id: "copy-gear", tag: tag, verb: auth.Edit,
		summary: "Copy a gear to others", description: "Writes the values of one level into others, in the draft.",
		errors: []int{http.StatusPreconditionRequired},
	}, func(ctx context.Context, c *caller, in *struct {
		TemplatePath
		Conditional
		Idempotent
		Body api.CopyGear
	},
	) (*templateOutput, error) {
		return s.edit(ctx, c, in.Template, in.Conditional, in.IdempotencyKey, in.Body.Reason, in.Body, func(spec *template.Spec) (*template.Spec, gear.Problems) {
			return template.CopyGear(spec, in.Body.From, in.Body.To, in.Body.Parameters)
		})
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/templates/{template}/interpolate", id: "interpolate-gears", tag: tag, verb: auth.Edit,
		summary: "Interpolate a range of gears", description: "Fills the levels between two ends, in the draft.",
		errors: []int{http.StatusPreconditionRequired},
	}, func(ctx context.Context, c *caller, in *struct {
		TemplatePath
		Conditional
		Idempotent
		Body api.Interpolate
	},
	) (*templateOutput, error) {
		return s.edit(ctx, c, in.Template, in.Conditional, in.IdempotencyKey, in.Body.Reason, in.Body, func(spec *template.Spec) (*template.Spec, gear.Problems) {
			return template.InterpolateRange(spec, in.Body.From, in.Body.To, in.Body.Parameters)
		})
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/templates/{template}/copy", id: "copy-template", tag: tag, verb: auth.Edit, status: http.StatusCreated,
		summary: "Copy a template", description: "A new template whose draft is the content copied.",
	}, s.copyTemplate)
}

// act does something to a template once per key and gives the template after it.
func (s *Server) act(ctx context.Context, c *caller, v auth.Verb, idOrName string, cond Conditional, key, reason string, mine any,
	do func(ctx context.Context, id string, version int64, key string) error,
) (*templateOutput, error) {
	t, version, err := s.editable(ctx, c, v, idOrName, cond)
	if err != nil {
		return nil, err
	}
	_, done, err := s.once(ctx, c, key, "template")
	if err != nil {
		return nil, err
	}
	if !done {
		if err := do(ctx, t.ID, version, key); err != nil {
			return nil, withMine(err, mine)
		}
	}
	if t, err = s.deps.Store.GetTemplate(ctx, t.ID); err != nil {
		return nil, err
	}
	return s.templateDetail(ctx, t)
}

func (s *Server) edit(ctx context.Context, c *caller, idOrName string, cond Conditional, key, reason string, mine any,
	edit func(*template.Spec) (*template.Spec, gear.Problems),
) (*templateOutput, error) {
	return s.act(ctx, c, auth.Edit, idOrName, cond, key, reason, mine, func(ctx context.Context, id string, version int64, key string) error {
		_, err := s.deps.Templates.EditDraft(ctx, id, version, edit, c.change(reason, key))
		return err
	})
}

func (s *Server) copyTemplate(ctx context.Context, c *caller, in *struct {
	TemplatePath
	Idempotent
	Body api.CopyTemplate
},
) (*templateOutput, error) {
	id, done, err := s.once(ctx, c, in.IdempotencyKey, "template")
	if err != nil {
		return nil, err
	}
	var t *template.Template
	if done {
		t, err = s.deps.Store.GetTemplate(ctx, id)
	} else {
		if t, err = s.template(ctx, in.Template); err != nil {
			return nil, err
		}
		t, err = s.deps.Templates.Copy(ctx, t.ID, in.Body.From, in.Body.Name, c.change(in.Body.Reason, in.IdempotencyKey))
	}
	if err != nil {
		return nil, err
	}
	return s.templateDetail(ctx, t)
}
