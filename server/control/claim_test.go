package control_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
)

func TestClaimValidation(t *testing.T) {
	sound := func() *control.Claim { return level("a", control.SourceManual, 3, everywhere()) }
	require.Empty(t, control.CheckClaim(sound(), noon))
	for name, c := range map[string]struct {
		spoil func(*control.Claim)
		path  string
		code  string
	}{
		"level 0":            {func(c *control.Claim) { c.Level = 0 }, "level", gear.CodeRange},
		"level 101":          {func(c *control.Claim) { c.Level = 101 }, "level", gear.CodeRange},
		"no end":             {func(c *control.Claim) { c.End = time.Time{} }, "end", gear.CodeRequired},
		"end in the past":    {func(c *control.Claim) { c.End = noon.Add(-1) }, "end", gear.CodeRange},
		"end now":            {func(c *control.Claim) { c.End = noon }, "end", gear.CodeRange},
		"end before start":   {func(c *control.Claim) { c.Start, c.End = noon.Add(time.Hour), noon.Add(time.Minute) }, "end", gear.CodeOrder},
		"end next year":      {func(c *control.Claim) { c.End = noon.AddDate(1, 0, 0) }, "end", gear.CodeRange},
		"no reason":          {func(c *control.Claim) { c.Reason = " " }, "reason", gear.CodeRequired},
		"reason with a line": {func(c *control.Claim) { c.Reason = "x\nlevel=ERROR" }, "reason", gear.CodeText},
		"blank scene":        {func(c *control.Claim) { c.Scope.Scene = "" }, "scope.scene", gear.CodeName},
		"hostile app":        {func(c *control.Claim) { c.Scope.App = "../etc" }, "scope.app", gear.CodeName},
		"no field":           {func(c *control.Claim) { c.Field = "" }, "field", gear.CodeEnum},
		"no source":          {func(c *control.Claim) { c.Source = 0 }, "source", gear.CodeEnum},
		"template source":    {func(c *control.Claim) { c.Source = control.SourceTemplate }, "source", gear.CodeEnum},
		"strategy":           {func(c *control.Claim) { c.Field, c.Strategy = control.FieldStrategy, "pid" }, "strategy", gear.CodeUnknown},
		"no duration":        {func(c *control.Claim) { c.Field = control.FieldAvailableRT }, "duration", gear.CodeRange},
		"no template":        {func(c *control.Claim) { c.Field = control.FieldBinding }, "template", gear.CodeRequired},
		"NaN budget":         {func(c *control.Claim) { c.Field, c.Number = control.FieldBudget, nan() }, "number", gear.CodeRange},
		"emergency binding": {func(c *control.Claim) {
			c.Source, c.Field, c.Template = control.SourceEmergency, control.FieldBinding, "t"
		}, "field", gear.CodeEnum},
	} {
		x := sound()
		c.spoil(x)
		problems := control.CheckClaim(x, noon)
		require.Len(t, problems, 1, name)
		require.Equal(t, c.path, problems[0].Path, name)
		require.Equal(t, c.code, problems[0].Code, name)
	}
	plan := sound()
	plan.Source, plan.End, plan.Reason = control.SourcePlan, time.Time{}, ""
	require.Empty(t, control.CheckClaim(plan, noon))
}

func nan() float64 { z := 0.0; return z / z }
