package lab

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestUsersAskAgainAndOfferNothingNew(t *testing.T) {
	offered := func(retries int) (value float64, count int64) {
		m := Standard(1)
		m.Apps[SN].Limit = 4
		e := NewEngine(Config{
			Model: m, Controls: Free{}, Users: Users{Retries: retries, RetryAfter: 500 * time.Millisecond},
			Workload: WorkloadConfig{Trace: Conversation(), Rate: 30, Seed: 1},
		})
		e.Run(60*second, math.MaxInt)
		e.SetRate(0)
		e.Run(120*second, math.MaxInt)
		require.Zero(t, e.InFlight())
		for _, s := range e.Tally.Scenes {
			value, count = value+s.Offered, count+s.Count()
		}
		return value, count
	}
	one, n := offered(0)
	two, more := offered(2)
	require.InEpsilon(t, one, two, 1e-9)
	require.Greater(t, more, n*11/10)
}

func TestSpreadKeepsTheMeanAndChangesTheTail(t *testing.T) {
	sums := func(spread, blur float64) (mean, square float64) {
		n := 0.0
		e := NewEngine(Config{
			Model: Standard(1), Users: Users{Spread: spread, Blur: blur},
			Workload: WorkloadConfig{Trace: Conversation(), Rate: 100, Seed: 1},
			Controls: &tags{log: func(v *Visit, _ Result) {
				if v.Point == Entry {
					mean, square, n = mean+v.Load, square+v.Load*v.Load, n+1
				}
			}},
		})
		e.Run(200*second, math.MaxInt)
		return mean / n, square / n
	}
	m, sq := sums(0, 0)
	tight, tightSq := sums(0.3, 0)
	blurred, blurredSq := sums(0, 0.8)
	require.InEpsilon(t, m, tight, 0.06)
	require.InEpsilon(t, m, blurred, 0.06)
	require.Less(t, tightSq, 0.8*sq)
	require.Greater(t, blurredSq, 1.5*sq)
}

func TestRefusedVisitsEndAtOnce(t *testing.T) {
	c := &refuser{}
	e := engine(40, c)
	e.Run(20*second, math.MaxInt)
	require.Positive(t, c.refused)
	var failed int64
	for _, s := range e.Tally.Scenes {
		failed += s.Outcomes[Failed]
	}
	require.InDelta(t, c.refused, failed, 20, "a request whose call is refused fails, in the time of the way back")
}

type refuser struct {
	Free
	n, refused int
}

func (c *refuser) Begin(v *Visit, _ *Reading) {
	if v.Point == Recall {
		c.n++
		v.Refuse = c.n%3 == 0
	}
}

func (c *refuser) End(v *Visit, res Result) {
	if v.Point == Recall && res.Outcome == Refused {
		c.refused++
	}
}

func TestCoresComeAndGo(t *testing.T) {
	for _, app := range []int{SN, Feature} { // sharing, and a queue
		e := engine(60, Free{})
		mean := func(from int64) time.Duration {
			e.Tally.Reset()
			e.Run(from+40*second, math.MaxInt)
			return e.Tally.Scenes[0].Mean()
		}
		set := func(cores int) {
			for m := range e.machines {
				if a, _, _ := e.model.Place(m); a == app {
					e.SetCores(m, cores)
				}
			}
			e.Run(e.Now()+10*second, math.MaxInt)
		}
		base := e.model.Apps[app].Cores
		few, many := base/2, base*2
		set(few)
		slow := mean(e.Now())
		set(many)
		fast := mean(e.Now())
		require.Less(t, fast, slow)
		e.SetRate(0)
		e.Run(e.Now()+60*second, math.MaxInt)
		require.Zero(t, e.InFlight())
	}
}

func TestJudgeKnowsWhoWasDowngraded(t *testing.T) {
	m := Standard(1)
	run := func(level float64, target float64) PointTally {
		j := &Judge{Tops: make([]Reading, len(m.Points)), Targets: make([]float64, len(m.Points))}
		j.Tops[Recall][0], j.Targets[Recall] = 100, target
		e := NewEngine(Config{Model: m, Judge: j, Controls: &tags{n: level}, Workload: WorkloadConfig{Trace: Conversation(), Rate: 10, Seed: 1}})
		e.Run(60*second, math.MaxInt)
		return e.Tally.Points[Recall]
	}
	top := run(100, 1e12)
	require.Positive(t, top.Judged)
	require.Zero(t, top.Downgraded)
	down := run(50, 1e12)
	require.Equal(t, down.Judged, down.Downgraded)
	require.Equal(t, down.Judged, down.Needless, "everybody would have been within an endless target")
	require.Zero(t, run(50, 1).Needless)
}
