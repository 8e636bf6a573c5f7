package demo

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/quota"
	"github.com/allspark/allspark/server/store"
)

func TestSeedQuotaOnce(t *testing.T) {
	ctx := t.Context()
	db, err := store.Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "a.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.Migrate(ctx))
	groups := quota.NewService(db, func() {})
	require.Empty(t, QuotaGroup().Check())
	require.NoError(t, SeedQuota(ctx, groups, db))
	g, err := db.GetGroup(ctx, "rank")
	require.NoError(t, err)
	require.NoError(t, SeedQuota(ctx, groups, db))
	require.NoError(t, groups.Delete(ctx, g.ID, g.Version, once("by hand")))
	require.NoError(t, SeedQuota(ctx, groups, db), "an operator deleted it")
	all, err := db.ListGroups(ctx)
	require.NoError(t, err)
	require.Empty(t, all)
}
