package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/store"
)

// testJournalPages reads the journal of all apps as one list: pages meet without a
// gap or a double, whatever is appended meanwhile.
func testJournalPages(t *testing.T, db *store.DB) {
	ctx := t.Context()
	fence := hold(t, db, "a", time.Minute)
	var all []*control.Shift
	appendOne := func(i int) {
		s := shift([]string{"sn", "merger", "rank"}[i%3], []string{"na61", "ea119"}[i%2], i)
		require.NoError(t, db.AppendShift(ctx, s, fence))
		all = append(all, s)
	}
	for i := range 30 {
		appendOne(i)
	}
	read := func(f control.ShiftFilter, between func()) (out []int64) {
		for {
			items, next, err := db.PageShifts(ctx, f)
			require.NoError(t, err)
			for _, s := range items {
				require.Empty(t, s.Set.Orders)
				require.NotEmpty(t, s.Cause)
				out = append(out, s.Version.Revision)
			}
			if next == 0 {
				return out
			}
			require.Len(t, items, f.Limit)
			require.Equal(t, items[len(items)-1].Version.Revision, next)
			f.Below = next
			between()
		}
	}
	want := func(until int, ok func(*control.Shift) bool) (out []int64) {
		for i := until - 1; i >= 0; i-- {
			if ok(all[i]) {
				out = append(out, all[i].Version.Revision)
			}
		}
		return out
	}
	for name, c := range map[string]struct {
		f  control.ShiftFilter
		ok func(*control.Shift) bool
	}{
		"all":     {control.ShiftFilter{}, func(*control.Shift) bool { return true }},
		"app":     {control.ShiftFilter{App: "sn"}, func(s *control.Shift) bool { return s.App == "sn" }},
		"idc":     {control.ShiftFilter{IDC: "na61"}, func(s *control.Shift) bool { return s.IDC == "na61" }},
		"nothing": {control.ShiftFilter{Within: []control.Place{}}, func(*control.Shift) bool { return false }},
		"within": {
			control.ShiftFilter{Within: []control.Place{{App: "sn", IDC: gear.Any}, {App: "rank", IDC: "na61"}}},
			func(s *control.Shift) bool { return s.App == "sn" || s.App == "rank" && s.IDC == "na61" },
		},
		"all of one within": {
			control.ShiftFilter{App: "sn", Within: []control.Place{{App: gear.Any, IDC: "na61"}}},
			func(s *control.Shift) bool { return s.App == "sn" && s.IDC == "na61" },
		},
		"span": {
			control.ShiftFilter{From: all[4].At, To: all[20].At},
			func(s *control.Shift) bool { return !s.At.Before(all[4].At) && s.At.Before(all[20].At) },
		},
	} {
		until := len(all)
		expected := want(until, c.ok)
		c.f.Limit = 4
		require.Equal(t, expected, read(c.f, func() { appendOne(len(all)) }), name)
	}
}

// testRetention drops what is past, and nothing that the journal still names.
func testRetention(t *testing.T, db *store.DB) {
	ctx := t.Context()
	fence := hold(t, db, "a", time.Minute)
	put := func(app string, claims []string, tables ...string) *control.Shift {
		var ts []gear.LevelTable
		for i, h := range tables {
			ts = append(ts, levelTable(h, int64(10+i)))
		}
		s := shift(app, "na61", 3, ts...)
		s.Claims = claims
		require.NoError(t, db.AppendShift(ctx, s, fence))
		return s
	}
	now, err := db.Now(ctx)
	require.NoError(t, err)
	claim := func(id string, end time.Time) {
		c := levelClaim("sn", 5, now.Add(-time.Hour), end)
		c.ID = id
		require.NoError(t, db.CreateClaim(ctx, c, by("ann")))
	}
	claim("named", now)
	claim("over", now)
	claim("lasting", now.Add(1000*time.Hour))
	for i := range 600 { // more than a batch
		put("busy", nil, fmt.Sprintf("busy-%03d", i))
	}
	put("quiet", []string{"named"}, "quiet", "shared")
	put("busy", []string{"over"}, "busy-last", "shared")

	early := now.Add(-24 * time.Hour)
	for _, prune := range []func() (int64, error){
		func() (int64, error) { return db.PruneShifts(ctx, early) },
		func() (int64, error) { return db.PruneTables(ctx, early) },
		func() (int64, error) { return db.PruneClaims(ctx, early) },
	} {
		n, err := prune()
		require.NoError(t, err)
		require.Zero(t, n, "nothing is that old")
	}

	late := now.Add(100 * time.Hour)
	n, err := db.PruneTables(ctx, late)
	require.NoError(t, err)
	require.Zero(t, n, "every table is named while its shift is there")
	n, err = db.PruneShifts(ctx, late)
	require.NoError(t, err)
	require.EqualValues(t, 600, n)
	n, err = db.PruneTables(ctx, late)
	require.NoError(t, err)
	require.EqualValues(t, 600, n)
	for _, app := range []string{"quiet", "busy"} {
		s, err := db.ShiftAt(ctx, app, "na61", late)
		require.NoError(t, err)
		require.Len(t, s.Tables, 2, "what is in force is whole")
	}
	put("busy", nil, "busy-000") // a table that was dropped comes back with the set that names it
	s, err := db.ShiftAt(ctx, "busy", "na61", late)
	require.NoError(t, err)
	require.Len(t, s.Tables, 1)

	_, err = db.PruneShifts(ctx, late) // "over" came with a shift that is gone now
	require.NoError(t, err)
	n, err = db.PruneClaims(ctx, late)
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	_, err = db.GetClaim(ctx, "over")
	require.Error(t, err)
	for _, id := range []string{"named", "lasting"} {
		_, err = db.GetClaim(ctx, id)
		require.NoError(t, err)
	}
	require.NoError(t, verify(ctx, db))
}
