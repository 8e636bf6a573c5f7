package template

import (
	"fmt"
	"slices"
	"strings"

	"github.com/allspark/allspark/proto/gear"
)

// Limits of a document's head.
const (
	MaxTags        = 32
	MaxDescription = 2000 // bytes
)

// Decode reads a document strictly. Values are read by their parameter's type
// but not yet checked against it: Validate does that. The document is whole only
// when there is no problem.
func Decode(text []byte, format Format) (*Document, gear.Problems) {
	root, problems := parse(text, format)
	if problems != nil {
		return &Document{}, problems
	}
	r := &reader{doc: &Document{places: map[string]place{}}}
	r.document(root)
	return r.doc, r.out
}

// Read decodes and validates: everything wrong with the document, in the order
// of the document, each with its place.
func Read(text []byte, format Format) (*Document, gear.Problems) {
	doc, problems := Decode(text, format)
	if doc.places == nil {
		return doc, problems // not even a tree
	}
	// What could not be read is not judged a second time; without sound
	// parameters nothing below them can be judged at all.
	if slices.ContainsFunc(problems, func(p gear.Problem) bool { return strings.HasPrefix(p.Path, "parameters") }) {
		return doc, problems
	}
	for _, p := range Check(doc) {
		if !slices.ContainsFunc(problems, func(q gear.Problem) bool { return covers(q.Path, p.Path) }) {
			problems.Add(p.Path, p.Code, p.Message)
		}
	}
	problems = doc.Locate(problems)
	slices.SortStableFunc(problems, func(a, b gear.Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return doc, problems
}

// covers reports whether path is at or below q.
func covers(q, path string) bool {
	rest, ok := strings.CutPrefix(path, q)
	return ok && (q == "" || rest == "" || rest[0] == '.' || rest[0] == '[')
}

type reader struct {
	doc  *Document
	out  gear.Problems
	deaf bool
}

func (r *reader) bad(n *node, path, code, format string, args ...any) {
	r.out.Add(path, code, fmt.Sprintf(format, args...))
	if last := &r.out[len(r.out)-1]; n != nil && last.Code != gear.CodeMore {
		last.Line, last.Column = n.line, n.column
	}
}

func got(n *node) string {
	switch n.raw.Token {
	case gear.TokenNull:
		return "nothing"
	case gear.TokenList:
		return "a list"
	case gear.TokenMap:
		return "a map"
	case gear.TokenString:
		return `"` + gear.Shown(n.raw.Text) + `"`
	default:
		return gear.Shown(n.raw.Text)
	}
}

// fields checks that n is a map of known fields and gives them by name; a field
// that is null counts as absent.
func (r *reader) fields(n *node, path string, known ...string) map[string]*node {
	if n == nil {
		return nil
	}
	r.doc.places[path] = place{n.line, n.column}
	if n.raw.Token != gear.TokenMap {
		r.bad(n, path, gear.CodeType, "%s wants a map, got %s", label(path), got(n))
		return nil
	}
	out := make(map[string]*node, len(n.keys))
	for i, k := range n.keys {
		at := gear.JoinPath(path, gear.Shown(k))
		if !slices.Contains(known, k) {
			r.bad(n.kids[i], at, gear.CodeUnknown, "%q is not a field here; known are %s", gear.Shown(k), strings.Join(known, ", "))
			continue
		}
		r.doc.places[at] = place{n.kids[i].line, n.kids[i].column}
		if n.kids[i].raw.Token != gear.TokenNull {
			out[k] = n.kids[i]
		}
	}
	return out
}

func label(path string) string {
	if path == "" {
		return "the document"
	}
	return path
}

func (r *reader) list(n *node, path string, limit int) []*node {
	if n == nil {
		return nil
	}
	if n.raw.Token != gear.TokenList {
		r.bad(n, path, gear.CodeType, "%s wants a list, got %s", label(path), got(n))
		return nil
	}
	if len(n.kids) > limit {
		r.bad(n, path, gear.CodeLength, "%s has at most %d entries, got %d", label(path), limit, len(n.kids))
		return nil
	}
	return n.kids
}

func (r *reader) text(n *node, path string) string {
	if n == nil {
		return ""
	}
	if n.raw.Token != gear.TokenString {
		r.bad(n, path, gear.CodeType, "%s wants string, got %s", label(path), got(n))
		return ""
	}
	return n.raw.Text
}

func (r *reader) texts(n *node, path string, limit int) []string {
	var out []string
	for i, k := range r.list(n, path, limit) {
		out = append(out, r.text(k, fmt.Sprintf("%s[%d]", path, i)))
	}
	return out
}

// level reads a whole number that is to become a level; absent is otherwise.
func (r *reader) level(n *node, path string, otherwise int) int {
	if n == nil {
		return otherwise
	}
	v, code := gear.ParseValue(gear.KindInt, n.raw)
	if code == "" && (v.Int() < -1e6 || v.Int() > 1e6) {
		code = gear.CodeRange
	}
	if code != "" {
		r.bad(n, path, code, "%s wants int 1..%d, got %s", label(path), MaxLevels, got(n))
		return otherwise
	}
	return int(v.Int())
}

func (r *reader) document(root *node) {
	f := r.fields(root, "", "name", "description", "tags", "strategy", "levels", "parameters", "gears")
	if f == nil {
		return
	}
	d := r.doc
	d.Name, d.Description = r.text(f["name"], "name"), r.text(f["description"], "description")
	d.Tags = r.texts(f["tags"], "tags", MaxTags)
	r.strategy(f["strategy"])
	l := r.fields(f["levels"], "levels", "count", "default", "min", "max")
	s := &d.Spec
	s.Levels = r.level(l["count"], "levels.count", 0)
	s.Min = r.level(l["min"], "levels.min", 1)
	s.Max = r.level(l["max"], "levels.max", s.Levels)
	s.Default = r.level(l["default"], "levels.default", s.Max)
	for i, n := range r.list(f["parameters"], "parameters", gear.MaxParams) {
		at := fmt.Sprintf("parameters[%d]", i)
		p := r.parameter(n, at)
		if p.Name != "" && s.Parameter(p.Name) >= 0 {
			r.bad(n, at+".name", gear.CodeDuplicate, "%q is declared twice", gear.Shown(p.Name))
		}
		s.Parameters = append(s.Parameters, p)
	}
	// Without sound parameters no gear can be read: one fault, one problem.
	r.deaf = slices.ContainsFunc(r.out, func(p gear.Problem) bool { return strings.HasPrefix(p.Path, "parameters") })
	for i, n := range r.list(f["gears"], "gears", MaxLevels) {
		s.Anchors = append(s.Anchors, r.anchor(n, fmt.Sprintf("gears[%d]", i)))
	}
}

func (r *reader) strategy(n *node) {
	f := r.fields(n, "strategy", "kind", "settings")
	s := &r.doc.Spec.Strategy
	s.Kind = gear.Strategy(r.text(f["kind"], "strategy.kind"))
	params := gear.StrategyParams(s.Kind)
	set := f["settings"]
	if set == nil || params == nil {
		return // Validate names the unknown strategy
	}
	s.Settings = r.values(set, "strategy.settings", "setting of strategy "+string(s.Kind), "", func(name string) (gear.Param, bool) {
		i := slices.IndexFunc(params, func(p gear.Param) bool { return p.Name == name })
		if i < 0 {
			return gear.Param{}, false
		}
		return params[i], true
	})
}

// values reads a map of typed values; suffix ends every message about one.
func (r *reader) values(n *node, path, what, suffix string, find func(string) (gear.Param, bool)) map[string]gear.Value {
	if n.raw.Token != gear.TokenMap {
		r.bad(n, path, gear.CodeType, "%s wants a map, got %s", label(path), got(n))
		return nil
	}
	var out map[string]gear.Value
	for i, name := range n.keys {
		at, kid := gear.JoinPath(path, gear.Shown(name)), n.kids[i]
		r.doc.places[at] = place{kid.line, kid.column}
		p, ok := find(name)
		if !ok {
			r.bad(kid, at, gear.CodeUnknown, "%q is not a %s", gear.Shown(name), what)
			continue
		}
		v, code := gear.ParseValue(p.Kind, kid.raw)
		if code != "" {
			bad, _ := parseProblem(p, kid.raw)
			r.bad(kid, at, bad.Code, "%s%s", bad.Message, suffix)
			continue
		}
		if out == nil {
			out = make(map[string]gear.Value, len(n.keys))
		}
		out[name] = v
	}
	return out
}

func parseProblem(p gear.Param, raw gear.Raw) (gear.Problem, bool) {
	_, bad, ok := p.Parse(raw)
	return bad, ok
}

func (r *reader) parameter(n *node, path string) Parameter {
	f := r.fields(n, path, "name", "type", "unit", "min", "max", "step", "values", "default", "monotonic", "interpolate", "cost")
	d := gear.RawDecl{
		Name: r.text(f["name"], path+".name"), Type: r.text(f["type"], path+".type"), Unit: r.text(f["unit"], path+".unit"),
		Monotonic: r.text(f["monotonic"], path+".monotonic"),
	}
	for i, v := range r.list(f["values"], path+".values", gear.MaxEnumValues) {
		d.Values = append(d.Values, r.text(v, fmt.Sprintf("%s.values[%d]", path, i)))
	}
	for name, into := range map[string]**gear.Raw{"min": &d.Min, "max": &d.Max, "step": &d.Step, "default": &d.Default} {
		if k := f[name]; k != nil {
			*into = &k.raw
		}
	}
	p, problems := d.Param()
	if f != nil {
		for _, bad := range problems.Under(path) {
			at := n
			if k := f[strings.TrimPrefix(bad.Path, path+".")]; k != nil {
				at = k
			}
			r.bad(at, bad.Path, bad.Code, "%s", bad.Message)
		}
	}
	out := Parameter{Param: p, Interpolation: Interpolation(r.text(f["interpolate"], path+".interpolate"))}
	if out.Interpolation == "" {
		out.Interpolation = Step
		if p.Kind.Numeric() {
			out.Interpolation = Linear
		}
	}
	if k := f["cost"]; k != nil {
		v, code := gear.ParseValue(gear.KindBool, k.raw)
		if code != "" {
			r.bad(k, path+".cost", code, "cost wants bool, got %s", got(k))
		}
		out.Cost = v.Bool()
	}
	return out
}

func (r *reader) anchor(n *node, path string) Anchor {
	f := r.fields(n, path, "level", "set")
	a := Anchor{Level: r.level(f["level"], path+".level", 0)}
	if f != nil && f["level"] == nil {
		r.bad(n, path+".level", gear.CodeRequired, "a gear's level wants int 1..%d, got nothing", MaxLevels)
	}
	if f["set"] != nil && !r.deaf {
		a.Set = r.values(f["set"], path+".set", "parameter of this template", fmt.Sprintf(" at level %d", a.Level), func(name string) (gear.Param, bool) {
			i := r.doc.Spec.Parameter(name)
			if i < 0 {
				return gear.Param{}, false
			}
			return r.doc.Spec.Parameters[i].Param, true
		})
	}
	return a
}
