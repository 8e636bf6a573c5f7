package demo

import (
	"context"
	"embed"
	"fmt"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/template"
)

//go:embed templates/*.yaml
var templateFiles embed.FS

// Templates gives the documents that the sample engine starts with.
func Templates() []*template.Document {
	files, err := templateFiles.ReadDir("templates")
	if err != nil {
		panic(err) // embedded
	}
	var out []*template.Document
	for _, f := range files {
		text, err := templateFiles.ReadFile("templates/" + f.Name())
		if err != nil {
			panic(err)
		}
		doc, problems := template.Read(text, template.YAML)
		if len(problems) > 0 {
			panic("demo: " + f.Name() + ": " + problems.Error()) // a test reads them all
		}
		out = append(out, doc)
	}
	return out
}

// Binding says which of the Templates serves a place.
type Binding struct {
	Selector template.Selector
	Template string // name
}

// Bindings gives the places that the sample engine's templates serve.
func Bindings() []Binding {
	at := func(app, point, name string) Binding {
		return Binding{template.Selector{Scene: gear.Any, IDC: gear.Any, App: app, Point: point}, name}
	}
	return []Binding{
		at("frontend", "entry", "entry"), // what is bound nowhere cannot be measured by bucket
		at("merger", "merge", "merge-ads"),
		at("sn", "recall", "recall-tags"),
		at("sn", "prerank", "prerank-depth"),
		at("sn", "rank", "rank-depth"),
		at("sn", "creative_edge", "creative-timeout"),
		at("feature", "fetch", "feature-fetch"),
		at("model", "score", "model-layers"),
		at("creative", "select", "creative-variants"),
	}
}

// actor signs what the sample engine does by itself.
const actor = "system:demo"

// once makes a change that happens once in the life of a database: what an
// operator changed or deleted since stays so.
func once(what string) audit.Change {
	return audit.Change{Actor: actor, Via: "demo", Reason: "the sample engine's own templates", IdempotencyKey: "demo/" + what}
}

// Seed publishes and binds the templates, through the same door as an operator.
// It may be called at every start, and goes on where a start was cut off.
func Seed(ctx context.Context, templates *template.Service, store template.Store) error {
	for _, doc := range Templates() {
		if err := seedTemplate(ctx, templates, store, doc); err != nil {
			return fmt.Errorf("seed template %s: %w", doc.Name, err)
		}
	}
	for _, b := range Bindings() {
		t, err := store.FindTemplate(ctx, b.Template)
		if fault.Is(err, fault.NotFound) {
			continue // deleted since
		}
		if err == nil {
			_, err = templates.Bind(ctx, &template.Binding{Selector: b.Selector, TemplateID: t.ID}, false, once("bind/"+b.Selector.String()))
		}
		// A place that an operator bound first is theirs.
		if err != nil && !fault.Is(err, fault.Duplicate) && !fault.Is(err, fault.Conflict) {
			return fmt.Errorf("seed binding %s: %w", b.Selector, err)
		}
	}
	return nil
}

func seedTemplate(ctx context.Context, templates *template.Service, store template.Store, doc *template.Document) error {
	t, err := store.FindTemplate(ctx, doc.Name)
	if fault.Is(err, fault.NotFound) {
		t, err = templates.Create(ctx, doc, once("create/"+doc.Name))
	}
	if fault.Is(err, fault.Duplicate) {
		return nil // deleted since
	}
	if err != nil || t.Latest > 0 || t.CreatedBy != actor {
		return err
	}
	_, err = templates.Publish(ctx, t.ID, t.Version, false, once("publish/"+doc.Name))
	if fault.Is(err, fault.Duplicate) {
		return nil
	}
	return err
}
