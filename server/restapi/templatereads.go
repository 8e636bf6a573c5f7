package restapi

import (
	"context"
	"slices"
	"strconv"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/template"
)

func (s *Server) getDocument(ctx context.Context, _ *caller, in *struct {
	TemplatePath
	ContentQuery
	Accept string `header:"Accept" hidden:"true"`
	Format string `query:"format" enum:"json,yaml" doc:"Instead of Accept."`
},
) (*documentOutput, error) {
	t, d, err := s.content(ctx, in.Template, in.Version)
	if err != nil {
		return nil, err
	}
	format, kind := template.JSON, "application/json"
	if in.Format == "yaml" || in.Format == "" && slices.Contains([]string{"application/yaml", "application/x-yaml", "text/yaml"}, in.Accept) {
		format, kind = template.YAML, "application/yaml"
	}
	b, err := template.Encode(d, format)
	if err != nil {
		return nil, err
	}
	return &documentOutput{kind, etag(t.Version), b}, nil
}

func (s *Server) diffTemplate(ctx context.Context, _ *caller, in *struct {
	TemplatePath
	From string `query:"from" required:"true" maxLength:"10" pattern:"^(draft|latest|[1-9][0-9]*)$" doc:"draft, latest or a number." example:"latest"`
	To   string `query:"to" required:"true" maxLength:"10" pattern:"^(draft|latest|[1-9][0-9]*)$" doc:"draft, latest or a number." example:"draft"`
},
) (*plain[api.Diff], error) {
	t, err := s.template(ctx, in.Template)
	if err != nil {
		return nil, err
	}
	document, levels, err := s.deps.Templates.Compare(ctx, t.ID, in.From, in.To)
	if err != nil {
		return nil, err
	}
	return &plain[api.Diff]{api.Diff{From: in.From, To: in.To, Changes: mapped(document, toDifference), Levels: mapped(levels, toDifference)}}, nil
}

func (s *Server) listVersions(ctx context.Context, _ *caller, in *struct {
	TemplatePath
	Paged
},
) (*plain[api.Page[api.TemplateVersion]], error) {
	t, err := s.template(ctx, in.Template)
	if err != nil {
		return nil, err
	}
	all, err := s.deps.Store.ListVersions(ctx, t.ID)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b *template.Version) int { return b.Number - a.Number })
	// Newest first: the key rises as the number falls.
	key := func(v *template.Version) string { return strconv.Itoa(1_000_000_000 + 1_000_000_000 - v.Number) }
	return pageOf(all, in.Paged, key, toVersion)
}

func (s *Server) templateUsage(ctx context.Context, c *caller, in *TemplatePath) (*plain[api.Usage], error) {
	t, err := s.template(ctx, in.Template)
	if err != nil {
		return nil, err
	}
	all, err := s.deps.Store.ListBindings(ctx)
	if err != nil {
		return nil, err
	}
	u := api.Usage{Bindings: []api.Binding{}, Points: []api.PointKey{}}
	scenes := map[string]bool{gear.Any: true}
	for _, b := range all {
		scenes[b.Selector.Scene] = true
		if b.TemplateID == t.ID && c.sees(b.Selector.App, b.Selector.IDC) {
			u.Bindings = append(u.Bindings, toBinding(b))
		}
	}
	seen := map[api.PointKey]bool{}
	for _, d := range s.deps.Fleet.Declared("") {
		if !c.sees(d.App, d.IDC) {
			continue
		}
		served := false
		for scene := range scenes {
			b := template.Resolve(all, template.Selector{Scene: scene, IDC: d.IDC, App: d.App, Point: d.Point})
			if b == nil || b.TemplateID != t.ID {
				continue
			}
			served = true
			seen[api.PointKey{Scene: scene, IDC: d.IDC, App: d.App, Point: d.Point}] = true
		}
		if served {
			u.Machines += d.Machines
		}
	}
	for k := range seen {
		u.Points = append(u.Points, k)
	}
	slices.SortFunc(u.Points, comparePoints)
	return &plain[api.Usage]{u}, nil
}

func (s *Server) diffDocument(ctx context.Context, _ *caller, in *struct {
	TemplatePath
	From string `query:"from" default:"latest" maxLength:"10" pattern:"^(draft|latest|[1-9][0-9]*)$" doc:"What it is compared with: draft, latest or a number."`
	DocumentBody
},
) (*plain[api.Diff], error) {
	_, stored, err := s.content(ctx, in.Template, in.From)
	if err != nil {
		return nil, err
	}
	d, err := in.read()
	if err != nil {
		return nil, err
	}
	levels, err := template.DiffLevels(&stored.Spec, &d.Spec)
	if err != nil {
		return nil, err
	}
	return &plain[api.Diff]{api.Diff{
		From: in.From, To: "document", Changes: mapped(template.Diff(&stored.Spec, &d.Spec), toDifference), Levels: mapped(levels, toDifference),
	}}, nil
}

func (s *Server) checkDocument(ctx context.Context, c *caller, in *struct {
	Template string `query:"template" maxLength:"63" doc:"Template that the document would replace; the one of its name by default."`
	DocumentBody
},
) (*plain[api.Check], error) {
	format, err := formatOf(in.ContentType)
	if err != nil {
		return nil, err
	}
	d, problems := template.Read(in.RawBody, format)
	if len(problems) > 0 {
		return &plain[api.Check]{toCheck(template.Verdict{Problems: problems}, c)}, nil
	}
	name := in.Template
	if name == "" {
		name = d.Name
	}
	id := ""
	switch t, err := s.template(ctx, name); {
	case err == nil:
		id = t.ID
	case !fault.Is(err, fault.NotFound) || in.Template != "":
		return nil, err
	}
	return s.judge(ctx, c, id, d)
}
