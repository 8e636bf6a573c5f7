package template

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/allspark/allspark/proto/gear"
)

// Op says what happened to a place.
type Op string

// The ops.
const (
	Added   Op = "add"
	Removed Op = "remove"
	Changed Op = "change"
)

// Difference is one place where two contents differ. Parameters are named
// (parameters.tag_count.max), gears and levels told by level (gears.9.tag_count,
// levels.9.tag_count), so that inserting a row does not shift the others.
type Difference struct {
	Path     string
	Op       Op
	Level    int // 0 when none is concerned
	From, To json.RawMessage
}

// Diff lists what an author changed between two contents: strategy, levels,
// parameters, gears, in this order.
func Diff(a, b *Spec) []Difference {
	d := &differ{}
	d.text("strategy.kind", string(a.Strategy.Kind), string(b.Strategy.Kind))
	d.values("strategy.settings.", 0, a.Strategy.Settings, b.Strategy.Settings)
	for _, x := range []struct {
		path string
		a, b int
	}{{"levels.count", a.Levels, b.Levels}, {"levels.default", a.Default, b.Default}, {"levels.min", a.Min, b.Min}, {"levels.max", a.Max, b.Max}} {
		if x.a != x.b {
			d.add(x.path, 0, raw(strconv.Itoa(x.a)), raw(strconv.Itoa(x.b)))
		}
	}
	for _, p := range a.Parameters {
		at := "parameters." + p.Name
		if i := b.Parameter(p.Name); i < 0 {
			d.add(at, 0, nodeJSON(parameterNode(p)), nil)
		} else {
			d.nodes(at, parameterNode(p), parameterNode(b.Parameters[i]))
		}
	}
	for _, p := range b.Parameters {
		if a.Parameter(p.Name) < 0 {
			d.add("parameters."+p.Name, 0, nil, nodeJSON(parameterNode(p)))
		}
	}
	if moved := order(a, b); moved != nil {
		d.add("parameters", 0, moved[0], moved[1])
	}
	d.gears(a, b)
	return d.out
}

// DiffLevels lists how every level's values move between two valid contents,
// interpolated ones included; what agents will see.
func DiffLevels(a, b *Spec) ([]Difference, error) {
	ta, err := Expand(a)
	if err != nil {
		return nil, err
	}
	tb, err := Expand(b)
	if err != nil {
		return nil, err
	}
	d := &differ{}
	for l := range max(len(ta.Rows), len(tb.Rows)) {
		d.values(fmt.Sprintf("levels.%d.", l+1), l+1, rowMap(ta, l), rowMap(tb, l))
	}
	return d.out, nil
}

func rowMap(t *gear.LevelTable, l int) map[string]gear.Value {
	if l >= len(t.Rows) {
		return nil
	}
	m := make(map[string]gear.Value, len(t.Params))
	for i, p := range t.Params {
		m[p.Name] = t.Rows[l][i]
	}
	return m
}

type differ struct{ out []Difference }

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func nodeJSON(n *node) json.RawMessage {
	var b bytes.Buffer
	n.json(&b)
	return b.Bytes()
}

func (d *differ) add(path string, level int, from, to json.RawMessage) {
	op := Changed
	switch {
	case from == nil:
		op = Added
	case to == nil:
		op = Removed
	}
	d.out = append(d.out, Difference{Path: path, Op: op, Level: level, From: from, To: to})
}

func (d *differ) text(path, a, b string) {
	if a != b {
		d.add(path, 0, nodeJSON(textNode(a)), nodeJSON(textNode(b)))
	}
}

func (d *differ) values(prefix string, level int, a, b map[string]gear.Value) {
	for _, name := range sortedKeys(a) {
		v, ok := b[name]
		switch {
		case !ok:
			d.add(prefix+name, level, ValueJSON(a[name]), nil)
		case v != a[name]:
			d.add(prefix+name, level, ValueJSON(a[name]), ValueJSON(v))
		}
	}
	for _, name := range sortedKeys(b) {
		if _, ok := a[name]; !ok {
			d.add(prefix+name, level, nil, ValueJSON(b[name]))
		}
	}
}

// nodes compares two maps field by field.
func (d *differ) nodes(path string, a, b *node) {
	at := func(n *node, key string) json.RawMessage {
		for i, k := range n.keys {
			if k == key {
				return nodeJSON(n.kids[i])
			}
		}
		return nil
	}
	seen := map[string]bool{}
	for _, k := range append(append([]string(nil), a.keys...), b.keys...) {
		if seen[k] {
			continue
		}
		seen[k] = true
		if x, y := at(a, k), at(b, k); !bytes.Equal(x, y) {
			d.add(path+"."+k, 0, x, y)
		}
	}
}

// order tells when the parameters both have stand in another order.
func order(a, b *Spec) []json.RawMessage {
	var x, y []string
	for _, p := range a.Parameters {
		if b.Parameter(p.Name) >= 0 {
			x = append(x, p.Name)
		}
	}
	for _, p := range b.Parameters {
		if a.Parameter(p.Name) >= 0 {
			y = append(y, p.Name)
		}
	}
	from, to := nodeJSON(textsNode(x)), nodeJSON(textsNode(y))
	if bytes.Equal(from, to) {
		return nil
	}
	return []json.RawMessage{from, to}
}

func (d *differ) gears(a, b *Spec) {
	at := func(s *Spec) map[int]map[string]gear.Value {
		m := map[int]map[string]gear.Value{}
		for _, x := range s.Anchors {
			m[x.Level] = x.Set
		}
		return m
	}
	x, y := at(a), at(b)
	for l := 1; l <= MaxLevels; l++ {
		path := fmt.Sprintf("gears.%d", l)
		from, hadFrom := x[l]
		to, hasTo := y[l]
		switch {
		case hadFrom && hasTo:
			d.values(path+".", l, from, to)
		case hadFrom:
			d.add(path, l, nodeJSON(valuesNode(from, nil)), nil)
		case hasTo:
			d.add(path, l, nil, nodeJSON(valuesNode(to, nil)))
		}
	}
}
