package audit

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// Difference is one place where After is not Before.
type Difference struct {
	Path     string
	Op       string // add, remove or change
	From, To json.RawMessage
}

// maxDifferences bounds a rendered diff; a change that touches more is read as a whole.
const maxDifferences = 1000

// Diff compares two JSON states place by place, in the order of paths. Lists are
// compared index by index. A state that is absent or no JSON counts as nothing.
func Diff(before, after json.RawMessage) []Difference {
	d := &differ{}
	a, okA := decode(before)
	b, okB := decode(after)
	switch {
	case !okA && !okB:
	case !okA:
		d.one("", nil, b)
	case !okB:
		d.one("", a, nil)
	default:
		d.walk("", a, b)
	}
	return d.out
}

func decode(raw json.RawMessage) (any, bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, false
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber() // 2^53 and more stay exact
	var v any
	return v, dec.Decode(&v) == nil
}

type differ struct{ out []Difference }

func (d *differ) walk(path string, a, b any) {
	if len(d.out) >= maxDifferences {
		return
	}
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			keys := slices.AppendSeq(slices.Collect(maps.Keys(x)), maps.Keys(y))
			slices.Sort(keys)
			for _, k := range slices.Compact(keys) {
				at := k
				if path != "" {
					at = path + "." + k
				}
				d.pair(at, x, y, k)
			}
			return
		}
	case []any:
		if y, ok := b.([]any); ok {
			for i := range max(len(x), len(y)) {
				at := path + "[" + strconv.Itoa(i) + "]"
				switch {
				case i >= len(x):
					d.one(at, nil, y[i])
				case i >= len(y):
					d.one(at, x[i], nil)
				default:
					d.walk(at, x[i], y[i])
				}
			}
			return
		}
	default:
		if !composite(b) && a == b {
			return
		}
	}
	d.one(path, a, b)
}

func composite(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

func (d *differ) pair(path string, x, y map[string]any, key string) {
	a, inA := x[key]
	b, inB := y[key]
	switch {
	case !inA:
		d.one(path, nil, b)
	case !inB:
		d.one(path, a, nil)
	default:
		d.walk(path, a, b)
	}
}

func (d *differ) one(path string, a, b any) {
	out := Difference{Path: path, Op: "change", From: raw(a), To: raw(b)}
	if out.From == nil {
		out.Op = "add"
	} else if out.To == nil {
		out.Op = "remove"
	}
	d.out = append(d.out, out)
}

func raw(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil // decoded a moment ago: cannot happen
	}
	return b
}
