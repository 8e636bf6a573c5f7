package gear

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// MarshalText writes a value with its kind, "int:250", for journals, snapshots
// and JSON; the zero Value is "". Every value that a document can
// hold reads back equal.
func (v Value) MarshalText() ([]byte, error) {
	if v.kind == KindNone {
		return nil, nil
	}
	return []byte(v.kind.String() + ":" + v.Format()), nil
}

// UnmarshalText is the inverse of MarshalText.
func (v *Value) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*v = Value{}
		return nil
	}
	kind, text, _ := strings.Cut(string(b), ":")
	k, ok := ParseKind(kind)
	if !ok {
		return fmt.Errorf("value %s has no known kind", quoted(string(b)))
	}
	raw := Raw{Token: TokenString, Text: text}
	switch k {
	case KindInt:
		raw.Token = TokenNumber
	case KindFloat:
		// NaN and infinities are written too: what refuses them is Check, later.
		f, err := strconv.ParseFloat(text, 64)
		if err != nil && !math.IsInf(f, 0) {
			return fmt.Errorf("value %s is not a float", quoted(text))
		}
		*v = Float(f)
		return nil
	case KindBool:
		raw = Scalar(text, false)
	}
	x, code := ParseValue(k, raw)
	if code != "" {
		return fmt.Errorf("value %s is not a %s", quoted(text), k)
	}
	*v = x
	return nil
}

// MarshalText writes the kind's name.
func (k Kind) MarshalText() ([]byte, error) {
	if k == KindNone {
		return nil, nil
	}
	return []byte(k.String()), nil
}

// UnmarshalText is the inverse of MarshalText.
func (k *Kind) UnmarshalText(b []byte) error {
	x, ok := ParseKind(string(b))
	if !ok && len(b) > 0 {
		return fmt.Errorf("%s is not a kind", quoted(string(b)))
	}
	*k = x
	return nil
}

var monotonicNames = [...]string{"none", "up", "down"}

// String gives the hint's name in templates: none, up or down.
func (m Monotonic) String() string {
	if int(m) < len(monotonicNames) {
		return monotonicNames[m]
	}
	return "unknown"
}

// ParseMonotonic is the inverse of String.
func ParseMonotonic(s string) (Monotonic, bool) {
	for i, n := range monotonicNames {
		if n == s {
			return Monotonic(i), true
		}
	}
	return MonotonicNone, false
}
