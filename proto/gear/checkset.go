package gear

import (
	"fmt"
	"math"
)

// Limits of what one order set may carry; an agent refuses more.
const (
	MaxLevels  = 100
	MaxParams  = 64     // of a table
	MaxOrders  = 10_000 // of a set: 50 points x 100 scenes x 2 buckets
	MaxSetting = 64     // of an order
)

// CheckShape tells whether the table is whole: names, kinds, row lengths, work
// factors, hash (when it has one). It needs no declarations.
func (t *LevelTable) CheckShape() Problems {
	var out Problems
	if n := len(t.Rows); n == 0 || n > MaxLevels {
		out.Add("rows", CodeLength, fmt.Sprintf("a table has 1..%d levels, got %d", MaxLevels, n))
		return out
	}
	if n := len(t.Params); n > MaxParams {
		out.Add("params", CodeLength, fmt.Sprintf("a table has at most %d parameters, got %d", MaxParams, n))
		return out
	}
	seen := make(map[string]bool, len(t.Params))
	for i, p := range t.Params {
		path := fmt.Sprintf("params[%d]", i)
		if !ParamName(p.Name) {
			out.Add(path, CodeName, quoted(p.Name)+" is not a parameter name")
		} else if seen[p.Name] {
			out.Add(path, CodeDuplicate, p.Name+" is a column twice")
		}
		seen[p.Name] = true
		if p.Kind == KindNone || p.Kind > KindDuration {
			out.Add(path, CodeType, Shown(p.Name)+" has a type this side does not know")
		}
	}
	for l, row := range t.Rows {
		if len(row) != len(t.Params) {
			out.Add(fmt.Sprintf("rows[%d]", l), CodeShape, fmt.Sprintf("level %d has %d values for %d parameters", l+1, len(row), len(t.Params)))
			continue
		}
		for i, v := range row {
			// Kind, finiteness and length; ranges are the declarations' business. An
			// enum passes here whatever it says.
			p := Param{Name: t.Params[i].Name, Kind: t.Params[i].Kind}
			if p.Kind == KindEnum {
				p.Values = []string{v.str}
			}
			if bad, ok := p.Check(v); !ok {
				out.Add(fmt.Sprintf("rows[%d].%s", l, bad.Path), bad.Code, bad.Message+atLevel(l))
			}
		}
	}
	if len(t.Work) != len(t.Rows) {
		out.Add("work", CodeShape, fmt.Sprintf("a table of %d levels has %d work factors", len(t.Rows), len(t.Work)))
	}
	for l, w := range t.Work {
		if math.IsNaN(w) || w <= 0 || w > 1 {
			out.Add(fmt.Sprintf("work[%d]", l), CodeRange, "work factor wants float above 0..1, got "+formatFloat(w)+atLevel(l))
		}
	}
	if len(out) == 0 && t.Hash != "" && t.Hash != t.ComputeHash() {
		out.Add("hash", CodeHash, "the table's content does not match its hash")
	}
	return out
}

func atLevel(row int) string { return fmt.Sprintf(" at level %d", row+1) }

// CheckTable tells whether an app that declares decl could work with the table:
// every declared parameter set, none unknown, kinds equal, every value in range.
// Agents run it when they apply a set, the server to foresee a refusal. Paths
// are rows[level-1].name or params.name.
func CheckTable(decl []Param, t *LevelTable) Problems {
	out := t.CheckShape()
	if len(out) > 0 {
		return out
	}
	column := make(map[string]int, len(t.Params))
	for i, p := range t.Params {
		column[p.Name] = i
	}
	known := make(map[string]bool, len(decl))
	for _, p := range decl {
		known[p.Name] = true
		i, ok := column[p.Name]
		if !ok {
			bad := p.wants(CodeRequired, "nothing")
			out.Add("params."+bad.Path, bad.Code, bad.Message)
			continue
		}
		if k := t.Params[i].Kind; k != p.Kind {
			bad := p.wants(CodeType, "a column of "+k.String())
			out.Add("params."+bad.Path, bad.Code, bad.Message)
			continue
		}
		for l := range t.Rows {
			if bad, ok := p.Check(t.Rows[l][i]); !ok {
				out.Add(fmt.Sprintf("rows[%d].%s", l, bad.Path), bad.Code, bad.Message+atLevel(l))
			}
		}
	}
	for _, p := range t.Params {
		if !known[p.Name] {
			out.Add("params."+p.Name, CodeUnknown, p.Name+" is not declared by this point")
		}
	}
	return out
}

// CheckOrderSet tells whether the set is whole and refers only to tables that
// lookup knows (nil for one it does not). Controllers never send, agents never
// apply a set that fails. Paths are orders[i].field.
func CheckOrderSet(s *OrderSet, lookup func(hash string) *LevelTable) Problems {
	var out Problems
	name := func(path, what, v string, wild bool) {
		if !PlaceName(v) && (!wild || v != Any) {
			out.Add(path, CodeName, quoted(v)+" is not a name of "+what)
		}
	}
	name("app", "an app", s.App, false)
	name("idc", "an IDC", s.IDC, false)
	if s.Epoch < 0 || s.Revision < 0 {
		out.Add("revision", CodeRange, fmt.Sprintf("epoch and revision are never negative, got %d.%d", s.Epoch, s.Revision))
	}
	if n := len(s.Orders); n > MaxOrders {
		out.Add("orders", CodeLength, fmt.Sprintf("a set has at most %d orders, got %d", MaxOrders, n))
		return out
	}
	seen := make(map[[3]string]int, len(s.Orders))
	for i := range s.Orders {
		o := &s.Orders[i]
		at := fmt.Sprintf("orders[%d]", i)
		name(at+".scene", "a scene", o.Scene, true)
		name(at+".point", "a point", o.Point, true)
		name(at+".bucket", "a bucket", o.Bucket, true)
		key := [3]string{o.Scene, o.Point, o.Bucket}
		if j, dup := seen[key]; dup {
			out.Add(at, CodeDuplicate, fmt.Sprintf("scene %s, point %s, bucket %s has order %d already", quoted(o.Scene), quoted(o.Point), quoted(o.Bucket), j))
		}
		seen[key] = i
		o.check(at, lookup, &out)
	}
	return out
}

func (o *Order) check(at string, lookup func(string) *LevelTable, out *Problems) {
	t := lookup(o.Table)
	if t == nil {
		out.Add(at+".table", CodeUnknown, "table "+quoted(o.Table)+" was never sent")
	} else if n := len(t.Rows); o.MinLevel < 1 || o.MaxLevel > n || o.Level < o.MinLevel || o.Level > o.MaxLevel {
		out.Add(at+".level", CodeRange, fmt.Sprintf("level wants 1 <= min <= level <= max <= %d, got %d <= %d <= %d", n, o.MinLevel, o.Level, o.MaxLevel))
	}
	if StrategyParams(o.Strategy) == nil {
		out.Add(at+".strategy", CodeUnknown, "strategy "+quoted(string(o.Strategy))+" is not known")
	} else if len(o.Settings) > MaxSetting {
		out.Add(at+".settings", CodeLength, fmt.Sprintf("an order has at most %d settings, got %d", MaxSetting, len(o.Settings)))
	} else {
		for _, x := range CheckSettings(o.Strategy, o.Settings).Under(at + ".settings") {
			out.Add(x.Path, x.Code, x.Message)
		}
	}
	if o.AvailableRT < 0 || o.Strategy == StrategyCrowdRT && o.AvailableRT == 0 {
		out.Add(at+".available_rt", CodeRange, "available_rt must be above 0, got "+o.AvailableRT.String())
	}
	if o.Timeout < 0 || o.Strategy == StrategyExternalTimeout && o.Timeout == 0 {
		out.Add(at+".timeout", CodeRange, "timeout must be above 0, got "+o.Timeout.String())
	}
	if o.TemplateVersion < 0 {
		out.Add(at+".template_version", CodeRange, fmt.Sprintf("a template version is never negative, got %d", o.TemplateVersion))
	}
}
