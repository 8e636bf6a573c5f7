package gear

import (
	"fmt"
	"strings"
)

// RawDecl is a parameter's declaration as a document writes it; a nil bound is
// absent.
type RawDecl struct {
	Name, Type, Unit        string
	Min, Max, Step, Default *Raw
	Values                  []string
	Monotonic               string // "", none, up or down
}

// Param reads the declaration and checks it; paths are its fields. The Param is
// sound only when there is no problem.
func (d RawDecl) Param() (Param, Problems) {
	var out Problems
	p := Param{Name: d.Name, Unit: d.Unit, Values: d.Values}
	k, ok := ParseKind(d.Type)
	if !ok {
		out.Add("type", CodeType, quoted(d.Name)+" needs a type: int, float, bool, string, enum or duration")
		return p, out
	}
	p.Kind = k
	if d.Monotonic != "" {
		if p.Monotonic, ok = ParseMonotonic(d.Monotonic); !ok {
			out.Add("monotonic", CodeEnum, fmt.Sprintf("monotonic of %s wants none, up or down, got %s", quoted(d.Name), quoted(d.Monotonic)))
		}
	}
	for _, b := range []struct {
		path string
		raw  *Raw
		into *Value
	}{{"min", d.Min, &p.Min}, {"max", d.Max, &p.Max}, {"step", d.Step, &p.Step}, {"default", d.Default, &p.Default}} {
		if b.raw == nil {
			continue
		}
		v, code := ParseValue(k, *b.raw)
		if code == "" {
			*b.into = v
		} else if b.path != "default" && !k.Numeric() {
			out.Add(b.path, CodeType, quoted(d.Name)+" is "+k.String()+" and has no "+b.path)
		} else {
			out.Add(b.path, code, "the "+b.path+" of "+quoted(d.Name)+" must be "+k.String()+", got "+b.raw.got())
		}
	}
	if len(out) > 0 {
		return p, out
	}
	return p, p.CheckDecl()
}

// strategyWords lists the strategies for a message: "fixed, central, crowd_rt or external_timeout".
func strategyWords() string {
	var w []string
	for _, s := range Strategies() {
		w = append(w, string(s))
	}
	return strings.Join(w[:len(w)-1], ", ") + " or " + w[len(w)-1]
}

// CheckStrategy tells whether s exists.
func CheckStrategy(s Strategy) (Problem, bool) {
	if StrategyParams(s) != nil {
		return Problem{}, true
	}
	if s == "" {
		return Problem{Path: "kind", Code: CodeRequired, Message: "a strategy wants " + strategyWords() + ", got nothing"}, false
	}
	return Problem{Path: "kind", Code: CodeUnknown, Message: "a strategy wants " + strategyWords() + ", got " + quoted(string(s))}, false
}
