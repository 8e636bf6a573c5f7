package template

import (
	"slices"

	"github.com/allspark/allspark/proto/gear"
)

// Strict reads other rooms' documents as strictly as templates are read: both
// syntaxes, no aliases or tags, no unknown or repeated field, every problem with
// its line and column.
type Strict struct {
	r    reader
	root Part
}

// Part is a part of a document that is read strictly; the zero Part is absent.
type Part struct{ n *node }

// Given reports whether the document has the part.
func (p Part) Given() bool { return p.n != nil }

// OpenStrict reads the syntax; with problems there is nothing more to read.
func OpenStrict(text []byte, format Format) (*Strict, gear.Problems) {
	root, problems := parse(text, format)
	if problems != nil {
		return nil, problems
	}
	return &Strict{r: reader{doc: &Document{places: map[string]place{}}}, root: Part{root}}, nil
}

// Root gives the whole document.
func (s *Strict) Root() Part { return s.root }

// Fields reads a map of known fields; one that is null counts as absent.
func (s *Strict) Fields(p Part, path string, known ...string) map[string]Part {
	out := map[string]Part{}
	for k, n := range s.r.fields(p.n, path, known...) {
		out[k] = Part{n}
	}
	return out
}

// List reads a list of at most limit entries.
func (s *Strict) List(p Part, path string, limit int) []Part {
	var out []Part
	for _, n := range s.r.list(p.n, path, limit) {
		out = append(out, Part{n})
	}
	return out
}

// Text reads a string, "" when absent. A scalar that looks like a number or a
// date is a string only where its author quoted it or no number reads so.
func (s *Strict) Text(p Part, path string) string { return s.r.text(p.n, path) }

// Value reads a typed value and checks it; the zero Value when absent or wrong.
func (s *Strict) Value(p Part, path string, want gear.Param) gear.Value {
	if p.n == nil {
		return gear.Value{}
	}
	v, bad, ok := want.Parse(p.n.raw)
	if !ok {
		s.Bad(p, path, bad.Code, bad.Message)
	}
	return v
}

// Bad notes a problem at a part.
func (s *Strict) Bad(p Part, path, code, message string) { s.r.bad(p.n, path, code, "%s", message) }

// Problems gives what was wrong so far.
func (s *Strict) Problems() gear.Problems { return s.r.out }

// Locate gives problems that were found later their places, in the order of the
// document; what could not be read is not judged a second time.
func (s *Strict) Locate(later gear.Problems) gear.Problems {
	out := slices.Clone(s.r.out)
	for _, p := range s.r.doc.Locate(later) {
		if !slices.ContainsFunc(s.r.out, func(q gear.Problem) bool { return covers(q.Path, p.Path) }) {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b gear.Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return out
}
