package template

import (
	"fmt"
	"slices"

	"github.com/allspark/allspark/proto/gear"
)

// TemplateName reports whether s is [a-z0-9][a-z0-9._-]{0,62}.
func TemplateName(s string) bool {
	for i := range len(s) {
		if s[i] >= 'A' && s[i] <= 'Z' {
			return false
		}
	}
	return gear.PlaceName(s)
}

// Check tells everything wrong with a document: its head and its content.
func Check(d *Document) gear.Problems {
	var out gear.Problems
	if d.Name == "" {
		out.Add("name", gear.CodeRequired, "a template needs a name")
	} else if !TemplateName(d.Name) {
		out.Add("name", gear.CodeName, fmt.Sprintf("%q is not a template name: a small letter or digit, then also . _ or -, at most 63", gear.Shown(d.Name)))
	}
	if n := len(d.Description); n > MaxDescription {
		out.Add("description", gear.CodeLength, fmt.Sprintf("a description has at most %d bytes, got %d", MaxDescription, n))
	}
	if n := len(d.Tags); n > MaxTags {
		out.Add("tags", gear.CodeLength, fmt.Sprintf("a template has at most %d tags, got %d", MaxTags, n))
	}
	for i, t := range d.Tags {
		at := fmt.Sprintf("tags[%d]", i)
		tag := gear.Param{Name: "tag", Kind: gear.KindString}
		if _, ok := tag.Check(gear.String(t)); !ok || t == "" || len(t) > gear.MaxName {
			out.Add(at, gear.CodeText, fmt.Sprintf("%q is not a tag: a plain text of 1 to 63 bytes", gear.Shown(t)))
		} else if slices.Contains(d.Tags[:i], t) {
			out.Add(at, gear.CodeDuplicate, fmt.Sprintf("%q is given twice", gear.Shown(t)))
		}
	}
	for _, p := range Validate(&d.Spec) {
		out.Add(p.Path, p.Code, p.Message)
	}
	return out
}

// Validate tells everything wrong with a content; paths are those of the
// document: parameters[i], levels, strategy, gears[i].
func Validate(s *Spec) gear.Problems {
	v := &validator{spec: s, sound: true}
	v.strategy()
	v.levels()
	v.parameters()
	v.gears()
	return v.out
}

type validator struct {
	spec  *Spec
	out   gear.Problems
	sound bool // parameters: without them gears cannot be judged
}

func (v *validator) bad(path, code, format string, args ...any) {
	v.out.Add(path, code, fmt.Sprintf(format, args...))
}

func (v *validator) strategy() {
	s := &v.spec.Strategy
	if bad, ok := gear.CheckStrategy(s.Kind); !ok {
		v.bad("strategy."+bad.Path, bad.Code, "%s", bad.Message)
		return
	}
	known := map[string]bool{}
	for _, p := range gear.StrategyParams(s.Kind) {
		known[p.Name] = true
		x, set := s.Settings[p.Name]
		if !set && !p.Default.IsZero() {
			continue
		}
		if bad, ok := p.Check(x); !ok {
			v.bad("strategy.settings."+bad.Path, bad.Code, "%s", bad.Message)
		}
	}
	for _, name := range sortedKeys(s.Settings) {
		if !known[name] {
			v.bad("strategy.settings."+gear.Shown(name), gear.CodeUnknown, "%q is not a setting of strategy %s", gear.Shown(name), s.Kind)
		}
	}
	if len(v.out) == 0 && s.Kind == gear.StrategyExternalTimeout {
		at := map[string]gear.Value{}
		for _, x := range v.spec.Settings() {
			at[x.Name] = x.Value
		}
		lo, t, hi := at[gear.SettingMinTimeout].Duration(), at[gear.SettingTimeout].Duration(), at[gear.SettingMaxTimeout].Duration()
		if lo > t || t > hi {
			v.bad("strategy.settings.timeout", gear.CodeRange, "timeout wants min_timeout <= timeout <= max_timeout, got %v <= %v <= %v", lo, t, hi)
		}
	}
}

func (v *validator) levels() {
	s := v.spec
	if s.Levels == 0 {
		v.bad("levels.count", gear.CodeRequired, "levels.count wants int 1..%d, got nothing", MaxLevels)
		return
	}
	if s.Levels < 1 || s.Levels > MaxLevels {
		v.bad("levels.count", gear.CodeRange, "levels.count wants int 1..%d, got %d", MaxLevels, s.Levels)
		return
	}
	for _, x := range []struct {
		path  string
		level int
	}{{"levels.min", s.Min}, {"levels.max", s.Max}} {
		if x.level < 1 || x.level > s.Levels {
			v.bad(x.path, gear.CodeRange, "%s wants int 1..%d, got %d", x.path, s.Levels, x.level)
			return
		}
	}
	if s.Min > s.Max {
		v.bad("levels.max", gear.CodeRange, "levels.max is %d, below levels.min %d", s.Max, s.Min)
	} else if s.Default < s.Min || s.Default > s.Max {
		v.bad("levels.default", gear.CodeRange, "levels.default wants int %d..%d, got %d", s.Min, s.Max, s.Default)
	}
}

func (v *validator) parameters() {
	s := v.spec
	before := len(v.out)
	if n := len(s.Parameters); n > gear.MaxParams {
		v.bad("parameters", gear.CodeLength, "a template has at most %d parameters, got %d", gear.MaxParams, n)
		v.sound = false
		return
	}
	seen := map[string]bool{}
	cost := ""
	for i, p := range s.Parameters {
		at := fmt.Sprintf("parameters[%d]", i)
		for _, bad := range p.CheckDecl().Under(at) {
			v.out.Add(bad.Path, bad.Code, bad.Message)
		}
		if seen[p.Name] {
			v.bad(at+".name", gear.CodeDuplicate, "%q is declared twice", gear.Shown(p.Name))
		}
		seen[p.Name] = true
		switch p.Interpolation {
		case Step:
		case Linear, Geometric:
			if !p.Kind.Numeric() {
				v.bad(at+".interpolate", gear.CodeType, "%q is %s and can only step", gear.Shown(p.Name), p.Kind)
			}
		default:
			v.bad(at+".interpolate", gear.CodeEnum, "interpolate of %q wants linear, geometric or step, got %q", gear.Shown(p.Name), gear.Shown(string(p.Interpolation)))
		}
		if !p.Cost {
			continue
		}
		if !p.Kind.Numeric() {
			v.bad(at+".cost", gear.CodeType, "%q is %s and cannot say what a level costs", gear.Shown(p.Name), p.Kind)
		} else if cost != "" {
			v.bad(at+".cost", gear.CodeDuplicate, "only one parameter says what a level costs; %s does already", cost)
		}
		cost = gear.Shown(p.Name)
	}
	v.sound = len(v.out) == before
}

func (v *validator) gears() {
	s := v.spec
	if !v.sound {
		return
	}
	if len(s.Anchors) == 0 {
		if len(s.Parameters) > 0 {
			v.bad("gears", gear.CodeRequired, "a template with parameters needs the gear of level 1")
		}
		return
	}
	top := s.Levels
	if top < 1 || top > MaxLevels {
		top = MaxLevels // told already, once
	}
	seen := map[int]int{}
	for i, a := range s.Anchors {
		at := fmt.Sprintf("gears[%d].level", i)
		first, dup := seen[a.Level]
		switch {
		case a.Level < 1 || a.Level > top:
			v.bad(at, gear.CodeRange, "a gear's level wants int 1..%d, got %d", top, a.Level)
		case dup:
			v.bad(at, gear.CodeDuplicate, "level %d is given twice, first as gears[%d]", a.Level, first)
		case i > 0 && a.Level < s.Anchors[i-1].Level:
			v.bad(at, gear.CodeOrder, "gears stand by rising level; %d follows %d", a.Level, s.Anchors[i-1].Level)
		case i == 0 && a.Level != 1:
			v.bad(at, gear.CodeGap, "the first gear must be level 1, got %d", a.Level)
		}
		if !dup {
			seen[a.Level] = i
		}
		v.set(i, a)
	}
}

// set checks the values of one gear against their declarations.
func (v *validator) set(i int, a Anchor) {
	at := fmt.Sprintf("gears[%d].set", i)
	for _, p := range v.spec.Parameters {
		x, ok := a.Set[p.Name]
		if !ok {
			if i == 0 {
				v.bad(at+"."+p.Name, gear.CodeRequired, "%s wants %s, got nothing at level %d", p.Name, p.Text(), a.Level)
			}
			continue
		}
		if bad, ok := p.Check(x); !ok {
			v.bad(at+"."+bad.Path, bad.Code, "%s at level %d", bad.Message, a.Level)
			continue
		}
		n, _ := x.Number()
		if p.Interpolation == Geometric && n <= 0 {
			v.bad(at+"."+p.Name, gear.CodeRange, "%s is geometric and must be above 0, got %s at level %d", p.Name, x.Format(), a.Level)
		} else if p.Cost && n <= 0 {
			v.bad(at+"."+p.Name, gear.CodeRange, "%s says what a level costs and must be above 0, got %s at level %d", p.Name, x.Format(), a.Level)
		}
	}
	for _, name := range sortedKeys(a.Set) {
		if v.spec.Parameter(name) < 0 {
			v.bad(at+"."+gear.Shown(name), gear.CodeUnknown, "%q is not a parameter of this template", gear.Shown(name))
		}
	}
}
