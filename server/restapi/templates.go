package restapi

import (
	"context"
	"encoding/json"
	"mime"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/template"
)

type TemplatePath struct {
	Template string `path:"template" maxLength:"63" doc:"Template id or name." example:"sn-recall"`
}

// DocumentBody takes a document as JSON or YAML; template reads it strictly, so
// that paths and wording are the same everywhere.
type DocumentBody struct {
	ContentType string `header:"Content-Type" hidden:"true"`
	RawBody     []byte
}

func (b *DocumentBody) read() (*template.Document, error) {
	format, err := formatOf(b.ContentType)
	if err != nil {
		return nil, err
	}
	d, problems := template.Read(b.RawBody, format)
	if len(problems) > 0 {
		return nil, fault.WithProblems(problems, "the template document is not valid")
	}
	return d, nil
}

func formatOf(contentType string) (template.Format, error) {
	kind, _, _ := mime.ParseMediaType(contentType)
	switch kind {
	case "", "application/json":
		return template.JSON, nil
	case "application/yaml", "application/x-yaml", "text/yaml":
		return template.YAML, nil
	}
	return template.JSON, newFailure(http.StatusUnsupportedMediaType, "", "send the document as application/json or application/yaml", "")
}

// documentRequest documents a documentBody.
func (s *Server) documentRequest() *huma.RequestBody {
	ref := &huma.Schema{Ref: "#/components/schemas/TemplateDocument"}
	return &huma.RequestBody{Required: true, Description: "The template document.", Content: map[string]*huma.MediaType{
		"application/json": {Schema: ref, Example: exampleDocument}, "application/yaml": {Schema: ref},
	}}
}

var exampleDocument = json.RawMessage(`{"name":"sn-recall","strategy":{"kind":"fixed"},"levels":{"count":10,"default":8,"min":1,"max":10},` +
	`"parameters":[{"name":"tag_count","type":"int","unit":"tags","min":10,"max":200}],` +
	`"gears":[{"level":1,"set":{"tag_count":20}},{"level":10,"set":{"tag_count":200}}]}`)

type templateOutput = tagged[api.TemplateDetail]

func (s *Server) templateRoutes() {
	const tag = "Templates"
	handle(s, endpoint{
		method: http.MethodGet, path: "/templates", id: "list-templates", tag: tag, verb: auth.Read,
		summary: "List templates", description: "Search looks in name, description and tags; several tags must all be there.",
	}, s.listTemplates)
	handle(s, endpoint{
		method: http.MethodPost, path: "/templates", id: "create-template", tag: tag, verb: auth.Edit, status: http.StatusCreated,
		summary: "Create a template", description: "From a document; it becomes the draft.", request: s.documentRequest(),
		errors: []int{http.StatusUnprocessableEntity},
	}, s.createTemplate)
	handle(s, endpoint{
		method: http.MethodPost, path: "/templates/check", id: "check-document", tag: tag, verb: auth.Read, request: s.documentRequest(),
		summary: "Check an unsaved document", description: "What makes it invalid, what looks unintended, and which registered builds would refuse it where the template of its name (or of the query) is bound. Saves nothing.",
	}, s.checkDocument)
	handle(s, endpoint{
		method: http.MethodGet, path: "/templates/{template}", id: "get-template", tag: tag, verb: auth.Read,
		summary: "Get a template", description: "With its draft and its newest published content.",
	}, func(ctx context.Context, c *caller, in *TemplatePath) (*templateOutput, error) {
		t, err := s.template(ctx, in.Template)
		if err != nil {
			return nil, err
		}
		return s.templateDetail(ctx, t)
	})
	handle(s, endpoint{
		method: http.MethodDelete, path: "/templates/{template}", id: "delete-template", tag: tag, verb: auth.Edit, status: http.StatusNoContent,
		summary: "Delete a template", description: "Refused while a binding uses it.", errors: []int{http.StatusPreconditionRequired},
	}, func(ctx context.Context, c *caller, in *struct {
		TemplatePath
		Conditional
		Reasoned
	},
	) (*struct{}, error) {
		t, version, err := s.editable(ctx, c, auth.Edit, in.Template, in.Conditional)
		if err != nil {
			return nil, err
		}
		return nil, s.deps.Templates.Delete(ctx, t.ID, version, c.change(in.Reason, ""))
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/templates/{template}/document", id: "get-document", tag: tag, verb: auth.Read,
		summary: "Get a document", description: "As JSON, or as YAML with Accept: application/yaml or format=yaml. It reads back exactly.",
		responses: map[string]*huma.Response{"200": {Description: "The document.", Content: map[string]*huma.MediaType{
			"application/json": {Schema: &huma.Schema{Ref: "#/components/schemas/TemplateDocument"}}, "application/yaml": {Schema: &huma.Schema{Type: "string"}},
		}}},
	}, s.getDocument)
	handle(s, endpoint{
		method: http.MethodPut, path: "/templates/{template}/draft", id: "save-draft", tag: tag, verb: auth.Edit, request: s.documentRequest(),
		summary: "Save the draft", description: "The document replaces head and draft. Refused when registered builds would refuse it, unless forced.",
		errors: []int{http.StatusPreconditionRequired, http.StatusUnprocessableEntity},
	}, s.saveDraft)
	handle(s, endpoint{
		method: http.MethodDelete, path: "/templates/{template}/draft", id: "discard-draft", tag: tag, verb: auth.Edit,
		summary: "Drop the draft", description: "The newest published content stands.", errors: []int{http.StatusPreconditionRequired},
	}, func(ctx context.Context, c *caller, in *struct {
		TemplatePath
		Conditional
		Reasoned
	},
	) (*templateOutput, error) {
		t, version, err := s.editable(ctx, c, auth.Edit, in.Template, in.Conditional)
		if err != nil {
			return nil, err
		}
		if t, err = s.deps.Templates.DiscardDraft(ctx, t.ID, version, c.change(in.Reason, "")); err != nil {
			return nil, err
		}
		return s.templateDetail(ctx, t)
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/templates/{template}/check", id: "check-template", tag: tag, verb: auth.Read,
		summary: "Check what is stored", description: "The same check on the draft, the newest or a numbered version.",
	}, func(ctx context.Context, c *caller, in *struct {
		TemplatePath
		ContentQuery
	},
	) (*plain[api.Check], error) {
		t, d, err := s.content(ctx, in.Template, in.Version)
		if err != nil {
			return nil, err
		}
		return s.judge(ctx, c, t.ID, d)
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/templates/{template}/table", id: "get-table", tag: tag, verb: auth.Read,
		summary: "Expand every level", description: "What each level means, interpolated ones included.",
	}, func(ctx context.Context, c *caller, in *struct {
		TemplatePath
		ContentQuery
	},
	) (*plain[api.Table], error) {
		_, d, err := s.content(ctx, in.Template, in.Version)
		if err != nil {
			return nil, err
		}
		t, err := template.Expand(&d.Spec)
		if err != nil {
			return nil, err
		}
		return &plain[api.Table]{toTable(t, &d.Spec)}, nil
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/templates/{template}/diff", id: "diff-template", tag: tag, verb: auth.Read,
		summary: "Compare two contents", description: "In the document, and level by level as agents see it.",
	}, s.diffTemplate)
	handle(s, endpoint{
		method: http.MethodPost, path: "/templates/{template}/diff", id: "diff-document", tag: tag, verb: auth.Read, request: s.documentRequest(),
		summary: "Compare with an unsaved document", description: "What saving it would change. Saves nothing.",
	}, s.diffDocument)
	handle(s, endpoint{
		method: http.MethodGet, path: "/templates/{template}/versions", id: "list-versions", tag: tag, verb: auth.Read,
		summary: "List published versions", description: "Newest first, without their contents.",
	}, s.listVersions)
	handle(s, endpoint{
		method: http.MethodGet, path: "/templates/{template}/versions/{version}", id: "get-version", tag: tag, verb: auth.Read,
		summary: "Get a published version", description: "With its content.",
	}, func(ctx context.Context, c *caller, in *struct {
		TemplatePath
		Version int `path:"version" minimum:"1" maximum:"1000000000" doc:"Version number." example:"4"`
	},
	) (*plain[api.TemplateVersion], error) {
		t, err := s.template(ctx, in.Template)
		if err != nil {
			return nil, err
		}
		v, err := s.deps.Store.GetVersion(ctx, t.ID, in.Version)
		if err != nil {
			return nil, err
		}
		out := toVersion(v)
		out.Document = toDocument(&template.Document{Name: t.Name, Description: t.Description, Tags: t.Tags, Spec: v.Spec})
		return &plain[api.TemplateVersion]{out}, nil
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/templates/{template}/usage", id: "template-usage", tag: tag, verb: auth.Read,
		summary: "Where is it used", description: "Bindings that name it, and the declared points they serve.",
	}, s.templateUsage)
	s.templateActions()
}

type ContentQuery struct {
	Version string `query:"version" maxLength:"10" pattern:"^(draft|latest|[1-9][0-9]*)$" doc:"draft, latest or a number; what is newest by default." example:"latest"`
}

// template finds a template by name or id: names cannot look like UUIDs by
// accident of length alone, so the name is asked first.
func (s *Server) template(ctx context.Context, idOrName string) (*template.Template, error) {
	t, err := s.deps.Store.FindTemplate(ctx, idOrName)
	if fault.Is(err, fault.NotFound) {
		return s.deps.Store.GetTemplate(ctx, idOrName)
	}
	return t, err
}

func (s *Server) content(ctx context.Context, idOrName, which string) (*template.Template, *template.Document, error) {
	t, err := s.template(ctx, idOrName)
	if err != nil {
		return nil, nil, err
	}
	d, err := s.deps.Templates.Content(ctx, t.ID, which)
	return t, d, err
}

// mayWrite wants the verb wherever the template serves, by a binding or by a claim
// that stands; somewhere while it serves nowhere.
func (s *Server) mayWrite(ctx context.Context, c *caller, v auth.Verb, t *template.Template) error {
	used, err := s.deps.Templates.WhereUsed(ctx, t.ID)
	if err != nil {
		return err
	}
	for _, b := range used {
		if err := c.may(v, b.Selector.App, b.Selector.IDC); err != nil {
			return err
		}
	}
	now, err := s.deps.Control.Now(ctx)
	if err != nil {
		return err
	}
	claims, err := s.deps.Control.ClaimsAt(ctx, now)
	if err != nil {
		return err
	}
	for _, x := range claims {
		if x.Field != control.FieldBinding || x.Template != t.ID {
			continue
		}
		if err := c.may(v, x.Scope.App, x.Scope.IDC); err != nil {
			return err
		}
	}
	return nil
}

// editable finds a template that the caller may write, with the version edited.
func (s *Server) editable(ctx context.Context, c *caller, v auth.Verb, idOrName string, cond Conditional) (*template.Template, int64, error) {
	version, err := cond.version()
	if err != nil {
		return nil, 0, err
	}
	t, err := s.template(ctx, idOrName)
	if err != nil {
		return nil, 0, err
	}
	return t, version, s.mayWrite(ctx, c, v, t)
}

func (s *Server) listTemplates(ctx context.Context, _ *caller, in *struct {
	Paged
	Search string   `query:"search" maxLength:"200" doc:"In name, description and tags."`
	Tags   []string `query:"tag" maxItems:"32" doc:"Comma-separated; all must be there."`
	Sort   string   `query:"sort" enum:"name,-name,updated_at,-updated_at" default:"name" doc:"Order; a minus reverses."`
},
) (*plain[api.Page[api.Template]], error) {
	items, next, err := s.deps.Store.ListTemplates(ctx, template.Filter{Search: in.Search, Tags: in.Tags, Sort: in.Sort, After: in.Cursor, Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	bindings, err := s.deps.Store.ListBindings(ctx)
	if err != nil {
		return nil, err
	}
	used := map[string]int{}
	for _, b := range bindings {
		used[b.TemplateID]++
	}
	p := api.Page[api.Template]{Items: make([]api.Template, 0, len(items)), NextCursor: next}
	for _, t := range items {
		d, err := s.deps.Templates.DocumentOf(ctx, t)
		if err != nil {
			return nil, err
		}
		p.Items = append(p.Items, toTemplate(t, d, used[t.ID]))
	}
	return &plain[api.Page[api.Template]]{p}, nil
}

func (s *Server) createTemplate(ctx context.Context, c *caller, in *struct {
	Idempotent
	Reasoned
	DocumentBody
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
		var d *template.Document
		if d, err = in.read(); err != nil {
			return nil, err
		}
		t, err = s.deps.Templates.Create(ctx, d, c.change(in.Reason, in.IdempotencyKey))
	}
	if err != nil {
		return nil, err
	}
	return s.templateDetail(ctx, t)
}

func (s *Server) judge(ctx context.Context, c *caller, id string, d *template.Document) (*plain[api.Check], error) {
	v, err := s.deps.Templates.Judge(ctx, id, d)
	if err != nil {
		return nil, err
	}
	return &plain[api.Check]{toCheck(v, c)}, nil
}

type documentOutput struct {
	ContentType string `header:"Content-Type"`
	ETag        string `header:"ETag"`
	Body        []byte
}

func (s *Server) saveDraft(ctx context.Context, c *caller, in *struct {
	TemplatePath
	Conditional
	Reasoned
	Force bool `query:"force" doc:"Although registered builds would refuse it."`
	DocumentBody
},
) (*templateOutput, error) {
	t, version, err := s.editable(ctx, c, auth.Edit, in.Template, in.Conditional)
	if err != nil {
		return nil, err
	}
	d, err := in.read()
	if err != nil {
		return nil, err
	}
	if t, err = s.deps.Templates.SaveDraft(ctx, t.ID, version, d, in.Force, c.change(in.Reason, "")); err != nil {
		return nil, withMine(err, toDocument(d))
	}
	return s.templateDetail(ctx, t)
}

func (s *Server) templateDetail(ctx context.Context, t *template.Template) (*templateOutput, error) {
	used, err := s.deps.Templates.WhereUsed(ctx, t.ID)
	if err != nil {
		return nil, err
	}
	d, err := s.deps.Templates.DocumentOf(ctx, t)
	if err != nil {
		return nil, err
	}
	out := api.TemplateDetail{Template: toTemplate(t, d, len(used))}
	if t.Draft != nil {
		out.Draft = toDocument(d)
	}
	if t.Latest > 0 {
		published, err := s.deps.Templates.Content(ctx, t.ID, "latest")
		if err != nil {
			return nil, err
		}
		out.Published = toDocument(published)
	}
	return &templateOutput{ETag: etag(t.Version), Body: out}, nil
}
