package restapi

import (
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// apiConfig describes the document as a whole.
func apiConfig() huma.Config {
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "AllSpark API", Version: "1",
				Description: "The control plane for elastic compute.\n\n" +
					"Lists answer {items, next_cursor}. Writes to an existing object need If-Match with its ETag; a stale one is 409 with base, mine and theirs. " +
					"A POST with an Idempotency-Key can be retried. Errors are RFC 9457 problems with a code, every path, and a request id. " +
					"Bodies are at most 1 MiB, uncompressed, without unknown fields.",
				License: &huma.License{Name: "Apache 2.0", Identifier: "Apache-2.0"},
			},
			Servers: []*huma.Server{{URL: "/", Description: "This controller."}},
			Tags: []*huma.Tag{
				{Name: "Sessions", Description: "Sign in and out."},
				{Name: "Templates", Description: "Typed parameters, gears and strategy, versioned."},
				{Name: "Bindings", Description: "Which template version serves which scene, IDC, app and point."},
				{Name: "Claims", Description: "Wishes that a field be so, with source, reason and end."},
				{Name: "Points", Description: "Control points live, their history, and why this gear."},
				{Name: "Agents", Description: "Who is connected and what they declare."},
				{Name: "Changes", Description: "The journal of order sets and how far each has come."},
				{Name: "Events", Description: "One stream of what happens."},
				{Name: "Audit", Description: "Who changed what, when and why, hash-chained."},
				{Name: "Access", Description: "Users, API tokens and enrolment tokens."},
				{Name: "Status", Description: "State and settings of the controllers."},
			},
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry("#/components/schemas/", schemaName),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"session": {Type: "apiKey", In: "cookie", Name: cookieName, Description: "The console's session."},
					"bearer":  {Type: "http", Scheme: "bearer", Description: "A program's session or an API token."},
				},
			},
		},
		Formats:       map[string]huma.Format{"application/json": jsonFormat, "json": jsonFormat},
		DefaultFormat: "application/json",
	}
}

// schemaName calls Page[…/api.Template] TemplatePage, and leaves others alone.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if rest, ok := strings.CutPrefix(name, "Page"); ok && rest != "" {
		return rest + "Page"
	}
	return strings.ReplaceAll(name, "Failure", "Problem")
}

// finishDocument adds what huma does not know.
func (s *Server) finishDocument() {
	doc := s.api.OpenAPI()
	problem := doc.Components.Schemas.Schema(reflect.TypeFor[failure](), true, "Problem")
	for _, item := range doc.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Delete} {
			if op == nil {
				continue
			}
			for status, r := range op.Responses {
				if status >= "400" {
					r.Content = map[string]*huma.MediaType{problemType: {Schema: problem}}
				}
			}
			op.Parameters = slices.DeleteFunc(op.Parameters, func(p *huma.Param) bool {
				return p.In == "header" && (p.Name == "Content-Type" || p.Name == "Accept" || p.Name == "User-Agent")
			})
		}
	}
}
