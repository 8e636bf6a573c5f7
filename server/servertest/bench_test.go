package servertest_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/servertest"
	"github.com/allspark/allspark/server/storetest/services"
)

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// quantile of what was measured; it sorts.
func quantile(of []time.Duration, q float64) time.Duration {
	slices.Sort(of)
	return of[min(int(q*float64(len(of))), len(of)-1)]
}

// BenchmarkRollback takes a bad gear back by one call, from the call to the moment
// requests on 99 of 100 machines get the good one.
func BenchmarkRollback(b *testing.B) {
	for _, n := range []int{1000} {
		b.Run(fmt.Sprintf("ours/%d", n), func(b *testing.B) {
			f := newFleet(b, n)
			var took []time.Duration
			for b.Loop() {
				took = append(took, f.rollBack(b, f.spoil(b), 0.99))
				f.Await(b, "everybody follows", 1, servertest.Tags(f.good))
			}
			b.ReportMetric(ms(quantile(took, 0.5)), "median-ms")
			b.ReportMetric(ms(quantile(took, 1)), "worst-ms")
		})
	}
}

const (
	explainEdits  = 100 // in the journal, their claims all in force
	explainScenes = 5
)

// BenchmarkExplain asks "why this gear" over REST, at instants spread over the
// journal: sign-in, look-up of the shift, its claims, and deciding again.
func BenchmarkExplain(b *testing.B) {
	for _, kind := range []string{"sqlite", "postgres"} {
		b.Run("ours/"+kind, func(b *testing.B) {
			cfg := servertest.Settings(b.TempDir())
			if kind == "postgres" {
				cfg.Database = services.Durable(b).Database(b)
			}
			s := servertest.Serve(b, cfg)
			s.Publish(servertest.Recall("recall-tags", 100))
			s.Bind("recall-tags", "sn", "recall")
			machines := servertest.Run(b, servertest.NewNetwork(s.App.GRPCAddr()), s.App.Local().EnrolToken, "sn", 1, "na61")
			machines.Await(b, "orders come", 1, servertest.Level(8))
			began := time.Now()
			for i := range explainEdits {
				s.Do(http.MethodPost, "/claims", map[string]any{
					"field": "level", "level": 1 + i%10, "reason": fmt.Sprintf("edit %d", i), "for": "1h",
					"scope": api.Scope{Scene: fmt.Sprintf("s%d", i%explainScenes), IDC: "*", App: "sn", Point: "*"},
				}, nil)
			}
			servertest.Eventually(b, "the last edit is decided", func() bool {
				var e api.Explanation
				s.Do(http.MethodGet, "/points/s4/na61/sn/recall/explain", nil, &e)
				return e.Replays && !e.Pending && e.Order != nil && e.Order.Level == 10
			})
			span := time.Since(began)
			rng := rand.New(rand.NewPCG(1, 2))
			var took []time.Duration
			for b.Loop() {
				at := began.Add(time.Duration(rng.Int64N(int64(span))))
				path := fmt.Sprintf("/points/s%d/na61/sn/recall/explain?at=%s", rng.IntN(explainScenes), url.QueryEscape(at.UTC().Format(time.RFC3339Nano)))
				var e api.Explanation
				t := time.Now()
				s.Do(http.MethodGet, path, nil, &e)
				took = append(took, time.Since(t))
				require.True(b, e.Replays, "deciding again gives what was journalled: %s", e.Summary)
			}
			b.ReportMetric(ms(quantile(took, 0.5)), "median-ms")
			b.ReportMetric(ms(quantile(took, 0.99)), "p99-ms")
		})
	}
}
