package telemetry_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/telemetry"
)

func openStore(t *testing.T) *store.DB {
	db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "h.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.Migrate(t.Context()))
	return db
}

// drive feeds one agent's seconds from..to after t0, flushing after each.
func drive(t *testing.T, w *telemetry.Windows, r *telemetry.Recorder, from, to int) {
	for s := from; s < to; s++ {
		end := t0.Add(time.Duration(s+1) * time.Second)
		n := int64(10)
		if s/60%2 == 1 {
			n = 30
		}
		w.Ingest(agentOf(1), report(end, n, time.Duration(1+s/60)*time.Millisecond), end)
		require.NoError(t, r.Flush(t.Context(), end))
	}
}

func recorder(db telemetry.Store, w *telemetry.Windows) *telemetry.Recorder {
	return &telemetry.Recorder{
		Windows: w, Store: db, Writer: "a", Log: slog.New(slog.DiscardHandler),
		Available: func(telemetry.Key) time.Duration { return 8 * time.Millisecond },
		Retention: func() telemetry.Retention {
			return telemetry.Retention{Minutes: 7 * 24 * time.Hour, Hours: 90 * 24 * time.Hour}
		},
	}
}

func TestMinutesAndHoursReachHistory(t *testing.T) {
	db := openStore(t)
	w := telemetry.New(telemetry.Limits{})
	r := recorder(db, w)
	drive(t, w, r, 0, 65*60)
	h := telemetry.History{Store: db}
	end := t0.Add(65 * time.Minute)

	got, err := h.Range(t.Context(), telemetry.Filter{App: "sn"}, t0, end, time.Minute)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Equal(t, recall, got[0].Key)
	samples := got[0].Samples
	require.Len(t, samples, 64, "the last minute is not complete")
	for i, s := range samples {
		want := int64(600)
		if i%2 == 1 {
			want = 1800
		}
		require.Equal(t, t0.Add(time.Duration(i)*time.Minute), s.At)
		require.Equal(t, want, s.Count, "minute %d", i)
		require.EqualValues(t, (1+i)*1000, s.MeanUS)
		require.InEpsilon(t, (1+i)*1000, s.P99US, 0.01)
		require.EqualValues(t, 400, s.LevelCenti)
		require.EqualValues(t, 8000, s.AvailableUS)
		require.EqualValues(t, 500, s.CPUMilli)
		require.EqualValues(t, 60, s.Timeouts)
	}

	got, err = h.Range(t.Context(), telemetry.Filter{App: "sn"}, t0, end, 5*time.Minute)
	require.NoError(t, err)
	require.Len(t, got[0].Samples, 13)
	require.EqualValues(t, 3*600+2*1800, got[0].Samples[0].Count)

	got, err = h.Range(t.Context(), telemetry.Filter{App: "sn"}, t0, end, time.Hour)
	require.NoError(t, err)
	require.Len(t, got[0].Samples, 2, "the hour that goes on is there too")
	require.EqualValues(t, 30*600+30*1800, got[0].Samples[0].Count)
	require.InEpsilon(t, 60000, got[0].Samples[0].P99US, 0.03, "from a sketch of the whole hour")
	require.EqualValues(t, 2*600+2*1800, got[0].Samples[1].Count)
}

func TestRestartContinuesTheHour(t *testing.T) {
	db := openStore(t)
	w := telemetry.New(telemetry.Limits{})
	drive(t, w, recorder(db, w), 0, 10*60)
	w = telemetry.New(telemetry.Limits{}) // the process died
	drive(t, w, recorder(db, w), 10*60+30, 62*60)
	h := telemetry.History{Store: db}
	got, err := h.Range(t.Context(), telemetry.Filter{}, t0, t0.Add(time.Hour), time.Minute)
	require.NoError(t, err)
	require.Len(t, got[0].Samples, 59, "only the minute under way was lost")
	require.EqualValues(t, 300, got[0].Samples[9].Count, "and half of the next was not heard")
	hours, err := h.Range(t.Context(), telemetry.Filter{}, t0, t0.Add(time.Hour), time.Hour)
	require.NoError(t, err)
	var total int64
	for _, s := range got[0].Samples {
		total += s.Count
	}
	require.Equal(t, total, hours[0].Samples[0].Count)
}

func TestTwoReplicasAddUp(t *testing.T) {
	db := openStore(t)
	for i, writer := range []string{"a", "b"} {
		w := telemetry.New(telemetry.Limits{})
		r := recorder(db, w)
		r.Writer = writer
		for s := range 130 {
			end := t0.Add(time.Duration(s+1) * time.Second)
			w.Ingest(agentOf(i), report(end, 10, time.Duration(1+2*i)*time.Millisecond), end)
			require.NoError(t, r.Flush(t.Context(), end))
		}
	}
	got, err := telemetry.History{Store: db}.Range(t.Context(), telemetry.Filter{}, t0, t0.Add(time.Minute), time.Minute)
	require.NoError(t, err)
	require.EqualValues(t, 1200, got[0].Samples[0].Count)
	require.EqualValues(t, 2000, got[0].Samples[0].MeanUS)
	require.EqualValues(t, 2, got[0].Samples[0].Agents)
}

// away is a store whose database is away for a while.
type away struct {
	telemetry.Store
	down bool
}

func (a *away) SaveHistory(ctx context.Context, m, h []telemetry.Row) error {
	if a.down {
		return errors.New("connection refused")
	}
	return a.Store.SaveHistory(ctx, m, h)
}

func TestNothingIsLostWhileTheDatabaseIsAway(t *testing.T) {
	db := &away{Store: openStore(t)}
	w := telemetry.New(telemetry.Limits{})
	r := recorder(db, w)
	drive(t, w, r, 0, 5*60)
	db.down = true
	for s := 5 * 60; s < 70*60; s++ {
		end := t0.Add(time.Duration(s+1) * time.Second)
		w.Ingest(agentOf(1), report(end, 10, time.Millisecond), end)
		_ = r.Flush(t.Context(), end)
	}
	db.down = false
	require.NoError(t, r.Flush(t.Context(), t0.Add(70*time.Minute+time.Second)))
	got, err := telemetry.History{Store: db}.Range(t.Context(), telemetry.Filter{}, t0, t0.Add(2*time.Hour), time.Minute)
	require.NoError(t, err)
	require.Len(t, got[0].Samples, 69)
}

func TestRunWritesWhatIsLeftWhenItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := openStore(t)
		w := telemetry.New(telemetry.Limits{})
		r := recorder(db, w)
		clock := func(context.Context) (time.Time, error) { return time.Now(), nil }
		r.Now = clock
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		start := time.Now()
		go func() { defer close(done); r.Run(ctx) }()
		for range 125 {
			time.Sleep(time.Second)
			w.Ingest(agentOf(1), report(time.Now(), 10, time.Millisecond), time.Now())
		}
		cancel()
		<-done
		got, err := telemetry.History{Store: db}.Range(t.Context(), telemetry.Filter{}, start, time.Now(), time.Minute)
		require.NoError(t, err)
		require.Len(t, got[0].Samples, 2)
	})
}

func TestRangeRefusesNonsense(t *testing.T) {
	h := telemetry.History{Store: openStore(t)}
	for _, x := range []struct{ span, step time.Duration }{
		{time.Hour, 0},
		{time.Hour, time.Second},
		{time.Hour, 90 * time.Second},
		{48 * time.Hour, 90 * time.Minute},
		{-time.Hour, time.Minute},
		{1000 * 24 * time.Hour, time.Minute},
	} {
		_, err := h.Range(t.Context(), telemetry.Filter{}, t0, t0.Add(x.span), x.step)
		require.Error(t, err, "%v", x)
	}
}
