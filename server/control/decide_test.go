package control_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/template"
)

var noon = time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC)

func crowdSpec() template.Spec {
	return template.Spec{
		Parameters: []template.Parameter{{Param: gear.Param{Name: "tag_count", Kind: gear.KindInt, Min: gear.Int(10), Max: gear.Int(200)},
			Interpolation: template.Linear, Cost: true}},
		Levels: 10, Default: 8, Min: 2, Max: 9,
		Strategy: template.Strategy{Kind: gear.StrategyCrowdRT, Settings: map[string]gear.Value{"available_rt": gear.Duration(8 * time.Millisecond)}},
		Anchors: []template.Anchor{{Level: 1, Set: map[string]gear.Value{"tag_count": gear.Int(20)}},
			{Level: 10, Set: map[string]gear.Value{"tag_count": gear.Int(200)}}},
	}
}

func edgeSpec() template.Spec {
	return template.Spec{Levels: 1, Default: 1, Min: 1, Max: 1, Strategy: template.Strategy{Kind: gear.StrategyExternalTimeout,
		Settings: map[string]gear.Value{"timeout": gear.Duration(50 * time.Millisecond), "min_timeout": gear.Duration(10 * time.Millisecond),
			"max_timeout": gear.Duration(80 * time.Millisecond)}}}
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
	return &control.Claim{ID: id, Field: control.FieldLevel, Level: n, Source: source, Scope: scope, Author: "alice", Reason: "test",
		Start: noon.Add(-time.Minute), End: noon.Add(time.Hour), CreatedAt: noon.Add(-time.Minute)}
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
		"manual over plan": {[]*control.Claim{level("a", control.SourcePlan, 4, k2), level("b", control.SourceManual, 6, sn)}, 6, 6, control.SourceManual, true, false,
			[]string{"nothing stronger speaks to it", "manual stands above plan", "manual stands above the template's own value"}},
		"plan over preset over feedback": {[]*control.Claim{level("a", control.SourceFeedback, 3, sn), level("b", control.SourcePreset, 4, sn), level("c", control.SourcePlan, 5, sn)}, 5, 5, control.SourcePlan, true, false,
			[]string{"nothing stronger speaks to it", "plan stands above preset", "plan stands above feedback", "plan stands above the template's own value"}},
		"more specific": {[]*control.Claim{level("a", control.SourceManual, 4, k2), level("b", control.SourceManual, 6, sn)}, 4, 6, control.SourceManual, true, false,
			[]string{"nothing stronger speaks to it", "less specific: 1 of 5 scope fields against 2", "manual stands above the template's own value"}},
		"newer": {[]*control.Claim{level("z", control.SourceManual, 4, sn), newer}, 5, 5, control.SourceManual, true, false,
			[]string{"nothing stronger speaks to it", "older: set at 11:59:00.000, the winner at 12:00:00.000", "manual stands above the template's own value"}},
		"same instant": {[]*control.Claim{level("a", control.SourceManual, 4, sn), level("b", control.SourceManual, 6, sn)}, 6, 6, control.SourceManual, true, false,
			[]string{"nothing stronger speaks to it", "set at the same instant; the greater id wins", "manual stands above the template's own value"}},
		"feedback does not pin": {[]*control.Claim{level("a", control.SourceFeedback, 4, sn)}, 4, 4, control.SourceFeedback, false, false,
			[]string{"the only claim", "feedback stands above the template's own value"}},
		"template holds the floor": {[]*control.Claim{level("a", control.SourceManual, 1, sn)}, 2, 2, control.SourceManual, true, true, nil},
		"template holds the top":   {[]*control.Claim{level("a", control.SourceManual, 10, sn)}, 9, 9, control.SourceManual, true, true, nil},
		"emergency lowers manual": {[]*control.Claim{level("a", control.SourceManual, 7, sn), level("e", control.SourceEmergency, 3, sn)}, 3, 3, control.SourceEmergency, true, false,
			[]string{"the only claim", "manual stands above the template's own value", "emergency lowers 7 to 3"}},
		"emergency never raises": {[]*control.Claim{level("a", control.SourceManual, 4, sn), level("e", control.SourceEmergency, 9, sn)}, 4, 4, control.SourceManual, true, false,
			[]string{"the only claim", "manual stands above the template's own value", "emergency only lowers, and 9 is not below 4"}},
		"lowest emergency": {[]*control.Claim{level("e", control.SourceEmergency, 5, sn), level("f", control.SourceEmergency, 3, sn)}, 3, 3, control.SourceEmergency, false, false,
			[]string{"no claim takes effect", "another emergency claim goes at least as low", "emergency lowers 8 to 3"}},
		"other app": {[]*control.Claim{level("a", control.SourceManual, 4, control.Scope{Scene: "*", IDC: "*", App: "rank", Point: "*", Bucket: "*"})}, 8, 8, control.SourceTemplate, false, false,
			[]string{"no claim takes effect"}},
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
			reasons = append(reasons, k.Reason)
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
	require.Contains(t, f.Considered[0].Reason, "needs a timeout")

	// The template's timeout limits hold.
	long := level("t", control.SourceManual, 0, everywhere())
	long.Field, long.Duration = control.FieldTimeout, 500*time.Millisecond
	in.Claims = []*control.Claim{long}
	got, why = d.DecidePlace(in, "k2", "edge", gear.Any)
	require.Equal(t, 80*time.Millisecond, got.Timeout)
	f, _ = why.Field(control.FieldTimeout)
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
	require.Equal(t, "the template has no such published version", why.Fields[0].Considered[0].Reason)

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

// genInput draws a world around ground with many claims.
func genInput(t *rapid.T) control.Input {
	in := ground()
	pick := func(label string, names ...string) string { return rapid.SampledFrom(names).Draw(t, label) }
	for i := range rapid.IntRange(0, 12).Draw(t, "claims") {
		c := level(fmt.Sprintf("c%02d", i), rapid.SampledFrom([]control.Source{control.SourceEmergency, control.SourceManual, control.SourcePlan,
			control.SourcePreset, control.SourceFeedback}).Draw(t, "source"), rapid.IntRange(1, 100).Draw(t, "level"), control.Scope{
			Scene: pick("scene", "*", "k2", "home"), IDC: pick("idc", "*", "na61", "ea119"), App: pick("app", "*", "sn", "rank"),
			Point: pick("point", "*", "recall", "edge"), Bucket: pick("bucket", "*", "b1", "")})
		c.CreatedAt = noon.Add(-time.Duration(rapid.IntRange(0, 3).Draw(t, "age")) * time.Minute)
		c.Start = noon.Add(time.Duration(rapid.IntRange(-3, 1).Draw(t, "start")) * time.Minute)
		c.Duration = time.Duration(rapid.IntRange(1, 60000).Draw(t, "ms")) * time.Millisecond
		c.Strategy = rapid.SampledFrom(gear.Strategies()).Draw(t, "strategy")
		c.Template, c.Pin = pick("template", "t1", "t2", "t3", "gone"), rapid.SampledFrom([]int{0, 4, 9}).Draw(t, "pin")
		fields := []control.Field{control.FieldLevel, control.FieldLevel, control.FieldAvailableRT, control.FieldTimeout}
		if c.Source != control.SourceEmergency {
			fields = append(fields, control.FieldStrategy, control.FieldBinding)
		}
		c.Field = rapid.SampledFrom(fields).Draw(t, "field")
		in.Claims = append(in.Claims, c)
	}
	return in
}

func TestDecideHoldsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := genInput(t)
		d := control.Decide(in)

		// Sound, and within the limits of the templates.
		tables := map[string]*gear.LevelTable{}
		for i := range d.Tables {
			tables[d.Tables[i].Hash] = &d.Tables[i]
		}
		require.Empty(t, gear.CheckOrderSet(&d.Set, func(h string) *gear.LevelTable { return tables[h] }))
		require.Len(t, d.Why, len(d.Set.Orders))
		for i, o := range d.Set.Orders {
			require.Equal(t, control.Scope{Scene: o.Scene, IDC: "na61", App: "sn", Point: o.Point, Bucket: o.Bucket}, d.Why[i].Place)
			f, ok := d.Why[i].Field(control.FieldLevel)
			require.True(t, ok)
			require.Equal(t, fmt.Sprintf("level %d", o.Level), f.Value)
		}

		// Independent of the order of claims and bindings, and of memory.
		shuffled := in
		shuffled.Claims = append([]*control.Claim(nil), in.Claims...)
		shuffled.Bindings = append([]*template.Binding(nil), in.Bindings...)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		r.Shuffle(len(shuffled.Claims), func(i, j int) {
			shuffled.Claims[i], shuffled.Claims[j] = shuffled.Claims[j], shuffled.Claims[i]
		})
		r.Shuffle(len(shuffled.Bindings), func(i, j int) {
			shuffled.Bindings[i], shuffled.Bindings[j] = shuffled.Bindings[j], shuffled.Bindings[i]
		})
		require.Equal(t, d, control.Decide(shuffled))

		// Replaying the basis gives the same set.
		replay := control.Input{App: in.App, IDC: in.IDC, Points: d.Basis.Points, Scenes: d.Basis.Scenes, Bindings: d.Basis.Bindings,
			Claims: d.Basis.Claims, Now: d.Basis.Now, Versions: map[string]map[int]*template.Version{}, Names: map[string]string{}}
		for _, ref := range d.Basis.Versions {
			number := ref.Number
			if ref.Latest {
				number = 0
			}
			if replay.Versions[ref.TemplateID] == nil {
				replay.Versions[ref.TemplateID] = map[int]*template.Version{}
			}
			replay.Versions[ref.TemplateID][number] = in.Versions[ref.TemplateID][number]
			replay.Names[ref.TemplateID] = ref.Name
		}
		require.Equal(t, d, control.Decide(replay))

		// Emergency never raises; every place answers as DecidePlace says.
		calm := in
		calm.Claims = nil
		for _, c := range in.Claims {
			if c.Source != control.SourceEmergency {
				calm.Claims = append(calm.Claims, c)
			}
		}
		var decider control.Decider
		for _, scene := range []string{"*", "k2", "home", "new"} {
			for _, bucket := range []string{"*", "b1", "b9"} {
				for _, point := range []string{"recall", "edge"} {
					with, why := decider.DecidePlace(in, scene, point, bucket)
					without, _ := decider.DecidePlace(calm, scene, point, bucket)
					if without == nil {
						require.Nil(t, with)
						continue
					}
					require.LessOrEqual(t, with.Level, without.Level)
					require.LessOrEqual(t, with.AvailableRT, without.AvailableRT)
					require.LessOrEqual(t, with.Timeout, without.Timeout)
					got := control.Lookup(&d.Set, scene, point, bucket)
					require.NotNil(t, got)
					asked := *with
					asked.Scene, asked.Bucket = got.Scene, got.Bucket
					require.Equal(t, *got, asked, "what agents look up is what Why explains")
					won := 0
					f, _ := why.Field(control.FieldLevel)
					for _, k := range f.Considered {
						require.NotEmpty(t, k.Reason)
						if k.Outcome == control.Won {
							won++
						}
					}
					require.Equal(t, 1, won)
				}
			}
		}
	})
}

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

func BenchmarkDecide(b *testing.B) {
	in := ground()
	in.Points, in.Bindings = nil, nil
	spec := crowdSpec()
	spec.Levels, spec.Max = 100, 100
	spec.Anchors[1].Level = 100
	for p := range 50 {
		id := fmt.Sprintf("t%d", p%10)
		in.Points = append(in.Points, fmt.Sprintf("p%d", p))
		in.Versions[id] = map[int]*template.Version{0: {TemplateID: id, Number: 1, Spec: spec}}
		in.Bindings = append(in.Bindings, &template.Binding{ID: fmt.Sprintf("b%d", p), TemplateID: id, Template: id,
			Selector: template.Selector{Scene: "*", IDC: "*", App: "sn", Point: fmt.Sprintf("p%d", p)}})
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		s := everywhere()
		s.Scene = fmt.Sprintf("s%d", i%10)
		if i >= 10 {
			s.Point = fmt.Sprintf("p%d", r.IntN(50))
		}
		in.Claims = append(in.Claims, level(fmt.Sprintf("c%d", i), control.SourceManual, 1+r.IntN(100), s))
	}
	var d control.Decider
	orders := len(d.Decide(in).Set.Orders)
	b.ReportAllocs()
	for b.Loop() {
		d.Decide(in)
	}
	b.ReportMetric(float64(orders), "orders")
}
