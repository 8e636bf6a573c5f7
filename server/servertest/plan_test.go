package servertest_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/servertest"
)

// peakPlan is a plan whose first step sets a level of point recall at an instant
// for a while, and whose second holds another level after it.
func peakPlan(name string, at time.Time, hold time.Duration) string {
	return fmt.Sprintf(`{"name":%q,"zone":"Asia/Shanghai","owner":"ann","executor":"bob","purpose":"midnight","steps":[
	{"name":"midnight-gears","at":%q,"until":"second","set":[{"app":"sn","point":"recall","level":3}]},
	{"name":"second","after":"midnight-gears","offset":%q,"until":"auto-gears","set":[{"app":"sn","point":"recall","level":5}]},
	{"name":"auto-gears","do":"auto","after":"second","offset":%q}]}`, name, wall(at), hold, hold)
}

func wall(at time.Time) string {
	zone, _ := time.LoadLocation("Asia/Shanghai")
	return at.In(zone).Format("2006-01-02 15:04:05")
}

// soon is a whole second at least d ahead.
func soon(d time.Duration) time.Time { return time.Now().Add(d + time.Second).Truncate(time.Second) }

// approve saves and approves a plan.
func approve(t testing.TB, c *servertest.Client, document string) api.PlanDetail {
	t.Helper()
	var p api.PlanDetail
	c.Do(http.MethodPost, "/plans", document, &p)
	c.Do(http.MethodPost, "/plans/"+p.Name+"/approve", api.Reason{Reason: "looks right"}, &p)
	return p
}

// awaitStaged waits until every agent holds the plan's steps.
func awaitStaged(t testing.TB, c *servertest.Client, name string, agents int) {
	t.Helper()
	servertest.Eventually(t, "every agent holds the steps beforehand", func() bool {
		var p api.PlanDetail
		c.Do(http.MethodGet, "/plans/"+name, nil, &p)
		return p.Staging.Held == agents && len(p.Staging.Lacking) == 0
	})
}

// transitions lists when a machine's level came to be, from an instant on.
func transitions(m *servertest.Machine, from time.Time) (levels []int, at []time.Time) {
	last := -1
	for _, x := range m.Log() {
		if x.Level == last {
			continue
		}
		last = x.Level
		if x.At.After(from) {
			levels, at = append(levels, x.Level), append(at, x.At)
		}
	}
	return levels, at
}

// requireOnTime: every machine went through the steps once, within a bound of
// their instants.
func requireOnTime(t *testing.T, ms servertest.Machines, from time.Time, within time.Duration, want map[int]time.Time, order []int) {
	t.Helper()
	for _, m := range ms {
		levels, at := transitions(m, from)
		require.Equal(t, order, levels, "%s: one transition a step", m.Name)
		for i, l := range levels {
			late := at[i].Sub(want[l])
			require.Less(t, late.Abs(), within, "%s reached level %d %v from its instant", m.Name, l, late)
		}
	}
}

// TestR01: the controller is killed two seconds before a planned instant and
// started again. Each machine makes one transition a step, on time; "fire" stands
// in the log once a step.
func TestR01(t *testing.T) {
	dir := t.TempDir()
	p, network, ms := serve(t, dir)
	c := p.Client()
	at := soon(8 * time.Second)
	const hold = 6 * time.Second
	approve(t, c, peakPlan("double-11", at, hold))
	awaitStaged(t, c, "double-11", len(ms))
	from := time.Now()
	time.Sleep(time.Until(at.Add(-2 * time.Second)))
	p.Kill()
	p = servertest.Start(t, dir, "serve")
	c = p.Client()
	network.Lead(p.Local().AgentsAddr)
	time.Sleep(time.Until(at.Add(2*hold + time.Second)))
	ms.Await(t, "the level before the plan", 1, servertest.Level(8))
	requireOnTime(t, ms, from, 2*time.Second, map[int]time.Time{3: at, 5: at.Add(hold), 8: at.Add(2 * hold)}, []int{3, 5, 8})
	servertest.Eventually(t, "the log says that every step fired, once", func() bool {
		var log struct{ Items []api.AuditEntry }
		c.Do(http.MethodGet, "/audit?kind=plan&verb=fire&limit=50", nil, &log)
		require.LessOrEqual(t, len(log.Items), 3)
		return len(log.Items) == 3
	})
}

// TestR03: every controller is gone from before the plan's start to after its
// end. Every machine makes both steps by itself and ends them.
func TestR03(t *testing.T) {
	dir := t.TempDir()
	p, _, ms := serve(t, dir)
	c := p.Client()
	at := soon(5 * time.Second)
	const hold = 3 * time.Second
	approve(t, c, peakPlan("double-11", at, hold))
	awaitStaged(t, c, "double-11", len(ms))
	from := time.Now()
	require.True(t, from.Before(at))
	p.Kill()
	time.Sleep(time.Until(at.Add(2*hold + 500*time.Millisecond)))
	requireOnTime(t, ms, from, time.Second, map[int]time.Time{3: at, 5: at.Add(hold), 8: at.Add(2 * hold)}, []int{3, 5, 8})
	for _, m := range ms {
		require.Equal(t, gear.RungStaged, m.Now().Rung)
	}
}
