package gear

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Kind is the type of a parameter and of its values.
type Kind uint8

// The kinds of parameter. The zero Kind means "no value".
const (
	KindNone Kind = iota
	KindInt
	KindFloat
	KindBool
	KindString
	KindEnum
	KindDuration
)

var kindNames = [...]string{"", "int", "float", "bool", "string", "enum", "duration"}

// String gives the name used in templates: int, float, bool, string, enum or duration.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind(" + strconv.Itoa(int(k)) + ")"
}

// ParseKind is the inverse of Kind.String.
func ParseKind(s string) (Kind, bool) {
	for k := KindInt; int(k) < len(kindNames); k++ {
		if kindNames[k] == s {
			return k, true
		}
	}
	return KindNone, false
}

// Numeric reports whether values of the kind are ordered numbers, which have
// ranges and can be interpolated between anchor levels.
func (k Kind) Numeric() bool { return k == KindInt || k == KindFloat || k == KindDuration }

// Value is one typed value. Values are comparable with ==, immutable and cheap
// to copy; the zero Value holds nothing.
type Value struct {
	kind Kind
	bits uint64
	str  string
}

// Int makes an int value.
func Int(v int64) Value { return Value{kind: KindInt, bits: uint64(v)} }

// Float makes a float value. Minus zero becomes zero, so that equal numbers are
// equal values with equal hashes.
func Float(v float64) Value {
	if v == 0 {
		v = 0
	}
	return Value{kind: KindFloat, bits: math.Float64bits(v)}
}

// Bool makes a bool value.
func Bool(v bool) Value {
	var b uint64
	if v {
		b = 1
	}
	return Value{kind: KindBool, bits: b}
}

// String makes a string value.
func String(v string) Value { return Value{kind: KindString, str: v} }

// Enum makes an enum value.
func Enum(v string) Value { return Value{kind: KindEnum, str: v} }

// Duration makes a duration value.
func Duration(v time.Duration) Value { return Value{kind: KindDuration, bits: uint64(v)} }

// Kind tells the type of v; KindNone for the zero Value.
func (v Value) Kind() Kind { return v.kind }

// IsZero reports whether v holds nothing at all.
func (v Value) IsZero() bool { return v.kind == KindNone }

// Int returns the int held, 0 for another kind.
func (v Value) Int() int64 {
	if v.kind != KindInt {
		return 0
	}
	return int64(v.bits)
}

// Float returns the float held, 0 for another kind.
func (v Value) Float() float64 {
	if v.kind != KindFloat {
		return 0
	}
	return math.Float64frombits(v.bits)
}

// Bool returns the bool held, false for another kind.
func (v Value) Bool() bool { return v.kind == KindBool && v.bits == 1 }

// Str returns the string or enum held, "" for another kind.
func (v Value) Str() string { return v.str }

// Duration returns the duration held, 0 for another kind.
func (v Value) Duration() time.Duration {
	if v.kind != KindDuration {
		return 0
	}
	return time.Duration(v.bits)
}

// Number gives a numeric value as a float64 (durations in nanoseconds) for
// interpolation and comparison; ok is false for the other kinds.
func (v Value) Number() (n float64, ok bool) {
	switch v.kind {
	case KindInt, KindDuration:
		return float64(int64(v.bits)), true
	case KindFloat:
		return math.Float64frombits(v.bits), true
	default:
		return 0, false
	}
}

// Format writes v the way templates and messages show it: 250, 0.5, true, 8ms,
// and strings as they are.
func (v Value) Format() string {
	switch v.kind {
	case KindInt:
		return strconv.FormatInt(int64(v.bits), 10)
	case KindFloat:
		return formatFloat(v.Float())
	case KindBool:
		return strconv.FormatBool(v.Bool())
	case KindString, KindEnum:
		return v.str
	case KindDuration:
		return formatDuration(v.Duration())
	default:
		return "nothing"
	}
}

// formatFloat writes the shortest text that reads back as f, in the very form of
// ECMAScript's Number.toString, so that browser and server word alike.
func formatFloat(f float64) string {
	a := math.Abs(f)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+")
	}
	if a != 0 && (a < 1e-6 || a >= 1e21) {
		b := strconv.FormatFloat(f, 'e', -1, 64)
		// Go writes e-07 where ECMAScript writes e-7.
		if n := len(b); n >= 4 && b[n-4] == 'e' && b[n-2] == '0' {
			b = b[:n-2] + b[n-1:]
		}
		return b
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// formatDuration is time.Duration's text without empty tails: 1m, not 1m0s.
func formatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// String makes values readable in logs and test failures.
func (v Value) String() string { return fmt.Sprintf("%s(%s)", v.kind, v.Format()) }
