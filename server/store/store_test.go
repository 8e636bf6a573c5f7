package store_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/storetest"
	"github.com/allspark/allspark/server/storetest/services"
)

func openSQLite(t *testing.T) *store.DB {
	return openDSN(t, "sqlite:"+filepath.Join(t.TempDir(), "allspark.db"))
}

func openPostgres(t *testing.T) *store.DB { return openDSN(t, services.Schema(t)) }

func openDSN(t *testing.T, dsn string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.Migrate(t.Context()))
	return db
}

func TestSQLite(t *testing.T)   { storetest.Run(t, openSQLite) }
func TestPostgres(t *testing.T) { storetest.Run(t, openPostgres) }
