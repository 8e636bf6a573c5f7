package template

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/allspark/allspark/proto/gear"
)

// Limits of a document.
const (
	MaxDocument = 1 << 20 // bytes
	MaxDepth    = 32      // nested lists and maps
)

// Format is a syntax of documents.
type Format string

// The formats.
const (
	YAML Format = "yaml"
	JSON Format = "json"
)

// node is a document before its meaning is known: the same tree for both
// formats, with scalars as they were written.
type node struct {
	raw    gear.Raw
	keys   []string // of a map, in order
	kids   []*node  // of a map or list
	line   int
	column int
}

// syntaxError is the one problem of a document that cannot be read at all.
type syntaxError struct{ problem gear.Problem }

func (e *syntaxError) Error() string { return e.problem.Message }

func syntaxAt(line, column int, path, code, format string, args ...any) error {
	return &syntaxError{gear.Problem{Path: path, Code: code, Message: fmt.Sprintf(format, args...), Line: line, Column: column}}
}

// parse reads the text as a tree, or says in one problem why it cannot.
func parse(text []byte, format Format) (*node, gear.Problems) {
	if len(text) > MaxDocument {
		return nil, gear.Problems{{Code: gear.CodeLength, Message: fmt.Sprintf("a document has at most %d bytes, got %d", MaxDocument, len(text))}}
	}
	var n *node
	var err error
	if format == JSON {
		n, err = parseJSON(text)
	} else {
		n, err = parseYAML(text)
	}
	if err == nil {
		return n, nil
	}
	if s, ok := errors.AsType[*syntaxError](err); ok {
		return nil, gear.Problems{s.problem}
	}
	// yaml's errors begin with the line, when they know one.
	reason, line := inert(err.Error()), 0
	if n, _ := fmt.Sscanf(reason, "line %d: ", &line); n == 1 {
		_, reason, _ = strings.Cut(reason, ": ")
	}
	bad := gear.Problem{Code: gear.CodeSyntax, Message: "not a " + string(format) + " document: " + reason}
	if line > 0 {
		bad.Line, bad.Column = line, 1
	}
	return nil, gear.Problems{bad}
}

// inert makes a parser's message, which repeats the text, safe for a log line.
func inert(s string) string {
	s = strings.Map(gear.Inert, strings.TrimPrefix(s, "yaml: "))
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "…"
	}
	return s
}

func parseYAML(text []byte) (*node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, syntaxAt(1, 1, "", gear.CodeRequired, "the document is empty")
		}
		return nil, err
	}
	if err := dec.Decode(&more); err == nil {
		return nil, syntaxAt(more.Line, more.Column, "", gear.CodeSyntax, "one document is wanted, got several")
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(doc.Content) != 1 {
		return nil, syntaxAt(1, 1, "", gear.CodeRequired, "the document is empty")
	}
	return fromYAML(doc.Content[0], "", 0)
}

func fromYAML(y *yaml.Node, path string, depth int) (*node, error) {
	n := &node{line: y.Line, column: y.Column}
	bad := func(code, format string, args ...any) (*node, error) {
		return nil, syntaxAt(y.Line, y.Column, path, code, format, args...)
	}
	switch {
	case depth > MaxDepth:
		return bad(gear.CodeSyntax, "nested more than %d deep", MaxDepth)
	case y.Kind == yaml.AliasNode || y.Anchor != "":
		return bad(gear.CodeSyntax, "aliases and anchors are not allowed")
	case y.Style&yaml.TaggedStyle != 0:
		return bad(gear.CodeSyntax, "tags such as %s are not allowed", gear.Shown(y.Tag))
	}
	switch y.Kind {
	case yaml.ScalarNode:
		n.raw = gear.Scalar(y.Value, y.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0)
	case yaml.SequenceNode:
		n.raw.Token = gear.TokenList
		for i, c := range y.Content {
			kid, err := fromYAML(c, gear.JoinPath(path, fmt.Sprintf("[%d]", i)), depth+1)
			if err != nil {
				return nil, err
			}
			n.kids = append(n.kids, kid)
		}
	case yaml.MappingNode:
		n.raw.Token = gear.TokenMap
		seen := make(map[string]bool, len(y.Content)/2)
		for i := 0; i+1 < len(y.Content); i += 2 {
			k := y.Content[i]
			if k.Kind != yaml.ScalarNode || k.Anchor != "" || k.Style&yaml.TaggedStyle != 0 {
				return nil, syntaxAt(k.Line, k.Column, path, gear.CodeSyntax, "a key must be a plain text")
			}
			at := gear.JoinPath(path, gear.Shown(k.Value))
			if seen[k.Value] {
				return nil, syntaxAt(k.Line, k.Column, at, gear.CodeDuplicate, "%q is given twice", gear.Shown(k.Value))
			}
			seen[k.Value] = true
			kid, err := fromYAML(y.Content[i+1], at, depth+1)
			if err != nil {
				return nil, err
			}
			// A map's place is its first key's; the key is where the author looks.
			kid.line, kid.column = k.Line, k.Column
			n.keys, n.kids = append(n.keys, k.Value), append(n.kids, kid)
		}
	}
	return n, nil
}

// jsonReader walks the token stream of encoding/json, which keeps numbers as
// text and lets duplicate keys be seen.
type jsonReader struct {
	dec   *json.Decoder
	text  []byte
	lines []int // offsets of line starts, found on the way
}

func parseJSON(text []byte) (*node, error) {
	r := &jsonReader{dec: json.NewDecoder(bytes.NewReader(text)), text: text}
	r.dec.UseNumber()
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, syntaxAt(1, 1, "", gear.CodeRequired, "the document is empty")
	}
	n, err := r.value("", 0)
	if err != nil {
		return nil, r.wrap(err)
	}
	line, column := r.where()
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, syntaxAt(line, column, "", gear.CodeSyntax, "one document is wanted, got more after it")
	}
	return n, nil
}

func (r *jsonReader) wrap(err error) error {
	if _, ok := errors.AsType[*syntaxError](err); ok {
		return err
	}
	line, column := r.where()
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return syntaxAt(line, column, "", gear.CodeSyntax, "not a json document: it ends too early")
	}
	return syntaxAt(line, column, "", gear.CodeSyntax, "not a json document: %s", inert(err.Error()))
}

// where tells line and column after the last token; skipping blanks and the
// separators before the next one.
func (r *jsonReader) where() (line, column int) {
	at := int(r.dec.InputOffset())
	for at < len(r.text) && strings.IndexByte(" \t\r\n,:", r.text[at]) >= 0 {
		at++
	}
	if r.lines == nil {
		r.lines = []int{0}
		for i, c := range r.text {
			if c == '\n' {
				r.lines = append(r.lines, i+1)
			}
		}
	}
	lo, hi := 0, len(r.lines)
	for lo+1 < hi {
		if mid := (lo + hi) / 2; r.lines[mid] <= at {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo + 1, at - r.lines[lo] + 1
}

func (r *jsonReader) value(path string, depth int) (*node, error) {
	n := &node{}
	n.line, n.column = r.where()
	if depth > MaxDepth {
		return nil, syntaxAt(n.line, n.column, path, gear.CodeSyntax, "nested more than %d deep", MaxDepth)
	}
	tok, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := tok.(type) {
	case nil:
		n.raw = gear.Raw{Token: gear.TokenNull}
	case bool:
		n.raw = gear.Raw{Token: gear.TokenBool, Text: fmt.Sprint(t)}
	case json.Number:
		n.raw = gear.Raw{Token: gear.TokenNumber, Text: t.String()}
	case string:
		n.raw = gear.Raw{Token: gear.TokenString, Text: t}
	case json.Delim:
		if t == '[' {
			return n, r.list(n, path, depth)
		}
		return n, r.object(n, path, depth)
	}
	return n, nil
}

func (r *jsonReader) list(n *node, path string, depth int) error {
	n.raw.Token = gear.TokenList
	for i := 0; r.dec.More(); i++ {
		kid, err := r.value(gear.JoinPath(path, fmt.Sprintf("[%d]", i)), depth+1)
		if err != nil {
			return err
		}
		n.kids = append(n.kids, kid)
	}
	_, err := r.dec.Token()
	return err
}

func (r *jsonReader) object(n *node, path string, depth int) error {
	n.raw.Token = gear.TokenMap
	seen := map[string]bool{}
	for r.dec.More() {
		line, column := r.where()
		tok, err := r.dec.Token()
		if err != nil {
			return err
		}
		key := tok.(string) // encoding/json refuses other keys itself
		at := gear.JoinPath(path, gear.Shown(key))
		if seen[key] {
			return syntaxAt(line, column, at, gear.CodeDuplicate, "%q is given twice", gear.Shown(key))
		}
		seen[key] = true
		kid, err := r.value(at, depth+1)
		if err != nil {
			return err
		}
		kid.line, kid.column = line, column
		n.keys, n.kids = append(n.keys, key), append(n.kids, kid)
	}
	_, err := r.dec.Token()
	return err
}
