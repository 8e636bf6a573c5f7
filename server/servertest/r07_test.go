package servertest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/servertest"
)

// TestR07: one IDC is cut off while three edits are made. It keeps its last good
// gears; the others follow at once; healed, it goes straight to the final
// revision. No machine's version ever falls (Machines.Check).
func TestR07(t *testing.T) {
	s := servertest.Serve(t, servertest.Settings(t.TempDir()))
	network := servertest.NewNetwork(s.App.GRPCAddr())
	s.Publish(servertest.Recall("recall-tags", 100))
	s.Bind("recall-tags", "sn", "recall")
	all := servertest.Run(t, network, s.App.Local().EnrolToken, "sn", 5, "na61", "et2")
	lost, rest := all.In("na61"), all.In("et2")
	all.Await(t, "all machines serve the template's level", 1, servertest.Level(8))
	before := lost[0].Now()

	network.Cut("na61")
	servertest.Eventually(t, "the machines know that they are alone", func() bool {
		for _, m := range lost {
			if m.Status().Connected {
				return false
			}
		}
		return true
	})
	var slowest time.Duration
	for _, level := range []int{3, 5, 6} {
		s.Hold("sn", "*", level, time.Hour)
		slowest = max(slowest, rest.Await(t, "the others follow", 1, servertest.Level(level)))
		for _, m := range lost {
			now := m.Now()
			require.Equal(t, before.Level, now.Level, "what is held stays in force")
			require.Equal(t, gear.RungLastGood, now.Rung)
		}
	}
	t.Logf("the other IDC followed each edit within %v", slowest)
	servertest.Eventually(t, "the controller shows them as gone", func() bool {
		gone := 0
		for _, a := range s.Agents(t) {
			if a.IDC == "na61" && a.State != "connected" && !a.Current {
				gone++
			}
		}
		return gone == len(lost)
	})

	network.Heal("na61")
	lost.Await(t, "the cut-off machines come back", 1, servertest.Level(6))
	for _, m := range lost {
		for _, x := range m.Log() {
			require.NotContains(t, []int{3, 5}, x.Level, "%s went through an edit that was over", m.Name)
		}
	}
}
