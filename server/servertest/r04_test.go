package servertest_test

import (
	"math"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/servertest"
	"github.com/allspark/allspark/server/storetest/services"
)

const (
	rankers   = 10
	quotaRate = 100.0    // requests a second of each
	quotaAll  = 100000.0 // candidates a second: a base of 100
	ttl       = 500 * time.Millisecond
)

// budget is a controller as a process of its own, with rankers.
type budget struct {
	t       *testing.T
	dir     string
	args    []string
	program *servertest.Program
	network *servertest.Network
	rankers servertest.Rankers
	calm    time.Duration // p99.9 of Take while all is well
}

func newBudget(t *testing.T, args ...string) *budget {
	b := &budget{t: t, dir: t.TempDir(), args: append([]string{"--lease.ttl", "2s"}, args...)}
	b.program = servertest.Start(t, b.dir, "serve", b.args...)
	b.program.Client().Group(quotaAll)
	b.network = servertest.NewNetwork(b.program.Local().AgentsAddr)
	b.rankers = servertest.Rank(t, b.network, b.program.Local().EnrolToken, rankers, quotaRate)
	b.settled("at first")
	b.rankers.Waits()
	time.Sleep(2 * time.Second)
	_, b.calm, _ = b.rankers.Waits()
	return b
}

// settled waits until everybody obeys a base that meets the budget.
func (b *budget) settled(when string) {
	b.t.Helper()
	servertest.Eventually(b.t, "the base meets the budget "+when, func() bool {
		_, live := b.rankers.Bases(gear.QuotaLive)
		return live == rankers && b.rankers.Near(quotaAll/rankers/quotaRate, 0.2)
	})
}

// lost holds a fault to its promise: everybody is on its own within the TTL, on
// no more than before, and no request waits.
func (b *budget) lost(fault string, at time.Time) {
	b.t.Helper()
	before := 0.0
	bases, _ := b.rankers.Bases(gear.QuotaLive)
	for _, x := range bases {
		before = max(before, x)
	}
	servertest.Eventually(b.t, "everybody falls back after "+fault, func() bool {
		_, n := b.rankers.Bases(gear.QuotaFallback)
		return n == rankers
	})
	worst := time.Duration(0)
	for i := range b.rankers.All {
		for _, h := range b.rankers.Log(i, at) {
			if h.Rung == gear.QuotaFallback {
				worst = max(worst, h.At.Sub(at))
				require.LessOrEqual(b.t, h.Base, max(before*1.05, 1), "min(last, default)")
				break
			}
		}
	}
	// A frame may have been on its way when the fault came; the rest is the slack
	// of a busy machine, and of the look every 5 ms.
	require.Less(b.t, worst, ttl+200*time.Millisecond+slack)
	time.Sleep(time.Second)
	n, p999, longest := b.rankers.Waits()
	require.Greater(b.t, n, 100)
	b.t.Logf("%s: everybody fell back within %v; %d requests, p99.9 of Take %v (calm %v), longest %v", fault, worst, n, p999, b.calm, longest)
	require.Less(b.t, p999-b.calm, time.Millisecond, "no request waits")
}

// TestR04: Redis is killed, then made a black hole. Agents fall back by themselves
// and come back by themselves, and no request waits.
func TestR04(t *testing.T) {
	redis := services.OwnRedis(t)
	b := newBudget(t, "--redis.url", redis.URL)

	at := time.Now()
	redis.Kill(t)
	b.lost("Redis was killed", at)
	st := b.program.Client().Quota().Status
	require.Equal(t, "lost", st.State)
	require.Contains(t, st.Trouble, "window")
	require.Equal(t, rankers, st.Crew.Fallback, "the controller is told")
	redis.Start(t)
	b.settled("after Redis came back empty")

	b.rankers.Waits()
	at = time.Now()
	redis.Stop(t)
	b.lost("Redis was stopped", at)
	redis.Resume(t)
	b.settled("after Redis went on")
}

// TestR26: when the signal returns the base rises slew-limited, and falls at once.
func TestR26(t *testing.T) {
	b := newBudget(t)
	b.program.Signal(syscall.SIGSTOP)
	servertest.Eventually(t, "everybody falls back", func() bool {
		_, n := b.rankers.Bases(gear.QuotaFallback)
		return n == rankers
	})
	bases, _ := b.rankers.Bases(gear.QuotaFallback)
	back := time.Now()
	b.program.Signal(syscall.SIGCONT)
	b.settled("after the controller went on")
	returned := 0
	for i := range b.rankers.All {
		for _, h := range b.rankers.Log(i, back) {
			if h.Rung == gear.QuotaReturning && h.Base > bases[i] {
				// A base is seen after it came into force, so that the time since the
				// signal came back is never too short; a step covers the frame before.
				dt := h.At.Sub(back).Seconds() + 0.25
				require.LessOrEqual(t, math.Log(h.Base/bases[i]), 0.5*1.2*dt, "ln units a second")
				returned++
			}
		}
	}
	require.GreaterOrEqual(t, returned, rankers, "they were seen on their way back")

	// Falls at once: ten times the load.
	at := time.Now()
	b.rankers.SetRate(10 * quotaRate)
	servertest.Eventually(t, "the base falls", func() bool { return b.rankers.Near(quotaAll/rankers/quotaRate/10, 0.25) })
	t.Logf("ten times the load: every base within 25 %% after %v", time.Since(at))
}

// TestQuotaControllerKilled: the controller dies, comes back, and takes the base
// over from what the group consumes.
func TestQuotaControllerKilled(t *testing.T) {
	b := newBudget(t)
	at := time.Now()
	b.program.Kill()
	b.lost("the controller was killed", at)
	b.program = servertest.Start(t, b.dir, "serve", b.args...)
	b.network.Lead(b.program.Local().AgentsAddr)
	b.settled("after the controller came back")
}

// TestQuotaBothGone: Redis and the controller die together.
func TestQuotaBothGone(t *testing.T) {
	redis := services.OwnRedis(t)
	b := newBudget(t, "--redis.url", redis.URL)
	at := time.Now()
	b.program.Kill()
	redis.Kill(t)
	b.lost("both were killed", at)
	b.program = servertest.Start(t, b.dir, "serve", b.args...)
	b.network.Lead(b.program.Local().AgentsAddr)
	time.Sleep(2 * time.Second)
	_, live := b.rankers.Bases(gear.QuotaLive)
	require.Zero(t, live, "a controller without a window sends nothing")
	redis.Start(t)
	b.settled("after both came back")
}
