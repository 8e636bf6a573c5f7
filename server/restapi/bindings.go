package restapi

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/template"
)

type BindingPath struct {
	Binding string `path:"binding" maxLength:"36" doc:"Binding id."`
}

func (s *Server) bindingRoutes() {
	const tag = "Bindings"
	handle(s, endpoint{
		method: http.MethodGet, path: "/bindings", id: "list-bindings", tag: tag, verb: auth.Read,
		summary: "List bindings", description: "Those that concern the caller's apps and IDCs, by id.",
	}, func(ctx context.Context, c *caller, in *struct {
		Paged
		Scene    string `query:"scene" maxLength:"63" doc:"Only this scene in the selector."`
		IDC      string `query:"idc" maxLength:"63" doc:"Only this IDC in the selector."`
		App      string `query:"app" maxLength:"63" doc:"Only this app in the selector."`
		Point    string `query:"point" maxLength:"63" doc:"Only this point in the selector."`
		Template string `query:"template" maxLength:"63" doc:"Only this template, by name or id."`
	},
	) (*plain[api.Page[api.Binding]], error) {
		all, err := s.deps.Store.ListBindings(ctx)
		if err != nil {
			return nil, err
		}
		is := func(want, got string) bool { return want == "" || want == got }
		all = slices.DeleteFunc(slices.Clone(all), func(b *template.Binding) bool {
			z := b.Selector
			return !c.sees(z.App, z.IDC) || !is(in.Scene, z.Scene) || !is(in.IDC, z.IDC) || !is(in.App, z.App) || !is(in.Point, z.Point) ||
				in.Template != "" && in.Template != b.TemplateID && in.Template != b.Template
		})
		slices.SortFunc(all, func(a, b *template.Binding) int { return cmp.Compare(a.ID, b.ID) })
		return pageOf(all, in.Paged, func(b *template.Binding) string { return b.ID }, toBinding)
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/bindings", id: "create-binding", tag: tag, verb: auth.Bind, status: http.StatusCreated,
		summary: "Create a binding", description: "The most specific binding wins; one that could tie with another is refused, as is one that registered builds would refuse, unless forced.",
	}, s.createBinding)
	handle(s, endpoint{
		method: http.MethodPost, path: "/bindings/preview", id: "preview-binding", tag: tag, verb: auth.Read,
		summary: "Preview a binding", description: "What an unsaved binding, or deleting one, would change. Saves nothing.",
	}, s.previewBinding)
	handle(s, endpoint{
		method: http.MethodGet, path: "/bindings/resolve", id: "resolve-point", tag: tag, verb: auth.Read,
		summary: "Resolve a point", description: "Which template version serves it now, and which bindings lose to it.",
	}, s.resolvePoint)
	handle(s, endpoint{
		method: http.MethodGet, path: "/bindings/{binding}", id: "get-binding", tag: tag, verb: auth.Read,
		summary: "Get a binding", description: "By id.",
	}, func(ctx context.Context, c *caller, in *BindingPath) (*tagged[api.Binding], error) {
		b, err := s.binding(ctx, c, in.Binding)
		if err != nil {
			return nil, err
		}
		return &tagged[api.Binding]{etag(b.Version), toBinding(b)}, nil
	})
	handle(s, endpoint{
		method: http.MethodPut, path: "/bindings/{binding}", id: "update-binding", tag: tag, verb: auth.Bind,
		summary: "Replace a binding", description: "Needs the verb on the old and on the new scope.", errors: []int{http.StatusPreconditionRequired},
	}, s.updateBinding)
	handle(s, endpoint{
		method: http.MethodDelete, path: "/bindings/{binding}", id: "delete-binding", tag: tag, verb: auth.Bind, status: http.StatusNoContent,
		summary: "Delete a binding", description: "Points it served fall back to the next specific one, or to their defaults.",
		errors: []int{http.StatusPreconditionRequired},
	}, func(ctx context.Context, c *caller, in *struct {
		BindingPath
		Conditional
		Reasoned
	},
	) (*struct{}, error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		b, err := s.binding(ctx, c, in.Binding)
		if err == nil {
			err = c.may(auth.Bind, b.Selector.App, b.Selector.IDC)
		}
		if err != nil {
			return nil, err
		}
		return nil, s.deps.Templates.Unbind(ctx, b.ID, version, c.change(in.Reason, ""))
	})
}

// binding finds one that concerns the caller; a foreign one does not exist.
func (s *Server) binding(ctx context.Context, c *caller, id string) (*template.Binding, error) {
	b, err := s.deps.Store.GetBinding(ctx, id)
	if err == nil && !c.sees(b.Selector.App, b.Selector.IDC) {
		err = fault.New(fault.NotFound, "there is no such binding")
	}
	return b, err
}

// fromBinding checks the input and finds its template.
func (s *Server) fromBinding(ctx context.Context, in *api.BindingInput) (*template.Binding, error) {
	b := &template.Binding{Selector: fromSelector(in.Selector), Pin: in.Pin}
	if ps := b.Selector.Check(); len(ps) > 0 {
		return nil, fault.WithProblems(ps, "the binding is not valid")
	}
	t, err := s.template(ctx, in.Template)
	if fault.Is(err, fault.NotFound) {
		return nil, fault.WithProblems(problem("template", "unknown", "there is no template %q", gear.Shown(in.Template)), "the binding is not valid")
	}
	if err != nil {
		return nil, err
	}
	b.TemplateID, b.Template = t.ID, t.Name
	return b, nil
}

func (s *Server) createBinding(ctx context.Context, c *caller, in *struct {
	Idempotent
	Force bool `query:"force" doc:"Although registered builds would refuse it."`
	Body  api.BindingInput
},
) (*tagged[api.Binding], error) {
	b, err := s.fromBinding(ctx, &in.Body)
	if err != nil {
		return nil, err
	}
	if err := c.may(auth.Bind, b.Selector.App, b.Selector.IDC); err != nil {
		return nil, err
	}
	id, done, err := s.once(ctx, c, in.IdempotencyKey, "binding")
	switch {
	case err != nil:
		return nil, err
	case done:
		b, err = s.deps.Store.GetBinding(ctx, id)
	default:
		b, err = s.deps.Templates.Bind(ctx, b, in.Force, c.change(in.Body.Reason, in.IdempotencyKey))
	}
	if err != nil {
		return nil, err
	}
	return &tagged[api.Binding]{etag(b.Version), toBinding(b)}, nil
}

func (s *Server) updateBinding(ctx context.Context, c *caller, in *struct {
	BindingPath
	Conditional
	Force bool `query:"force" doc:"Although registered builds would refuse it."`
	Body  api.BindingInput
},
) (*tagged[api.Binding], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	old, err := s.binding(ctx, c, in.Binding)
	if err != nil {
		return nil, err
	}
	b, err := s.fromBinding(ctx, &in.Body)
	if err != nil {
		return nil, err
	}
	for _, z := range []template.Selector{old.Selector, b.Selector} {
		if err := c.may(auth.Bind, z.App, z.IDC); err != nil {
			return nil, err
		}
	}
	b.ID, b.Version = old.ID, version
	if b, err = s.deps.Templates.Rebind(ctx, b, in.Force, c.change(in.Body.Reason, "")); err != nil {
		return nil, withMine(err, in.Body)
	}
	return &tagged[api.Binding]{etag(b.Version), toBinding(b)}, nil
}

func (s *Server) previewBinding(ctx context.Context, c *caller, in *struct{ Body api.PreviewInput }) (*plain[api.Preview], error) {
	b := &template.Binding{}
	if in.Body.ID != "" {
		old, err := s.binding(ctx, c, in.Body.ID)
		if err != nil {
			return nil, err
		}
		b = old
	}
	switch {
	case in.Body.Delete && in.Body.ID == "":
		return nil, fault.WithProblems(problem("id", "required", "id is needed to preview a delete"), "the preview is not valid")
	case !in.Body.Delete && in.Body.Put == nil:
		return nil, fault.WithProblems(problem("put", "required", "put is needed unless delete is set"), "the preview is not valid")
	case !in.Body.Delete:
		n, err := s.fromBinding(ctx, in.Body.Put)
		if err != nil {
			return nil, err
		}
		n.ID, b = b.ID, n
	}
	moves, err := s.deps.Templates.Preview(ctx, b, in.Body.Delete)
	if err != nil {
		return nil, err
	}
	latest, err := s.latestOf(ctx, moves)
	if err != nil {
		return nil, err
	}
	out := api.Preview{Changes: []api.PreviewChange{}, Refusals: []api.Refusal{}}
	for _, m := range moves {
		if c.sees(m.Place.App, m.Place.IDC) {
			out.Changes = append(out.Changes, api.PreviewChange{Before: resolution(m.Place, m.From, latest), After: resolution(m.Place, m.To, latest), Machines: m.Machines})
		}
	}
	if !in.Body.Delete {
		if out.Refusals, err = s.bindingRefusals(ctx, c, b, moves, latest); err != nil {
			return nil, err
		}
	}
	return &plain[api.Preview]{out}, nil
}

// bindingRefusals foresees who would refuse the bound content at the places that
// would move to it.
func (s *Server) bindingRefusals(ctx context.Context, c *caller, b *template.Binding, moves []template.Move, latest map[string]int) ([]api.Refusal, error) {
	out := []api.Refusal{}
	number := b.Pin
	if number == 0 {
		number = latest[b.TemplateID]
	}
	if number == 0 {
		return out, nil
	}
	v, err := s.deps.Store.GetVersion(ctx, b.TemplateID, number)
	if err != nil {
		return nil, err
	}
	table, err := template.Expand(&v.Spec)
	if err != nil {
		return nil, err
	}
	moved := map[[3]string]bool{}
	for _, m := range moves {
		moved[[3]string{m.Place.App, m.Place.IDC, m.Place.Point}] = true
	}
	for _, d := range s.deps.Fleet.Declared("") {
		if !moved[[3]string{d.App, d.IDC, d.Point}] || !c.sees(d.App, d.IDC) {
			continue
		}
		if ps := gear.CheckTable(d.Params, table); len(ps) > 0 {
			out = append(out, toRefusal(template.Refusal{App: d.App, IDC: d.IDC, Build: d.Build, Point: d.Point, Machines: d.Machines, Problems: ps}))
		}
	}
	return out, nil
}

func (s *Server) latestOf(ctx context.Context, moves []template.Move) (map[string]int, error) {
	latest := map[string]int{}
	for _, m := range moves {
		for _, b := range []*template.Binding{m.From, m.To} {
			if b == nil {
				continue
			}
			if _, ok := latest[b.TemplateID]; ok {
				continue
			}
			t, err := s.deps.Store.GetTemplate(ctx, b.TemplateID)
			if err != nil {
				return nil, err
			}
			latest[b.TemplateID] = t.Latest
		}
	}
	return latest, nil
}

func resolution(place template.Selector, b *template.Binding, latest map[string]int) api.Resolution {
	out := api.Resolution{PointKey: toPointKey(place)}
	if b != nil {
		out.BindingID, out.Template, out.Version = b.ID, b.Template, b.Pin
		if b.Pin == 0 {
			out.Version = latest[b.TemplateID]
		}
	}
	return out
}

func (s *Server) resolvePoint(ctx context.Context, c *caller, in *struct {
	Scene string `query:"scene" required:"true" maxLength:"63" doc:"Scene or *." example:"k2"`
	IDC   string `query:"idc" required:"true" maxLength:"63" doc:"Machine room." example:"ea119"`
	App   string `query:"app" required:"true" maxLength:"63" doc:"Application." example:"sn"`
	Point string `query:"point" required:"true" maxLength:"63" doc:"Control point." example:"recall"`
},
) (*plain[api.ResolvedPoint], error) {
	if err := c.may(auth.Read, in.App, in.IDC); err != nil {
		return nil, err
	}
	r, err := s.deps.Templates.ResolvePlace(ctx, template.Selector{Scene: in.Scene, IDC: in.IDC, App: in.App, Point: in.Point})
	if err != nil {
		return nil, err
	}
	out := api.ResolvedPoint{Resolution: api.Resolution{PointKey: toPointKey(r.Place)}, Candidates: mapped(r.Candidates, toBinding)}
	if r.Binding != nil {
		out.BindingID, out.Template, out.Version = r.Binding.ID, r.Template.Name, r.Number
	}
	return &plain[api.ResolvedPoint]{out}, nil
}
