package template

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Expand writes out every level of a valid content, with work factors and hash.
// An invalid content gives its problems as the error.
func Expand(s *Spec) (*gear.LevelTable, error) {
	if problems := Validate(s); len(problems) > 0 {
		return nil, problems
	}
	t := &gear.LevelTable{Rows: make([][]gear.Value, s.Levels), Work: make([]float64, s.Levels)}
	for l := range t.Rows {
		t.Rows[l] = make([]gear.Value, len(s.Parameters))
		t.Work[l] = float64(l+1) / float64(s.Levels)
	}
	for i := range s.Parameters {
		p := &s.Parameters[i]
		t.Params = append(t.Params, gear.TableParam{Name: p.Name, Kind: p.Kind})
		fill(s, p, func(level int, v gear.Value) { t.Rows[level-1][i] = v })
		if p.Cost {
			setWork(t, i)
		}
	}
	t.Hash = t.ComputeHash()
	return t, nil
}

// fill calls set for every level of one parameter.
func fill(s *Spec, p *Parameter, set func(level int, v gear.Value)) {
	below, from := gear.Value{}, 0
	for _, a := range s.Anchors {
		v, ok := a.Set[p.Name]
		if !ok {
			continue
		}
		for l := from + 1; from > 0 && l < a.Level; l++ {
			set(l, between(p, below, v, float64(l-from)/float64(a.Level-from)))
		}
		set(a.Level, v)
		below, from = v, a.Level
	}
	for l := from + 1; l <= s.Levels; l++ {
		set(l, below)
	}
}

func setWork(t *gear.LevelTable, column int) {
	top := 0.0
	for _, row := range t.Rows {
		n, _ := row[column].Number()
		top = max(top, n)
	}
	for l, row := range t.Rows {
		n, _ := row[column].Number()
		// Costs are above 0; a ratio that underflows must stay so.
		t.Work[l] = max(n/top, math.SmallestNonzeroFloat64)
	}
}

// between gives the value at share f of the way from a to b, 0 < f < 1.
//
// INVARIANT: it lies within [a, b], rises or falls with f as b does, and stays on
// the parameter's steps, which a and b are on.
func between(p *Parameter, a, b gear.Value, f float64) gear.Value {
	x, _ := a.Number()
	y, _ := b.Number()
	switch {
	case p.Interpolation == Step || !p.Kind.Numeric() || x == y:
		return a
	case p.Interpolation == Geometric:
		// Go on with the share of the distance that equal ratios have come.
		f = math.Expm1(f*math.Log(y/x)) / (y/x - 1)
		if math.IsNaN(f) { // y/x overflows: the way is all but its last step still to come
			f = 0
		}
		f = min(max(f, 0), 1)
	}
	if p.Kind == gear.KindFloat {
		return gear.Float(floatBetween(x, y, f, p.Step.Float()))
	}
	step := uint64(1)
	if !p.Step.IsZero() {
		step = uint64(p.Step.Int() + int64(p.Step.Duration()))
	}
	n := wholeBetween(a.Int()+int64(a.Duration()), b.Int()+int64(b.Duration()), f, step)
	if p.Kind == gear.KindDuration {
		return gear.Duration(time.Duration(n))
	}
	return gear.Int(n)
}

func floatBetween(a, b, f, step float64) float64 {
	v := a*(1-f) + b*f // never overflows, unlike a + (b-a)*f
	if step > 0 {
		v = a + math.Round((b/step-a/step)*f)*step
	}
	return min(max(v, min(a, b)), max(a, b))
}

// wholeBetween works on the unsigned distance, so the whole range of int64 fits.
func wholeBetween(a, b int64, f float64, step uint64) int64 {
	distance := uint64(b) - uint64(a)
	if b < a {
		distance = uint64(a) - uint64(b)
	}
	steps := distance / step
	k := steps
	if x := math.Round(float64(steps) * f); x < float64(steps) {
		k = min(uint64(x), steps)
	}
	if b < a {
		return int64(uint64(a) - k*step)
	}
	return int64(uint64(a) + k*step)
}

// Warnings tells what looks unintended in a valid content: values that move
// against their hint, and work that falls as the level rises.
func Warnings(s *Spec) gear.Problems {
	t, err := Expand(s)
	if err != nil {
		return nil
	}
	var out gear.Problems
	for i := range s.Parameters {
		p := &s.Parameters[i]
		for l := 1; l < len(t.Rows); l++ {
			a, _ := t.Rows[l-1][i].Number()
			b, _ := t.Rows[l][i].Number()
			verb := ""
			switch {
			case p.Monotonic == gear.MonotonicUp && b < a:
				verb = "should never fall as the level rises"
			case p.Monotonic == gear.MonotonicDown && b > a:
				verb = "should never rise as the level rises"
			case p.Cost && b < a:
				verb = "says what a level costs and falls as the level rises"
			default:
				continue
			}
			out.Add(fmt.Sprintf("parameters[%d]", i), gear.CodeMonotonic,
				fmt.Sprintf("%s %s: %s at level %d, %s at level %d", p.Name, verb, t.Rows[l-1][i].Format(), l, t.Rows[l][i].Format(), l+1))
			break // the first place is enough to look at
		}
	}
	return out
}
