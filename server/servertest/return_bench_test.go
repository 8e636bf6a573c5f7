package servertest_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/servertest"
	"github.com/allspark/allspark/server/storetest/services"
)

// BenchmarkReturn kills the controller of 10,000 agents and starts another on the
// same PostgreSQL after an outage. It decides something new at once. An operation is
// one outage; what is told is the time from when the new one listens until agents
// hold the new orders, what they write to the database meanwhile, and the
// controller's peak of memory. Agents and controller share this machine's cores.
func BenchmarkReturn(b *testing.B) {
	const agents = 10_000
	for _, outage := range []time.Duration{5 * time.Second, time.Minute} {
		b.Run(fmt.Sprintf("ours/%s", outage), func(b *testing.B) {
			dsn := services.Durable(b).Database(b)
			dir := b.TempDir()
			c := servertest.Start(b, dir, "serve", "--database", dsn)
			client := c.Client()
			client.Publish(servertest.Recall("recall-tags", 100))
			client.Bind("recall-tags", "sn", "recall")
			client.Hold("sn", "*", 5, time.Hour)
			f := crowdOf(b, servertest.NewNetwork(c.Local().AgentsAddr), c.Local().EnrolToken, agents)
			f.await(b, gear.Version{})
			db := statsOf(b, dsn)

			var half, nearly, last []time.Duration
			var writes, calm float64
			var peak uint64
			for b.Loop() {
				before := db.writes(b)
				time.Sleep(5 * time.Second)
				calm = (db.writes(b) - before) / 5
				held := f.newest()
				c.Kill()
				time.Sleep(outage)
				c = servertest.Start(b, dir, "serve", "--database", dsn)
				before = db.writes(b)
				began := time.Now()
				f.network.Lead(c.Local().AgentsAddr)
				c.Client().Hold("sn", "*", 6, time.Hour)
				took := f.await(b, held)
				half, nearly, last = append(half, took[agents/2].Sub(began)), append(nearly, took[agents*99/100].Sub(began)), append(last, took[agents-1].Sub(began))
				writes = (db.writes(b) - before) / time.Since(began).Seconds()
				peak = max(peak, residentPeak(b, c.PID()))
			}
			b.ReportMetric(quantile(half, 0.5).Seconds(), "p50-s")
			b.ReportMetric(quantile(nearly, 0.5).Seconds(), "p99-s")
			b.ReportMetric(quantile(last, 0.5).Seconds(), "last-s")
			b.ReportMetric(calm, "calm-rows/s")
			b.ReportMetric(writes, "rows/s")
			b.ReportMetric(float64(peak)/agents, "peak-KiB/agent")
		})
	}
}

// crowd is many agents that do nothing but hold orders.
type crowd struct {
	network *servertest.Network
	all     []*agent.Agent
}

func crowdOf(b *testing.B, network *servertest.Network, token string, n int) *crowd {
	f := &crowd{network: network}
	for i := range n {
		a := agent.New(agent.Config{
			App: "sn", IDC: []string{"na61", "et2"}[i%2], Instance: fmt.Sprintf("sn-%d", i), Host: fmt.Sprintf("h%d", i), Build: "1.2",
			Address: "127.0.0.1:1", EnrolToken: token, CPU: func() float64 { return 0.5 }, Log: slog.New(slog.DiscardHandler),
		}, agent.WithDialer(network.Dialer("na61")))
		a.Point("recall").Int("tag_count").Range(10, 200).Unit("tags").Default(100)
		require.NoError(b, a.Start(b.Context()))
		f.all = append(f.all, a)
	}
	b.Cleanup(func() {
		var all sync.WaitGroup
		for _, a := range f.all {
			all.Go(func() { _ = a.Close() })
		}
		all.Wait()
	})
	return f
}

// newest is the newest order that an agent holds.
func (f *crowd) newest() (v gear.Version) {
	for _, a := range f.all {
		if h := a.Status().Held; v.Less(h) {
			v = h
		}
	}
	return v
}

// await waits until each agent holds newer orders, and gives when, sorted.
func (f *crowd) await(b *testing.B, than gear.Version) (at []time.Time) {
	waiting := append([]*agent.Agent{}, f.all...)
	deadline := time.Now().Add(5 * time.Minute)
	for len(waiting) > 0 {
		require.True(b, time.Now().Before(deadline), "%d agents never came back", len(waiting))
		left := waiting[:0]
		now := time.Now()
		for _, a := range waiting {
			if than.Less(a.Status().Held) {
				at = append(at, now)
			} else {
				left = append(left, a)
			}
		}
		waiting = left
		time.Sleep(200 * time.Millisecond)
	}
	return at
}

// stats reads how much a database has written.
type stats struct{ conn *pgx.Conn }

func statsOf(b *testing.B, dsn string) stats {
	conn, err := pgx.Connect(b.Context(), dsn)
	require.NoError(b, err)
	b.Cleanup(func() { _ = conn.Close(context.WithoutCancel(b.Context())) })
	return stats{conn}
}

// writes are the rows inserted, updated and deleted so far.
func (s stats) writes(b *testing.B) (n float64) {
	require.NoError(b, s.conn.QueryRow(b.Context(),
		"SELECT (tup_inserted + tup_updated + tup_deleted)::float8 FROM pg_stat_database WHERE datname = current_database()").Scan(&n))
	return n
}

// residentPeak is the most memory a process has had, in KiB.
func residentPeak(b *testing.B, pid int) uint64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(b, err)
	for line := range strings.Lines(string(text)) {
		if kib, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.ParseUint(strings.Fields(kib)[0], 10, 64)
			require.NoError(b, err)
			return n
		}
	}
	b.Fatal("the system does not tell a process's peak of memory")
	return 0
}
