package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/quota"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/template"
)

func quotaGroup(name, point string) *quota.Group {
	g := &quota.Group{Name: name, Description: "about " + name, Enabled: true, Settings: quota.DefaultSettings(), Members: []template.Selector{
		{Scene: "*", IDC: "*", App: "sn", Point: point}, {Scene: "k2", IDC: "ea119", App: "other", Point: point},
	}}
	g.Settings.Total = 12345.5
	g.Settings.Curves = []quota.Curve{{From: 0.5, Value: 2, Points: []quota.Gain{{Quota: 10, Gain: 1}, {Quota: 20, Gain: 1.5}}}}
	return g
}

func testQuotaGroups(t *testing.T, db *store.DB) {
	ctx := t.Context()
	g := quotaGroup("rank", "rank")
	require.NoError(t, db.CreateGroup(ctx, g, by("ann")))
	require.EqualValues(t, 1, g.Version)
	for _, key := range []string{g.ID, "rank"} {
		got, err := db.GetGroup(ctx, key)
		require.NoError(t, err)
		require.Equal(t, g, got)
	}
	_, err := db.GetGroup(ctx, "nobody")
	requireCode(t, fault.NotFound, err)
	requireCode(t, fault.Conflict, db.CreateGroup(ctx, quotaGroup("rank", "other"), by("ann")))
	requireCode(t, fault.Conflict, db.CreateGroup(ctx, quotaGroup("rank2", "rank"), by("ann")))

	mine := *g
	g.Settings.Total, g.Enabled = 99, false
	require.NoError(t, db.UpdateGroup(ctx, g, by("bob")))
	require.EqualValues(t, 2, g.Version)
	require.Equal(t, "ann", g.CreatedBy)
	require.Equal(t, "bob", g.UpdatedBy)
	err = db.UpdateGroup(ctx, &mine, by("ann"))
	requireCode(t, fault.Stale, err)
	require.Equal(t, g, clash(t, err).Theirs)
	require.InDelta(t, 12345.5, clash(t, err).Base.(*quota.Group).Settings.Total, 0)

	other := quotaGroup("arank", "score")
	require.NoError(t, db.CreateGroup(ctx, other, by("ann")))
	moved := *other
	moved.Members = g.Members[:1]
	requireCode(t, fault.Conflict, db.UpdateGroup(ctx, &moved, by("ann")))
	all, err := db.ListGroups(ctx)
	require.NoError(t, err)
	require.Equal(t, []*quota.Group{other, g}, all)

	requireCode(t, fault.Stale, db.DeleteGroup(ctx, g.ID, 1, by("ann")))
	require.NoError(t, db.DeleteGroup(ctx, g.ID, 2, by("ann")))
	requireCode(t, fault.NotFound, db.DeleteGroup(ctx, g.ID, 2, by("ann")))
	require.NoError(t, verify(ctx, db))
}

func testQuotaGroupRaces(t *testing.T, db *store.DB) {
	got := race(8, func(int) error { return db.CreateGroup(t.Context(), quotaGroup("rank", "rank"), by("ann")) })
	require.Equal(t, map[fault.Code]int{"": 1, fault.Conflict: 7}, got)
	g, err := db.GetGroup(t.Context(), "rank")
	require.NoError(t, err)
	got = race(8, func(int) error { n := *g; return db.UpdateGroup(t.Context(), &n, by("ann")) })
	require.Equal(t, map[fault.Code]int{"": 1, fault.Stale: 7}, got)
}

func testQuotaMinutes(t *testing.T, db *store.DB) {
	ctx := t.Context()
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	var ms []quota.Minute
	for i := range 5 {
		ms = append(ms, quota.Minute{
			Group: "a", At: start.Add(time.Duration(i) * time.Minute), Ticks: 600, Consumed: 1e6 + 0.5, Requests: 1000,
			Sum: 0.9, SumMax: 1.1, Base: 100.25, BaseMin: 10, BaseMax: 200, Fallback: 0.5, Agents: 3, CPU: -1, Build: "1",
		})
	}
	require.NoError(t, db.SaveQuotaMinutes(ctx, nil))
	require.NoError(t, db.SaveQuotaMinutes(ctx, append(ms, quota.Minute{Group: "b", At: start})))
	ms[2].Base = 7
	require.NoError(t, db.SaveQuotaMinutes(ctx, ms[2:3]))
	got, err := db.QuotaMinutes(ctx, "a", start.Add(time.Minute), start.Add(4*time.Minute))
	require.NoError(t, err)
	require.Equal(t, ms[1:4], got)
	n, err := db.PruneQuotaMinutes(ctx, start.Add(2*time.Minute))
	require.NoError(t, err)
	require.EqualValues(t, 3, n)
	got, err = db.QuotaMinutes(ctx, "a", start, start.Add(time.Hour))
	require.NoError(t, err)
	require.Equal(t, ms[2:], got)
}
