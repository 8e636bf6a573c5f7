package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/store"
)

func levelClaim(app string, level int, start, end time.Time) *control.Claim {
	return &control.Claim{
		Field: control.FieldLevel, Scope: control.Scope{Scene: "k2", IDC: "na61", App: app, Point: "recall", Bucket: gear.Any},
		Level: level, Source: control.SourceManual, Reason: "too slow", Start: start, End: end,
	}
}

func testClaims(t *testing.T, db *store.DB) {
	ctx := t.Context()
	now, err := db.Now(ctx)
	require.NoError(t, err)
	c := &control.Claim{
		Field: control.FieldAvailableRT, Scope: control.Scope{Scene: "k2", IDC: gear.Any, App: "sn", Point: "recall", Bucket: gear.Any},
		Level: 3, Duration: 8 * time.Millisecond, Strategy: gear.StrategyFixed, Number: 0.25, Template: "t", Pin: 2,
		Source: control.SourcePlan, Origin: "plan-1/step-2", Reason: "peak", Start: now, End: now.Add(time.Hour),
	}
	require.NoError(t, db.CreateClaim(ctx, c, by("ann")))
	require.Equal(t, "ann", c.Author)
	got, err := db.GetClaim(ctx, c.ID)
	require.NoError(t, err)
	require.Equal(t, c, got)
	_, err = db.GetClaim(ctx, "none")
	requireCode(t, fault.NotFound, err)

	// Only the end moves, whatever else the caller changed.
	old, mine := *c, *c
	mine.Level, mine.End, mine.Reason = 99, now.Add(2*time.Hour), "edited"
	require.NoError(t, db.UpdateClaim(ctx, &mine, by("bob")))
	got, err = db.GetClaim(ctx, c.ID)
	require.NoError(t, err)
	want := old
	want.End, want.Version = now.Add(2*time.Hour), 2
	require.Equal(t, &want, got)
	require.Equal(t, &want, &mine, "the caller sees what is stored")
	err = db.UpdateClaim(ctx, &old, by("ann"))
	requireCode(t, fault.Stale, err)
	require.Equal(t, &want, clash(t, err).Theirs)
	require.Equal(t, c, clash(t, err).Base)

	counts := race(6, func(int) error {
		x := want
		x.Released, x.ReleaseBy = now.Add(time.Minute), "w"
		return db.UpdateClaim(ctx, &x, by("w"))
	})
	require.Equal(t, map[fault.Code]int{"": 1, fault.Stale: 5}, counts)

	var entries []audit.Entry
	entries, err = db.ListAudit(ctx, audit.Filter{Kind: "claim", App: "sn"})
	require.NoError(t, err)
	require.Len(t, entries, 3)
	require.JSONEq(t, string(entries[2].After), string(entries[1].Before))
	require.NoError(t, verify(ctx, db))
}

func testClaimsAt(t *testing.T, db *store.DB) {
	ctx := t.Context()
	t0, err := db.Now(ctx)
	require.NoError(t, err)
	forever := levelClaim("sn", 1, t0, time.Time{})
	hour := levelClaim("sn", 2, t0, t0.Add(time.Hour))
	later := levelClaim("merger", 3, t0.Add(30*time.Minute), t0.Add(2*time.Hour))
	for _, c := range []*control.Claim{forever, hour, later} {
		require.NoError(t, db.CreateClaim(ctx, c, by("ann")))
	}
	hour.Released, hour.ReleaseBy = t0.Add(45*time.Minute), "bob"
	require.NoError(t, db.UpdateClaim(ctx, hour, by("bob")))

	for _, x := range []struct {
		at   time.Duration
		want []int
	}{
		{-time.Second, nil},
		{0, []int{1, 2}},
		{30 * time.Minute, []int{1, 2, 3}},
		{45*time.Minute - time.Microsecond, []int{1, 2, 3}},
		{45 * time.Minute, []int{1, 3}}, // the instant of release no longer counts
		{2 * time.Hour, []int{1}},
		{1000 * time.Hour, []int{1}},
	} {
		cs, err := db.ClaimsAt(ctx, t0.Add(x.at))
		require.NoError(t, err)
		var levels []int
		for _, c := range cs {
			require.True(t, c.Active(t0.Add(x.at)), "the query and Claim.Active agree")
			levels = append(levels, c.Level)
		}
		require.ElementsMatch(t, x.want, levels, "at %v", x.at)
	}

	items, next, err := db.ListClaims(ctx, control.ClaimFilter{Scope: control.Scope{App: "sn"}, Active: t0})
	require.NoError(t, err)
	require.Empty(t, next)
	require.Len(t, items, 2)
	for _, x := range []struct {
		from, to time.Duration
		want     []int
	}{
		{-time.Hour, 0, nil},
		{-time.Hour, time.Second, []int{1, 2}},
		{45 * time.Minute, time.Hour, []int{1, 3}}, // released at its first instant
		{2 * time.Hour, 3 * time.Hour, []int{1}},
	} {
		items, _, err = db.ListClaims(ctx, control.ClaimFilter{Source: control.SourceManual, From: t0.Add(x.from), To: t0.Add(x.to)})
		require.NoError(t, err)
		var levels []int
		for _, c := range items {
			levels = append(levels, c.Level)
		}
		require.ElementsMatch(t, x.want, levels, "from %v", x.from)
	}
	items, _, err = db.ListClaims(ctx, control.ClaimFilter{Source: control.SourcePlan})
	require.NoError(t, err)
	require.Empty(t, items)
	items, _, err = db.ListClaims(ctx, control.ClaimFilter{Field: control.FieldBudget})
	require.NoError(t, err)
	require.Empty(t, items)

	for i := range 7 {
		require.NoError(t, db.CreateClaim(ctx, levelClaim(fmt.Sprintf("app%d", i), i, t0, time.Time{}), by("ann")))
	}
	seen, f := map[string]bool{}, control.ClaimFilter{Limit: 3}
	for range 10 {
		items, next, err = db.ListClaims(ctx, f)
		require.NoError(t, err)
		for _, c := range items {
			require.False(t, seen[c.ID], "no row twice")
			seen[c.ID] = true
		}
		if f.After = next; next == "" {
			break
		}
	}
	require.Len(t, seen, 10)
	_, _, err = db.ListClaims(ctx, control.ClaimFilter{After: "?"})
	requireCode(t, fault.Invalid, err)

	// Of all scenes' targets, those of one in one IDC that counted in a stretch: what
	// a scene's history asks for.
	for i, idc := range []string{"na61", "na61", gear.Any} {
		c := &control.Claim{
			Field: control.FieldTarget, Scope: control.Scope{Scene: "k2", IDC: idc, App: gear.Any, Point: gear.Any, Bucket: gear.Any},
			Duration: time.Duration(i+1) * time.Millisecond, Source: control.SourceFeedback, Start: t0.Add(time.Duration(i) * time.Hour), End: t0.Add(time.Duration(i+1) * time.Hour),
		}
		require.NoError(t, db.CreateClaim(ctx, c, by("loop")))
	}
	aims, _, err := db.ListClaims(ctx, control.ClaimFilter{
		Scope: control.Scope{Scene: "k2", IDC: "na61", App: gear.Any, Point: gear.Any}, Field: control.FieldTarget,
		From: t0.Add(90 * time.Minute), To: t0.Add(24 * time.Hour),
	})
	require.NoError(t, err)
	require.Len(t, aims, 1)
	require.Equal(t, 2*time.Millisecond, aims[0].Duration, "it ended since, and is told all the same")
}
