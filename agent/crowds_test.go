package agent_test

import (
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/agenttest"
	"github.com/allspark/allspark/proto/gear"
)

// queue is one machine with one point: RT = (fixed + slope·tags·load)·noise/(1-ρ),
// with ρ from the work of the last second. It sees parameters, never levels.
type queue struct {
	fixed, slope, noise float64       // µs, µs a tag and ad, sd of ln
	rho                 atomic.Uint64 // bits of a share: the agent reads it as its CPU
	rng                 *rand.Rand
}

// second plays a second of traffic through the agent and gives the mean RT.
func (q *queue) second(b *bench, scene agent.Scene, rate int, request func(load float64) agent.Request) time.Duration {
	var sum time.Duration
	var work float64
	for range rate {
		load := 20 * math.Exp(0.7*q.rng.NormFloat64())
		d := b.pt.Begin(scene, request(load))
		own := q.fixed + q.slope*float64(b.tags.Get(&d))*load
		work += own
		rt := time.Duration(own / (1 - q.load()) * math.Exp(q.noise*q.rng.NormFloat64()-q.noise*q.noise/2) * 1000)
		sum += rt
		d.End(agent.Result{Elapsed: rt})
	}
	q.rho.Store(math.Float64bits(min(work/1e6/8, 0.97))) // eight cores
	time.Sleep(time.Second)
	return sum / time.Duration(rate)
}

func (q *queue) load() float64 { return math.Float64frombits(q.rho.Load()) }

func byLoad(load float64) agent.Request { return agent.Request{Load: load} }

func newQueue() *queue {
	return &queue{fixed: 800, slope: 1.6, noise: 0.3, rng: rand.New(rand.NewPCG(3, 4))}
}

// An agent against a queue holds the available RT over a doubling of load: every
// crowd with enough requests has its mean at or under it, light requests lose
// nothing, and the report tells all of it.
func TestCrowdsHoldTheAvailableRT(t *testing.T) {
	const available = 8 * time.Millisecond
	q := newQueue()
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		b.cfg.CPU = q.load
		require.NoError(t, b.ag.Close())
		b.start(t)
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		require.Contains(t, b.Hellos()[len(b.Hellos())-1].Capabilities, "crowd_rt")
		b.Levels("recall", rows(20)...)
		b.held(t, b.SetCrowds("*", "recall", 20, available))
		k2 := b.ag.Scene("k2")
		play := func(seconds, rate int) (mean time.Duration) {
			for range seconds {
				mean += q.second(b, k2, rate, byLoad) / time.Duration(seconds)
			}
			return mean
		}
		play(200, 500)
		require.LessOrEqual(t, play(30, 500), available*103/100)
		before := len(b.Reports())
		play(90, 1000)
		require.LessOrEqual(t, play(30, 1000), available*103/100, "after load doubled")

		// Over the last half minute, by crowd.
		type crowd struct {
			count, below int64
			sum          time.Duration
			last         gear.CrowdReport
		}
		var crowds [16]crowd
		var whole, of int64
		reasons := 0
		reports := b.Reports()
		for _, r := range reports[len(reports)-30:] {
			for _, p := range r.Points {
				require.Equal(t, available, p.AvailableRT)
				require.Positive(t, p.FitResidual)
				whole += p.Count
				for _, c := range p.Crowds {
					x := &crowds[c.Crowd]
					x.count += c.Count
					x.below += c.Downgraded
					x.sum += c.RTSum
					x.last = c
					of += c.Count
					if c.Reason != "" {
						reasons++
					}
					require.InDelta(t, 0.5, c.Needless, 0.5)
				}
			}
		}
		require.Greater(t, len(reports), before)
		require.Equal(t, whole, of, "every request is in one crowd")
		require.Positive(t, reasons)
		held := 0
		for k, c := range crowds {
			if c.count < 1500 {
				continue
			}
			mean := c.sum / time.Duration(c.count)
			require.LessOrEqual(t, mean, available*105/100, "crowd %d: %+v", k, c.last)
			if c.last.Bounded == "" && c.below > c.count*9/10 { // the rest is the hold-out
				require.Greater(t, mean, available*85/100, "crowd %d does less than it may: %+v", k, c.last)
				held++
			}
		}
		require.Positive(t, held, "some crowd is off its bounds: %+v", crowds)
		require.Zero(t, crowds[0].below, "light requests lose nothing")
	})
}

// The same holds with the app's own prediction in place of a load.
func TestAPredictionTakesTheLoadsPlace(t *testing.T) {
	q := newQueue()
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		b.Levels("recall", rows(20)...)
		b.held(t, b.SetCrowds("*", "recall", 20, 8*time.Millisecond))
		k2 := b.ag.Scene("k2")
		var last time.Duration
		for range 260 {
			last = q.second(b, k2, 800, func(load float64) agent.Request {
				return agent.Request{Load: agent.Predicted(time.Duration(q.fixed+q.slope*200*load) * time.Microsecond)}
			})
		}
		require.LessOrEqual(t, last, 8500*time.Microsecond)
		reports := b.Reports()
		require.Greater(t, len(reports[len(reports)-1].Points[0].Crowds), 1)
	})
}

func TestAPinHoldsEveryRequestAndItsEndGivesTheLoopBack(t *testing.T) {
	q := newQueue()
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		b.Levels("recall", rows(20)...)
		b.held(t, b.SetCrowds("*", "recall", 20, 8*time.Millisecond))
		k2 := b.ag.Scene("k2")
		levels := func() map[int]bool {
			out := map[int]bool{}
			for range 2000 {
				d := b.pt.Begin(k2, byLoad(20*math.Exp(0.7*q.rng.NormFloat64())))
				out[d.Level()] = true
			}
			return out
		}
		require.Equal(t, map[int]bool{20: true}, levels(), "a loop begins at the order's level")
		for range 200 {
			q.second(b, k2, 900, byLoad)
		}
		moved := levels()
		require.Greater(t, len(moved), 1)

		b.held(t, b.Pin("*", "recall", 7))
		require.Equal(t, map[int]bool{7: true}, levels(), "at once, hold-out included")
		b.held(t, b.SetCrowds("*", "recall", 20, 8*time.Millisecond))
		require.Greater(t, len(levels()), 1, "what the loop knew stays")

		// A restart begins at the order's level again.
		require.NoError(t, b.ag.Close())
		b.start(t)
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		k2 = b.ag.Scene("k2")
		time.Sleep(time.Second)
		require.Equal(t, map[int]bool{20: true}, levels())
	})
}

// Ten late calls in a hundred are too many where one is asked for: the edge's
// timeout grows until they are few, and shrinks again when the callee is quick.
func TestTheTimeoutOfAnEdgeFollowsItsRate(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		b.held(t, b.SetTimeout("*", "feature_call", 30*time.Millisecond))
		rng := rand.New(rand.NewPCG(5, 6))
		k2 := b.ag.Scene("k2")
		play := func(seconds int, median time.Duration) (rate float64, timeout time.Duration) {
			late, n := 0, 0
			for range seconds {
				for range 200 {
					d := b.call.Begin(k2, agent.Request{})
					timeout = d.Timeout()
					require.Equal(t, timeout, d.Timeout(), "one request, one timeout")
					rt := time.Duration(float64(median) * math.Exp(0.4*rng.NormFloat64()))
					n++
					if rt > timeout {
						late++
						d.End(agent.Result{Elapsed: timeout, Outcome: agent.Timeout})
					} else {
						d.End(agent.Result{Elapsed: rt})
					}
				}
				time.Sleep(time.Second)
			}
			return float64(late) / float64(n), timeout
		}
		play(300, 18*time.Millisecond)
		rate, slow := play(100, 18*time.Millisecond)
		require.InDelta(t, 0.01, rate, 0.004)
		require.Greater(t, slow, 35*time.Millisecond)
		play(300, 9*time.Millisecond)
		rate, quick := play(100, 9*time.Millisecond)
		require.InDelta(t, 0.01, rate, 0.004)
		require.Less(t, quick, slow*2/3)
	})
}

// Requests read one consistent rule while orders, pins and ticks come and go: a
// level is always one of its order's, and its parameter that of the level.
func TestRequestsAreConsistentWhileTheCrowdsMove(t *testing.T) {
	c := agenttest.NewController(agenttest.Options{})
	defer c.Close()
	ag := c.NewAgent(agent.Config{App: "sn", IDC: "et2"})
	p := ag.Point("recall")
	tags := p.Int("tag_count").Range(10, 200).Default(77)
	require.NoError(t, ag.Start(t.Context()))
	defer ag.Close()
	c.Levels("recall", rows(20)...)
	_, err := c.WaitAck(t.Context(), c.SetCrowds("*", "recall", 20, 2*time.Millisecond))
	require.NoError(t, err)
	var all sync.WaitGroup
	stop := make(chan struct{})
	for g := range 4 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(g), 1))
			k2 := ag.Scene("k2")
			for {
				select {
				case <-stop:
					return
				default:
				}
				d := p.Begin(k2, agent.Request{Load: 1 + 50*rng.Float64()})
				if l := int64(d.Level()); tags.Get(&d) != 10*l {
					t.Errorf("level %d reads %d", l, tags.Get(&d))
					return
				}
				d.End(agent.Result{Elapsed: time.Duration(rng.IntN(8)) * time.Millisecond})
			}
		})
	}
	for i := range 40 {
		var v gear.Version
		if i%4 == 3 {
			v = c.Pin("*", "recall", 1+i%20)
		} else {
			v = c.SetCrowds("*", "recall", 20-i%15, time.Duration(1+i%3)*time.Millisecond)
		}
		_, err := c.WaitAck(t.Context(), v)
		require.NoError(t, err)
	}
	close(stop)
	all.Wait()
}

func TestACrowdLoopAllocatesNothingOnTheRequestsPath(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		b.Levels("recall", rows(20)...)
		b.held(t, b.SetCrowds("*", "recall", 20, 8*time.Millisecond))
		k2 := b.ag.Scene("k2")
		allocs := testing.AllocsPerRun(1000, func() {
			d := b.pt.Begin(k2, agent.Request{Load: 12, Key: "u1"})
			_ = b.tags.Get(&d)
			d.End(agent.Result{Elapsed: time.Millisecond})
		})
		require.Zero(t, allocs)
	})
}

func TestTheDataDirIsMade(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.ag.Close())
		b.cfg.DataDir += "/not/yet"
		b.start(t)
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		b.Levels("recall", rows(3)...)
		b.held(t, b.SetLevel("*", "recall", 2))
		time.Sleep(2 * time.Second)
		require.NoError(t, b.ag.Status().Disk)
		require.NoError(t, b.ag.Close())
		require.DirExists(t, b.cfg.DataDir)
	})
}
