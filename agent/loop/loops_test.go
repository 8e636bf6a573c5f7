package loop_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/allspark/allspark/agent/loop"
	"github.com/allspark/allspark/proto/gear"
)

func work(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i+1) / float64(n)
	}
	return out
}

func crowdOrder(level int, available time.Duration) *gear.Order {
	return &gear.Order{Strategy: gear.StrategyCrowdRT, Level: level, MinLevel: 2, MaxLevel: 10, AvailableRT: available}
}

var k2 = loop.Key{Scene: "k2", Point: "recall", Bucket: gear.Any}

// play gives a loop some seconds of requests of one load, all as slow as told.
func play(l *loop.Loops, c *loop.Crowds, now *time.Time, seconds int, rt time.Duration) {
	for range seconds * 2 {
		for range 200 {
			_, held := c.Pick(10)
			c.Sink().Record(10, held, rt)
		}
		*now = now.Add(loop.TickEvery)
		l.Tick(*now, 0.5)
	}
}

func level(c *loop.Crowds) int {
	lo := math.MaxInt
	for range 200 {
		n, _ := c.Pick(10)
		lo = min(lo, n)
	}
	return lo
}

func TestALoopSurvivesOrdersThatOnlyMoveItsBounds(t *testing.T) {
	l, now := loop.NewLoops(), time.Unix(1e9, 0)
	c := l.Bind(k2, crowdOrder(10, 8*time.Millisecond), work(10))
	require.Equal(t, 10, level(c))
	play(l, c, &now, 60, 20*time.Millisecond)
	low := level(c)
	require.Less(t, low, 10)

	same := l.Bind(k2, crowdOrder(10, 8*time.Millisecond), work(10))
	require.Same(t, c, same, "an order that says the same changes nothing")
	moved := l.Bind(k2, crowdOrder(9, 9*time.Millisecond), work(10))
	require.NotSame(t, c, moved)
	require.Equal(t, low, level(moved))
	require.Equal(t, low, level(c), "a request that began under the old order keeps its table")

	fresh := l.Bind(k2, crowdOrder(10, 8*time.Millisecond), []float64{0.2, 0.4, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1})
	require.Equal(t, 10, level(fresh), "other work factors are another loop")
}

func TestLoopsThatNobodyBindsAreForgotten(t *testing.T) {
	l, now := loop.NewLoops(), time.Unix(1e9, 0)
	bind := func() *loop.Crowds { return l.Bind(k2, crowdOrder(10, 8*time.Millisecond), work(10)) }
	c := bind()
	play(l, c, &now, 60, 20*time.Millisecond)
	low := level(c)
	l.Rebind(false, func() {})
	require.Equal(t, low, level(bind()), "without a sweep it is still there")
	l.Rebind(true, func() { bind() })
	require.Equal(t, low, level(bind()))
	l.Rebind(true, func() {})
	require.Equal(t, 10, level(bind()), "a new loop begins at the order's level")
}

func TestAnEmergencyStepsDownBetweenIntervals(t *testing.T) {
	l, now := loop.NewLoops(), time.Unix(1e9, 0)
	c := l.Bind(k2, crowdOrder(10, 8*time.Millisecond), work(10))
	play(l, c, &now, 1, 6*time.Millisecond)
	play(l, c, &now, 5, 20*time.Millisecond)
	require.Less(t, level(c), 10, "two windows of 2 s, well before the interval of 10 s is over")
}

func TestAPickIsAlwaysALevelOfItsOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 100).Draw(r, "levels")
		o := crowdOrder(rapid.IntRange(-3, 120).Draw(r, "level"), 5*time.Millisecond)
		o.MinLevel = rapid.IntRange(-3, 120).Draw(r, "min")
		o.MaxLevel = rapid.IntRange(-3, 120).Draw(r, "max")
		o.Pinned = rapid.Bool().Draw(r, "pinned")
		l, now := loop.NewLoops(), time.Unix(1e9, 0)
		c := l.Bind(k2, o, work(n))
		for range 8 {
			play(l, c, &now, rapid.IntRange(1, 3).Draw(r, "seconds"), time.Duration(rapid.Int64Range(-1, 1e10).Draw(r, "rt")))
			got, _ := c.Pick(rapid.Float64().Draw(r, "load"))
			require.GreaterOrEqual(r, got, 1)
			require.LessOrEqual(r, got, n)
		}
	})
}

func TestStepEdgeHoldsWhereItCannotTell(t *testing.T) {
	set := loop.EdgeSettingsOf(&gear.Order{Strategy: gear.StrategyExternalTimeout, Timeout: 30 * time.Millisecond})
	require.True(t, set.Room())
	s := loop.NewEdgeState(set)
	for _, in := range []loop.EdgeSample{{}, {Count: 29, Timeouts: 29}, {Count: -1, Timeouts: 5}, {Count: 5, Timeouts: 9}} {
		require.Equal(t, 30*time.Millisecond, loop.StepEdge(s, in, set).Timeout, "%+v", in)
	}
	up := loop.StepEdge(s, loop.EdgeSample{Count: 1000, Timeouts: 200}, set)
	require.Equal(t, 33*time.Millisecond, up.Timeout, "clipped: %s", up.Reason)
	require.Equal(t, 30*time.Millisecond, loop.StepEdge(s, loop.EdgeSample{Count: 1000, Timeouts: 12}, set).Timeout, "within the noise")

	set.Max = 30 * time.Millisecond
	top := loop.StepEdge(s, loop.EdgeSample{Count: 1000, Timeouts: 200}, set)
	require.Equal(t, loop.Unreachable, top.Bound)
	require.Contains(t, top.Reason, "unreachable")

	set.Pinned = true
	require.Equal(t, 30*time.Millisecond, loop.StepEdge(s, loop.EdgeSample{Count: 1000, Timeouts: 900}, set).Timeout)
}

// Whatever comes, the timeout stays in its bounds and is a number.
func TestStepEdgeNeverLeavesItsBounds(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		set := loop.EdgeSettings{
			Start: 50 * time.Millisecond, Min: 20 * time.Millisecond, Max: 200 * time.Millisecond,
			Rate: rapid.Float64Range(0, 0.5).Draw(r, "rate"), MaxDown: 2, MaxUp: 1.1, MinSamples: 30,
		}
		s := loop.NewEdgeState(set)
		for range 20 {
			s = loop.StepEdge(s, loop.EdgeSample{Count: rapid.Int64Range(-5, 1e12).Draw(r, "n"), Timeouts: rapid.Int64Range(-5, 1e12).Draw(r, "late")}, set)
			require.GreaterOrEqual(r, s.Timeout, set.Min)
			require.LessOrEqual(r, s.Timeout, set.Max)
			require.NotEmpty(r, s.Reason)
		}
	})
}
