package servertest_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/server/config"
	"github.com/allspark/allspark/server/servertest"
)

// BenchmarkStaged fires a plan on 1,000 machines whose clocks are up to five
// minutes off, over a network that delays every packet by up to 50 ms each way, and
// tells how far from its instant each machine's requests changed. "alone" cuts the
// network first: machines then fire by nothing but what they learned of reference
// time. An operation is a plan: its start and its end on every machine.
func BenchmarkStaged(b *testing.B) {
	const (
		agents = 1000
		off    = 5 * time.Minute
		jitter = 50 * time.Millisecond
		hold   = 3 * time.Second
		clock  = 5 * time.Second // twice as often as by default
	)
	for _, mode := range []string{"led", "alone"} {
		b.Run("ours/"+mode, func(b *testing.B) {
			cfg := servertest.Settings(b.TempDir())
			cfg.Lease.TTL = config.Default().Lease.TTL // agents take their share of the cores
			cfg.Agents.ClockInterval = clock
			s := servertest.Serve(b, cfg)
			s.Publish(servertest.Recall("recall-tags", 100))
			s.Bind("recall-tags", "sn", "recall")
			network := servertest.NewNetwork(s.App.GRPCAddr())
			rng := rand.New(rand.NewPCG(1, 2))
			machines := make(servertest.Machines, agents)
			for i := range machines {
				machines[i] = servertest.NewMachine(servertest.MachineConfig{
					Network: network, Skew: time.Duration(rng.Int64N(int64(2*off))) - off,
					Config: agent.Config{App: "sn", IDC: "na61", Instance: fmt.Sprintf("sn-%d", i), EnrolToken: s.App.Local().EnrolToken},
				})
			}
			machines.Start(b)
			for machines.Count(servertest.Level(8)) < agents { // joining is another row's
				time.Sleep(100 * time.Millisecond)
			}
			network.Jitter(jitter)
			time.Sleep(9 * clock) // eight exchanges are remembered: none from before
			var errs []time.Duration
			for round := 0; b.Loop(); round++ {
				at := soon(40 * time.Second)
				name := fmt.Sprintf("p%d", round)
				approve(b, s.Client, onePeak(name, at, hold))
				awaitStaged(b, s.Client, name, agents)
				if left := time.Until(at); left < 2*time.Second {
					b.Fatalf("staged only %v before the instant", left)
				}
				if mode == "alone" {
					network.Cut("na61")
				}
				for _, x := range []struct {
					at    time.Time
					level int
				}{{at, 3}, {at.Add(hold), 8}} {
					time.Sleep(time.Until(x.at.Add(-time.Second)))
					errs = append(errs, spread(b, machines, x.at, x.level)...)
				}
				network.Heal("na61")
			}
			b.ReportMetric(ms(quantile(errs, 0.5)), "p50-ms")
			b.ReportMetric(ms(quantile(errs, 0.99)), "p99-ms")
			b.ReportMetric(ms(quantile(errs, 1)), "max-ms")
		})
	}
}

// onePeak is a plan of one step.
func onePeak(name string, at time.Time, hold time.Duration) string {
	return fmt.Sprintf(`{"name":%q,"zone":"Asia/Shanghai","owner":"ann","executor":"bob","steps":[
	{"name":"gears","at":%q,"for":%q,"set":[{"app":"sn","point":"recall","level":3}]}]}`, name, wall(at), hold)
}

// spread watches until every machine's requests get a level, and tells how far from
// the instant each came to it.
func spread(b *testing.B, ms servertest.Machines, at time.Time, level int) []time.Duration {
	b.Helper()
	left := make([]*servertest.Machine, len(ms))
	copy(left, ms)
	var errs []time.Duration
	for len(left) > 0 {
		if time.Since(at) > time.Minute {
			for _, m := range left[:min(len(left), 3)] {
				b.Logf("%s: %+v, got %+v", m.Name, m.Status(), m.Log())
			}
			b.Fatalf("%d machines never fired", len(left))
		}
		rest := left[:0]
		for _, m := range left {
			if x := m.Now(); x.Level == level {
				errs = append(errs, x.At.Sub(at).Abs())
			} else {
				rest = append(rest, m)
			}
		}
		left = rest
		time.Sleep(500 * time.Microsecond)
	}
	return errs
}
