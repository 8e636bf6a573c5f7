package template

import (
	"fmt"
	"slices"
	"strings"

	"github.com/allspark/allspark/proto/gear"
)

func (s Selector) fields() [4]string { return [4]string{s.Scene, s.IDC, s.App, s.Point} }

// Specificity is the number of fields that are not Any.
func (s Selector) Specificity() int {
	n := 0
	for _, f := range s.fields() {
		if f != gear.Any {
			n++
		}
	}
	return n
}

// String writes a selector as scene/idc/app/point.
func (s Selector) String() string {
	f := s.fields()
	return strings.Join(f[:], "/")
}

// Check tells whether every field is a name or Any.
func (s Selector) Check() gear.Problems {
	var out gear.Problems
	names := [4]string{"scene", "idc", "app", "point"}
	for i, f := range s.fields() {
		if f == "" {
			out.Add("selector."+names[i], gear.CodeRequired, names[i]+" wants a name or *, got nothing")
		} else if f != gear.Any && !gear.PlaceName(f) {
			out.Add("selector."+names[i], gear.CodeName, fmt.Sprintf("%s wants a name or *, got %q", names[i], gear.Shown(f)))
		}
	}
	return out
}

// Matches reports whether the selector covers a place. A place whose scene is
// Any (the default of all scenes) is covered only by selectors of any scene; the
// same holds for the other fields.
func (s Selector) Matches(place Selector) bool {
	p := place.fields()
	for i, f := range s.fields() {
		if f != gear.Any && f != p[i] {
			return false
		}
	}
	return true
}

// Overlaps reports whether some place is covered by both.
func (s Selector) Overlaps(t Selector) bool {
	o := t.fields()
	for i, f := range s.fields() {
		if f != gear.Any && o[i] != gear.Any && f != o[i] {
			return false
		}
	}
	return true
}

// Clash finds a binding of equal specificity that can match the same place as b;
// nil when there is none. b itself, by id, does not count.
func Clash(all []*Binding, b *Binding) *Binding {
	for _, o := range all {
		if o.ID != b.ID && o.Selector.Specificity() == b.Selector.Specificity() && o.Selector.Overlaps(b.Selector) {
			return o
		}
	}
	return nil
}

// Resolve gives the binding that serves a place, nil when none does.
func Resolve(all []*Binding, place Selector) *Binding {
	if m := Candidates(all, place); len(m) > 0 {
		return m[0]
	}
	return nil
}

// Candidates gives every binding that covers a place, the one that serves it
// first, then by falling specificity.
func Candidates(all []*Binding, place Selector) []*Binding {
	var out []*Binding
	for _, b := range all {
		if b.Selector.Matches(place) {
			out = append(out, b)
		}
	}
	slices.SortFunc(out, func(a, b *Binding) int {
		if n := b.Selector.Specificity() - a.Selector.Specificity(); n != 0 {
			return n
		}
		// Saving refuses a tie; should one be there all the same, the order is fixed.
		return strings.Compare(a.ID, b.ID)
	})
	return out
}
