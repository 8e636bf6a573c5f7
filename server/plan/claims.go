package plan

import (
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/allspark/allspark/server/control"
)

// space names the claims of plans: the same step gives the same ids, so writing
// them twice is writing them once.
var space = uuid.MustParse("6e3a2c1e-8f60-5c0e-9a51-1d6a0b7f1123")

// Origin names a step in claims and on the wire.
func Origin(p *Plan, step string) string { return "plan " + p.Name + "/" + step }

// Claims gives what a step sets, as claims from its start to its end. CreatedAt
// lies Ahead before the start, whenever they are written: which of two claims is
// the newer must not depend on which replica wrote first.
func Claims(in *Instance, author string) []*control.Claim {
	var out []*control.Claim
	p := in.Plan
	for i := range in.Step.Sets {
		set := &in.Step.Sets[i]
		add := func(f control.Field, fill func(c *control.Claim)) {
			name := strings.Join([]string{in.Key.Plan, in.Occurrence, in.Key.Step, strconv.FormatInt(p.Epoch, 10), strconv.Itoa(i), string(f)}, "\x00")
			c := &control.Claim{
				ID: uuid.NewSHA1(space, []byte(name)).String(), Field: f, Scope: set.Scope, Source: control.SourcePlan,
				Origin: Origin(p, in.Step.Name), Author: author, Reason: reason(p), Start: in.Start, End: in.End, CreatedAt: in.Start.Add(-Ahead), Version: 1,
			}
			fill(c)
			out = append(out, c)
		}
		if set.Template != "" {
			add(control.FieldBinding, func(c *control.Claim) { c.Template, c.Pin = set.Template, set.Version })
		}
		if set.Level != 0 {
			add(control.FieldLevel, func(c *control.Claim) { c.Level = set.Level })
		}
		if set.Strategy != "" {
			add(control.FieldStrategy, func(c *control.Claim) { c.Strategy = set.Strategy })
		}
		for _, x := range []struct {
			field control.Field
			value time.Duration
		}{{control.FieldAvailableRT, set.AvailableRT}, {control.FieldTimeout, set.Timeout}, {control.FieldTarget, set.Target}} {
			if x.value != 0 {
				add(x.field, func(c *control.Claim) { c.Duration = x.value })
			}
		}
		if set.Budget != 0 {
			add(control.FieldBudget, func(c *control.Claim) { c.Number = set.Budget })
		}
	}
	return out
}

func reason(p *Plan) string {
	r := p.Purpose
	if r == "" {
		r = "plan " + p.Name
	}
	if len(r) > control.MaxReason {
		r = strings.ToValidUTF8(r[:control.MaxReason], "")
	}
	return r
}
