package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// micros is an instant as stored: microseconds since 1970, 0 for the zero time.
type micros int64

func at(t time.Time) micros {
	if t.IsZero() {
		return 0
	}
	return micros(t.UnixMicro())
}

func (m micros) time() time.Time {
	if m == 0 {
		return time.Time{}
	}
	return time.UnixMicro(int64(m)).UTC()
}

// doc is a JSON document in a text column; "" is the zero T.
type doc[T any] struct{ v T }

func docOf[T any](v T) doc[T] { return doc[T]{v} }

// Value implements driver.Valuer.
func (d doc[T]) Value() (driver.Value, error) {
	b, err := json.Marshal(d.v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", d.v, err)
	}
	return string(b), nil
}

// Scan implements sql.Scanner.
func (d *doc[T]) Scan(src any) error {
	var b []byte
	switch s := src.(type) {
	case string:
		b = []byte(s)
	case []byte:
		b = s
	case nil:
	default:
		return fmt.Errorf("decode %T from %T", d.v, src)
	}
	var v T
	d.v = v
	if len(b) == 0 {
		return nil
	}
	if err := json.Unmarshal(b, &d.v); err != nil {
		return fmt.Errorf("decode %T: %w", d.v, err)
	}
	return nil
}

// GormDataType tells gorm that a doc is text.
func (doc[T]) GormDataType() string { return "text" }

// valueDoc writes a typed value so that its kind survives and people can read it
// in the audit log: 250 is an int, 250.0 a float, true a bool, "x" a string; enum,
// duration and floats that JSON cannot write are {"enum": "x"} and so on.
type valueDoc gear.Value

func (v valueDoc) IsZero() bool { return gear.Value(v).IsZero() }

// MarshalJSON implements json.Marshaler.
func (v valueDoc) MarshalJSON() ([]byte, error) {
	g := gear.Value(v)
	switch g.Kind() {
	case gear.KindInt:
		return strconv.AppendInt(nil, g.Int(), 10), nil
	case gear.KindFloat:
		f := g.Float()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return json.Marshal(map[string]string{"float": strconv.FormatFloat(f, 'g', -1, 64)})
		}
		b := strconv.AppendFloat(nil, f, 'g', -1, 64)
		if !strings.ContainsAny(string(b), ".e") {
			b = append(b, ".0"...)
		}
		return b, nil
	case gear.KindBool:
		return strconv.AppendBool(nil, g.Bool()), nil
	case gear.KindString:
		return json.Marshal(g.Str())
	case gear.KindEnum:
		return json.Marshal(map[string]string{"enum": g.Str()})
	case gear.KindDuration:
		return json.Marshal(map[string]string{"duration": g.Duration().String()})
	default:
		return []byte("null"), nil
	}
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *valueDoc) UnmarshalJSON(b []byte) error {
	s := string(b)
	var g gear.Value
	switch {
	case s == "null":
	case s == "true" || s == "false":
		g = gear.Bool(s == "true")
	case s[0] == '"':
		var str string
		if err := json.Unmarshal(b, &str); err != nil {
			return err
		}
		g = gear.String(str)
	case s[0] == '{':
		var m map[string]string
		if err := json.Unmarshal(b, &m); err != nil {
			return err
		}
		var err error
		if g, err = taggedValue(m); err != nil {
			return err
		}
	case strings.ContainsAny(s, ".eE"):
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return err
		}
		g = gear.Float(f)
	default:
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return err
		}
		g = gear.Int(n)
	}
	*v = valueDoc(g)
	return nil
}

func taggedValue(m map[string]string) (gear.Value, error) {
	for k, s := range m {
		switch k {
		case "enum":
			return gear.Enum(s), nil
		case "duration":
			d, err := time.ParseDuration(s)
			return gear.Duration(d), err
		case "float":
			f, err := strconv.ParseFloat(s, 64)
			return gear.Float(f), err
		}
	}
	return gear.Value{}, fmt.Errorf("unknown value %v", m)
}

func valueDocs(m map[string]gear.Value) map[string]valueDoc {
	if m == nil {
		return nil
	}
	out := make(map[string]valueDoc, len(m))
	for k, v := range m {
		out[k] = valueDoc(v)
	}
	return out
}

func values(m map[string]valueDoc) map[string]gear.Value {
	if m == nil {
		return nil
	}
	out := make(map[string]gear.Value, len(m))
	for k, v := range m {
		out[k] = gear.Value(v)
	}
	return out
}

func each[A, B any](in []A, fn func(A) B) []B {
	if in == nil {
		return nil
	}
	out := make([]B, len(in))
	for i, a := range in {
		out[i] = fn(a)
	}
	return out
}
