package template

import (
	"fmt"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/fleet"
)

// Declarations tells what the registered builds of an app declare, of every app
// for "".
type Declarations interface {
	Declared(app string) []fleet.Declared
}

// Refusal is a registered build that would refuse a content at a point.
type Refusal struct {
	App, IDC, Build, Point string
	Machines               int
	Problems               gear.Problems
}

// Message says it in one sentence.
func (r Refusal) Message() string {
	machines, more := "machines", ""
	if r.Machines == 1 {
		machines = "machine"
	}
	if n := len(r.Problems) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return fmt.Sprintf("%d %s of %s build %s would refuse: %s%s", r.Machines, machines, r.App, gear.Shown(r.Build), r.Problems[0].Message, more)
}

// foresee tells who would refuse a table at the places that serve picks.
func foresee(t *gear.LevelTable, declared []fleet.Declared, serves func(d fleet.Declared) bool) []Refusal {
	var out []Refusal
	for _, d := range declared {
		if !serves(d) {
			continue
		}
		if problems := gear.CheckTable(d.Params, t); len(problems) > 0 {
			out = append(out, Refusal{App: d.App, IDC: d.IDC, Build: d.Build, Point: d.Point, Machines: d.Machines, Problems: problems})
		}
	}
	return out
}

// refused makes the error of refusals; Detail holds them.
func refused(what string, refusals []Refusal) error {
	e := fault.New(fault.Refused, "%s: %s", what, refusals[0].Message())
	if n := len(refusals) - 1; n > 0 {
		e.Message += fmt.Sprintf("; and %d more builds or points", n)
	}
	e.Detail = refusals
	return e
}

// servedBy reports whether binding b, among all, serves the declared point for
// the default or for its own scene.
func servedBy(all []*Binding, b *Binding, d fleet.Declared) bool {
	place := Selector{Scene: b.Selector.Scene, IDC: d.IDC, App: d.App, Point: d.Point}
	return b.Selector.Matches(place) && Resolve(all, place) == b
}

// refusalsOf tells who would refuse the table where template id serves by its
// latest version.
func (s *Service) refusalsOf(all []*Binding, id string, t *gear.LevelTable) []Refusal {
	var mine []*Binding
	for _, b := range all {
		if b.TemplateID == id && b.Pin == 0 {
			mine = append(mine, b)
		}
	}
	if len(mine) == 0 {
		return nil
	}
	return foresee(t, s.declared.Declared(""), func(d fleet.Declared) bool {
		for _, b := range mine {
			if servedBy(all, b, d) {
				return true
			}
		}
		return false
	})
}
