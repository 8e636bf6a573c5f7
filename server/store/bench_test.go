package store_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/leaderboard"
	"github.com/allspark/allspark/server/lease"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/storetest/services"
	"github.com/allspark/allspark/server/telemetry"
)

// The history benchmarks load this many series unless ALLSPARK_BENCH_SERIES says
// otherwise; 5,000 is the size that must load within five minutes.
const benchSeries = 250

// databases runs a benchmark on both; PostgreSQL is a durable one.
func databases(b *testing.B, run func(b *testing.B, db *store.DB)) {
	open := func(b *testing.B, dsn string) *store.DB {
		db, err := store.Open(b.Context(), dsn)
		require.NoError(b, err)
		b.Cleanup(func() { _ = db.Close() })
		require.NoError(b, db.Migrate(b.Context()))
		return db
	}
	b.Run("sqlite", func(b *testing.B) { run(b, open(b, "sqlite:"+filepath.Join(b.TempDir(), "b.db"))) })
	b.Run("postgres", func(b *testing.B) { run(b, open(b, services.Durable(b).Database(b))) })
}

// BenchmarkChange is one audited edit: what a click waits for.
func BenchmarkChange(b *testing.B) {
	databases(b, func(b *testing.B, db *store.DB) {
		for b.Loop() {
			c := &control.Claim{Field: control.FieldLevel, Scope: control.Scope{App: "sn"}, Level: 3}
			require.NoError(b, db.CreateClaim(b.Context(), c, audit.Change{Actor: "ann", Reason: "bench"}))
		}
	})
}

// BenchmarkAppendShift is what a decision waits for before it is pushed.
func BenchmarkAppendShift(b *testing.B) {
	databases(b, func(b *testing.B, db *store.DB) {
		l, ok, err := db.AcquireLease(b.Context(), lease.Controller, "a", time.Hour)
		require.NoError(b, err)
		require.True(b, ok)
		for b.Loop() {
			require.NoError(b, db.AppendShift(b.Context(), &control.Shift{App: "sn", IDC: "a", Hash: "h"}, l.Epoch))
		}
	})
}

func benchKey(i int) telemetry.Key {
	return telemetry.Key{Scene: fmt.Sprintf("s%d", i%5), IDC: fmt.Sprintf("idc%d", i%2), App: fmt.Sprintf("app%d", i%20), Point: fmt.Sprintf("p%d", i)}
}

func busyRow(rng *rand.Rand, slots int) []byte {
	n := func(base, spread int64) int64 { return base + rng.Int64N(spread) }
	var s telemetry.Slots
	for i := range slots {
		s.Set(i, telemetry.Sample{
			Count: n(60000, 5000), Timeouts: n(0, 5), MeanUS: n(8000, 400), P50US: n(7000, 300), P95US: n(15000, 900), P99US: n(30000, 3000),
			AvailableUS: 8000, LevelCenti: n(700, 40), LevelMin: 5, LevelMax: 9, CPUMilli: n(600, 30), ValueMilli: n(1234567, 99999), Agents: 3,
		})
	}
	return s.Append(nil)
}

// load writes 7 days of minutes and 90 days of hours of the series, an hour of all
// of them at a time, as the recorder would.
func load(b *testing.B, db *store.DB, series int, end time.Time) (rows int) {
	rng := rand.New(rand.NewPCG(1, 2))
	var shapes, days [][]byte // drawn once: the database is measured, not the generator
	for range 64 {
		shapes, days = append(shapes, busyRow(rng, 60)), append(days, busyRow(rng, 24))
	}
	hour := end.Unix() / 3600
	for h := hour - 7*24; h < hour; h++ {
		batch := make([]telemetry.Row, series)
		for i := range batch {
			batch[i] = telemetry.Row{Key: benchKey(i), Unit: h, Writer: "a", Packed: shapes[rng.IntN(len(shapes))]}
		}
		require.NoError(b, db.SaveHistory(b.Context(), batch, nil))
		rows += series
	}
	for d := hour/24 - 90; d < hour/24; d++ {
		batch := make([]telemetry.Row, series)
		for i := range batch {
			batch[i] = telemetry.Row{Key: benchKey(i), Unit: d, Writer: "a", Packed: days[rng.IntN(len(days))]}
		}
		require.NoError(b, db.SaveHistory(b.Context(), nil, batch))
		rows += series
	}
	return rows
}

// BenchmarkHistory loads the stated retention, then asks ranges of it.
func BenchmarkHistory(b *testing.B) {
	series := benchSeries
	if s := os.Getenv("ALLSPARK_BENCH_SERIES"); s != "" {
		n, err := strconv.Atoi(s)
		require.NoError(b, err)
		series = n
	}
	end := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	databases(b, func(b *testing.B, db *store.DB) {
		start := time.Now()
		rows := load(b, db, series, end)
		took := time.Since(start)
		h := telemetry.History{Store: db}
		for _, q := range []struct {
			name       string
			span, step time.Duration
			filter     func(i int) telemetry.Filter
		}{
			{"series-day-by-minute", 24 * time.Hour, time.Minute, func(i int) telemetry.Filter { return telemetry.Filter(benchKey(i)) }},
			{"series-week-by-hour", 7 * 24 * time.Hour, time.Hour, func(i int) telemetry.Filter { return telemetry.Filter(benchKey(i)) }},
			{"app-hour-by-minute", time.Hour, time.Minute, func(i int) telemetry.Filter { return telemetry.Filter{App: benchKey(i).App} }},
		} {
			b.Run(q.name, func(b *testing.B) {
				rng := rand.New(rand.NewPCG(3, 4))
				var lat []time.Duration
				for b.Loop() {
					back := time.Duration(rng.IntN(24*5)) * time.Hour
					t := time.Now()
					got, err := h.Range(b.Context(), q.filter(rng.IntN(series)), end.Add(-back-q.span), end.Add(-back), q.step)
					lat = append(lat, time.Since(t))
					if err != nil || len(got) == 0 {
						b.Fatal(len(got), err)
					}
				}
				slices.Sort(lat)
				b.ReportMetric(float64(lat[len(lat)*99/100].Microseconds())/1000, "p99-ms")
				b.ReportMetric(float64(rows)/took.Seconds(), "loaded-rows/s")
				b.ReportMetric(took.Seconds()/float64(series)*5000, "s/5000-series")
			})
		}
	})
}

// BenchmarkHistoryOfMany asks what concerns all series at once: a history of more
// series than an answer takes, and a ranking over a quarter of a year.
func BenchmarkHistoryOfMany(b *testing.B) {
	series := benchSeries
	if s := os.Getenv("ALLSPARK_BENCH_SERIES"); s != "" {
		n, err := strconv.Atoi(s)
		require.NoError(b, err)
		series = n
	}
	end := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	databases(b, func(b *testing.B, db *store.DB) {
		load(b, db, series, end)
		h := telemetry.History{Store: db}
		b.Run("too-many-week-by-minute", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				for _, err := range h.Each(b.Context(), telemetry.Filter{}, nil, end.Add(-7*24*time.Hour), end, time.Minute) {
					require.NoError(b, err)
					if n++; n > 50 {
						break
					}
				}
			}
		})
		for _, days := range []int{30, 92} {
			b.Run(fmt.Sprintf("rank-%d-days", days), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					stop := heapPeak()
					rows, err := leaderboard.Board{History: h, Claims: db}.Rank(b.Context(), leaderboard.Query{
						Span: leaderboard.Span{From: end.AddDate(0, 0, -days), To: end}, Group: leaderboard.ByPoint, Sort: leaderboard.Sort{By: "movement", Down: true},
						Sees:   func(string, string) bool { return true },
						Bounds: func(leaderboard.Key) leaderboard.Bounds { return leaderboard.Bounds{Floor: 1, Ceiling: 10} },
					})
					require.NoError(b, err)
					require.Len(b, rows, series)
					b.ReportMetric(stop()/1e6, "peak-MB")
				}
			})
		}
	})
}

// heapPeak watches the heap until it is stopped.
func heapPeak() (stop func() float64) {
	runtime.GC()
	end, peak := make(chan struct{}), make(chan float64)
	go func() {
		var most uint64
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for {
			metrics.Read(s)
			most = max(most, s[0].Value.Uint64())
			select {
			case <-end:
				peak <- float64(most)
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() float64 { close(end); return <-peak }
}
