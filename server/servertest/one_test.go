package servertest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/servertest"
	"github.com/allspark/allspark/server/storetest/services"
)

// TestReplicasActAsOne: two controllers on one PostgreSQL, and an app that only the
// one serves which does not decide. Whoever is asked shows every agent, point and
// acknowledgement; orders reach all; a ban counts everywhere. Then the one that
// decides is killed, and the database after it.
func TestReplicasActAsOne(t *testing.T) {
	database := services.Durable(t)
	dsn := database.Database(t)
	start := func() *servertest.Program {
		return servertest.Start(t, t.TempDir(), "serve", "--database", dsn, "--lease.ttl", "6s", "--agents.clock_interval", "1s")
	}
	one := start()
	c1 := one.Client()
	decides(t, c1, time.Time{})
	two := start()
	c2 := two.Client()
	both := []*servertest.Client{c1, c2}

	c1.Publish(servertest.Recall("recall-tags", 100))
	c1.Bind("recall-tags", "sn", "recall")
	c1.Bind("recall-tags", "rank", "recall")
	var ms servertest.Machines
	add := func(app string, n int, first, second *servertest.Program) {
		for i := range n {
			ms = append(ms, servertest.NewMachine(servertest.MachineConfig{Config: agent.Config{
				App: app, IDC: "na61", Instance: fmt.Sprintf("%s-%d", app, i), EnrolToken: one.Local().EnrolToken,
				Address: first.Local().AgentsAddr + "," + second.Local().AgentsAddr,
			}}))
		}
	}
	add("sn", 3, one, two)
	add("rank", 3, two, one)
	ms.Start(t)
	stop := make(chan struct{})
	defer close(stop)
	go func() { // some traffic, so that points have figures
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				for _, m := range ms {
					m.Serve(5 * time.Millisecond)
				}
			}
		}
	}()
	took := ms.Await(t, "orders for points that only the other serves", 1, servertest.Level(8))
	t.Logf("orders reach all after %v", took.Round(time.Millisecond))

	current := func(c *servertest.Client, by map[string]int) bool {
		n, replicas := 0, map[string]int{}
		for _, a := range c.Agents(t) {
			if a.State == "connected" && a.Current {
				n++
				replicas[a.Replica]++
			}
		}
		if n != len(ms) || len(replicas) != len(by) {
			return false
		}
		for r, want := range by {
			if replicas[r] != want {
				return false
			}
		}
		return len(c.Agents(t)) == len(ms) // none twice
	}
	r1, r2 := c1.State().Replica, c2.State().Replica
	for i, c := range both {
		servertest.Eventually(t, fmt.Sprintf("controller %d shows all agents and who serves them", i+1), func() bool {
			return current(c, map[string]int{r1: 3, r2: 3})
		})
		servertest.Eventually(t, fmt.Sprintf("controller %d shows the figures of all points", i+1), func() bool {
			var p api.Page[api.PointState]
			c.Do(http.MethodGet, "/points", nil, &p)
			whole := 0
			for _, x := range p.Items {
				if x.Scene == "k2" && x.Recent != nil && x.Recent.Agents == 3 && x.Recent.Count > 0 {
					whole++
				}
			}
			return whole == 2
		})
		servertest.Eventually(t, fmt.Sprintf("controller %d shows each machine of a point", i+1), func() bool {
			for _, app := range []string{"sn", "rank"} {
				var p api.Page[api.PointAgent]
				c.Do(http.MethodGet, "/points/k2/na61/"+app+"/recall/agents", nil, &p)
				if len(p.Items) != 3 {
					return false
				}
			}
			return true
		})
	}

	t.Log("a change at the one that follows reaches all, and both count who holds it")
	c2.Hold("*", "*", 4, time.Hour)
	ms.Await(t, "the level comes", 1, servertest.Level(4))
	progressed := func(clients ...*servertest.Client) {
		t.Helper()
		for i, c := range clients {
			servertest.Eventually(t, fmt.Sprintf("controller %d counts every acknowledgement", i+1), func() bool {
				for _, app := range []string{"sn", "rank"} {
					var page api.Page[api.Change]
					c.Do(http.MethodGet, "/changes?limit=1&app="+app, nil, &page)
					if len(page.Items) != 1 {
						return false
					}
					var p api.Progress
					a, err := c.Try(http.MethodGet, "/changes/"+strconv.FormatInt(page.Items[0].Version.Revision, 10)+"/progress", nil)
					if err != nil || a.Status != http.StatusOK {
						return false
					}
					require.NoError(t, json.Unmarshal(a.Body, &p))
					if p.Of != 3 || p.Hold != 3 {
						return false
					}
				}
				return true
			})
		}
	}
	progressed(both...)

	t.Log("a ban at one cuts the stream at the other, and lasts until it is lifted")
	banned := time.Now()
	c1.Do(http.MethodPost, "/agents/rank-0/ban", api.Reason{Reason: "bad disk"}, nil)
	servertest.Eventually(t, "its stream is cut", func() bool { return containsAll(two.Output(), "agent cut", "rank-0", "banned: bad disk") })
	t.Logf("cut %v after the ban", time.Since(banned).Round(time.Millisecond))
	require.Equal(t, "banned", c2.Agent("rank-0").State)
	c2.Do(http.MethodPost, "/agents/rank-0/unban", api.Reason{Reason: "new disk"}, nil)
	servertest.Eventually(t, "it is back", func() bool { return c1.Agent("rank-0").State == "connected" && c2.Agent("rank-0").State == "connected" })

	t.Log("kill the one that decides")
	led := c1.State().Lease // unless a busy machine made it lose the lease before
	killed := time.Now()
	one.Kill()
	took = decides(t, c2, killed)
	t.Logf("the other decides %v after", took.Round(time.Millisecond))
	servertest.Eventually(t, "all agents are at the other, and shown so", func() bool { return current(c2, map[string]int{r2: 6}) })
	t.Logf("all agents are there %v after", time.Since(killed).Round(time.Millisecond))
	if led.Mine {
		require.Greater(t, c2.State().Lease.Epoch, led.Epoch)
	}
	c2.Hold("*", "*", 6, time.Hour)
	ms.Await(t, "a level set now comes", 1, servertest.Level(6))
	progressed(c2)

	t.Log("a third comes, and the database crashes: what is not logged there is told again")
	three := start()
	c3 := three.Client()
	servertest.Eventually(t, "the newcomer shows all agents", func() bool { return current(c3, map[string]int{r2: 6}) })
	database.Kill(t)
	database.Restart(t)
	servertest.Eventually(t, "both show all agents again", func() bool {
		for _, c := range []*servertest.Client{c2, c3} {
			if a, err := c.Try(http.MethodGet, "/agents", nil); err != nil || a.Status != http.StatusOK {
				return false
			}
			if !current(c, map[string]int{r2: 6}) {
				return false
			}
		}
		return true
	})
	restarted := time.Now()
	servertest.Eventually(t, "one of them decides again", func() bool {
		for _, c := range []*servertest.Client{c2, c3} {
			if l := c.State().Lease; l.Mine && l.Decided != nil && l.Decided.After(restarted) {
				return true
			}
		}
		return false
	})
	c3.Hold("*", "*", 3, time.Hour)
	ms.Await(t, "and orders go on", 1, servertest.Level(3))
}
