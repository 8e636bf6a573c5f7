package control_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/template"
)

var noon = time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC)

func crowdSpec() template.Spec {
	return template.Spec{
		Parameters: []template.Parameter{{
			Param:         gear.Param{Name: "tag_count", Kind: gear.KindInt, Min: gear.Int(10), Max: gear.Int(200)},
			Interpolation: template.Linear, Cost: true,
		}},
		Levels: 10, Default: 8, Min: 2, Max: 9,
		Strategy: template.Strategy{Kind: gear.StrategyCrowdRT, Settings: map[string]gear.Value{"available_rt": gear.Duration(8 * time.Millisecond)}},
		Anchors: []template.Anchor{
			{Level: 1, Set: map[string]gear.Value{"tag_count": gear.Int(20)}},
			{Level: 10, Set: map[string]gear.Value{"tag_count": gear.Int(200)}},
		},
	}
}

func edgeSpec() template.Spec {
	return template.Spec{Levels: 1, Default: 1, Min: 1, Max: 1, Strategy: template.Strategy{
		Kind: gear.StrategyExternalTimeout,
		Settings: map[string]gear.Value{
			"timeout": gear.Duration(50 * time.Millisecond), "min_timeout": gear.Duration(10 * time.Millisecond),
			"max_timeout": gear.Duration(80 * time.Millisecond),
		},
	}}
}

// ground is an input without claims: recall bound by crowd-rt for all, edge by a
// timeout, and a second template, fixed, that binding claims may choose.
func ground() control.Input {
	fixed := crowdSpec()
	fixed.Strategy = template.Strategy{Kind: gear.StrategyFixed}
	fixed.Default = 3
	return control.Input{
		App: "sn", IDC: "na61", Points: []string{"recall", "edge", "unbound"}, Now: noon,
		Bindings: []*template.Binding{
			{ID: "b1", Selector: template.Selector{Scene: "*", IDC: "*", App: "sn", Point: "recall"}, TemplateID: "t1", Template: "recall"},
			{ID: "b2", Selector: template.Selector{Scene: "*", IDC: "*", App: "sn", Point: "edge"}, TemplateID: "t2", Template: "edge"},
			{ID: "b3", Selector: template.Selector{Scene: "*", IDC: "ea119", App: "sn", Point: "recall"}, TemplateID: "t3", Template: "fixed"},
		},
		Versions: map[string]map[int]*template.Version{
			"t1": {0: {TemplateID: "t1", Number: 2, Spec: crowdSpec()}},
			"t2": {0: {TemplateID: "t2", Number: 1, Spec: edgeSpec()}},
			"t3": {0: {TemplateID: "t3", Number: 5, Spec: fixed}, 4: {TemplateID: "t3", Number: 4, Spec: fixed}},
		},
		Names: map[string]string{"t1": "recall", "t2": "edge", "t3": "fixed"},
	}
}

func everywhere() control.Scope {
	return control.Scope{Scene: "*", IDC: "*", App: "*", Point: "*", Bucket: "*"}
}

func level(id string, source control.Source, n int, scope control.Scope) *control.Claim {
	return &control.Claim{
		ID: id, Field: control.FieldLevel, Level: n, Source: source, Scope: scope, Author: "alice", Reason: "test",
		Start: noon.Add(-time.Minute), End: noon.Add(time.Hour), CreatedAt: noon.Add(-time.Minute),
	}
}

func order(t require.TestingT, d control.Decision, scene, point string) gear.Order {
	o := control.Lookup(&d.Set, scene, point, gear.Any)
	require.NotNil(t, o)
	return *o
}

func TestTemplateAloneDecides(t *testing.T) {
	d := control.Decide(ground())
	require.Len(t, d.Set.Orders, 2)
	require.Equal(t, []string{"edge", "recall"}, []string{d.Set.Orders[0].Point, d.Set.Orders[1].Point})
	o := order(t, d, "k2", "recall")
	require.Equal(t, 8, o.Level)
	require.Equal(t, [2]int{2, 9}, [2]int{o.MinLevel, o.MaxLevel})
	require.Equal(t, 8*time.Millisecond, o.AvailableRT)
	require.Equal(t, "recall", o.Template)
	require.Equal(t, 2, o.TemplateVersion)
	require.False(t, o.Pinned)
	v, ok := o.Lookup(gear.SettingInterval)
	require.True(t, ok)
	require.Equal(t, 10*time.Second, v.Duration())
	e := order(t, d, "k2", "edge")
	require.Equal(t, 50*time.Millisecond, e.Timeout)
	require.Zero(t, e.AvailableRT)
	require.Len(t, d.Tables, 2)
	require.Empty(t, d.Notes)
	require.Len(t, d.Basis.Bindings, 2, "the other IDC's binding cannot match here")
}

func TestPrecedence(t *testing.T) {
	sn, k2 := everywhere(), everywhere()
	sn.App = "sn"
	k2.App, k2.Scene = "sn", "k2"
	newer := level("m", control.SourceManual, 5, sn)
	newer.CreatedAt = noon
	for name, c := range map[string]struct {
		claims  []*control.Claim
		level   int // of scene k2
		any     int // of the default
		source  control.Source
		pinned  bool
		limited bool
		reasons []string
	}{
		"manual over plan": {
			[]*control.Claim{level("a", control.SourcePlan, 4, k2), level("b", control.SourceManual, 6, sn)},
			6, 6, control.SourceManual, true, false,
			[]string{"nothing stronger speaks to it", "manual stands above plan", "manual stands above the template's own value"},
		},
		"plan over preset over feedback": {
			[]*control.Claim{level("a", control.SourceFeedback, 3, sn), level("b", control.SourcePreset, 4, sn), level("c", control.SourcePlan, 5, sn)},
			5, 5, control.SourcePlan, true, false,
			[]string{"nothing stronger speaks to it", "plan stands above preset", "plan stands above feedback", "plan stands above the template's own value"},
		},
		"more specific": {
			[]*control.Claim{level("a", control.SourceManual, 4, k2), level("b", control.SourceManual, 6, sn)},
			4, 6, control.SourceManual, true, false,
			[]string{"nothing stronger speaks to it", "less specific: 1 of 5 scope fields against 2", "manual stands above the template's own value"},
		},
		"newer": {
			[]*control.Claim{level("z", control.SourceManual, 4, sn), newer},
			5, 5, control.SourceManual, true, false,
			[]string{"nothing stronger speaks to it", "older: set at 11:59:00.000, the winner at 12:00:00.000", "manual stands above the template's own value"},
		},
		"same instant": {
			[]*control.Claim{level("a", control.SourceManual, 4, sn), level("b", control.SourceManual, 6, sn)},
			6, 6, control.SourceManual, true, false,
			[]string{"nothing stronger speaks to it", "set at the same instant; the greater id wins", "manual stands above the template's own value"},
		},
		"feedback does not pin": {
			[]*control.Claim{level("a", control.SourceFeedback, 4, sn)},
			4, 4, control.SourceFeedback, false, false,
			[]string{"the only claim", "feedback stands above the template's own value"},
		},
		"template holds the floor": {[]*control.Claim{level("a", control.SourceManual, 1, sn)}, 2, 2, control.SourceManual, true, true, nil},
		"template holds the top":   {[]*control.Claim{level("a", control.SourceManual, 10, sn)}, 9, 9, control.SourceManual, true, true, nil},
		"emergency lowers manual": {
			[]*control.Claim{level("a", control.SourceManual, 7, sn), level("e", control.SourceEmergency, 3, sn)},
			3, 3, control.SourceEmergency, true, false,
			[]string{"the only claim", "manual stands above the template's own value", "emergency lowers 7 to 3"},
		},
		"emergency never raises": {
			[]*control.Claim{level("a", control.SourceManual, 4, sn), level("e", control.SourceEmergency, 9, sn)},
			4, 4, control.SourceManual, true, false,
			[]string{"the only claim", "manual stands above the template's own value", "emergency only lowers, and 9 is not below 4"},
		},
		"lowest emergency": {
			[]*control.Claim{level("e", control.SourceEmergency, 5, sn), level("f", control.SourceEmergency, 3, sn)},
			3, 3, control.SourceEmergency, false, false,
			[]string{"no claim takes effect", "another emergency claim goes at least as low", "emergency lowers 8 to 3"},
		},
		"other app": {
			[]*control.Claim{level("a", control.SourceManual, 4, control.Scope{Scene: "*", IDC: "*", App: "rank", Point: "*", Bucket: "*"})},
			8, 8, control.SourceTemplate, false, false,
			[]string{"no claim takes effect"},
		},
	} {
		in := ground()
		in.Claims = c.claims
		var d control.Decider
		got := d.Decide(in)
		o, why := d.DecidePlace(in, "k2", "recall", gear.Any)
		require.Equal(t, c.level, o.Level, name)
		require.Equal(t, c.level, order(t, got, "k2", "recall").Level, name)
		require.Equal(t, c.any, order(t, got, "other", "recall").Level, name)
		require.Equal(t, c.pinned, o.Pinned, name)
		f, ok := why.Field(control.FieldLevel)
		require.True(t, ok)
		require.Equal(t, c.source, f.Source, name)
		require.Equal(t, c.limited, f.Limited != "", name)
		require.Equal(t, fmt.Sprintf("level %d", c.level), f.Value, name)
		var reasons []string
		for _, k := range f.Considered {
			reasons = append(reasons, k.Reason.String())
		}
		if c.reasons != nil {
			require.Equal(t, c.reasons, reasons, name)
		}
	}
}

func TestClaimsCountOnlyWhileTheyStand(t *testing.T) {
	in := ground()
	c := level("a", control.SourceManual, 4, everywhere())
	in.Claims = []*control.Claim{c}
	for _, s := range []struct {
		now   time.Time
		level int
	}{{c.Start.Add(-1), 8}, {c.Start, 4}, {c.End.Add(-1), 4}, {c.End, 8}} {
		in.Now = s.now
		require.Equal(t, s.level, order(t, control.Decide(in), "k2", "recall").Level, s.now)
	}
	c.Released = noon
	in.Now = noon
	require.Equal(t, 8, order(t, control.Decide(in), "k2", "recall").Level)
}

func TestStrategyAndSetpointsAreFieldsOfTheirOwn(t *testing.T) {
	in := ground()
	fixed := level("s", control.SourceManual, 0, everywhere())
	fixed.Field, fixed.Strategy = control.FieldStrategy, gear.StrategyFixed
	rt := level("r", control.SourcePlan, 0, everywhere())
	rt.Field, rt.Duration = control.FieldAvailableRT, 5*time.Millisecond
	in.Claims = []*control.Claim{rt}
	require.Equal(t, 5*time.Millisecond, order(t, control.Decide(in), "k2", "recall").AvailableRT)
	in.Claims = []*control.Claim{fixed, rt}
	o := order(t, control.Decide(in), "k2", "recall")
	require.Equal(t, gear.StrategyFixed, o.Strategy)
	require.Zero(t, o.AvailableRT)
	require.Empty(t, o.Settings)

	// A strategy that lacks its setpoint cannot win.
	timeout := *fixed
	timeout.Strategy = gear.StrategyExternalTimeout
	in.Claims = []*control.Claim{&timeout}
	var d control.Decider
	got, why := d.DecidePlace(in, "k2", "recall", gear.Any)
	require.Equal(t, gear.StrategyCrowdRT, got.Strategy)
	f, _ := why.Field(control.FieldStrategy)
	require.Equal(t, control.Lost, f.Considered[0].Outcome)
	require.Contains(t, f.Considered[0].Reason.String(), "needs a timeout")

	// The template's timeout limits hold.
	long := level("t", control.SourceManual, 0, everywhere())
	long.Field, long.Duration = control.FieldTimeout, 500*time.Millisecond
	in.Claims = []*control.Claim{long}
	got, why = d.DecidePlace(in, "k2", "edge", gear.Any)
	require.Equal(t, 80*time.Millisecond, got.Timeout)
	require.True(t, got.Pinned, "who sets a timeout by hand does not want the edge's loop to move it")
	f, _ = why.Field(control.FieldTimeout)
	free, _ := d.DecidePlace(ground(), "k2", "edge", gear.Any)
	require.False(t, free.Pinned)
	require.Equal(t, "timeout is held in 10ms..80ms, so 500ms becomes 80ms", f.Limited)
}

func TestBindingClaimAndMissingVersions(t *testing.T) {
	in := ground()
	swap := level("w", control.SourcePlan, 0, everywhere())
	swap.Scope.Point = "recall"
	swap.Field, swap.Template, swap.Pin = control.FieldBinding, "t3", 4
	in.Claims = []*control.Claim{swap}
	o := order(t, control.Decide(in), "k2", "recall")
	require.Equal(t, "fixed", o.Template)
	require.Equal(t, 4, o.TemplateVersion)
	require.Equal(t, 3, o.Level)

	swap.Pin = 9
	var d control.Decider
	got, why := d.DecidePlace(in, "k2", "recall", gear.Any)
	require.Equal(t, "recall", got.Template)
	require.Equal(t, "the template has no such published version", why.Fields[0].Considered[0].Reason.String())

	in.Claims = nil
	in.Versions["t1"] = nil
	none := control.Decide(in)
	require.Nil(t, control.Lookup(&none.Set, "k2", "recall", gear.Any))
	require.Len(t, none.Notes, 1)

	in.IDC = "ea119"
	require.Equal(t, "fixed", order(t, control.Decide(in), "k2", "recall").Template, "the more specific binding serves")
}

func TestBucketsAndScenesFallBackToAny(t *testing.T) {
	in := ground()
	scope := everywhere()
	scope.Bucket = "b1"
	k2 := everywhere()
	k2.Scene = "k2"
	same := level("s", control.SourceManual, 8, control.Scope{Scene: "same", IDC: "*", App: "*", Point: "recall", Bucket: "*"})
	same.Source = control.SourceFeedback // says what the default says anyway
	in.Claims = []*control.Claim{level("a", control.SourceManual, 4, scope), level("b", control.SourceManual, 6, k2), same}
	d := control.Decide(in)
	at := func(scene, bucket string) int { return control.Lookup(&d.Set, scene, "recall", bucket).Level }
	require.Equal(t, 8, at("x", "none"))
	require.Equal(t, 4, at("x", "b1"))
	require.Equal(t, 6, at("k2", "none"))
	require.Equal(t, 6, at("k2", "b1"), "both name one field; the greater id wins")
	for _, o := range d.Set.Orders {
		require.NotEqual(t, "same", o.Scene, "a scene that says what Any says is left out")
	}
}
