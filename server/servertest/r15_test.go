package servertest_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/server/servertest"
)

// skewed starts machines at each controller: one whose clock is right, and others
// whose clocks are off by what is given.
func skewed(t *testing.T, token string, to []string, skews ...time.Duration) servertest.Machines {
	var ms servertest.Machines
	for k, address := range to {
		for i, skew := range append([]time.Duration{0}, skews...) {
			ms = append(ms, servertest.NewMachine(servertest.MachineConfig{Skew: skew, Config: agent.Config{
				App: "sn", IDC: "na61", Instance: fmt.Sprintf("sn-%d-%d", k, i), EnrolToken: token, Address: address, DataDir: t.TempDir(),
			}}))
		}
	}
	ms.Start(t)
	return ms
}

// TestR15: clocks are five minutes off, of machines and of a controller. Every
// machine fires at reference time, also those that only hear the controller whose
// clock is off; that controller refuses the lease and says why.
func TestR15(t *testing.T) {
	const off = 5 * time.Minute
	cfg := servertest.Settings(t.TempDir())
	good := servertest.Serve(t, cfg)
	other := servertest.Settings(t.TempDir())
	other.Database, other.Replica, other.ClockOffset = cfg.DSN(), "skewed", off
	bad := servertest.Serve(t, other)
	servertest.Eventually(t, "one leads, the other says that its clock is off", func() bool {
		return good.State().Lease.Mine && containsAll(bad.State().Lease.Waiting, "5m0", "from reference time")
	})

	good.Publish(servertest.Recall("recall-tags", 100))
	good.Bind("recall-tags", "sn", "recall")
	ms := skewed(t, good.App.Local().EnrolToken, []string{good.App.GRPCAddr(), bad.App.GRPCAddr()}, off, -off)
	ms.Await(t, "orders come", 1, servertest.Level(8))
	at := soon(8 * time.Second)
	const hold = 3 * time.Second
	approve(t, good.Client, peakPlan("double-11", at, hold))
	for _, c := range []*servertest.Client{good.Client, bad.Client} {
		awaitStaged(t, c, "double-11", len(ms)/2) // each replica knows its own
	}
	from := time.Now()
	require.True(t, from.Before(at), "too slow to see the plan fire")
	time.Sleep(time.Until(at.Add(hold / 2)))

	t.Log("the good one goes away for good: the other does not take over, and the machines go on by themselves")
	good.Stop()
	time.Sleep(time.Until(at.Add(2*hold + time.Second)))
	requireOnTime(t, ms, from, time.Second, map[int]time.Time{3: at, 5: at.Add(hold), 8: at.Add(2 * hold)}, []int{3, 5, 8})
	require.False(t, bad.State().Lease.Mine)
	require.Contains(t, bad.State().Lease.Waiting, "from reference time")

	var a struct{ Items []struct{ Verb string } }
	bad.Do(http.MethodGet, "/audit?kind=plan&verb=fire&limit=50", nil, &a)
	require.Len(t, a.Items, 1, "only who leads writes, and it left after the first step")
}
