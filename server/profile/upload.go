package profile

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/allocation"
)

// MaxUpload bounds an uploaded document, in bytes.
const MaxUpload = 4 << 20

// row is one line of an upload: a level, for one class.
type row struct {
	level, class int
	quantiles    []allocation.Quantile
	work, effect float64
	output, cap  float64
	samples      int64
	line, column int
}

// document collects rows and what is wrong with them.
type document struct {
	classes  []allocation.Class
	shared   []bool // the class's share was given
	rows     []row
	problems gear.Problems
}

func (d *document) bad(line, column int, path, code, message string) {
	n := len(d.problems)
	d.problems.Add(path, code, message)
	if len(d.problems) > n {
		d.problems[n].Line, d.problems[n].Column = line, column
	}
}

func (d *document) class(name string) int {
	for i, c := range d.classes {
		if c.Name == name {
			return i
		}
	}
	d.classes, d.shared = append(d.classes, allocation.Class{Name: name}), append(d.shared, false)
	return len(d.classes) - 1
}

// ParseCSV reads classes and levels from CSV with a header line. Columns, in any
// order: level, effect and work (required); p1 … p99.9 in ms (at least one, or
// rt_ms for a time that does not vary); class and share (of the class) where load
// classes are told apart; output, cap, samples.
func ParseCSV(r io.Reader) (classes []allocation.Class, levels []Level, problems gear.Problems) {
	d := &document{}
	in := csv.NewReader(io.LimitReader(r, MaxUpload+1))
	in.FieldsPerRecord, in.TrimLeadingSpace = -1, true
	head, err := in.Read()
	if err != nil {
		d.syntax(in, err, "the document is empty; a header line is wanted")
		return nil, nil, d.problems
	}
	head[0] = strings.TrimPrefix(head[0], "\ufeff")
	for i := range head {
		head[i] = strings.ToLower(strings.TrimSpace(head[i]))
		if _, ok := quantileName(head[i]); !ok && !slices.Contains(columns, head[i]) {
			line, column := in.FieldPos(i)
			d.bad(line, column, head[i], gear.CodeUnknown, fmt.Sprintf("%q is no column; wanted are %s and p1 to p99.9", gear.Shown(head[i]), strings.Join(columns, ", ")))
		}
	}
	for _, want := range [...]string{"level", "effect", "work"} {
		if !slices.Contains(head, want) {
			d.bad(1, 1, want, gear.CodeRequired, "the column "+want+" is missing")
		}
	}
	for sound := len(d.problems) == 0; sound; {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			d.syntax(in, err, "the line cannot be read")
			break
		}
		if in.InputOffset() > MaxUpload {
			d.bad(0, 0, "", gear.CodeLength, fmt.Sprintf("the document is longer than %d bytes", MaxUpload))
			break
		}
		d.record(in, head, cells)
	}
	return d.finish()
}

var columns = []string{"level", "class", "share", "rt_ms", "effect", "work", "output", "cap", "samples"}

func (d *document) syntax(in *csv.Reader, err error, message string) {
	if e, ok := errors.AsType[*csv.ParseError](err); ok {
		d.bad(e.Line, e.Column, "", gear.CodeSyntax, e.Err.Error())
		return
	}
	d.bad(1, 1, "", gear.CodeSyntax, message)
}

func (d *document) record(in *csv.Reader, head, cells []string) {
	line, column := in.FieldPos(0)
	r := row{line: line, column: column}
	if len(cells) != len(head) {
		d.bad(line, column, "", gear.CodeShape, fmt.Sprintf("the line has %d cells for %d columns", len(cells), len(head)))
		return
	}
	before := len(d.problems)
	class, share := "all", math.NaN()
	for i, name := range head {
		text := strings.TrimSpace(cells[i])
		line, column := in.FieldPos(i)
		if name == "class" {
			class = text
			continue
		}
		if text == "" {
			continue
		}
		v, ok := d.number(line, column, name, text)
		if !ok {
			continue
		}
		if name == "share" {
			share = v
			continue
		}
		d.set(&r, line, column, name, v)
	}
	r.class = d.class(class)
	if !math.IsNaN(share) {
		d.share(r.class, share, line, column)
	}
	d.add(r, before)
}

// add keeps a row that nothing was found wrong with: what half a row says would only
// be complained of twice.
func (d *document) add(r row, before int) {
	if len(d.problems) == before {
		d.rows = append(d.rows, r)
	}
}

func (d *document) share(class int, share float64, line, column int) {
	if d.shared[class] && d.classes[class].Share != share {
		d.bad(line, column, "share", gear.CodeDuplicate, fmt.Sprintf("class %q has a share of %g here and of %g before", gear.Shown(d.classes[class].Name), share, d.classes[class].Share))
	}
	d.classes[class].Share, d.shared[class] = share, true
}

func (d *document) number(line, column int, path, text string) (float64, bool) {
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		d.bad(line, column, path, gear.CodeType, fmt.Sprintf("%s wants a number, got %q", path, gear.Shown(text)))
	case math.IsNaN(v) || math.IsInf(v, 0):
		d.bad(line, column, path, gear.CodeFinite, fmt.Sprintf("%s wants a finite number, got %s", path, gear.Shown(text)))
	default:
		return v, true
	}
	return 0, false
}

// set files one named number of a row.
func (d *document) set(r *row, line, column int, name string, v float64) {
	if q, ok := quantileName(name); ok || name == "rt_ms" {
		if v < 0 {
			d.bad(line, column, name, gear.CodeRange, fmt.Sprintf("the RT is negative, %g ms", v))
			return
		}
		if name == "rt_ms" {
			q = 0.5
		}
		r.quantiles = append(r.quantiles, allocation.Quantile{Q: q, MS: v})
		return
	}
	if v < 0 && name != "effect" {
		d.bad(line, column, name, gear.CodeRange, fmt.Sprintf("%s is negative, %g", name, v))
		return
	}
	switch name {
	case "level":
		if v != math.Trunc(v) || v < 1 || v > gear.MaxLevels {
			d.bad(line, column, name, gear.CodeRange, fmt.Sprintf("level wants 1..%d, got %g", gear.MaxLevels, v))
			return
		}
		r.level = int(v)
	case "effect":
		r.effect = v
	case "work":
		r.work = v
	case "output":
		r.output = v
	case "cap":
		r.cap = v
	case "samples":
		r.samples = int64(min(v, 1<<53))
	}
}

// quantileName reads p50, p99.9 …
func quantileName(name string) (q float64, ok bool) {
	rest, ok := strings.CutPrefix(name, "p")
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseFloat(rest, 64)
	return v / 100, err == nil && v > 0 && v < 100
}

// finish puts rows together level by level.
func (d *document) finish() ([]allocation.Class, []Level, gear.Problems) {
	n := 0
	for _, r := range d.rows {
		n = max(n, r.level)
	}
	if n == 0 && len(d.problems) == 0 {
		d.bad(1, 1, "levels", gear.CodeRequired, "there are no levels")
	}
	given := 0.0
	for i, c := range d.classes {
		if given += c.Share; !d.shared[i] {
			given = math.NaN()
		}
	}
	if math.IsNaN(given) { // shares not told: as many requests in each
		for i := range d.classes {
			d.classes[i].Share = 1 / float64(len(d.classes))
		}
	}
	levels := make([]Level, n)
	seen := map[[2]int]bool{}
	for _, r := range d.rows {
		if r.level == 0 {
			d.bad(r.line, r.column, "level", gear.CodeRequired, "the level is missing")
			continue
		}
		path := fmt.Sprintf("levels[%d]", r.level-1)
		if seen[[2]int{r.level, r.class}] {
			d.bad(r.line, r.column, path, gear.CodeDuplicate, fmt.Sprintf("level %d is given twice for class %q", r.level, gear.Shown(d.classes[r.class].Name)))
			continue
		}
		seen[[2]int{r.level, r.class}] = true
		slices.SortFunc(r.quantiles, func(a, b allocation.Quantile) int {
			if a.Q < b.Q {
				return -1
			}
			return 1
		})
		var p gear.Problems
		checkQuantiles(path+".rt", fmt.Sprintf("level %d", r.level), r.quantiles, &p)
		for _, x := range p {
			d.bad(r.line, r.column, x.Path, x.Code, x.Message)
		}
		v := &levels[r.level-1]
		if v.RT == nil {
			v.RT = make([][]allocation.Quantile, len(d.classes))
		}
		share := d.classes[r.class].Share
		v.RT[r.class] = r.quantiles
		v.Work += share * r.work
		v.Effect += share * r.effect
		v.Output += share * r.output
		v.Cap += share * r.cap
		v.Samples += r.samples
	}
	whole := len(d.problems) == 0 // else a row that was left out looks like a gap
	for l := range levels {
		if levels[l].RT == nil && whole {
			d.bad(1, 1, fmt.Sprintf("levels[%d]", l), gear.CodeGap, fmt.Sprintf("level %d is missing: levels run from 1 to %d", l+1, n))
		}
		for c, q := range levels[l].RT {
			if q == nil && whole {
				d.bad(1, 1, fmt.Sprintf("levels[%d].rt", l), gear.CodeGap, fmt.Sprintf("level %d has no row for class %q", l+1, gear.Shown(d.classes[c].Name)))
			}
		}
	}
	if len(d.problems) > 0 {
		return nil, nil, d.problems
	}
	return d.classes, levels, nil
}

// ParseJSON reads the same as a JSON (or YAML) document:
//
//	{"classes": [{"name": "heavy", "share": 0.2}, …],
//	 "levels": [{"level": 1, "class": "heavy", "p50": 3, "p99": 9, "work": 2, "effect": 1, "output": 100, "samples": 5000}, …]}
func ParseJSON(r io.Reader) (classes []allocation.Class, levels []Level, problems gear.Problems) {
	d := &document{}
	body, err := io.ReadAll(io.LimitReader(r, MaxUpload+1))
	if err != nil || len(body) > MaxUpload {
		d.bad(0, 0, "", gear.CodeLength, fmt.Sprintf("the document is longer than %d bytes", MaxUpload))
		return nil, nil, d.problems
	}
	var root yaml.Node
	if err := yaml.Unmarshal(body, &root); err != nil || len(root.Content) == 0 {
		line := 1
		if err != nil {
			_, _ = fmt.Sscanf(strings.TrimPrefix(err.Error(), "yaml: "), "line %d", &line)
		}
		d.bad(line, 1, "", gear.CodeSyntax, "the document cannot be read")
		return nil, nil, d.problems
	}
	top := root.Content[0]
	d.fields(top, "", func(k, v *yaml.Node) {
		switch k.Value {
		case "classes":
			d.items(v, k.Value, func(n *yaml.Node, path string) { d.readClass(n, path) })
		case "levels":
		default:
			d.bad(k.Line, k.Column, k.Value, gear.CodeUnknown, fmt.Sprintf("%q is not known here", gear.Shown(k.Value)))
		}
	})
	d.fields(top, "", func(k, v *yaml.Node) {
		if k.Value == "levels" {
			d.items(v, k.Value, func(n *yaml.Node, path string) { d.readLevel(n, path) })
		}
	})
	return d.finish()
}

func (d *document) fields(n *yaml.Node, path string, each func(k, v *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		d.bad(n.Line, n.Column, path, gear.CodeType, "a map is wanted here")
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		each(n.Content[i], n.Content[i+1])
	}
}

func (d *document) items(n *yaml.Node, path string, each func(n *yaml.Node, path string)) {
	if n.Kind != yaml.SequenceNode {
		d.bad(n.Line, n.Column, path, gear.CodeType, "a list is wanted here")
		return
	}
	for i, x := range n.Content {
		each(x, fmt.Sprintf("%s[%d]", path, i))
	}
}

func (d *document) readClass(n *yaml.Node, path string) {
	name, share, line, column := "", math.NaN(), n.Line, n.Column
	d.fields(n, path, func(k, v *yaml.Node) {
		switch k.Value {
		case "name":
			name = v.Value
		case "share":
			if x, ok := d.number(v.Line, v.Column, path+".share", v.Value); ok {
				share, line, column = x, v.Line, v.Column
			}
		default:
			d.bad(k.Line, k.Column, path, gear.CodeUnknown, fmt.Sprintf("%q is not known here", gear.Shown(k.Value)))
		}
	})
	if c := d.class(name); !math.IsNaN(share) {
		d.share(c, share, line, column)
	}
}

func (d *document) readLevel(n *yaml.Node, path string) {
	r, before := row{line: n.Line, column: n.Column}, len(d.problems)
	class := "all"
	d.fields(n, path, func(k, v *yaml.Node) {
		name := strings.ToLower(k.Value)
		if name == "class" {
			class = v.Value
			return
		}
		if _, ok := quantileName(name); !ok && (!slices.Contains(columns, name) || name == "share") {
			d.bad(k.Line, k.Column, path, gear.CodeUnknown, fmt.Sprintf("%q is not known here", gear.Shown(k.Value)))
			return
		}
		if x, ok := d.number(v.Line, v.Column, gear.JoinPath(path, name), v.Value); ok {
			d.set(&r, v.Line, v.Column, name, x)
		}
	})
	if len(d.classes) > 0 && class != "all" && !slices.ContainsFunc(d.classes, func(c allocation.Class) bool { return c.Name == class }) && d.shared[0] {
		d.bad(n.Line, n.Column, path+".class", gear.CodeUnknown, fmt.Sprintf("class %q is not among the classes", gear.Shown(class)))
		return
	}
	r.class = d.class(class)
	d.add(r, before)
}
