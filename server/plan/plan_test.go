package plan_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/plan"
	"github.com/allspark/allspark/server/template"
)

var now = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

func double11(t testing.TB) *plan.Plan {
	t.Helper()
	p, problems := plan.Read(plan.Example, template.YAML, now)
	require.Empty(t, problems)
	p.ID, p.Epoch = "p1", 1
	return p
}

func utc(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t.UTC()
}

func TestTheSeedsPlan(t *testing.T) {
	p := double11(t)
	next, ok := plan.Next([]*plan.Plan{p}, now)
	require.True(t, ok)
	require.Equal(t, "midnight-gears", next.Step.Name)
	require.Equal(t, utc("2026-11-10T15:56:00Z"), next.Start)
	require.Equal(t, utc("2026-11-10T16:03:00Z"), next.End)
	next, ok = plan.Next([]*plan.Plan{p}, next.Start.Add(1))
	require.True(t, ok)
	require.Equal(t, "auto-gears", next.Step.Name)
	_, ok = plan.Next([]*plan.Plan{p}, utc("2026-11-11T00:00:00Z"))
	require.False(t, ok)

	require.Empty(t, plan.Active([]*plan.Plan{p}, utc("2026-11-10T15:55:59Z")))
	active := plan.Active([]*plan.Plan{p}, utc("2026-11-10T15:56:00Z"))
	require.Len(t, active, 1)
	require.Empty(t, plan.Active([]*plan.Plan{p}, utc("2026-11-10T16:03:00Z")))

	claims := plan.Claims(&active[0], "system:planner")
	require.Len(t, claims, 3)
	require.Equal(t, control.Scope{Scene: "k2", IDC: "*", App: "sn", Point: "recall", Bucket: "*"}, claims[0].Scope)
	require.Equal(t, 30, claims[0].Level)
	require.Equal(t, claims, plan.Claims(&active[0], "system:planner"), "the same step gives the same claims")
	for _, c := range claims {
		require.Empty(t, control.CheckClaim(c, now))
	}
}

func TestDocumentsReadBackEqual(t *testing.T) {
	p := double11(t)
	for _, f := range []template.Format{template.YAML, template.JSON} {
		text, err := plan.Write(p, f)
		require.NoError(t, err)
		back, problems := plan.Read(text, f, now)
		require.Empty(t, problems, string(text))
		back.ID, back.Epoch = p.ID, p.Epoch
		require.Equal(t, p, back)
	}
}

const head = "name: n\nzone: %s\nowner: a\nexecutor: b\n"

func doc(zone, rest string) []byte { return []byte(strings.Replace(head, "%s", zone, 1) + rest) }

// TestR16LocalTimesThatAreNoInstant: a gap is refused with both choices, an
// overlap asks which, in plans that happen once and in those that repeat.
func TestR16LocalTimesThatAreNoInstant(t *testing.T) {
	const ny = "America/New_York"
	once := func(extra string) []byte {
		return doc(ny, "steps:\n  - {name: s, for: 10m, set: [{level: 1}], "+extra+"}\n")
	}
	_, ps := plan.Read(once("at: 2027-03-14 02:30:00"), template.YAML, now)
	require.Len(t, ps, 1)
	require.Equal(t, plan.CodeGap, ps[0].Code)
	require.Contains(t, ps[0].Message, "01:30:00 EST (-05:00)")
	require.Contains(t, ps[0].Message, "03:30:00 EDT (-04:00)")
	require.Equal(t, 6, ps[0].Line)
	_, ps = plan.Read(once("at: 2027-11-07 01:30:00"), template.YAML, now)
	require.Len(t, ps, 1)
	require.Equal(t, plan.CodeOverlap, ps[0].Code)
	for which, want := range map[string]string{"earlier": "2027-11-07T05:30:00Z", "later": "2027-11-07T06:30:00Z"} {
		p, ps := plan.Read(once("at: 2027-11-07 01:30:00, overlap: "+which), template.YAML, now)
		require.Empty(t, ps)
		in, ok := plan.Next([]*plan.Plan{p}, now)
		require.True(t, ok)
		require.Equal(t, utc(want), in.Start)
	}
	// Changing the zone moves the instant; the same local time becomes sound.
	p, ps := plan.Read(doc("Asia/Shanghai", "steps:\n  - {name: s, for: 10m, set: [{level: 1}], at: 2027-03-14 02:30:00}\n"), template.YAML, now)
	require.Empty(t, ps)
	in, _ := plan.Next([]*plan.Plan{p}, now)
	require.Equal(t, utc("2027-03-13T18:30:00Z"), in.Start)

	repeat := func(extra string) []byte {
		return doc(ny, "repeat: 30 2 * * *\n"+extra+"steps:\n  - {name: s, for: 10m, set: [{level: 1}]}\n")
	}
	_, ps = plan.Read(repeat(""), template.YAML, now)
	require.Len(t, ps, 1)
	require.Equal(t, plan.CodeGap, ps[0].Code)
	for gap, want := range map[string][]string{
		"skip":  {"2027-03-13T07:30:00Z", "2027-03-15T06:30:00Z"},
		"after": {"2027-03-13T07:30:00Z", "2027-03-14T07:30:00Z", "2027-03-15T06:30:00Z"},
	} {
		p, ps := plan.Read(repeat("gap: "+gap+"\n"), template.YAML, now)
		require.Empty(t, ps)
		require.Equal(t, want, starts(t, p, utc("2027-03-13T00:00:00Z"), utc("2027-03-16T00:00:00Z")))
	}
}

func starts(t testing.TB, p *plan.Plan, from, to time.Time) []string {
	t.Helper()
	os, err := p.Occurrences(from, to)
	require.NoError(t, err)
	var out []string
	for _, o := range os {
		out = append(out, o.Start().Format(time.RFC3339))
	}
	return out
}

// TestR16NeverTwice: an occurrence is named by its wall time, so where clocks
// step back its steps have one key; its record lets it happen once.
func TestR16NeverTwice(t *testing.T) {
	p, ps := plan.Read(doc("America/New_York", "repeat: 30 1 * * *\noverlap: earlier\nsteps:\n  - {name: s, for: 10m, set: [{level: 1}]}\n"), template.YAML, now)
	require.Empty(t, ps)
	require.Equal(t, []string{"2027-11-07T05:30:00Z"}, starts(t, p, utc("2027-11-07T00:00:00Z"), utc("2027-11-08T00:00:00Z")))
	os, err := p.Occurrences(utc("2027-11-07T00:00:00Z"), utc("2027-11-08T00:00:00Z"))
	require.NoError(t, err)
	in := os[0].Steps[0]
	require.Equal(t, "2027-11-07T01:30:00", in.Occurrence)
	run := &plan.Run{Key: in.Key, State: plan.Fired, Start: in.Start, End: in.End}
	for _, at := range []time.Time{in.Start.Add(-time.Hour), in.Start, in.Start.Add(time.Hour)} {
		require.Equal(t, plan.FateDone, plan.Decide(&in, run, false, at), "reference time may step back")
	}
}

func TestWeekdayEvenings(t *testing.T) {
	p, ps := plan.Read(doc("Asia/Shanghai", `repeat: 30 19 * * 1-5
steps:
  - {name: evening, until: back, set: [{app: sn, point: recall, level: 4}]}
  - {name: back, do: auto, after: evening, offset: 2h30m}
`), template.YAML, now)
	require.Empty(t, ps)
	require.Equal(t, []string{"2026-11-06T11:30:00Z", "2026-11-09T11:30:00Z"}, starts(t, p, utc("2026-11-06T00:00:00Z"), utc("2026-11-10T00:00:00Z")))
	require.Len(t, plan.Active([]*plan.Plan{p}, utc("2026-11-09T13:59:00Z")), 1)
	next, ok := plan.Next([]*plan.Plan{p}, utc("2026-11-06T14:00:01Z"))
	require.True(t, ok)
	require.Equal(t, utc("2026-11-09T11:30:00Z"), next.Start)
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct{ rest, path, code string }{
		"no end":           {"steps:\n  - {name: s, at: 2026-11-10 23:56, set: [{level: 1}]}\n", "steps[0].until", plan.CodeEnd},
		"two ends":         {"steps:\n  - {name: s, at: 2026-11-10 23:56, for: 5m, until_at: 2026-11-11 00:10, set: [{level: 1}]}\n", "steps[0].until", plan.CodeEnd},
		"ends before":      {"steps:\n  - {name: s, at: 2026-11-10 23:56, until_at: 2026-11-10 23:55, set: [{level: 1}]}\n", "steps[0].until_at", plan.CodeEnd},
		"until earlier":    {"steps:\n  - {name: a, do: auto, at: 2026-11-10 23:00}\n  - {name: s, at: 2026-11-10 23:56, until: a, set: [{level: 1}]}\n", "steps[1].until", plan.CodeEnd},
		"until unknown":    {"steps:\n  - {name: s, at: 2026-11-10 23:56, until: x, set: [{level: 1}]}\n", "steps[0].until", gear.CodeUnknown},
		"auto with an end": {"steps:\n  - {name: s, do: auto, at: 2026-11-10 23:56, for: 5m}\n", "steps[0].until", plan.CodeEnd},
		"a ring":           {"steps:\n  - {name: a, after: b, offset: 1m, for: 5m, set: [{level: 1}]}\n  - {name: b, after: a, offset: 1m, for: 5m, set: [{level: 1}]}\n", "steps[0].after", gear.CodeUnknown},
		"no start":         {"steps:\n  - {name: s, for: 5m, set: [{level: 1}]}\n", "steps[0].at", gear.CodeRequired},
		"sets nothing":     {"steps:\n  - {name: s, at: 2026-11-10 23:56, for: 5m, set: [{app: sn}]}\n", "steps[0].set[0]", gear.CodeRequired},
		"unpinned":         {"steps:\n  - {name: s, at: 2026-11-10 23:56, for: 5m, set: [{template: x}]}\n", "steps[0].set[0].version", gear.CodeRequired},
		"level":            {"steps:\n  - {name: s, at: 2026-11-10 23:56, for: 5m, set: [{level: 101}]}\n", "steps[0].set[0].level", gear.CodeRange},
		"unknown field":    {"color: red\nsteps: []\n", "color", gear.CodeUnknown},
		"no steps":         {"steps: []\n", "steps", gear.CodeRequired},
		"not a time":       {"steps:\n  - {name: s, at: 2026-11-10 24:00, for: 5m, set: [{level: 1}]}\n", "steps[0].at", gear.CodeText},
		"cron":             {"repeat: 61 23 * * *\nsteps:\n  - {name: s, for: 5m, set: [{level: 1}]}\n", "repeat", gear.CodeSyntax},
		"seconds in cron":  {"repeat: 30 56 23 * * *\nsteps:\n  - {name: s, for: 5m, set: [{level: 1}]}\n", "repeat", gear.CodeSyntax},
		"overtakes itself": {"repeat: 0 * * * *\nsteps:\n  - {name: s, for: 61m, set: [{level: 1}]}\n", "repeat", gear.CodeRange},
	} {
		_, ps := plan.Read(doc("Asia/Shanghai", c.rest), template.YAML, now)
		require.NotEmpty(t, ps, name)
		require.Equal(t, c.path, ps[0].Path, "%s: %v", name, ps)
		require.Equal(t, c.code, ps[0].Code, name)
		require.NotZero(t, ps[0].Line, name)
	}
	_, ps := plan.Read(doc("Mars/Base", "steps: []\n"), template.YAML, now)
	require.Equal(t, "zone", ps[0].Path)
}

func TestFates(t *testing.T) {
	p := double11(t)
	os, err := p.Occurrences(now, now.Add(20*24*time.Hour))
	require.NoError(t, err)
	in, auto := &os[0].Steps[0], &os[0].Steps[1]
	armed := &plan.Run{Key: in.Key, State: plan.Armed, Start: in.Start, End: in.End}
	held := *armed
	held.Staged = true
	for name, c := range map[string]struct {
		in     *plan.Instance
		run    *plan.Run
		staged bool
		after  time.Duration
		want   plan.Fate
	}{
		"long before":            {in, nil, false, -time.Hour, plan.FateWait},
		"due to be armed":        {in, nil, false, -plan.Ahead, plan.FateArm},
		"armed":                  {in, armed, false, -time.Second, plan.FateWait},
		"at its start":           {in, armed, false, 0, plan.FateFire},
		"late within the grace":  {in, nil, false, plan.Grace, plan.FateFire},
		"past it":                {in, nil, false, plan.Grace + 1, plan.FateMiss},
		"past it, armed":         {in, armed, false, plan.Grace + 1, plan.FateMiss},
		"past it, on machines":   {in, nil, true, plan.Grace + 1, plan.FateFire},
		"past it, known staged":  {in, &held, false, plan.Grace + 1, plan.FateFire},
		"past its end":           {in, nil, false, time.Hour, plan.FateMiss},
		"past its end, staged":   {in, &held, false, time.Hour, plan.FateFire},
		"fired":                  {in, &plan.Run{State: plan.Fired}, false, time.Minute, plan.FateDone},
		"skipped":                {in, &plan.Run{State: plan.Skipped}, false, 0, plan.FateDone},
		"automatic gears, hours": {auto, nil, false, 3 * time.Hour, plan.FateFire},
	} {
		require.Equal(t, c.want, plan.Decide(c.in, c.run, c.staged, in.Start.Add(c.after)), name)
	}
}

// TestCalendarProperties: every hold ends after it starts, Active agrees with the
// instants, Next never lies before now, and arming twice is arming once.
func TestCalendarProperties(t *testing.T) {
	zones := []string{"Asia/Shanghai", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "UTC"}
	rapid.Check(t, func(t *rapid.T) {
		p := &plan.Plan{
			ID: "x", Name: "x", Zone: rapid.SampledFrom(zones).Draw(t, "zone"), Owner: "a", Executor: "b", State: plan.Approved,
			Overlap: plan.Earlier, Gap: rapid.SampledFrom([]plan.Gap{plan.GapSkip, plan.GapAfter}).Draw(t, "gap"),
		}
		hour, minute := rapid.IntRange(0, 23).Draw(t, "hour"), rapid.IntRange(0, 59).Draw(t, "minute")
		p.Repeat = strings.Join([]string{gear.Int(int64(minute)).Format(), gear.Int(int64(hour)).Format(), "*", "*", rapid.SampledFrom([]string{"*", "1-5", "0,6"}).Draw(t, "days")}, " ")
		p.Steps = []plan.Step{{Name: "s", Do: plan.KindSet, Until: "e", Sets: []plan.Set{{Level: 2}}}, {Name: "e", Do: plan.KindAuto, After: "s", Offset: time.Duration(rapid.IntRange(1, 1400).Draw(t, "minutes")) * time.Minute}}
		p.Steps[0].Sets[0].Scope = control.Scope{Scene: "*", IDC: "*", App: "*", Point: "*", Bucket: "*"}
		require.Empty(t, plan.Check(p, now))
		from := now.Add(time.Duration(rapid.IntRange(0, 400*24*60).Draw(t, "from")) * time.Minute)
		os, err := p.Occurrences(from, from.Add(8*24*time.Hour))
		require.NoError(t, err)
		require.NotEmpty(t, os)
		zone, _ := time.LoadLocation(p.Zone)
		seen := map[string]bool{}
		for _, o := range os {
			require.False(t, seen[o.Name])
			seen[o.Name] = true
			s := o.Steps[0]
			require.True(t, s.End.After(s.Start))
			if p.Gap == plan.GapSkip {
				require.Equal(t, hour, s.Start.In(zone).Hour())
				require.Equal(t, minute, s.Start.In(zone).Minute())
			}
			require.Len(t, plan.Active([]*plan.Plan{p}, s.Start), 1)
			require.Len(t, plan.Active([]*plan.Plan{p}, s.End.Add(-1)), 1)
			require.Empty(t, plan.Active([]*plan.Plan{p}, s.End))
		}
		next, ok := plan.Next([]*plan.Plan{p}, from)
		require.True(t, ok)
		require.False(t, next.Start.Before(from))
	})
}

func TestInstantsRoundTrip(t *testing.T) {
	zones := []string{"America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Shanghai", "Pacific/Apia"}
	rapid.Check(t, func(t *rapid.T) {
		zone, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		require.NoError(t, err)
		at := time.Unix(rapid.Int64Range(1_400_000_000, 2_000_000_000).Draw(t, "at"), 0)
		exact, near := plan.Instants(plan.WallOf(at, zone), zone)
		require.NotEmpty(t, near)
		found := false
		for _, x := range exact {
			found = found || x.Equal(at)
		}
		require.True(t, found, "the clock showed it, so it is an instant")
	})
}

func TestConflictsAndProtection(t *testing.T) {
	p := double11(t)
	os, _ := p.Occurrences(now, now.Add(20*24*time.Hour))
	other := double11(t)
	other.ID, other.Name = "p2", "other"
	others, _ := other.Occurrences(now, now.Add(20*24*time.Hour))
	require.Len(t, plan.Conflicts(&os[0], others, nil), 3)
	require.Empty(t, plan.Conflicts(&os[0], os, nil), "a plan does not conflict with itself")
	manual := &control.Claim{
		Field: control.FieldLevel, Scope: control.Scope{Scene: "*", IDC: "na61", App: "sn", Point: "recall", Bucket: "*"},
		Source: control.SourceManual, Author: "ann", Start: now, End: os[0].Steps[0].Start.Add(time.Minute),
	}
	cs := plan.Conflicts(&os[0], nil, []*control.Claim{manual})
	require.Len(t, cs, 1)
	require.Equal(t, os[0].Steps[0].Start.Add(time.Minute), cs[0].To)
	require.Equal(t, "manual stands above plan", cs[0].Outcome)
	manual.End = os[0].Steps[0].Start
	require.Empty(t, plan.Conflicts(&os[0], nil, []*control.Claim{manual}))
	require.True(t, p.Touches("k2"))
	require.False(t, p.Touches("k3"))
}

func TestFrozen(t *testing.T) {
	f := []plan.Freeze{{App: "sn", IDC: "*", From: now, Until: now.Add(time.Hour), Reason: "peak"}}
	for name, c := range map[string]struct {
		change audit.Change
		at     time.Time
		want   bool
	}{
		"a claim":            {audit.Change{Kind: "claim", Verb: "set", App: "sn", Actor: "ann"}, now, true},
		"of another app":     {audit.Change{Kind: "claim", Verb: "set", App: "rank", Actor: "ann"}, now, false},
		"of all apps":        {audit.Change{Kind: "binding", Verb: "create", Actor: "ann"}, now, true},
		"before":             {audit.Change{Kind: "claim", Verb: "set", App: "sn", Actor: "ann"}, now.Add(-1), false},
		"after":              {audit.Change{Kind: "claim", Verb: "set", App: "sn", Actor: "ann"}, now.Add(time.Hour), false},
		"a user":             {audit.Change{Kind: "user", Verb: "create", Actor: "ann"}, now, false},
		"stopping a plan":    {audit.Change{Kind: "plan", Verb: "stop", Actor: "ann"}, now, false},
		"approving a plan":   {audit.Change{Kind: "plan", Verb: "approve", Actor: "ann"}, now, true},
		"the planner itself": {audit.Change{Kind: "claim", Verb: "set", App: "sn", Actor: "system:planner"}, now, false},
	} {
		require.Equal(t, c.want, plan.Frozen(f, &c.change, c.at) != nil, name)
	}
	g := plan.Glass{RequestedBy: "ann", Until: now.Add(time.Hour)}
	require.False(t, g.Stands(now))
	g.ApprovedBy = "ann"
	require.False(t, g.Stands(now), "nobody approves their own")
	g.ApprovedBy = "bob"
	require.True(t, g.Stands(now))
	require.False(t, g.Stands(now.Add(time.Hour)))
}

func TestReadiness(t *testing.T) {
	ok := plan.Readiness(plan.Facts{State: plan.Approved, Expected: 10_000, Connected: 10_000, Within: true, Staged: 10_000})
	for _, r := range ok {
		require.Equal(t, "ok", r.Level, r.Name)
	}
	levels := map[string]string{}
	for _, r := range plan.Readiness(plan.Facts{State: plan.Draft, Expected: 10_000, Connected: 9_999, Within: true, Staged: 9_998, Conflicts: 1, Missed: 1, Refusals: []string{"x", "y"}}) {
		levels[r.Name] = r.Level
		if r.Name == "staged" {
			require.Equal(t, "9998 / 10000 agents hold every due step", r.Detail)
		}
	}
	require.Equal(t, map[string]string{"approval": "fail", "agents": "warn", "staged": "warn", "templates": "fail", "pins": "ok", "profiles": "ok", "conflicts": "warn", "missed": "fail"}, levels)
}

func TestExports(t *testing.T) {
	p := double11(t)
	p.Purpose = "a,b;c\\d <b>|x\n" + strings.Repeat("高峰", 40)
	os, _ := p.Occurrences(now, now.Add(20*24*time.Hour))
	ics := plan.ICal(os, now)
	require.Equal(t, 3, strings.Count(ics, "BEGIN:VEVENT"))
	require.Equal(t, 3, strings.Count(ics, "STATUS:TENTATIVE\r\n"), "a draft is not sure")
	require.Contains(t, ics, "DTSTART:20261110T155600Z\r\nDTEND:20261110T160300Z\r\n")
	require.Contains(t, ics, `a\,b\;c\\d`)
	for _, l := range strings.Split(ics, "\r\n") {
		require.LessOrEqual(t, len(l), 75)
		require.True(t, strings.ToValidUTF8(l, "") == l)
	}
	md := plan.NewLog(p, []plan.Run{{Key: os[0].Steps[0].Key, State: plan.Fired, Start: os[0].Steps[0].Start, FiredAt: os[0].Steps[0].Start.Add(120 * time.Millisecond)}},
		[]plan.Line{{At: now, Who: "ann|<script>", What: "approve"}}, true).Markdown()
	require.Contains(t, md, "| 2026-11-10T23:56:00 | midnight-gears | fired | 2026-11-10 23:56:00.000 | 2026-11-10 23:56:00.120 | 120ms |")
	require.Contains(t, md, `ann\|&lt;script&gt;`)
	require.NotContains(t, md, "<b>")
	require.Contains(t, md, "There was more than is shown here")
}
