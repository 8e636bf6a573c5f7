package servertest_test

import (
	"testing"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/servertest"
	"github.com/allspark/allspark/server/storetest/services"
)

// BenchmarkQuotaStep multiplies the load of 200 agents by ten, on real Redis, and
// tells how long it takes until each agent's base is within 20 % of
// total/(arrivals × window). An operation is a trial.
func BenchmarkQuotaStep(b *testing.B) {
	const agents, rate, total, look = 200, 10.0, 200_000.0, 2 * time.Millisecond
	b.Run("ours", func(b *testing.B) {
		cfg := servertest.Settings(b.TempDir())
		cfg.Redis.URL = services.OwnRedis(b).URL
		s := servertest.Serve(b, cfg)
		s.Group(total)
		rankers := servertest.Rank(b, servertest.NewNetwork(s.App.GRPCAddr()), s.App.Local().EnrolToken, agents, rate)
		calm := func() {
			rankers.SetRate(rate)
			servertest.Eventually(b, "everybody meets the calm budget", func() bool {
				_, live := rankers.Bases(gear.QuotaLive)
				return live == agents && rankers.Near(total/agents/rate, 0.1)
			})
			time.Sleep(2 * time.Second) // the window forgets, the trim wakes
		}
		var took []time.Duration
		for b.Loop() {
			calm()
			rankers.Waits()
			began := time.Now()
			rankers.SetRate(10 * rate)
			for !rankers.Near(total/agents/rate/10, 0.2) {
				if time.Since(began) > time.Minute {
					b.Fatal("the base does not follow")
				}
				time.Sleep(look)
			}
			took = append(took, time.Since(began))
		}
		b.ReportMetric(ms(quantile(took, 0.5)), "p50-ms")
		b.ReportMetric(ms(quantile(took, 0.99)), "p99-ms")
	})
}
