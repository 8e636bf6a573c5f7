package template_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/template"
)

// genParam draws a sound declaration.
func genParam(t *rapid.T, name string) template.Parameter {
	p := template.Parameter{Param: gear.Param{Name: name}, Interpolation: template.Step}
	p.Kind = rapid.SampledFrom([]gear.Kind{gear.KindInt, gear.KindFloat, gear.KindBool, gear.KindString, gear.KindEnum, gear.KindDuration}).Draw(t, "kind")
	p.Unit = rapid.SampledFrom([]string{"", "tags", "毫秒", "null", "1"}).Draw(t, "unit")
	p.Monotonic = rapid.SampledFrom([]gear.Monotonic{gear.MonotonicNone, gear.MonotonicUp, gear.MonotonicDown}).Draw(t, "monotonic")
	if p.Kind == gear.KindEnum {
		p.Values = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"small", "yes", "12", "null", "a b", "双", "x: y", "#", "8ms"}), 1, 5, rapid.ID).Draw(t, "values")
	}
	if p.Kind.Numeric() {
		p.Interpolation = rapid.SampledFrom([]template.Interpolation{template.Linear, template.Geometric, template.Step}).Draw(t, "interpolation")
		switch p.Kind {
		case gear.KindInt:
			lo := rapid.Int64Range(1, math.MaxInt64/2).Draw(t, "min")
			p.Min, p.Max = gear.Int(lo), gear.Int(rapid.Int64Range(lo, math.MaxInt64).Draw(t, "max"))
			if rapid.Bool().Draw(t, "stepped") {
				p.Step = gear.Int(rapid.Int64Range(1, 1000).Draw(t, "step"))
			}
		case gear.KindFloat:
			lo := rapid.Float64Range(1e-3, 1e3).Draw(t, "min")
			p.Min, p.Max = gear.Float(lo), gear.Float(lo+rapid.Float64Range(0, 1e6).Draw(t, "span"))
			if rapid.Bool().Draw(t, "stepped") {
				p.Step = gear.Float(rapid.SampledFrom([]float64{0.1, 0.25, 1, 3}).Draw(t, "step"))
			}
		default:
			lo := rapid.Int64Range(1, int64(time.Hour)).Draw(t, "min")
			p.Min, p.Max = gear.Duration(time.Duration(lo)), gear.Duration(time.Duration(rapid.Int64Range(lo, int64(24*time.Hour)).Draw(t, "max")))
		}
	}
	return p
}

// genValue draws a value that fits.
func genValue(t *rapid.T, p template.Parameter) gear.Value {
	span := func(lo, hi, step int64) int64 {
		if step == 0 {
			step = 1
		}
		return lo + rapid.Int64Range(0, (hi-lo)/step).Draw(t, "k")*step
	}
	switch p.Kind {
	case gear.KindInt:
		return gear.Int(span(p.Min.Int(), p.Max.Int(), p.Step.Int()))
	case gear.KindDuration:
		return gear.Duration(time.Duration(span(int64(p.Min.Duration()), int64(p.Max.Duration()), 0)))
	case gear.KindFloat:
		lo, hi, step := p.Min.Float(), p.Max.Float(), p.Step.Float()
		if step == 0 {
			return gear.Float(min(max(rapid.Float64Range(lo, hi).Draw(t, "f"), lo), hi))
		}
		return gear.Float(lo + float64(rapid.Int64Range(0, int64((hi-lo)/step)).Draw(t, "k"))*step)
	case gear.KindBool:
		return gear.Bool(rapid.Bool().Draw(t, "b"))
	case gear.KindEnum:
		return gear.Enum(rapid.SampledFrom(p.Values).Draw(t, "e"))
	default:
		return gear.String(rapid.SampledFrom([]string{
			"", "a", "true", "null", "~", "1", "-1.5", ".nan", "0x1f", "1_000", "01", "yes", "双十一", "x: y",
			"# no", "- a", "'", `"`, `\`, "{a}", "[", "&a", "*a", "!t", "%", "@", " lead", "trail ", "8ms", "2026-11-30", "12:30", "<<", "=", "é\u00a0", "😀",
		}).Draw(t, "s"))
	}
}

func genSpec(t *rapid.T) template.Spec {
	s := template.Spec{Levels: rapid.IntRange(1, template.MaxLevels).Draw(t, "levels")}
	s.Min = rapid.IntRange(1, s.Levels).Draw(t, "min")
	s.Max = rapid.IntRange(s.Min, s.Levels).Draw(t, "max")
	s.Default = rapid.IntRange(s.Min, s.Max).Draw(t, "default")
	s.Strategy.Kind = rapid.SampledFrom(gear.Strategies()).Draw(t, "strategy")
	for _, p := range gear.StrategyParams(s.Strategy.Kind) {
		if p.Default.IsZero() {
			if s.Strategy.Settings == nil {
				s.Strategy.Settings = map[string]gear.Value{}
			}
			s.Strategy.Settings[p.Name] = genValue(t, template.Parameter{Param: p})
		}
	}
	for i := range rapid.IntRange(0, 5).Draw(t, "parameters") {
		s.Parameters = append(s.Parameters, genParam(t, fmt.Sprintf("p%d", i)))
	}
	if len(s.Parameters) == 0 {
		return s
	}
	if s.Parameters[0].Kind.Numeric() {
		s.Parameters[0].Cost = rapid.Bool().Draw(t, "cost")
	}
	for l := 1; l <= s.Levels; l += rapid.IntRange(1, 40).Draw(t, "gap") {
		a := template.Anchor{Level: l}
		for _, p := range s.Parameters {
			if l == 1 || rapid.Bool().Draw(t, "set") {
				if a.Set == nil {
					a.Set = map[string]gear.Value{}
				}
				a.Set[p.Name] = genValue(t, p)
			}
		}
		s.Anchors = append(s.Anchors, a)
	}
	return s
}

func TestDocumentsRoundTripExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &template.Document{
			Name: "x", Spec: genSpec(t),
			Description: rapid.SampledFrom([]string{"", "one line", "two\nlines\n", "  indented\n\ttab", "# no comment", "null", "true: false"}).Draw(t, "description"),
			Tags:        rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"k2", "yes", "1", "双", "a b", "null", "x: y"}), 0, 4, rapid.ID).Draw(t, "tags"),
		}
		if len(d.Tags) == 0 {
			d.Tags = nil
		}
		require.Empty(t, template.Check(d))
		for _, format := range []template.Format{template.YAML, template.JSON} {
			text, err := template.Encode(d, format)
			require.NoError(t, err)
			back, problems := template.Read(text, format)
			require.Empty(t, problems, "%s", text)
			require.Equal(t, d.Name, back.Name)
			require.Equal(t, d.Description, back.Description)
			require.Equal(t, d.Tags, back.Tags)
			require.Equal(t, d.Spec, back.Spec, "%s", text)
			again, err := template.Encode(back, format)
			require.NoError(t, err)
			require.Equal(t, string(text), string(again))
			require.Empty(t, template.Diff(&d.Spec, &back.Spec))
		}
	})
}

func TestExpansionStaysWithinAnchorsAndOnSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := genSpec(t)
		table, err := template.Expand(&s)
		require.NoError(t, err)
		require.Len(t, table.Rows, s.Levels)
		require.Empty(t, table.CheckShape())
		var decl []gear.Param
		for _, p := range s.Parameters {
			decl = append(decl, p.Param)
		}
		require.Empty(t, gear.CheckTable(decl, table), "every value fits its declaration")
		for i, p := range s.Parameters {
			last, from := gear.Value{}, 0
			for _, a := range s.Anchors {
				v, ok := a.Set[p.Name]
				if !ok {
					continue
				}
				require.Equal(t, v, table.Rows[a.Level-1][i], "an anchor is what it says")
				for l := from + 1; from > 0 && l < a.Level; l++ {
					between(t, p, last, v, table.Rows[l-2][i], table.Rows[l-1][i])
				}
				last, from = v, a.Level
			}
			for l := from; l <= s.Levels; l++ {
				require.Equal(t, last, table.Rows[l-1][i], "above the last anchor it holds")
			}
		}
		top := 0.0
		for _, w := range table.Work {
			top = max(top, w)
		}
		require.Equal(t, 1.0, top)
	})
}

// between requires that a value moves from its predecessor towards b, never past.
func between(t *rapid.T, p template.Parameter, a, b, before, v gear.Value) {
	if p.Interpolation == template.Step {
		require.Equal(t, a, v)
		return
	}
	cmp := func(x, y gear.Value) float64 {
		if x.Kind() == gear.KindFloat {
			return x.Float() - y.Float()
		}
		if x, y := x.Int()+int64(x.Duration()), y.Int()+int64(y.Duration()); x < y {
			return -1
		} else if x > y {
			return 1
		}
		return 0
	}
	if cmp(a, b) <= 0 {
		require.GreaterOrEqual(t, cmp(v, before), 0.0)
		require.LessOrEqual(t, cmp(v, b), 0.0)
	} else {
		require.LessOrEqual(t, cmp(v, before), 0.0)
		require.GreaterOrEqual(t, cmp(v, b), 0.0)
	}
}

func TestCopiedGearsMoveNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := genSpec(t)
		before, err := template.Expand(&s)
		require.NoError(t, err)
		from := rapid.IntRange(1, s.Levels).Draw(t, "from")
		to := rapid.SliceOfNDistinct(rapid.IntRange(1, s.Levels), 1, -1, rapid.ID).Draw(t, "to")
		copied, problems := template.CopyGear(&s, from, to, nil)
		require.Empty(t, problems)
		require.Empty(t, template.Validate(copied))
		after, err := template.Expand(copied)
		require.NoError(t, err)
		target := map[int]bool{}
		for _, l := range to {
			target[l] = true
		}
		for l := 1; l <= s.Levels; l++ {
			want := before.Rows[l-1]
			if target[l] {
				want = before.Rows[from-1]
			}
			for i, v := range after.Rows[l-1] {
				if v.Kind() == gear.KindFloat && !target[l] {
					require.InEpsilon(t, want[i].Float(), v.Float(), 1e-9) // ulps of an interpolation may differ
				} else {
					require.Equal(t, want[i], v, "level %d", l)
				}
			}
		}
	})
}

func TestTiesAreExactlyWhatClashRefuses(t *testing.T) {
	name := func(t *rapid.T, label string) string {
		return rapid.SampledFrom([]string{"*", "a", "b"}).Draw(t, label)
	}
	selector := func(t *rapid.T) template.Selector {
		return template.Selector{Scene: name(t, "scene"), IDC: name(t, "idc"), App: name(t, "app"), Point: name(t, "point")}
	}
	rapid.Check(t, func(t *rapid.T) {
		var all []*template.Binding
		for i := range 6 {
			b := &template.Binding{ID: fmt.Sprint(i), Selector: selector(t)}
			if template.Clash(all, b) == nil {
				all = append(all, b)
			}
		}
		for range 20 {
			place := selector(t)
			m := template.Candidates(all, place)
			for i := range m {
				require.True(t, m[i].Selector.Matches(place))
				if i > 0 {
					require.Greater(t, m[i-1].Selector.Specificity(), m[i].Selector.Specificity(), "never a tie")
				}
			}
		}
	})
}

func TestWarnings(t *testing.T) {
	s := spec()
	require.Empty(t, template.Warnings(&s))
	s.Anchors[1].Set["tag_count"] = gear.Int(5)
	w := template.Warnings(&s)
	require.Len(t, w, 1)
	require.Equal(t, gear.CodeMonotonic, w[0].Code)
	require.Equal(t, "tag_count should never fall as the level rises: 20 at level 1, 18 at level 2", w[0].Message)
}

func TestHugeDocumentsAreRefusedAtOnce(t *testing.T) {
	for _, format := range []template.Format{template.YAML, template.JSON} {
		_, problems := template.Read(make([]byte, template.MaxDocument+1), format)
		require.Len(t, problems, 1)
		require.Equal(t, gear.CodeLength, problems[0].Code)
	}
}

func TestBadJSONDocuments(t *testing.T) {
	for name, c := range map[string]struct {
		text, path, code string
		line, column     int
	}{
		"empty":          {"", "", gear.CodeRequired, 1, 1},
		"cut":            {`{"name": "x"`, "", gear.CodeSyntax, 1, 13},
		"two":            {`{} {}`, "", gear.CodeSyntax, 1, 4},
		"duplicate key":  {"{\"name\": \"x\",\n \"name\": \"y\"}", "name", gear.CodeDuplicate, 2, 2},
		"deep":           {`{"name": ` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, "name" + strings.Repeat("[0]", 32), gear.CodeSyntax, 1, 42},
		"very deep":      {strings.Repeat("[", 100_000), strings.Repeat("[0]", 33), gear.CodeSyntax, 1, 34},
		"NaN":            {`{"name": NaN}`, "", gear.CodeSyntax, 1, 0},
		"unknown field":  {"{\"name\": \"x\",\n  \"nmae\": 1, \"strategy\": {\"kind\": \"fixed\"}, \"levels\": {\"count\": 1}}", "nmae", gear.CodeUnknown, 2, 3},
		"number as name": {`{"name": 1, "strategy": {"kind": "fixed"}, "levels": {"count": 1}}`, "name", gear.CodeType, 1, 2},
	} {
		_, problems := template.Read([]byte(c.text), template.JSON)
		require.NotEmpty(t, problems, name)
		require.Equal(t, c.path, problems[0].Path, name)
		require.Equal(t, c.code, problems[0].Code, name)
		require.Equal(t, c.line, problems[0].Line, name)
		if c.column > 0 {
			require.Equal(t, c.column, problems[0].Column, name)
		}
	}
}

// FuzzRead: whatever the bytes, reading ends, says what is wrong without breaking
// a line, and what it accepts it can write and read again.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/documents/*.yaml")
	require.NoError(f, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(text, false)
	}
	d := doc("x", nil)
	text, err := template.Encode(d, template.JSON)
	require.NoError(f, err)
	f.Add(text, true)
	f.Fuzz(func(t *testing.T, text []byte, asJSON bool) {
		format := template.YAML
		if asJSON {
			format = template.JSON
		}
		got, problems := template.Read(text, format)
		require.LessOrEqual(t, len(problems), gear.MaxProblems+1)
		for _, p := range problems {
			require.NotEmpty(t, p.Code)
			require.NotContains(t, p.Message, "\n")
			require.NotContains(t, p.Path, "\n")
		}
		if len(problems) > 0 {
			return
		}
		for _, format := range []template.Format{template.YAML, template.JSON} {
			out, err := template.Encode(got, format)
			require.NoError(t, err)
			back, problems := template.Read(out, format)
			require.Empty(t, problems, "%s", out)
			require.Equal(t, got.Spec, back.Spec)
			require.Equal(t, got.Description, back.Description)
		}
	})
}
