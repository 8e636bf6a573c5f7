package servertest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/config"
	"github.com/allspark/allspark/server/servertest"
)

// BenchmarkPreset lowers a scene's target from 300 to 160 ms before 1,000 machines in
// two IDCs, and tells how long after the save each machine has acknowledged the order
// that carries the preset: looking the row up, writing the claims, deciding, pushing,
// applying, and the answer on the agent's next frame. An operation is a save.
func BenchmarkPreset(b *testing.B) {
	const agents = 1000
	b.Run("ours", func(b *testing.B) {
		cfg := servertest.Settings(b.TempDir())
		cfg.Lease.TTL = config.Default().Lease.TTL // agents take their share of the cores
		s := servertest.Serve(b, cfg)
		x := s.Scene("300ms")
		machines := servertest.Run(b, servertest.NewNetwork(s.App.GRPCAddr()), s.App.Local().EnrolToken, "sn", agents/2, "na61", "et2")
		level := s.Row(160)
		inForce := func(row int) func() bool {
			return func() bool {
				links := s.Links()
				for _, l := range links {
					if l.Phase != "preset" || l.RowMS != row || len(l.Nodes) != 1 || l.Nodes[0].Source != "preset" {
						return false
					}
				}
				return len(links) == 2
			}
		}
		var took []time.Duration
		for b.Loop() {
			s.Target(x, "300ms")
			servertest.Eventually(b, "the row of 300 ms is in force", inForce(300))
			awaitAcks(b, s, agents, time.Time{})
			time.Sleep(2 * time.Second) // feedback's claims are written beside it
			saved := time.Now()
			s.Target(x, "160ms")
			machines.Await(b, "the preset has come", 1, servertest.Level(level))
			took = append(took, awaitAcks(b, s, agents, saved)...)
			servertest.Eventually(b, "the row of 160 ms is in force", inForce(160))
		}
		b.ReportMetric(ms(quantile(took, 0.5)), "p50-ms")
		b.ReportMetric(ms(quantile(took, 0.99)), "p99-ms")
		b.ReportMetric(ms(quantile(took, 1)), "max-ms")
	})
}

// awaitAcks waits until the controller knows that every agent holds the newest
// orders, and tells how long after an instant each said so.
func awaitAcks(b *testing.B, s *servertest.Server, agents int, since time.Time) (took []time.Duration) {
	b.Helper()
	servertest.Eventually(b, "every agent has acknowledged", func() bool {
		time.Sleep(500 * time.Millisecond) // who asks takes the cores from those who answer
		took = took[:0]
		for _, a := range s.Agents(b) {
			if a.Current && a.LastAck != nil && !a.LastAck.Refused && a.LastAckAt != nil && a.LastAckAt.After(since) {
				took = append(took, a.LastAckAt.Sub(since))
			}
		}
		return len(took) == agents
	})
	require.Len(b, took, agents)
	return took
}
