package gear

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// Token says what a value looks like in a document, before any type is known.
type Token uint8

// The tokens.
const (
	TokenNull Token = iota
	TokenNumber
	TokenBool
	TokenString
	TokenList
	TokenMap
)

var tokenNames = [...]string{"null", "number", "bool", "string", "list", "map"}

// String gives the name used in the golden file.
func (t Token) String() string {
	if int(t) < len(tokenNames) {
		return tokenNames[t]
	}
	return "unknown"
}

// Raw is a value as written in a document. Numbers are kept as text: an int
// beyond 2^53 survives, and 3.0 stays distinguishable from 3.
type Raw struct {
	Token Token
	Text  string
}

// Scalar classifies a scalar of a document. Quoted text is always a string.
// Plain text is null ("", ~, null), a bool (true, false), a number as JSON
// writes it (-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?, and .nan, .inf,
// -.inf in any letter case), else a string. So yes, 0x1f and 1_000 are strings,
// in YAML too: no two parsers can differ about them.
func Scalar(text string, quoted bool) Raw {
	r := Raw{Token: TokenString, Text: text}
	switch {
	case quoted:
	case text == "" || text == "~" || text == "null":
		r.Token = TokenNull
	case text == "true" || text == "false":
		r.Token = TokenBool
	case isNumber(text) || notFinite(text):
		r.Token = TokenNumber
	}
	return r
}

func notFinite(s string) bool {
	switch strings.ToLower(s) {
	case ".nan", ".inf", "+.inf", "-.inf":
		return true
	}
	return false
}

func isNumber(s string) bool {
	rest, ok := cutInteger(s)
	if !ok {
		return false
	}
	if strings.HasPrefix(rest, ".") {
		var n int
		if rest, n = cutDigits(rest[1:]); n == 0 {
			return false
		}
	}
	if rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		rest = rest[1:]
		if rest != "" && (rest[0] == '+' || rest[0] == '-') {
			rest = rest[1:]
		}
		var n int
		if rest, n = cutDigits(rest); n == 0 {
			return false
		}
	}
	return rest == ""
}

func cutInteger(s string) (rest string, ok bool) {
	s = strings.TrimPrefix(s, "-")
	rest, n := cutDigits(s)
	return rest, n == 1 || n > 1 && s[0] != '0'
}

func cutDigits(s string) (rest string, n int) {
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return s[n:], n
}

// got words a raw value for a message.
func (r Raw) got() string {
	switch r.Token {
	case TokenNull:
		return "nothing"
	case TokenString:
		return quoted(r.Text)
	case TokenList:
		return "a list"
	case TokenMap:
		return "a map"
	default:
		return Shown(r.Text)
	}
}

// Parse reads a raw value as the parameter's kind and checks it. An int wants an
// integer literal: 3.0 and 1e3 are not ints. A float takes any number. A
// duration is a string such as 8ms or 1h30m, never a bare number.
func (p Param) Parse(r Raw) (v Value, problem Problem, ok bool) {
	v, code := ParseValue(p.Kind, r)
	if code != "" {
		return Value{}, p.wants(code, r.got()), false
	}
	problem, ok = p.Check(v)
	return v, problem, ok
}

// ParseValue reads a raw value as kind k, without any declaration; code is ""
// when it can be read.
func ParseValue(k Kind, r Raw) (v Value, code string) {
	if r.Token == TokenNull {
		return Value{}, CodeRequired
	}
	switch k {
	case KindInt:
		rest, whole := cutInteger(r.Text)
		if r.Token != TokenNumber || !whole || rest != "" {
			return Value{}, CodeType
		}
		n, err := strconv.ParseInt(r.Text, 10, 64)
		if err != nil {
			return Value{}, CodeRange
		}
		return Int(n), ""
	case KindFloat:
		if r.Token != TokenNumber {
			return Value{}, CodeType
		}
		if notFinite(r.Text) {
			return Value{}, CodeFinite
		}
		f, err := strconv.ParseFloat(r.Text, 64)
		if err != nil || math.IsInf(f, 0) {
			return Value{}, CodeFinite
		}
		return Float(f), ""
	case KindBool:
		if r.Token != TokenBool {
			return Value{}, CodeType
		}
		return Bool(r.Text == "true"), ""
	case KindString, KindEnum:
		if r.Token != TokenString {
			return Value{}, CodeType
		}
		if k == KindEnum {
			return Enum(r.Text), ""
		}
		return String(r.Text), ""
	case KindDuration:
		if r.Token != TokenString {
			return Value{}, CodeType
		}
		d, ok := ParseDuration(r.Text)
		if !ok {
			return Value{}, CodeType
		}
		return Duration(d), ""
	}
	return Value{}, CodeType
}

var durationUnits = []struct {
	name string
	unit uint64
}{ // two letters before one
	{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"μs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9},
}

// ParseDuration reads -?([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+ with integer
// arithmetic, so that browser and server agree to the nanosecond. A fraction
// that is no whole number of nanoseconds, and anything beyond int64, is refused.
func ParseDuration(s string) (time.Duration, bool) {
	rest, negative := strings.CutPrefix(s, "-")
	if rest == "" || len(rest) > 64 {
		return 0, false
	}
	var total uint64
	for rest != "" {
		part, tail, ok := durationPart(rest)
		if !ok || part > math.MaxInt64-total {
			return 0, false
		}
		total += part
		rest = tail
	}
	if negative {
		return -time.Duration(total), true
	}
	return time.Duration(total), true
}

func durationPart(s string) (ns uint64, rest string, ok bool) {
	rest, n := cutDigits(s)
	if n == 0 {
		return 0, "", false
	}
	whole, err := strconv.ParseUint(s[:n], 10, 63)
	if err != nil {
		return 0, "", false
	}
	fraction := ""
	if tail, found := strings.CutPrefix(rest, "."); found {
		after, k := cutDigits(tail)
		if k == 0 {
			return 0, "", false
		}
		fraction, rest = tail[:k], after
	}
	for _, u := range durationUnits {
		tail, found := strings.CutPrefix(rest, u.name)
		if !found {
			continue
		}
		if whole > math.MaxInt64/u.unit {
			return 0, "", false
		}
		part, exact := fractionOf(strings.TrimRight(fraction, "0"), u.unit)
		return whole*u.unit + part, tail, exact
	}
	return 0, "", false
}

// fractionOf gives 0.digits of unit, if that is a whole number. The units' own
// factors of 2 and 5 leave no whole number beyond 13 digits.
func fractionOf(digits string, unit uint64) (uint64, bool) {
	if len(digits) > 13 {
		return 0, false
	}
	var f uint64
	scale := uint64(1)
	for i := range len(digits) {
		f, scale = f*10+uint64(digits[i]-'0'), scale*10
	}
	hi, lo := bits.Mul64(f, unit)
	whole, rest := bits.Div64(hi, lo, scale) // f < scale, so the quotient is below unit
	return whole, rest == 0
}
