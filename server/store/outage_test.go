package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/storetest/services"
	"github.com/allspark/allspark/server/template"
)

// TestKilledConnections ends every connection of the database again and again
// while four writers work; each retries under its key.
func TestKilledConnections(t *testing.T) {
	dsn := services.Postgres(t)
	db := openDSN(t, dsn)
	admin, err := sql.Open("pgx", dsn)
	require.NoError(t, err)
	defer admin.Close()
	admin.SetMaxOpenConns(1)

	ctx, stop := context.WithCancel(t.Context())
	var killer sync.WaitGroup
	killer.Go(func() {
		for ctx.Err() == nil {
			_, _ = admin.ExecContext(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
			select {
			case <-ctx.Done():
			case <-time.After(60 * time.Millisecond):
			}
		}
	})
	const writers, edits = 4, 25
	var wg sync.WaitGroup
	failures := make([]int, writers)
	for w := range writers {
		wg.Go(func() {
			for i := range edits {
				key := fmt.Sprintf("w%d-%d", w, i)
				for range 10000 {
					err := db.CreateTemplate(t.Context(), &template.Template{Name: key}, audit.Change{Actor: "w", IdempotencyKey: key})
					if err == nil || fault.Is(err, fault.Duplicate) {
						break
					}
					failures[w]++
					if !fault.Is(err, fault.Unavailable) {
						t.Errorf("%s: %v", key, err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	stop()
	killer.Wait()
	items, _, err := db.ListTemplates(t.Context(), template.Filter{Limit: 1000})
	require.NoError(t, err)
	require.Len(t, items, writers*edits)
	seq, _, err := db.AuditHead(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, writers*edits, seq)
	t.Logf("failed attempts: %v", failures)
}

func TestAbsentDatabaseIsUnavailable(t *testing.T) {
	_, err := store.Open(t.Context(), "host=127.0.0.1 port=1 user=nobody password=hunter2 dbname=x sslmode=disable")
	require.Equal(t, fault.Unavailable, fault.CodeOf(err))
	require.NotContains(t, err.Error(), "hunter2")
	for _, dsn := range []string{"", "mysql://x", "sqlite:", "sqlite::memory:", "just a path"} {
		_, err := store.Open(t.Context(), dsn)
		require.Error(t, err, dsn)
	}
	db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "sub", "dir with space?_busy_timeout=1"))
	require.NoError(t, err, "folders are made")
	require.NoError(t, db.Close())
	_, err = db.GetTemplate(t.Context(), "x")
	require.Equal(t, fault.Unavailable, fault.CodeOf(err))
	require.Error(t, db.Ping(t.Context()))
}

// TestTwoProcessesOnOneFile stands for a second controller on the same SQLite
// file: writers of both wait for each other instead of failing.
func TestTwoProcessesOnOneFile(t *testing.T) {
	dsn := "sqlite:" + filepath.Join(t.TempDir(), "shared.db")
	a, b := openDSN(t, dsn), openDSN(t, dsn)
	var wg sync.WaitGroup
	for i, db := range []*store.DB{a, b} {
		for w := range 3 {
			wg.Go(func() {
				for n := range 20 {
					err := db.CreateTemplate(t.Context(), &template.Template{Name: fmt.Sprintf("p%d-w%d-%d", i, w, n)}, audit.Change{Actor: "x"})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wg.Wait()
	seq, _, err := a.AuditHead(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 120, seq)
}
