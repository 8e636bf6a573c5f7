package experiment

import (
	"strings"
	"time"

	"github.com/allspark/allspark/server/control"
)

// Claims gives what an experiment wishes from start to end: of each arm one that
// opens its bucket where it acts, one where it is measured, and its settings.
func Claims(x *Experiment, start, end time.Time) []*control.Claim {
	var out []*control.Claim
	ranges := Ranges(x.Arms)
	for i := range x.Arms {
		a := &x.Arms[i]
		at := x.Scope
		at.Bucket = ranges[i].Bucket()
		add := func(at control.Scope, c control.Claim) {
			c.Scope, c.Source, c.Origin, c.Start, c.End = at, control.SourceExperiment, x.Origin(), start, end
			c.Reason = "experiment " + x.Name + ", arm " + a.Name
			out = append(out, &c)
		}
		add(at, control.Claim{Field: control.FieldBucket})
		if measured := x.MeasureScope(); !x.Scope.Matches(measured) {
			measured.Bucket = at.Bucket
			add(measured, control.Claim{Field: control.FieldBucket})
		}
		if a.AvailableRT > 0 {
			add(at, control.Claim{Field: control.FieldAvailableRT, Duration: a.AvailableRT})
		}
		if a.Strategy != "" {
			add(at, control.Claim{Field: control.FieldStrategy, Strategy: a.Strategy})
		}
		if a.Level > 0 {
			add(at, control.Claim{Field: control.FieldLevel, Level: a.Level})
		}
	}
	return out
}

// OfClaim tells which experiment a claim belongs to, "" when none.
func OfClaim(c *control.Claim) string {
	id, ok := strings.CutPrefix(c.Origin, originPrefix)
	if !ok || c.Source != control.SourceExperiment {
		return ""
	}
	return id
}

// Meet tells whether two experiments would speak to the same requests of a point:
// where one acts or is measured, the other does so too.
func Meet(a, b *Experiment) bool {
	for _, s := range []control.Scope{a.Scope, a.MeasureScope()} {
		for _, t := range []control.Scope{b.Scope, b.MeasureScope()} {
			if s.Meets(t) {
				return true
			}
		}
	}
	return false
}
