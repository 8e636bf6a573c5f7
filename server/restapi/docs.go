package restapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// docsPage renders the OpenAPI document as one page: no script, no foreign host.
func (s *Server) docsPage() ([]byte, error) {
	doc := s.api.OpenAPI()
	page := docPage{Title: doc.Info.Title, Version: doc.Info.Version, Intro: doc.Info.Description}
	byTag := map[string]int{}
	for i, t := range doc.Tags {
		page.Groups = append(page.Groups, docGroup{Name: t.Name, Text: t.Description})
		byTag[t.Name] = i
	}
	for path, item := range doc.Paths {
		for method, op := range map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "DELETE": item.Delete} {
			if op == nil {
				continue
			}
			row := docRow{Method: method, Path: path, ID: op.OperationID, Summary: op.Summary, Text: op.Description}
			if a, ok := op.Metadata[metaAccess].(access); ok {
				row.Needs = string(a.verb)
				if a.public {
					row.Needs = "nothing"
				} else if a.verb == "" {
					row.Needs = "a session or token"
				}
			}
			for _, p := range op.Parameters {
				row.Parameters = append(row.Parameters, docField{Name: p.Name, In: p.In, Type: typeOf(p.Schema), Text: p.Description, Required: p.Required})
			}
			if op.RequestBody != nil {
				for _, m := range op.RequestBody.Content {
					row.Body = typeOf(m.Schema)
				}
			}
			for status, r := range op.Responses {
				line := docAnswer{Status: status, Text: r.Description}
				for _, m := range r.Content {
					line.Type = typeOf(m.Schema)
				}
				row.Answers = append(row.Answers, line)
			}
			slices.SortFunc(row.Answers, func(a, b docAnswer) int { return cmp.Compare(a.Status, b.Status) })
			g := &page.Groups[byTag[op.Tags[0]]]
			g.Rows = append(g.Rows, row)
		}
	}
	for i := range page.Groups {
		slices.SortFunc(page.Groups[i].Rows, func(a, b docRow) int {
			return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
		})
	}
	for name, schema := range doc.Components.Schemas.Map() {
		t := docType{Name: name, Text: schema.Description}
		for field, f := range schema.Properties {
			t.Fields = append(t.Fields, docField{Name: field, Type: typeOf(f), Text: f.Description, Required: slices.Contains(schema.Required, field), Example: exampleOf(f)})
		}
		slices.SortFunc(t.Fields, func(a, b docField) int { return cmp.Compare(a.Name, b.Name) })
		page.Types = append(page.Types, t)
	}
	slices.SortFunc(page.Types, func(a, b docType) int { return cmp.Compare(a.Name, b.Name) })
	var b bytes.Buffer
	if err := docTemplate.Execute(&b, page); err != nil {
		return nil, fmt.Errorf("render API page: %w", err)
	}
	return b.Bytes(), nil
}

type docPage struct {
	Title, Version, Intro string
	Groups                []docGroup
	Types                 []docType
}

type docGroup struct {
	Name, Text string
	Rows       []docRow
}

type docRow struct {
	Method, Path, ID, Summary, Text, Needs, Body string
	Parameters                                   []docField
	Answers                                      []docAnswer
}

type docAnswer struct{ Status, Text, Type string }

type docType struct {
	Name, Text string
	Fields     []docField
}

type docField struct {
	Name, In, Type, Text, Example string
	Required                      bool
}

func typeOf(s *huma.Schema) string {
	switch {
	case s == nil:
		return ""
	case s.Ref != "":
		return s.Ref[strings.LastIndex(s.Ref, "/")+1:]
	case s.Type == "array":
		return typeOf(s.Items) + "[]"
	case len(s.Enum) > 0:
		words := make([]string, len(s.Enum))
		for i, e := range s.Enum {
			words[i] = fmt.Sprint(e)
		}
		return strings.Join(words, " | ")
	case s.Type == "":
		return "any"
	case s.Format != "" && s.Format != "int64" && s.Format != "double":
		return s.Type + " (" + s.Format + ")"
	}
	return s.Type
}

func exampleOf(s *huma.Schema) string {
	if len(s.Examples) == 0 {
		return ""
	}
	b, err := json.Marshal(s.Examples[0])
	if err != nil {
		return ""
	}
	return string(b)
}

var docTemplate = template.Must(template.New("docs").Funcs(template.FuncMap{
	"base": func(t string) string { return strings.TrimRight(t, "[]") },
	"low":  strings.ToLower,
}).Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{{.Title}}</title>
<style>
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); --soft: color-mix(in srgb, currentColor 62%, transparent) }
body { font: 14px/1.5 system-ui, sans-serif; margin: 0; display: grid; grid-template-columns: 15rem minmax(0, 60rem); gap: 2rem }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line); box-sizing: border-box }
nav a { display: block; color: inherit; text-decoration: none; padding: .1rem 0 } nav a:hover, nav a:focus { text-decoration: underline }
main { padding: 1rem 1rem 6rem } h1 { font-size: 1.5rem } h2 { margin-top: 3rem; border-bottom: 1px solid var(--line) }
details { border: 1px solid var(--line); border-radius: 6px; margin: .4rem 0 } summary { padding: .4rem .7rem; cursor: pointer }
details > div { padding: 0 .9rem .7rem } code { font: 13px ui-monospace, monospace; overflow-wrap: anywhere }
.m { display: inline-block; width: 4.2em; font: bold 12px ui-monospace, monospace } .s, td:last-child { color: var(--soft) }
table { border-collapse: collapse; width: 100% } td { border-top: 1px solid var(--line); padding: .2rem .6rem .2rem 0; vertical-align: top }
pre { white-space: pre-wrap; font: inherit } @media (max-width: 50rem) { body { display: block } nav { position: static; height: auto } }
</style></head><body>
<nav aria-label="Contents"><strong>{{.Title}}</strong>{{range .Groups}}<a href="#tag-{{low .Name}}">{{.Name}}</a>{{end}}<a href="#types">Types</a><a href="/api/v1/openapi.json">openapi.json</a></nav>
<main><h1>{{.Title}} <span class="s">{{.Version}}</span></h1><pre>{{.Intro}}</pre>
{{range .Groups}}<h2 id="tag-{{low .Name}}">{{.Name}}</h2><p>{{.Text}}</p>
{{range .Rows}}<details id="{{.ID}}"><summary><span class="m">{{.Method}}</span> <code>{{.Path}}</code> <span class="s">{{.Summary}}</span></summary><div>
<p>{{.Text}}</p><p class="s">Needs: {{.Needs}}</p>
{{if .Parameters}}<table>{{range .Parameters}}<tr><td><code>{{.Name}}</code>{{if .Required}} *{{end}}</td><td>{{.In}}</td><td><code>{{.Type}}</code></td><td>{{.Text}}</td></tr>{{end}}</table>{{end}}
{{if .Body}}<p>Body: <a href="#type-{{base .Body}}"><code>{{.Body}}</code></a></p>{{end}}
<table>{{range .Answers}}<tr><td>{{.Status}}</td><td>{{if .Type}}<a href="#type-{{base .Type}}"><code>{{.Type}}</code></a>{{end}}</td><td>{{.Text}}</td></tr>{{end}}</table></div></details>
{{end}}{{end}}
<h2 id="types">Types</h2>{{range .Types}}<details id="type-{{.Name}}"><summary><code>{{.Name}}</code> <span class="s">{{.Text}}</span></summary><div><table>
{{range .Fields}}<tr><td><code>{{.Name}}</code>{{if .Required}} *{{end}}</td><td><code>{{.Type}}</code></td><td>{{if .Example}}<code>{{.Example}}</code>{{end}}</td><td>{{.Text}}</td></tr>{{end}}</table></div></details>{{end}}
</main></body></html>
`))
