package gear

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Limits of a single value and of a declaration.
const (
	MaxText       = 1024 // bytes of a string value
	MaxEnumValues = 64
	MaxUnit       = 32 // bytes
)

// stepTolerance is how far from a whole number of steps a float may lie: a
// relative error of a few hundred ulps, so 0.3 is on a step of 0.1.
const stepTolerance = 1e-9

// enumShown bounds how many enum values a message lists.
const enumShown = 12

// Text says what the parameter wants, for messages and forms: "int 10..200",
// "float 0..1 step 0.05", "duration ..1s", "enum small|large", "bool".
func (p Param) Text() string {
	var b strings.Builder
	b.WriteString(p.Kind.String())
	if p.Kind == KindEnum {
		b.WriteByte(' ')
		for i, v := range p.Values {
			if i == enumShown {
				b.WriteString("|…")
				break
			}
			if i > 0 {
				b.WriteByte('|')
			}
			b.WriteString(Shown(v))
		}
	}
	if p.Kind.Numeric() {
		if !p.Min.IsZero() || !p.Max.IsZero() {
			b.WriteByte(' ')
			if !p.Min.IsZero() {
				b.WriteString(p.Min.Format())
			}
			b.WriteString("..")
			if !p.Max.IsZero() {
				b.WriteString(p.Max.Format())
			}
		}
		if !p.Step.IsZero() {
			b.WriteString(" step " + p.Step.Format())
		}
	}
	return b.String()
}

// wants words a problem of p: the one wording everywhere.
func (p Param) wants(code, got string) Problem {
	return Problem{Path: p.Name, Code: code, Message: Shown(p.Name) + " wants " + p.Text() + ", got " + got}
}

// got words a typed value for a message; strings are quoted and made inert.
func (v Value) got() string {
	if v.kind == KindString || v.kind == KindEnum {
		return quoted(v.str)
	}
	return v.Format()
}

// Check tells whether v fits the parameter: kind, finite, range, step, enum,
// length. ok is true when it does; otherwise the problem's path is the
// parameter's name.
func (p Param) Check(v Value) (problem Problem, ok bool) {
	if v.IsZero() {
		return p.wants(CodeRequired, "nothing"), false
	}
	if v.kind != p.Kind {
		return p.wants(CodeType, v.kind.String()+" "+v.got()), false
	}
	switch p.Kind {
	case KindEnum:
		for _, x := range p.Values {
			if x == v.str {
				return Problem{}, true
			}
		}
		return p.wants(CodeEnum, v.got()), false
	case KindString:
		if len(v.str) > MaxText {
			return p.wants(CodeLength, fmt.Sprintf("%d bytes of at most %d", len(v.str), MaxText)), false
		}
		if !plainText(v.str) {
			return p.wants(CodeText, "control characters"), false
		}
	case KindFloat:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return p.wants(CodeFinite, v.got()), false
		}
	}
	if p.Kind.Numeric() {
		if p.Min.kind == v.kind && less(v, p.Min) || p.Max.kind == v.kind && less(p.Max, v) {
			return p.wants(CodeRange, v.got()), false
		}
		if p.Step.kind == v.kind && !onStep(v, p.Min, p.Step) {
			return p.wants(CodeStep, v.got()), false
		}
	}
	return Problem{}, true
}

func plainText(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r < 0x20 || r >= 0x7f && r <= 0x9f {
			return false
		}
	}
	return true
}

// less compares two numeric values of one kind, ints exactly.
func less(a, b Value) bool {
	if a.kind == KindFloat {
		return a.Float() < b.Float()
	}
	return int64(a.bits) < int64(b.bits)
}

// onStep reports whether v = from + k*step for a whole k; from counts as 0 when
// it is no value. Ints and durations are exact, floats within stepTolerance.
func onStep(v, from, step Value) bool {
	if v.kind == KindFloat {
		q := (v.Float() - from.Float()) / step.Float()
		return math.Abs(q-math.Round(q)) <= stepTolerance*math.Max(1, math.Abs(q))
	}
	s := uint64(step.bits)
	if int64(s) <= 0 {
		return true // CheckDecl refuses such a step
	}
	if from.kind != v.kind {
		return int64(v.bits)%int64(s) == 0
	}
	// v >= from here, and the unsigned difference cannot overflow.
	return (v.bits-from.bits)%s == 0
}

// CheckDecl tells whether the declaration itself makes sense; paths are its
// fields: name, type, unit, min, max, step, values[i], default.
func (p Param) CheckDecl() Problems {
	var out Problems
	name := quoted(p.Name)
	if !ParamName(p.Name) {
		out.Add("name", CodeName, name+" is not a parameter name: a small letter, then small letters, digits or _, at most 63")
	}
	if _, ok := ParseKind(p.Kind.String()); !ok {
		out.Add("type", CodeType, name+" needs a type: int, float, bool, string, enum or duration")
		return out
	}
	if len(p.Unit) > MaxUnit || !plainText(p.Unit) {
		out.Add("unit", CodeText, "the unit of "+name+" is not a plain text of at most 32 bytes")
	}
	p.checkBounds(&out, name)
	p.checkValues(&out, name)
	if len(out) == 0 && !p.Default.IsZero() {
		if x, ok := p.Check(p.Default); !ok {
			out.Add("default", x.Code, x.Message+" as default")
		}
	}
	return out
}

func (p Param) checkBounds(out *Problems, name string) {
	sound := true
	for _, b := range []struct {
		path string
		v    Value
	}{{"min", p.Min}, {"max", p.Max}, {"step", p.Step}} {
		switch f := b.v.Float(); {
		case b.v.IsZero():
			continue
		case !p.Kind.Numeric():
			out.Add(b.path, CodeType, name+" is "+p.Kind.String()+" and has no "+b.path)
		case b.v.kind != p.Kind:
			out.Add(b.path, CodeType, "the "+b.path+" of "+name+" must be "+p.Kind.String()+", got "+b.v.kind.String()+" "+b.v.got())
		case math.IsNaN(f) || math.IsInf(f, 0):
			out.Add(b.path, CodeFinite, "the "+b.path+" of "+name+" must be finite, got "+b.v.got())
		case b.path == "step" && !less(zeroOf(p.Kind), b.v):
			out.Add(b.path, CodeRange, "the step of "+name+" must be above 0, got "+b.v.got())
		default:
			continue
		}
		sound = false
	}
	if !sound || p.Min.IsZero() || p.Max.IsZero() {
		return
	}
	if less(p.Max, p.Min) {
		out.Add("max", CodeRange, "the max of "+name+" is "+p.Max.Format()+", below its min "+p.Min.Format())
	}
}

func (p Param) checkValues(out *Problems, name string) {
	if p.Kind != KindEnum {
		if len(p.Values) > 0 {
			out.Add("values", CodeType, name+" is "+p.Kind.String()+" and has no values")
		}
		return
	}
	if len(p.Values) == 0 {
		out.Add("values", CodeRequired, name+" is enum and needs values")
	}
	if len(p.Values) > MaxEnumValues {
		out.Add("values", CodeLength, fmt.Sprintf("%s has %d values; at most %d", name, len(p.Values), MaxEnumValues))
		return
	}
	seen := map[string]bool{}
	for i, v := range p.Values {
		path := fmt.Sprintf("values[%d]", i)
		switch {
		case v == "" || len(v) > MaxName || !plainText(v):
			out.Add(path, CodeText, quoted(v)+" is not a value: a plain text of 1 to 63 bytes")
		case seen[v]:
			out.Add(path, CodeDuplicate, quoted(v)+" is listed twice")
		}
		seen[v] = true
	}
}

func zeroOf(k Kind) Value {
	switch k {
	case KindInt:
		return Int(0)
	case KindFloat:
		return Float(0)
	default:
		return Duration(0)
	}
}
