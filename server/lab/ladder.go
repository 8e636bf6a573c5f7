package lab

import (
	"fmt"
	"sort"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/template"
)

// Ladder is a point's gears, expanded by the production rule and read the way the
// model reads them.
type Ladder struct {
	Rows    []Reading // by level, 1 first
	Work    []float64
	Default int
}

// gears are the templates of the sample engine: anchors of the amount, by level.
var gears = map[int]struct {
	name            string
	levels, initial int
	how             template.Interpolation
	anchors         [][2]int64
	models          map[int]string // level: rank's model
}{
	Merge:   {"merge-ads", 10, 5, template.Linear, [][2]int64{{1, 5}, {5, 20}, {10, 50}}, nil},
	Recall:  {"recall-tags", 100, 80, template.Linear, [][2]int64{{1, 10}, {80, 100}, {100, 200}}, nil},
	Prerank: {"prerank-depth", 100, 80, template.Linear, [][2]int64{{1, 50}, {80, 500}, {100, 1000}}, nil},
	Fetch:   {"feature-fetch", 50, 30, template.Geometric, [][2]int64{{1, 20}, {30, 160}, {50, 400}}, nil},
	Select:  {"creative-variants", 20, 8, template.Linear, [][2]int64{{1, 1}, {20, 20}}, nil},
	Rank: {
		"rank-depth", 100, 80, template.Linear,
		[][2]int64{{1, 10}, {40, 70}, {80, 150}, {90, 200}, {100, 300}},
		map[int]string{1: "light", 40: "base", 90: "large"},
	},
	Score: {"model-layers", 12, 6, template.Linear, [][2]int64{{1, 2}, {6, 12}, {12, 24}}, nil},
}

// ladderOf expands the gears of a point of the standard model; nil for points
// whose reading is never turned.
func ladderOf(m *Model, point int) *Ladder {
	g, ok := gears[point]
	if !ok {
		return nil
	}
	p := &m.Points[point]
	spec := specOf(p, g.levels, g.initial, g.how, g.anchors, g.models)
	t, err := template.Expand(spec)
	if err != nil {
		panic(fmt.Sprintf("lab: gears of %s: %v", p.Name, err)) // constants of the program
	}
	l := &Ladder{Work: t.Work, Default: g.initial}
	for _, row := range t.Rows {
		var r Reading
		for i := range row {
			r[i] = number(&p.Params[i], row[i])
		}
		l.Rows = append(l.Rows, r)
	}
	return l
}

// specOf is the template of a point's gears.
func specOf(p *Point, levels, initial int, how template.Interpolation, anchors [][2]int64, models map[int]string) *template.Spec {
	spec := &template.Spec{Levels: levels, Default: initial, Min: 1, Max: levels, Strategy: template.Strategy{Kind: gear.StrategyFixed}}
	for i, d := range p.Params {
		t := template.Parameter{Param: d, Interpolation: how, Cost: i == 0}
		if i > 0 {
			t.Interpolation = template.Step
		}
		spec.Parameters = append(spec.Parameters, t)
	}
	for _, a := range anchors {
		set := map[string]gear.Value{p.Params[0].Name: gear.Int(a[1])}
		if m := models[int(a[0])]; m != "" {
			set[p.Params[1].Name] = gear.Enum(m)
		}
		spec.Anchors = append(spec.Anchors, template.Anchor{Level: int(a[0]), Set: set})
	}
	return spec
}

// Top is the number of levels.
func (l *Ladder) Top() int { return len(l.Rows) }

// at is the highest level whose work is at most g.
func (l *Ladder) at(g float64) int {
	i := sort.Search(len(l.Work), func(i int) bool { return l.Work[i] > g })
	return max(i, 1)
}
