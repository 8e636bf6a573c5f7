package plan

import (
	"fmt"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
)

// Conflict is two wishes for one field of one place at one time.
type Conflict struct {
	Step    string // of the plan that was asked about
	Field   control.Field
	Scope   control.Scope
	From    time.Time
	To      time.Time
	With    string // the other plan's step, or who set the claim
	Source  control.Source
	Outcome string // what Decide will do, in a short sentence
}

// Conflicts finds where an occurrence of a plan meets other plans' occurrences
// and standing claims. It warns; Decide's precedence settles it.
func Conflicts(mine *Occurrence, others []Occurrence, claims []*control.Claim) []Conflict {
	var out []Conflict
	for i := range mine.Steps {
		in := &mine.Steps[i]
		for _, c := range Claims(in, "") {
			for k := range others {
				for m := range others[k].Steps {
					o := &others[k].Steps[m]
					if o.Plan.ID == in.Plan.ID {
						continue
					}
					for _, x := range Claims(o, "") {
						out = meet(out, in, c, x, "plan "+o.Plan.Name+"/"+o.Step.Name)
					}
				}
			}
			for _, x := range claims {
				if x.Source == control.SourceManual || x.Source == control.SourceEmergency {
					out = meet(out, in, c, x, x.Source.String()+" claim of "+x.Author)
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Conflict) int { return a.From.Compare(b.From) })
	return out
}

func meet(out []Conflict, in *Instance, mine, other *control.Claim, with string) []Conflict {
	if mine.Field != other.Field || !Overlapping(mine.Scope, other.Scope) {
		return out
	}
	from, to := later(mine.Start, other.Start), mine.End
	if !other.End.IsZero() && other.End.Before(to) {
		to = other.End
	}
	if !other.Released.IsZero() && other.Released.Before(to) {
		to = other.Released
	}
	if !to.After(from) {
		return out
	}
	c := Conflict{Step: in.Step.Name, Field: mine.Field, Scope: mine.Scope, From: from, To: to, With: with, Source: other.Source}
	a, b := mine.Scope.Specificity(), other.Scope.Specificity()
	switch {
	case other.Source == control.SourceEmergency:
		c.Outcome = "the emergency claim may lower it"
	case other.Source < control.SourcePlan:
		c.Outcome = other.Source.String() + " stands above plan"
	case a != b:
		c.Outcome = fmt.Sprintf("the more specific scope wins: %d of 5 fields against %d", max(a, b), min(a, b))
	default:
		c.Outcome = "the step that starts later wins"
	}
	return append(out, c)
}

// Overlapping reports whether some place lies in both scopes.
func Overlapping(a, b control.Scope) bool {
	for _, f := range [][2]string{{a.Scene, b.Scene}, {a.IDC, b.IDC}, {a.App, b.App}, {a.Point, b.Point}, {a.Bucket, b.Bucket}} {
		if wide(f[0]) || wide(f[1]) || f[0] == f[1] {
			continue
		}
		return false
	}
	return true
}

func wide(name string) bool { return name == "" || name == gear.Any }

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Touches reports whether the plan sets something in a scene.
func (p *Plan) Touches(scene string) bool {
	for i := range p.Steps {
		for k := range p.Steps[i].Sets {
			if s := p.Steps[i].Sets[k].Scope.Scene; wide(s) || s == scene {
				return true
			}
		}
	}
	return false
}
