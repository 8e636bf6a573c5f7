package restapi

import (
	"cmp"
	"encoding/json"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/alert"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/experiment"
	"github.com/allspark/allspark/server/quota"
	"github.com/allspark/allspark/server/scene"
	"github.com/allspark/allspark/server/settings"
	"github.com/allspark/allspark/server/template"
)

// dto shows a stored object of any room, with its version. What is not listed
// here is not shown: a record is never marshalled as it is.
func dto(v any) (shown any, version int64) {
	switch o := v.(type) {
	case *scene.Scene:
		if o != nil {
			return toScene(o), o.Version
		}
	case *template.Document:
		if o != nil {
			return toDocument(o), 0
		}
	case *template.Template:
		if o != nil {
			d := api.TemplateDetail{Template: toTemplate(o, nil, 0)}
			if o.Draft != nil {
				d.Draft = toDocument(&template.Document{Name: o.Name, Description: o.Description, Tags: o.Tags, Spec: *o.Draft})
			}
			return d, o.Version
		}
	case *template.Binding:
		if o != nil {
			return toBinding(o), o.Version
		}
	case *control.Claim:
		if o != nil {
			return toClaim(o), o.Version
		}
	case *auth.User:
		if o != nil {
			return toUser(o), o.Version
		}
	case *quota.Group:
		if o != nil {
			return toQuotaGroup(o), o.Version
		}
	case *experiment.Experiment:
		if o != nil {
			return toExperiment(o), o.Version
		}
	case *alert.Sink:
		if o != nil {
			return toSink(o, nil), o.Version
		}
	case *alert.Rule:
		if o != nil {
			return toRule(o), o.Version
		}
	case *settings.Settings:
		if o != nil {
			return toSettings(o), o.Version
		}
	}
	return nil, 0
}

// toDocument goes through the document's own writer, so that there is one
// spelling of it.
func toDocument(d *template.Document) *api.TemplateDocument {
	b, err := template.Encode(d, template.JSON)
	if err != nil {
		return nil
	}
	var out api.TemplateDocument
	if err := json.Unmarshal(b, &out); err != nil {
		return nil
	}
	return &out
}

func toTemplate(t *template.Template, d *template.Document, bindings int) api.Template {
	out := api.Template{
		ID: t.ID, Name: t.Name, Description: t.Description, Tags: append([]string{}, t.Tags...), HasDraft: t.Draft != nil,
		Latest: t.Latest, Version: t.Version, Bindings: bindings, CopiedFrom: t.CopiedFrom,
		CreatedBy: t.CreatedBy, CreatedAt: t.CreatedAt, UpdatedBy: t.UpdatedBy, UpdatedAt: t.UpdatedAt,
	}
	if d != nil {
		out.Strategy, out.Levels, out.Parameters = string(d.Spec.Strategy.Kind), d.Spec.Levels, len(d.Spec.Parameters)
	}
	return out
}

func toVersion(v *template.Version) api.TemplateVersion {
	return api.TemplateVersion{
		Number: v.Number, Hash: v.Hash, Author: v.Author, Reason: v.Reason, RolledBackTo: v.RolledBack, PublishedAt: v.At,
	}
}

func toRefusal(r template.Refusal) api.Refusal {
	return api.Refusal{
		App: r.App, IDC: r.IDC, Build: r.Build, Point: r.Point, Machines: r.Machines, Problems: problemErrors(r.Problems), Message: r.Message(),
	}
}

// toCheck shows refusals of the caller's own apps only; that there are others
// still counts.
func toCheck(v template.Verdict, c *caller) api.Check {
	out := api.Check{
		OK: len(v.Problems) == 0 && len(v.Refusals) == 0, Problems: problemErrors(v.Problems), Warnings: problemErrors(v.Warnings),
		Refusals: []api.Refusal{},
	}
	for _, r := range v.Refusals {
		if c.sees(r.App, r.IDC) {
			out.Refusals = append(out.Refusals, toRefusal(r))
		}
	}
	return out
}

func toDifference(d template.Difference) api.DiffChange {
	return api.DiffChange{Path: d.Path, Op: string(d.Op), Level: d.Level, From: d.From, To: d.To}
}

func toTable(t *gear.LevelTable, spec *template.Spec) api.Table {
	out := api.Table{Hash: t.Hash, Work: t.Work, Parameters: []api.TableParameter{}, Rows: [][]json.RawMessage{}}
	for _, p := range t.Params {
		c := api.TableParameter{Name: p.Name, Type: p.Kind.String()}
		if i := spec.Parameter(p.Name); i >= 0 {
			c.Unit = spec.Parameters[i].Unit
		}
		out.Parameters = append(out.Parameters, c)
	}
	for _, r := range t.Rows {
		out.Rows = append(out.Rows, mapped(r, template.ValueJSON))
	}
	return out
}

func toBinding(b *template.Binding) api.Binding {
	return api.Binding{
		ID: b.ID, Selector: toSelector(b.Selector), TemplateID: b.TemplateID, Template: b.Template, Pin: b.Pin, Version: b.Version,
		CreatedBy: b.CreatedBy, CreatedAt: b.CreatedAt, UpdatedBy: b.UpdatedBy, UpdatedAt: b.UpdatedAt,
	}
}

func toSelector(s template.Selector) api.Selector {
	return api.Selector{Scene: s.Scene, IDC: s.IDC, App: s.App, Point: s.Point}
}

func fromSelector(s api.Selector) template.Selector {
	return template.Selector{Scene: s.Scene, IDC: s.IDC, App: s.App, Point: s.Point}
}

func toPointKey(s template.Selector) api.PointKey {
	return api.PointKey{Scene: s.Scene, IDC: s.IDC, App: s.App, Point: s.Point}
}

func comparePoints(a, b api.PointKey) int {
	return cmp.Or(cmp.Compare(a.App, b.App), cmp.Compare(a.IDC, b.IDC), cmp.Compare(a.Scene, b.Scene), cmp.Compare(a.Point, b.Point))
}

func toGearVersion(v gear.Version) api.Version {
	return api.Version{Epoch: v.Epoch, Revision: v.Revision}
}
