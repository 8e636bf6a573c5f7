package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/lease"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/template"
)

// hold takes the controller's lease and gives its epoch.
func hold(t *testing.T, db *store.DB, holder string, ttl time.Duration) int64 {
	t.Helper()
	l, ok, err := db.AcquireLease(t.Context(), lease.Controller, holder, ttl)
	require.NoError(t, err)
	require.True(t, ok, "%+v", l)
	return l.Epoch
}

func levelTable(hash string, tags int64) gear.LevelTable {
	return gear.LevelTable{
		Hash:   hash,
		Params: []gear.TableParam{{Name: "tag_count", Kind: gear.KindInt}, {Name: "model", Kind: gear.KindEnum}},
		Rows: [][]gear.Value{
			{gear.Int(tags), gear.Enum("small")},
			{gear.Int(2 * tags), gear.Enum("large")},
		},
		Work: []float64{0.5, 1},
	}
}

func shift(app, idc string, level int, tables ...gear.LevelTable) *control.Shift {
	s := &control.Shift{
		App: app, IDC: idc, Hash: fmt.Sprintf("h-%s-%s-%d", app, idc, level), Cause: "level moved",
		Causes: []control.Cause{{Code: "claim_set", Args: []string{"manual", "ann", "level 3", "k2/*/sn/recall", ""}}, {Code: "decided_anew"}}, Claims: []string{"c1"},
		Tables: tables,
	}
	s.Set.Hash = s.Hash
	for _, t := range tables {
		s.Set.Orders = append(s.Set.Orders, gear.Order{
			Scene: gear.Any, Point: "recall", Bucket: gear.Any, Table: t.Hash, Strategy: gear.StrategyCrowdRT,
			Settings: []gear.Setting{{Name: "eta", Value: gear.Float(0.8)}, {Name: "window", Value: gear.Duration(time.Second)}},
			Level:    level, MinLevel: 1, MaxLevel: 9, AvailableRT: 8 * time.Millisecond, Timeout: time.Second, Pinned: true,
			Template: "t", TemplateVersion: 3,
		})
	}
	return s
}

func testJournal(t *testing.T, db *store.DB) {
	ctx := t.Context()
	_, err := db.ShiftAt(ctx, "sn", "na61", time.Now())
	requireCode(t, fault.NotFound, err)
	fence := hold(t, db, "a", time.Minute)

	t0, err := db.Now(ctx)
	require.NoError(t, err)
	one := shift("sn", "na61", 5, levelTable("t1", 10))
	one.Basis = control.Basis{
		Now: t0, Points: []string{"recall"}, Scenes: []string{"k2"},
		Bindings: []*template.Binding{{ID: "b", Selector: template.Selector{Scene: gear.Any, IDC: gear.Any, App: "sn", Point: "recall"}, TemplateID: "x", Template: "t", Pin: 3, Version: 7, CreatedAt: t0}},
		Versions: []control.VersionRef{{TemplateID: "x", Number: 3, Latest: true}},
		Claims:   []*control.Claim{levelClaim("sn", 5, t0, t0.Add(time.Hour))},
	}
	require.NoError(t, db.AppendShift(ctx, one, fence))
	require.Equal(t, gear.Version{Epoch: fence, Revision: 1}, one.Version)
	require.Equal(t, one.Version, one.Set.Version())
	require.WithinDuration(t, t0, one.At, time.Minute)
	two := shift("merger", "na61", 3, levelTable("t2", 20))
	require.NoError(t, db.AppendShift(ctx, two, fence))
	three := shift("sn", "na61", 6, levelTable("t1", 10), levelTable("t3", 30))
	require.NoError(t, db.AppendShift(ctx, three, fence))
	require.EqualValues(t, 3, three.Version.Revision)

	got, err := db.ShiftAt(ctx, "sn", "na61", one.At)
	require.NoError(t, err)
	if one.At.Before(three.At) {
		require.Equal(t, one, got, "set, tables and basis survive")
	}
	got, err = db.ShiftAt(ctx, "sn", "na61", three.At.Add(time.Hour))
	require.NoError(t, err)
	require.Equal(t, three, got)
	_, err = db.ShiftAt(ctx, "sn", "na61", one.At.Add(-time.Second))
	requireCode(t, fault.NotFound, err)

	plain := func(ss ...*control.Shift) (out []*control.Shift) {
		for _, s := range ss {
			c := *s
			c.Basis = control.Basis{}
			out = append(out, &c)
		}
		return out
	}
	since, err := db.ShiftsSince(ctx, gear.Version{}, 0)
	require.NoError(t, err)
	require.Equal(t, plain(one, two, three), plain(since...))
	since, err = db.ShiftsSince(ctx, one.Version, 1)
	require.NoError(t, err)
	require.Equal(t, plain(two), plain(since...))
	since, err = db.ShiftsSince(ctx, three.Version, 10)
	require.NoError(t, err)
	require.Empty(t, since)
	latest, err := db.LatestShifts(ctx)
	require.NoError(t, err)
	require.Equal(t, plain(two, three), plain(latest...))
	list, err := db.ListShifts(ctx, "sn", "na61", t0, three.At.Add(time.Second), 10)
	require.NoError(t, err)
	require.Equal(t, plain(three, one), plain(list...))
	list, err = db.ListShifts(ctx, "sn", "na61", time.Time{}, one.At, 10)
	require.NoError(t, err)
	require.Empty(t, list, "to is not included")
}

func testJournalFence(t *testing.T, db *store.DB) {
	ctx := t.Context()
	requireCode(t, fault.Stale, db.AppendShift(ctx, shift("sn", "a", 1), 0))
	first := hold(t, db, "a", time.Minute)
	require.NoError(t, db.AppendShift(ctx, shift("sn", "a", 1), first))
	require.NoError(t, db.ReleaseLease(ctx, lease.Controller, "a"))
	requireCode(t, fault.Stale, db.AppendShift(ctx, shift("sn", "a", 2), first))
	second := hold(t, db, "b", time.Minute)
	require.Greater(t, second, first)
	s := shift("sn", "a", 2)
	requireCode(t, fault.Stale, db.AppendShift(ctx, s, first))
	require.Zero(t, s.Version, "a refused append changes nothing")
	require.NoError(t, db.AppendShift(ctx, s, second))
	require.Equal(t, gear.Version{Epoch: second, Revision: 2}, s.Version)

	// An agent's hello from beyond the journal lifts the epoch above it, and the
	// next holder starts above that.
	e, err := db.RaiseEpoch(ctx, 100)
	require.NoError(t, err)
	require.EqualValues(t, 100, e)
	e, err = db.RaiseEpoch(ctx, 7)
	require.NoError(t, err)
	require.EqualValues(t, 100, e, "never lowered")
	s = shift("sn", "a", 3)
	require.NoError(t, db.AppendShift(ctx, s, second), "the holder keeps its fence")
	require.Equal(t, gear.Version{Epoch: 100, Revision: 3}, s.Version)
	require.NoError(t, db.ReleaseLease(ctx, lease.Controller, "b"))
	require.EqualValues(t, 101, hold(t, db, "c", time.Minute))
	since, err := db.ShiftsSince(ctx, gear.Version{Epoch: second, Revision: 2}, 10)
	require.NoError(t, err)
	require.Len(t, since, 1)
}

func testJournalConcurrency(t *testing.T, db *store.DB) {
	ctx := t.Context()
	fence := hold(t, db, "a", time.Minute)
	const writers, each = 4, 8
	var mu sync.Mutex
	seen := map[int64]bool{}
	counts := race(writers, func(i int) error {
		for j := range each {
			s := shift(fmt.Sprintf("app%d", i), "a", j, levelTable("shared", 10))
			if err := db.AppendShift(ctx, s, fence); err != nil {
				return err
			}
			mu.Lock()
			seen[s.Version.Revision] = true
			mu.Unlock()
		}
		return nil
	})
	require.Equal(t, map[fault.Code]int{"": writers}, counts)
	require.Len(t, seen, writers*each, "no revision twice")
	all, err := db.ShiftsSince(ctx, gear.Version{}, writers*each+1)
	require.NoError(t, err)
	require.Len(t, all, writers*each)
	for i, s := range all {
		require.EqualValues(t, i+1, s.Version.Revision, "no gap")
		require.Len(t, s.Tables, 1)
		if i > 0 {
			require.False(t, s.At.Before(all[i-1].At), "the journal's time never falls")
		}
	}
	latest, err := db.LatestShifts(ctx)
	require.NoError(t, err)
	require.Len(t, latest, writers)
}

func testJournalPrune(t *testing.T, db *store.DB) {
	ctx := t.Context()
	fence := hold(t, db, "a", time.Minute)
	for i := range 5 {
		require.NoError(t, db.AppendShift(ctx, shift("sn", "a", i), fence))
	}
	quiet := shift("merger", "a", 1)
	require.NoError(t, db.AppendShift(ctx, quiet, fence))
	n, err := db.PruneShifts(ctx, quiet.At.Add(time.Hour))
	require.NoError(t, err)
	require.EqualValues(t, 4, n)
	latest, err := db.LatestShifts(ctx)
	require.NoError(t, err)
	require.Len(t, latest, 2, "what is in force stays, however old")
	next := shift("sn", "a", 9)
	require.NoError(t, db.AppendShift(ctx, next, fence))
	require.EqualValues(t, 7, next.Version.Revision, "revisions go on")
}

func testLease(t *testing.T, db *store.DB) {
	ctx := t.Context()
	const name = "test"
	l, ok, err := db.AcquireLease(ctx, name, "a", time.Minute)
	require.NoError(t, err)
	require.True(t, ok)
	first := l.Epoch
	require.WithinDuration(t, time.Now().Add(time.Minute), l.Expires, 30*time.Second)

	l, ok, err = db.AcquireLease(ctx, name, "a", 2*time.Minute)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, first, l.Epoch, "renewing keeps the epoch")

	l, ok, err = db.AcquireLease(ctx, name, "b", time.Minute)
	require.NoError(t, err)
	require.False(t, ok)
	require.Equal(t, "a", l.Holder, "the loser learns who holds it")

	require.NoError(t, db.ReleaseLease(ctx, name, "b"), "giving up what one lacks does nothing")
	_, ok, err = db.AcquireLease(ctx, name, "b", time.Minute)
	require.NoError(t, err)
	require.False(t, ok)
	require.NoError(t, db.ReleaseLease(ctx, name, "a"))
	l, ok, err = db.AcquireLease(ctx, name, "b", time.Microsecond)
	require.NoError(t, err)
	require.True(t, ok)
	require.Greater(t, l.Epoch, first)
	second := l.Epoch

	// It ran out: another may take it, and so may its old holder, but anew.
	require.Eventually(t, func() bool {
		l, ok, err = db.AcquireLease(ctx, name, "b", time.Minute)
		return err == nil && ok && l.Epoch > second
	}, 5*time.Second, time.Millisecond)

	_, _, err = db.AcquireLease(ctx, name, "", time.Minute)
	requireCode(t, fault.Invalid, err)
	_, _, err = db.AcquireLease(ctx, name, "a", 0)
	requireCode(t, fault.Invalid, err)
}

func testLeaseRace(t *testing.T, db *store.DB) {
	for round := range 3 {
		name := fmt.Sprintf("race%d", round)
		var mu sync.Mutex
		winners := 0
		counts := race(8, func(i int) error {
			_, ok, err := db.AcquireLease(t.Context(), name, fmt.Sprintf("r%d", i), time.Minute)
			mu.Lock()
			defer mu.Unlock()
			if ok {
				winners++
			}
			return err
		})
		require.Equal(t, map[fault.Code]int{"": 8}, counts)
		require.Equal(t, 1, winners)
	}
}
