package lab

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const second = int64(time.Second)

// tags sets recall's tag_count (0 leaves the default) and keeps a log of it all.
type tags struct {
	n      float64
	starts map[int32]Visit
	log    func(v *Visit, res Result)
}

func (c *tags) Begin(v *Visit, r *Reading) {
	if c.n != 0 && v.Point == Recall {
		r[0] = c.n
	}
	if c.starts != nil {
		c.starts[v.ID] = *v
	}
}

func (c *tags) End(v *Visit, res Result) {
	if c.log != nil {
		c.log(v, res)
	}
}

func engine(rate int, c Controls) *Engine {
	return NewEngine(Config{
		Model: Standard(3), Controls: c,
		Workload: WorkloadConfig{Trace: Conversation(), Rate: rate, Seed: 1},
	})
}

func logHash(seed uint64, step int64) uint64 {
	h := fnv.New64a()
	c := &tags{log: func(v *Visit, res Result) {
		var b [40]byte
		binary.LittleEndian.PutUint64(b[0:], uint64(v.Now))
		binary.LittleEndian.PutUint64(b[8:], v.Key)
		binary.LittleEndian.PutUint64(b[16:], uint64(v.Machine)<<32|uint64(v.Point))
		binary.LittleEndian.PutUint64(b[24:], uint64(res.Elapsed)<<2|uint64(res.Outcome))
		binary.LittleEndian.PutUint64(b[32:], math.Float64bits(res.Earned))
		h.Write(b[:])
	}}
	e := NewEngine(Config{
		Model: Standard(3), Controls: c,
		Workload: WorkloadConfig{Trace: Conversation(), Rate: 60, Seed: seed},
	})
	for e.Now() < 60*second {
		e.Run(e.Now()+step, math.MaxInt)
	}
	return h.Sum64()
}

func TestSameSeedSameRun(t *testing.T) {
	one := logHash(1, 60*second)
	require.Equal(t, one, logHash(1, 60*second))
	require.Equal(t, one, logHash(1, 20*second/1000), "slicing the run does not change it")
	require.NotEqual(t, one, logHash(2, 60*second))
}

func TestPoliciesShareRandomNumbers(t *testing.T) {
	type fact struct {
		machine, scene int32
		value, load    float64
	}
	facts := func(n float64) map[uint64]map[int32]fact {
		all := map[uint64]map[int32]fact{}
		e := engine(40, &tags{n: n, log: func(v *Visit, _ Result) {
			if all[v.Key] == nil {
				all[v.Key] = map[int32]fact{}
			}
			all[v.Key][v.Point] = fact{v.Machine, v.Scene, v.Value, v.Load}
		}})
		e.Run(30*second, math.MaxInt)
		return all
	}
	a, b := facts(200), facts(10)
	both := 0
	for key, points := range a {
		for p, f := range points {
			if g, ok := b[key][p]; ok {
				both++
				require.Equal(t, f, g)
			}
		}
	}
	require.Greater(t, both, 20_000)
}

// run warms an engine up for a minute and measures for five.
func run(rate int, c Controls) *Engine {
	e := engine(rate, c)
	e.Run(60*second, math.MaxInt)
	e.Tally.Reset()
	e.Run(360*second, math.MaxInt)
	return e
}

func TestLessRecallMakesTheSceneFaster(t *testing.T) {
	t.Parallel()
	mean := func(n float64) time.Duration { return run(40, &tags{n: n}).Tally.Scenes[0].Mean() }
	high, middle, low := mean(100), mean(50), mean(20)
	require.Less(t, middle, high*85/100)
	require.Less(t, low, middle*85/100)
}

func TestDefaultGearsFitRate40AndNot80(t *testing.T) {
	t.Parallel()
	at := func(rate int) (*SceneTally, float64) {
		e := engine(rate, Free{})
		e.Run(800*second, math.MaxInt)
		busy := 0.0
		for i := range e.machines {
			if app, _, _ := e.model.Place(i); app == SN {
				busy += e.Busy(i) / 800e9 / snCores / 6
			}
		}
		return &e.Tally.Scenes[0], busy
	}
	s, busy := at(40)
	require.InDelta(t, 0.6, busy, 0.05)
	require.InDelta(t, 210, s.Mean().Seconds()*1000, 25)
	require.Less(t, s.Rate(TimedOut), 0.01)

	s, busy = at(80)
	require.Greater(t, busy, 0.95)
	require.Greater(t, s.Rate(TimedOut), 0.2)
}

func TestLowerGearRescuesAnOverloadedEngine(t *testing.T) {
	t.Parallel()
	c := &tags{}
	e := engine(80, c)
	e.Run(300*second, math.MaxInt)
	e.Tally.Reset()
	e.Run(400*second, math.MaxInt)
	require.Greater(t, e.Tally.Scenes[0].Rate(TimedOut), 0.3)
	c.n = 30
	e.Run(410*second, math.MaxInt)
	e.Tally.Reset()
	e.Run(470*second, math.MaxInt)
	require.Less(t, e.Tally.Scenes[0].Rate(TimedOut), 0.01, "ten seconds after the gear fell")
}

func TestTimeoutsAreCountedAtTheCaller(t *testing.T) {
	t.Parallel()
	var entries, edges [outcomes]int64
	var longest int64
	e := engine(80, &tags{log: func(v *Visit, res Result) {
		switch v.Point {
		case Entry:
			entries[res.Outcome]++
			limit := int64(k2Timeout)
			if v.Scene == 1 {
				limit = int64(feedsTimeout)
			}
			if res.Elapsed > limit || (res.Outcome == TimedOut) != (res.Elapsed == limit) {
				t.Errorf("%v after %v", res.Outcome, time.Duration(res.Elapsed))
			}
			if res.Outcome != OK && res.Earned != 0 {
				t.Error("a lost request earned something")
			}
		case CreativeEdge:
			edges[res.Outcome]++
			longest = max(longest, res.Elapsed)
		}
	}})
	e.Run(400*second, math.MaxInt)
	var tally [outcomes]int64
	for _, s := range e.Tally.Scenes {
		for o, n := range s.Outcomes {
			tally[o] += n
		}
	}
	require.Equal(t, tally, entries, "the point in front sees what the tally counts")
	require.Positive(t, entries[TimedOut])
	require.Positive(t, edges[TimedOut])
	require.Equal(t, int64(120*time.Millisecond), longest, "nobody waits longer for an external edge")
}

// edgeTimeout is a caller with a patience of its own.
type edgeTimeout struct {
	Free
	timeout time.Duration
}

func (c *edgeTimeout) Begin(v *Visit, r *Reading) {
	if v.Point == CreativeEdge {
		r[0] = float64(c.timeout)
	}
}

func TestAnEdgeWithoutPatienceIsFasterAndEarnsLess(t *testing.T) {
	long, short := run(40, &edgeTimeout{timeout: 300 * time.Millisecond}), run(40, &edgeTimeout{timeout: 5 * time.Millisecond})
	a, b := &long.Tally.Scenes[0], &short.Tally.Scenes[0]
	require.Less(t, b.Mean(), a.Mean())
	require.Less(t, b.Value/b.Offered, a.Value/a.Offered)
	require.Zero(t, b.Rate(Failed), "a missing creative fails nobody")
}

func TestEveryBeginHasItsEnd(t *testing.T) {
	c := &tags{starts: map[int32]Visit{}}
	ends := 0
	c.log = func(v *Visit, res Result) {
		ends++
		s, ok := c.starts[v.ID]
		if !ok {
			t.Fatalf("visit %d ended but never began", v.ID)
		}
		if s.Machine != v.Machine || s.Point != v.Point || s.Key != v.Key || s.Scene != v.Scene {
			t.Fatalf("began as %+v, ended as %+v", s, *v)
		}
		if v.Now-s.Now != res.Elapsed {
			t.Fatalf("%v by the clock, %v reported", v.Now-s.Now, res.Elapsed)
		}
		delete(c.starts, v.ID)
	}
	e := engine(90, c)
	e.Run(300*second, math.MaxInt)
	e.SetRate(0)
	e.Run(400*second, math.MaxInt)
	require.Empty(t, c.starts)
	require.Zero(t, e.InFlight(), "a silent engine is empty")
	require.Empty(t, e.heap.items)
	require.Greater(t, ends, 100_000)
}

func TestLimitBoundsAMachine(t *testing.T) {
	m := Standard(1)
	for i := range m.Apps {
		m.Apps[i].Limit = min(m.Apps[i].Limit, 12)
	}
	e := NewEngine(Config{Model: m, Controls: Free{}, Workload: WorkloadConfig{Trace: Conversation(), Rate: 40, Seed: 1}})
	for range 600 {
		e.Run(e.Now()+second/10, math.MaxInt)
		for i := range e.machines {
			require.LessOrEqual(t, e.machines[i].holds(), 12)
		}
	}
	require.Positive(t, e.Tally.Scenes[0].Outcomes[Failed], "a refused call fails its request")
}

func TestASlowMachineIsSlow(t *testing.T) {
	slow := (0*6 + SN) * 3 // the first sn machine in sh
	var sum, n [3]float64
	e := NewEngine(Config{
		Model: Standard(3), Slow: map[int]float64{slow: 1.4},
		Workload: WorkloadConfig{Trace: Conversation(), Rate: 30, Seed: 1},
		Controls: &tags{log: func(v *Visit, res Result) {
			if i := int(v.Machine) - slow; v.Point == Rank && i >= 0 && i < 3 {
				sum[i] += float64(res.Elapsed)
				n[i]++
			}
		}},
	})
	e.Run(300*second, math.MaxInt)
	require.Greater(t, sum[0]/n[0], 1.3*sum[1]/n[1])
	require.InEpsilon(t, sum[1]/n[1], sum[2]/n[2], 0.1)
}

func TestRunStopsAtItsLimit(t *testing.T) {
	e := engine(40, Free{})
	require.Equal(t, 100, e.Run(10*second, 100))
	require.Less(t, e.Now(), 10*second)
	require.Less(t, e.Run(10*second, math.MaxInt), math.MaxInt)
	require.Equal(t, 10*second, e.Now())
}
