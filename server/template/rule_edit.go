package template

import (
	"fmt"
	"math"
	"slices"

	"github.com/allspark/allspark/proto/gear"
)

// CopyGear gives the content with the values of level from, as expanded, written
// as gears at the levels to. Every other level keeps its values: where it would
// move, because it lies between anchors, it becomes a gear too. names limits the
// copy to some parameters; empty means all.
func CopyGear(s *Spec, from int, to []int, names []string) (*Spec, gear.Problems) {
	t, problems := editable(s, names, append([]int{from}, to...))
	if problems != nil {
		return nil, problems
	}
	out := s.Clone()
	for i, p := range t.Params {
		if !chosen(names, p.Name) {
			continue
		}
		for _, level := range to {
			out.pin(level, p.Name, t.Rows[from-1][i])
		}
		moved := func(l int) bool {
			return l >= 1 && l <= s.Levels && !slices.Contains(to, l) && !alike(out.at(i, l), t.Rows[l-1][i])
		}
		// Neighbours first: they usually hold all the rest in place.
		for _, level := range to {
			for _, l := range []int{level - 1, level + 1} {
				if moved(l) {
					out.pin(l, p.Name, t.Rows[l-1][i])
				}
			}
		}
		for again := true; again; { // each turn makes a gear, so it ends
			again = false
			for l := 1; l <= s.Levels; l++ {
				if moved(l) {
					out.pin(l, p.Name, t.Rows[l-1][i])
					again = true
				}
			}
		}
	}
	return out, nil
}

// alike reports whether two values are the same but for the last digits that an
// interpolated float may differ in.
func alike(a, b gear.Value) bool {
	if a.Kind() == gear.KindFloat && b.Kind() == gear.KindFloat {
		x, y := a.Float(), b.Float()
		return math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y))
	}
	return a == b
}

// at gives the expanded value of parameter i at one level.
func (s *Spec) at(i, level int) (out gear.Value) {
	fill(s, &s.Parameters[i], func(l int, v gear.Value) {
		if l == level {
			out = v
		}
	})
	return out
}

// InterpolateRange gives the content with both ends of [from, to] pinned to their
// values and every gear strictly between them freed, so that the range is one
// straight run of the parameter's interpolation. names empty means all numeric
// parameters.
func InterpolateRange(s *Spec, from, to int, names []string) (*Spec, gear.Problems) {
	t, problems := editable(s, names, []int{from, to})
	if problems != nil {
		return nil, problems
	}
	if from >= to {
		return nil, gear.Problems{{Path: "to", Code: gear.CodeRange, Message: fmt.Sprintf("a range rises; got %d..%d", from, to)}}
	}
	out := s.Clone()
	for i, p := range t.Params {
		if !chosen(names, p.Name) || len(names) == 0 && !p.Kind.Numeric() {
			continue
		}
		for j := range out.Anchors {
			if l := out.Anchors[j].Level; l > from && l < to {
				delete(out.Anchors[j].Set, p.Name)
			}
		}
		out.pin(from, p.Name, t.Rows[from-1][i])
		out.pin(to, p.Name, t.Rows[to-1][i])
	}
	out.Anchors = slices.DeleteFunc(out.Anchors, func(a Anchor) bool { return a.Level != 1 && len(a.Set) == 0 })
	return out, nil
}

func chosen(names []string, name string) bool { return len(names) == 0 || slices.Contains(names, name) }

func editable(s *Spec, names []string, levels []int) (*gear.LevelTable, gear.Problems) {
	if problems := Validate(s); len(problems) > 0 {
		return nil, problems
	}
	var out gear.Problems
	for _, l := range levels {
		if l < 1 || l > s.Levels {
			out.Add("level", gear.CodeRange, fmt.Sprintf("level wants int 1..%d, got %d", s.Levels, l))
		}
	}
	for i, n := range names {
		if s.Parameter(n) < 0 {
			out.Add(fmt.Sprintf("parameters[%d]", i), gear.CodeUnknown, fmt.Sprintf("%q is not a parameter of this template", gear.Shown(n)))
		}
	}
	if len(out) > 0 {
		return nil, out
	}
	t, err := Expand(s)
	if err != nil {
		return nil, gear.Problems{{Code: gear.CodeShape, Message: err.Error()}}
	}
	return t, nil
}

// pin writes one value at a level, as a new gear where there was none.
func (s *Spec) pin(level int, name string, v gear.Value) {
	i, found := slices.BinarySearchFunc(s.Anchors, level, func(a Anchor, l int) int { return a.Level - l })
	if !found {
		s.Anchors = slices.Insert(s.Anchors, i, Anchor{Level: level})
	}
	if s.Anchors[i].Set == nil {
		s.Anchors[i].Set = map[string]gear.Value{}
	}
	s.Anchors[i].Set[name] = v
}
