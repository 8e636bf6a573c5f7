package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/settings"
	"github.com/allspark/allspark/server/store"
)

func testSettings(t *testing.T, db *store.DB) {
	ctx := t.Context()
	got, err := db.GetSettings(ctx)
	require.NoError(t, err)
	require.Nil(t, got)
	s := &settings.Settings{RetentionMinutes: time.Hour, RetentionHours: 2 * time.Hour, StaleAfter: time.Second, ForgetAfter: time.Minute}
	wrong := *s
	wrong.Version = 3
	requireCode(t, fault.Stale, db.PutSettings(ctx, &wrong, by("ann")))
	require.NoError(t, db.PutSettings(ctx, s, by("ann")))
	got, err = db.GetSettings(ctx)
	require.NoError(t, err)
	require.Equal(t, s, got)
	require.EqualValues(t, 1, s.Version)

	mine := *s
	s.StaleAfter = 2 * time.Second
	require.NoError(t, db.PutSettings(ctx, s, by("bob")))
	err = db.PutSettings(ctx, &mine, by("ann"))
	requireCode(t, fault.Stale, err)
	require.Equal(t, s, clash(t, err).Theirs)
	require.Equal(t, time.Second, clash(t, err).Base.(*settings.Settings).StaleAfter)
	requireCode(t, fault.Stale, db.PutSettings(ctx, &settings.Settings{}, by("ann")))
	require.NoError(t, verify(ctx, db))
}
