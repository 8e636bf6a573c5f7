package experiment_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/experiment"
)

func sound() *experiment.Experiment {
	return &experiment.Experiment{
		ID: "x1", Name: "dynamic", Reason: "does dynamic compute earn its keep?",
		Scope:   control.Scope{Scene: "k2", IDC: gear.Any, App: "sn", Point: "recall", Bucket: gear.Any},
		Measure: experiment.Place{App: "merger", Point: "merge"}, Duration: time.Hour,
		Arms: []experiment.Arm{
			{Name: "central", Slices: 3333, Strategy: gear.StrategyCentral, AvailableRT: 8 * time.Millisecond},
			{Name: "crowd", Slices: 3333, Strategy: gear.StrategyCrowdRT, AvailableRT: 8 * time.Millisecond},
			{Name: "off", Slices: 3334, Strategy: gear.StrategyFixed, Level: 5},
		},
	}
}

func TestCheckNamesEachFault(t *testing.T) {
	require.Empty(t, experiment.Check(sound()))
	for name, c := range map[string]struct {
		spoil func(*experiment.Experiment)
		path  string
		code  string
	}{
		"no name":           {func(x *experiment.Experiment) { x.Name = "" }, "name", gear.CodeName},
		"no reason":         {func(x *experiment.Experiment) { x.Reason = " " }, "reason", gear.CodeRequired},
		"line in reason":    {func(x *experiment.Experiment) { x.Reason = "a\nb" }, "reason", gear.CodeText},
		"blank scene":       {func(x *experiment.Experiment) { x.Scope.Scene = "" }, "scope.scene", gear.CodeName},
		"bucket in scope":   {func(x *experiment.Experiment) { x.Scope.Bucket = "0-5" }, "scope.bucket", gear.CodeShape},
		"measured anywhere": {func(x *experiment.Experiment) { x.Measure.Point = "*" }, "measure.point", gear.CodeName},
		"no end":            {func(x *experiment.Experiment) { x.Duration = 0 }, "duration", gear.CodeRange},
		"a year":            {func(x *experiment.Experiment) { x.Duration = 365 * 24 * time.Hour }, "duration", gear.CodeRange},
		"one arm":           {func(x *experiment.Experiment) { x.Arms = x.Arms[:1] }, "arms", gear.CodeLength},
		"twice the name":    {func(x *experiment.Experiment) { x.Arms[1].Name = "central" }, "arms[1].name", gear.CodeDuplicate},
		"a sliver":          {func(x *experiment.Experiment) { x.Arms[1].Slices = 99 }, "arms[1].share", gear.CodeRange},
		"more than all":     {func(x *experiment.Experiment) { x.Arms[1].Slices = 3335 }, "arms", gear.CodeRange},
		"no such strategy":  {func(x *experiment.Experiment) { x.Arms[0].Strategy = "pid" }, "arms[0].strategy", gear.CodeUnknown},
		"level 101":         {func(x *experiment.Experiment) { x.Arms[2].Level = 101 }, "arms[2].level", gear.CodeRange},
		"fixed at nothing":  {func(x *experiment.Experiment) { x.Arms[2].Level = 0 }, "arms[2].level", gear.CodeRequired},
		"an hour's RT":      {func(x *experiment.Experiment) { x.Arms[0].AvailableRT = time.Hour }, "arms[0].available_rt", gear.CodeRange},
	} {
		x := sound()
		c.spoil(x)
		ps := experiment.Check(x)
		require.Len(t, ps, 1, "%s: %v", name, ps)
		require.Equal(t, c.path, ps[0].Path, name)
		require.Equal(t, c.code, ps[0].Code, name)
	}
}

func TestClaimsAreThoseOfTheArmsAndPassTheDoor(t *testing.T) {
	x := sound()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	claims := experiment.Claims(x, now, now.Add(x.Duration))
	kinds := map[control.Field]int{}
	for _, c := range claims {
		require.Empty(t, control.CheckClaim(c, now), "%v", c)
		require.Equal(t, "x1", experiment.OfClaim(c))
		require.Equal(t, now.Add(time.Hour), c.End)
		kinds[c.Field]++
	}
	require.Equal(t, map[control.Field]int{control.FieldBucket: 6, control.FieldStrategy: 3, control.FieldLevel: 1, control.FieldAvailableRT: 2}, kinds)
	require.Equal(t, "0-3333", claims[0].Scope.Bucket)

	x.Measure = experiment.Place{App: "sn", Point: "recall"}
	require.Len(t, experiment.Claims(x, now, now.Add(time.Hour)), 9, "measured where the arms differ: one bucket an arm")
}

func TestExperimentsMeetWhereOneActsOrIsMeasured(t *testing.T) {
	a, b := sound(), sound()
	require.True(t, experiment.Meet(a, b))
	b.Scope.Scene = "feeds"
	require.False(t, experiment.Meet(a, b), "other requests")
	b.Scope.Scene = gear.Any
	require.True(t, experiment.Meet(a, b))
	b.Scope.Scene, b.Scope.App = "k2", "rank"
	require.True(t, experiment.Meet(a, b), "measured at the same point")
	b.Measure = experiment.Place{App: "rank", Point: "score"}
	require.False(t, experiment.Meet(a, b))
}

// filled gives an arm's blocks: n requests of value v and RT rt each, spread as the
// slices are, with noise between blocks.
func filled(rng *rand.Rand, r experiment.Range, perSlice, v, spread float64) *experiment.Blocks {
	var b experiment.Blocks
	for k := range b {
		n := perSlice * float64(r.BlockWidth(k))
		b[k] = experiment.Block{Requests: n, Answered: n, RT: n * 8000, Value: n * v * (1 + spread*rng.NormFloat64())}
	}
	return &b
}

func TestABlockIsASliceOrSoOfTheArm(t *testing.T) {
	r := experiment.Range{Low: 100, High: 3433}
	sum := 0
	for k := range gear.Blocks {
		w := r.BlockWidth(k)
		require.Contains(t, []int{166, 167}, w)
		sum += w
	}
	require.Equal(t, r.Width(), sum)
	require.Equal(t, "100-3433", r.Bucket())
}

func TestLiftIsTheRatiosWithTheirInterval(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	r := experiment.Ranges(sound().Arms)
	control, arm := filled(rng, r[0], 10, 2, 0.02), filled(rng, r[1], 10, 2.1, 0.02)
	l, ok := experiment.Compare(arm, control, experiment.MetricValue)
	require.True(t, ok)
	require.InDelta(t, 0.05, l.Relative.Estimate, 0.02)
	require.Equal(t, 1, l.Relative.Excludes(0))
	require.Less(t, l.Anytime.Low, l.Relative.Low, "whoever looks often must see more")
	require.Greater(t, l.Anytime.High, l.Relative.High)
	require.InDelta(t, 35, l.Freedom, 4)

	same, ok := experiment.Compare(arm, control, experiment.MetricTimeouts)
	require.True(t, ok)
	require.Nil(t, same.Relative, "nobody timed out: no ratio of zeros")
	require.Equal(t, experiment.Interval{}, same.Diff)

	_, ok = experiment.Compare(&experiment.Blocks{}, control, experiment.MetricValue)
	require.False(t, ok)
}

func TestTrafficThatDoesNotDivideAsItShouldWarns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	r := experiment.Ranges(sound().Arms)
	even := func(perSlice ...float64) (out []*experiment.Blocks) {
		for i := range r {
			b := filled(rng, r[i], perSlice[i], 1, 0)
			for k := range b { // users' requests come together: twice the Poisson deviation
				b[k].Requests += 2 * rng.NormFloat64() * 4 * float64(r[i].BlockWidth(k)) / 167
			}
			out = append(out, b)
		}
		return out
	}
	s, ok := experiment.SampleRatioOf(even(10, 10, 10), r)
	require.True(t, ok)
	require.False(t, s.Mismatch(), "%+v", s)
	require.InDelta(t, 0.3333, s.Expected[0], 1e-9)
	s, ok = experiment.SampleRatioOf(even(10, 10, 9), r)
	require.True(t, ok)
	require.True(t, s.Mismatch(), "%+v", s)
	_, ok = experiment.SampleRatioOf([]*experiment.Blocks{{}, {}, {}}, r)
	require.False(t, ok)
}
