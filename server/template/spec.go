package template

import (
	"maps"
	"slices"

	"github.com/allspark/allspark/proto/gear"
)

// Document is a template as its author writes it.
type Document struct {
	Name        string
	Description string
	Tags        []string
	Spec        Spec

	places map[string]place // where a path stood in the text
}

type place struct{ line, column int }

// Locate adds line and column to problems whose path, or the nearest one above
// it, stands in the document's text.
func (d *Document) Locate(problems gear.Problems) gear.Problems {
	for i := range problems {
		for p := problems[i].Path; problems[i].Line == 0; p = parentPath(p) {
			if at, ok := d.places[p]; ok {
				problems[i].Line, problems[i].Column = at.line, at.column
			}
			if p == "" {
				break
			}
		}
	}
	return problems
}

func parentPath(p string) string {
	for i := len(p) - 1; i > 0; i-- {
		if p[i] == '.' || p[i] == '[' {
			return p[:i]
		}
	}
	return ""
}

// Clone copies the content so that the copy may be edited.
func (s *Spec) Clone() *Spec {
	c := *s
	c.Parameters = slices.Clone(s.Parameters)
	for i := range c.Parameters {
		c.Parameters[i].Values = slices.Clone(c.Parameters[i].Values)
	}
	c.Strategy.Settings = maps.Clone(s.Strategy.Settings)
	c.Anchors = slices.Clone(s.Anchors)
	for i := range c.Anchors {
		c.Anchors[i].Set = maps.Clone(c.Anchors[i].Set)
	}
	return &c
}

// Parameter finds a column by name, -1 when there is none.
func (s *Spec) Parameter(name string) int {
	return slices.IndexFunc(s.Parameters, func(p Parameter) bool { return p.Name == name })
}

// Settings gives the strategy's settings with defaults filled in, in the order
// of gear.StrategyParams; settings without value and default are left out.
func (s *Spec) Settings() []gear.Setting {
	return settingsOf(s.Strategy.Kind, s.Strategy.Settings)
}

// DefaultSettings gives the settings of another strategy for a point of this
// template: the values the template has under the same names, where they fit,
// else the defaults.
func (s *Spec) DefaultSettings(k gear.Strategy) []gear.Setting {
	return settingsOf(k, s.Strategy.Settings)
}

func settingsOf(k gear.Strategy, set map[string]gear.Value) []gear.Setting {
	var out []gear.Setting
	for _, p := range gear.StrategyParams(k) {
		v, ok := set[p.Name]
		if ok {
			_, ok = p.Check(v)
		}
		if !ok {
			v = p.Default
		}
		if !v.IsZero() {
			out = append(out, gear.Setting{Name: p.Name, Value: v})
		}
	}
	return out
}
