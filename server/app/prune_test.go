package app

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/lease"
	"github.com/allspark/allspark/server/store"
)

// The journal of a real database over three virtual days, kept for one.
func TestPruning(t *testing.T) {
	path := "sqlite:" + filepath.Join(t.TempDir(), "p.db")
	synctest.Test(t, func(t *testing.T) {
		db, err := store.Open(t.Context(), path, store.WithClock(time.Now))
		require.NoError(t, err)
		defer db.Close()
		require.NoError(t, db.Migrate(t.Context()))
		l, ok, err := db.AcquireLease(t.Context(), lease.Controller, "one", 365*24*time.Hour)
		require.NoError(t, err)
		require.True(t, ok)
		write := func(app string) {
			s := &control.Shift{App: app, IDC: "na61", Set: gear.OrderSet{Hash: time.Now().String()}}
			require.NoError(t, db.AppendShift(t.Context(), s, l.Epoch))
		}
		count := func(app string) int {
			got, err := db.ListShifts(t.Context(), app, "na61", time.Time{}, time.Time{}, 500)
			require.NoError(t, err)
			return len(got)
		}
		write("quiet") // once, and in force ever since

		var leading atomic.Bool
		day := func() time.Duration { return 24 * time.Hour }
		p := &pruner{
			leading: leading.Load,
			now:     time.Now,
			jobs: []pruneJob{
				{"trouble", day, func(context.Context, time.Time) (int64, error) { return 0, errors.New("away") }},
				{"shifts", day, db.PruneShifts},
			},
			log: slog.New(slog.DiscardHandler),
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); p.run(ctx) }()
		for range 72 {
			write("busy")
			time.Sleep(time.Hour)
		}
		synctest.Wait()
		require.Equal(t, 72, count("busy"), "a replica that does not lead drops nothing")

		leading.Store(true)
		time.Sleep(pruneFirst + time.Second)
		synctest.Wait()
		require.Equal(t, 24, count("busy"), "a day's, and the one that was in force when it began")
		require.Equal(t, 1, count("quiet"), "what is in force stays however old it is")
		stop()
		<-done
	})
}
