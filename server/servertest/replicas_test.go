package servertest_test

import (
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/servertest"
	"github.com/allspark/allspark/server/storetest/services"
)

const leaseTTL = 2 * time.Second

// decides waits until a controller leads and tells how long after since.
func decides(t *testing.T, c *servertest.Client, since time.Time) time.Duration {
	servertest.Eventually(t, "it decides", func() bool {
		l := c.State().Lease
		return l.Mine && l.Decided != nil && l.Decided.After(since)
	})
	return time.Since(since)
}

// TestReplicas: two controllers on one PostgreSQL. The second waits for the lease
// and says so; it decides when the first is killed; a controller that was frozen
// while another led gets nothing past the fence. Agents know both addresses.
func TestReplicas(t *testing.T) {
	dsn := services.Durable(t).Database(t)
	start := func() *servertest.Program {
		return servertest.Start(t, t.TempDir(), "serve", "--database", dsn,
			"--lease.ttl", leaseTTL.String(), "--agents.clock_interval", "1s")
	}
	one := start()
	c1 := one.Client()
	decides(t, c1, time.Time{})
	two := start()
	c2 := two.Client()
	servertest.Eventually(t, "the second waits and says for whom", func() bool {
		l := c2.State().Lease
		return !l.Mine && l.Waiting != "" && l.Holder == c1.State().Lease.Holder
	})
	servertest.Eventually(t, "the second logs that it waits", func() bool {
		return containsAll(two.Output(), "waiting for the lease", c1.State().Lease.Holder)
	})
	t.Logf("the second says: %s", c2.State().Lease.Waiting)

	c1.Publish(servertest.Recall("recall-tags", 100))
	c1.Bind("recall-tags", "sn", "recall")
	var ms servertest.Machines
	for i := range 6 {
		ms = append(ms, servertest.NewMachine(servertest.MachineConfig{Config: agent.Config{
			App: "sn", IDC: "na61", Instance: fmt.Sprintf("sn-%d", i), EnrolToken: one.Local().EnrolToken,
			Address: one.Local().AgentsAddr + "," + two.Local().AgentsAddr,
		}}))
	}
	ms.Start(t)
	ms.Await(t, "orders come", 1, servertest.Level(8))
	c2.Hold("sn", "*", 4, time.Hour)
	ms.Await(t, "an edit at the second is decided by the first", 1, servertest.Level(4))

	t.Log("freeze the first past its lease: the second leads, and the first's return changes nothing")
	frozen := time.Now()
	one.Signal(syscall.SIGSTOP)
	took := decides(t, c2, frozen)
	t.Logf("the second decides %v after the first froze", took.Round(time.Millisecond))
	require.Less(t, took, leaseTTL+2*time.Second+slack)
	epoch := c2.State().Lease.Epoch
	c2.Hold("sn", "*", 5, time.Hour)
	ms.Await(t, "agents of the frozen one come over", 1, servertest.Level(5))
	one.Signal(syscall.SIGCONT)
	servertest.Eventually(t, "the first knows that it no longer leads", func() bool {
		l := c1.State().Lease
		return !l.Mine && l.Epoch == epoch
	})
	c1.Hold("sn", "*", 6, time.Hour)
	ms.Await(t, "an edit at the first is decided by the second", 1, servertest.Level(6))

	t.Log("kill the second: the first decides again, and agents come back to it")
	killed := time.Now()
	two.Kill()
	took = decides(t, c1, killed)
	t.Logf("the first decides %v after the second was killed", took.Round(time.Millisecond))
	require.Less(t, took, leaseTTL+2*time.Second+slack)
	require.Greater(t, c1.State().Lease.Epoch, epoch)
	c1.Hold("sn", "*", 3, time.Hour)
	ms.Await(t, "agents of the killed one come over", 1, servertest.Level(3))
	servertest.Eventually(t, "all agents are connected to the first", func() bool {
		connected := 0
		for _, a := range c1.Agents(t) {
			if a.State == "connected" && a.Current {
				connected++
			}
		}
		return connected == len(ms)
	})

	var changes api.Page[api.Change]
	c1.Do(http.MethodGet, "/changes?app=sn&idc=na61&limit=500", nil, &changes)
	require.GreaterOrEqual(t, len(changes.Items), 5)
	for i, x := range changes.Items[1:] { // newest first
		newer := changes.Items[i]
		require.Greater(t, newer.Version.Revision, x.Version.Revision)
		require.GreaterOrEqual(t, newer.Version.Epoch, x.Version.Epoch, "the epoch never falls in the journal")
		require.False(t, newer.At.Before(x.At))
	}
}
