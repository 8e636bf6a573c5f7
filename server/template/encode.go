package template

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/allspark/allspark/proto/gear"
)

// Encode writes the document; Decode reads the very same content back. Order is
// fixed: fields as documented, values in the order of their parameters.
func Encode(d *Document, format Format) ([]byte, error) {
	root := tree(d)
	if format == JSON {
		var b bytes.Buffer
		root.json(&b)
		var out bytes.Buffer
		if err := json.Indent(&out, b.Bytes(), "", "  "); err != nil {
			return nil, err
		}
		out.WriteByte('\n')
		return out.Bytes(), nil
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(root.yaml()); err != nil {
		return nil, err
	}
	return b.Bytes(), enc.Close()
}

// ValueJSON writes one value as documents have it: a number, true, or a string.
func ValueJSON(v gear.Value) json.RawMessage {
	var b bytes.Buffer
	valueNode(v).json(&b)
	return b.Bytes()
}

func textNode(s string) *node {
	return &node{raw: gear.Raw{Token: gear.TokenString, Text: s}}
}

func intNode(i int) *node {
	return &node{raw: gear.Raw{Token: gear.TokenNumber, Text: strconv.Itoa(i)}}
}

func valueNode(v gear.Value) *node {
	n := textNode(v.Format())
	switch v.Kind() {
	case gear.KindInt, gear.KindFloat:
		n.raw.Token = gear.TokenNumber
	case gear.KindBool:
		n.raw.Token = gear.TokenBool
	case gear.KindNone:
		n.raw.Token = gear.TokenNull
	}
	return n
}

func mapNode() *node { return &node{raw: gear.Raw{Token: gear.TokenMap}} }

func (n *node) with(key string, kid *node) *node {
	n.keys, n.kids = append(n.keys, key), append(n.kids, kid)
	return n
}

func listNode(kids ...*node) *node {
	return &node{raw: gear.Raw{Token: gear.TokenList}, kids: kids}
}

func textsNode(s []string) *node {
	n := listNode()
	for _, x := range s {
		n.kids = append(n.kids, textNode(x))
	}
	return n
}

// valuesNode writes values in the order of names, then any others by name.
func valuesNode(set map[string]gear.Value, names []string) *node {
	n := mapNode()
	for _, name := range names {
		if v, ok := set[name]; ok {
			n.with(name, valueNode(v))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if !slices.Contains(names, name) {
			n.with(name, valueNode(set[name]))
		}
	}
	return n
}

func tree(d *Document) *node {
	s := &d.Spec
	root := mapNode().with("name", textNode(d.Name))
	if d.Description != "" {
		root.with("description", textNode(d.Description))
	}
	if len(d.Tags) > 0 {
		root.with("tags", textsNode(d.Tags))
	}
	strategy := mapNode().with("kind", textNode(string(s.Strategy.Kind)))
	if len(s.Strategy.Settings) > 0 {
		var names []string
		for _, p := range gear.StrategyParams(s.Strategy.Kind) {
			names = append(names, p.Name)
		}
		strategy.with("settings", valuesNode(s.Strategy.Settings, names))
	}
	root.with("strategy", strategy)
	root.with("levels", mapNode().with("count", intNode(s.Levels)).with("default", intNode(s.Default)).
		with("min", intNode(s.Min)).with("max", intNode(s.Max)))
	params, names := listNode(), []string(nil)
	for _, p := range s.Parameters {
		params.kids = append(params.kids, parameterNode(p))
		names = append(names, p.Name)
	}
	gears := listNode()
	for _, a := range s.Anchors {
		gears.kids = append(gears.kids, mapNode().with("level", intNode(a.Level)).with("set", valuesNode(a.Set, names)))
	}
	return root.with("parameters", params).with("gears", gears)
}

func parameterNode(p Parameter) *node {
	n := mapNode().with("name", textNode(p.Name)).with("type", textNode(p.Kind.String()))
	if p.Unit != "" {
		n.with("unit", textNode(p.Unit))
	}
	for _, b := range []struct {
		key string
		v   gear.Value
	}{{"min", p.Min}, {"max", p.Max}, {"step", p.Step}} {
		if !b.v.IsZero() {
			n.with(b.key, valueNode(b.v))
		}
	}
	if len(p.Values) > 0 {
		n.with("values", textsNode(p.Values))
	}
	if !p.Default.IsZero() {
		n.with("default", valueNode(p.Default))
	}
	if p.Monotonic != gear.MonotonicNone {
		n.with("monotonic", textNode(p.Monotonic.String()))
	}
	if p.Kind.Numeric() {
		n.with("interpolate", textNode(string(p.Interpolation)))
	}
	if p.Cost {
		n.with("cost", &node{raw: gear.Raw{Token: gear.TokenBool, Text: "true"}})
	}
	return n
}

func (n *node) json(b *bytes.Buffer) {
	switch n.raw.Token {
	case gear.TokenNull:
		b.WriteString("null")
	case gear.TokenString:
		text, _ := json.Marshal(n.raw.Text) // a string always marshals
		b.Write(text)
	case gear.TokenList, gear.TokenMap:
		open, shut := byte('['), byte(']')
		if n.raw.Token == gear.TokenMap {
			open, shut = '{', '}'
		}
		b.WriteByte(open)
		for i, k := range n.kids {
			if i > 0 {
				b.WriteByte(',')
			}
			if n.raw.Token == gear.TokenMap {
				textNode(n.keys[i]).json(b)
				b.WriteByte(':')
			}
			k.json(b)
		}
		b.WriteByte(shut)
	default:
		b.WriteString(n.raw.Text)
	}
}

// plainWord is a text that no YAML parser takes for anything but a string,
// the words of YAML 1.1's booleans excepted.
var plainWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*$`)

var yamlWords = []string{
	"true", "True", "TRUE", "false", "False", "FALSE", "null", "Null", "NULL", "yes", "Yes", "YES",
	"no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF", "y", "Y", "n", "N",
}

// plainDuration is what durations look like; parsers of YAML 1.1 and 1.2 agree
// that it is a string.
var plainDuration = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h)([0-9.]+[a-zµ]+)*$`)

func (n *node) yaml() *yaml.Node {
	switch n.raw.Token {
	case gear.TokenList:
		y := &yaml.Node{Kind: yaml.SequenceNode}
		flat := true
		for _, k := range n.kids {
			y.Content = append(y.Content, k.yaml())
			flat = flat && len(k.kids) == 0
		}
		if flat {
			y.Style = yaml.FlowStyle
		}
		return y
	case gear.TokenMap:
		y := &yaml.Node{Kind: yaml.MappingNode}
		for i, k := range n.kids {
			kid := k.yaml()
			// A gear is a row: its values stand on one line.
			if n.keys[i] == "set" || n.keys[i] == "levels" || len(k.kids) == 0 {
				kid.Style |= yaml.FlowStyle
				if k.raw.Token != gear.TokenMap && k.raw.Token != gear.TokenList {
					kid.Style &^= yaml.FlowStyle
				}
			}
			y.Content = append(y.Content, textNode(n.keys[i]).yaml(), kid)
		}
		return y
	case gear.TokenNull:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: "null"}
	case gear.TokenString:
		y := &yaml.Node{Kind: yaml.ScalarNode, Value: n.raw.Text}
		if t := n.raw.Text; !plainDuration.MatchString(t) && (!plainWord.MatchString(t) || slices.Contains(yamlWords, t)) {
			y.Style = yaml.DoubleQuotedStyle
		}
		return y
	default:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: n.raw.Text}
	}
}
