package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/template"
)

func testAuditChain(t *testing.T, db *store.DB) {
	ctx := t.Context()
	const writers, each = 6, 6
	counts := race(writers, func(i int) error {
		for j := range each {
			c := levelClaim(fmt.Sprintf("app%d", i), j, time.Time{}, time.Time{})
			if err := db.CreateClaim(ctx, c, by(fmt.Sprintf("w%d", i))); err != nil {
				return err
			}
		}
		return nil
	})
	require.Equal(t, map[fault.Code]int{"": writers}, counts)
	require.NoError(t, verify(ctx, db))
	n := 0
	require.NoError(t, db.WalkAudit(ctx, func(e audit.Entry) error {
		n++
		require.EqualValues(t, n, e.Seq)
		require.Equal(t, "set", e.Verb)
		require.Equal(t, "claim", e.Kind)
		require.NotEmpty(t, e.Object)
		require.True(t, json.Valid(e.After))
		require.Nil(t, e.Before)
		return nil
	}))
	require.Equal(t, writers*each, n)

	stop := errors.New("enough")
	require.ErrorIs(t, db.WalkAudit(ctx, func(audit.Entry) error { return stop }), stop)

	// A refused change leaves no entry.
	requireCode(t, fault.NotFound, db.UpdateClaim(ctx, &control.Claim{ID: "none"}, by("ann")))
	seq, _, err := db.AuditHead(ctx)
	require.NoError(t, err)
	require.EqualValues(t, writers*each, seq)
}

func testAuditTamper(t *testing.T, db *store.DB) {
	ctx := t.Context()
	for i := range 5 {
		newTemplate(t, db, fmt.Sprintf("t%d", i))
	}
	require.NoError(t, verify(ctx, db))
	for _, statement := range []string{
		"UPDATE audit_entries SET reason = 'innocent' WHERE seq = 3",
		"DELETE FROM audit_entries WHERE seq = 3",
	} {
		_, err := db.SQL().Exec(statement)
		require.ErrorContains(t, err, "append-only")
	}
	require.NoError(t, verify(ctx, db))

	drop := []string{"DROP TRIGGER audit_entries_fixed ON audit_entries"}
	if db.Dialect() == "sqlite" {
		drop = []string{"DROP TRIGGER audit_entries_fixed_update", "DROP TRIGGER audit_entries_fixed_delete"}
	}
	for _, s := range drop {
		_, err := db.SQL().Exec(s)
		require.NoError(t, err)
	}
	for _, x := range []struct{ do, undo, says string }{
		{"UPDATE audit_entries SET reason = 'innocent' WHERE seq = 3", "UPDATE audit_entries SET reason = 'because ann' WHERE seq = 3", "entry 3 was altered"},
		{"UPDATE audit_entries SET at = at + 1 WHERE seq = 2", "UPDATE audit_entries SET at = at - 1 WHERE seq = 2", "entry 2 was altered"},
		{"UPDATE audit_entries SET actor = 'annb', via = 'ap' WHERE seq = 2", "UPDATE audit_entries SET actor = 'ann', via = 'api' WHERE seq = 2", "entry 2 was altered"},
		{"UPDATE audit_entries SET seq = 9 WHERE seq = 5", "UPDATE audit_entries SET seq = 5 WHERE seq = 9", "entries between"},
		{"UPDATE audit_head SET seq = 4 WHERE id = 1", "UPDATE audit_head SET seq = 5 WHERE id = 1", "the head says"},
	} {
		_, err := db.SQL().Exec(x.do)
		require.NoError(t, err)
		require.ErrorContains(t, verify(ctx, db), x.says)
		_, err = db.SQL().Exec(x.undo)
		require.NoError(t, err)
		require.NoError(t, verify(ctx, db))
	}
	_, err := db.SQL().Exec("DELETE FROM audit_entries WHERE seq = 5")
	require.NoError(t, err)
	require.ErrorContains(t, verify(ctx, db), "the head says", "a log cut at its end")
}

func testAuditFilters(t *testing.T, db *store.DB) {
	ctx := t.Context()
	x := newTemplate(t, db, "first")
	x.Description = "d"
	c := by("bob")
	c.Reason = "Night Shift"
	require.NoError(t, db.UpdateTemplate(ctx, x, c))
	require.NoError(t, db.CreateClaim(ctx, levelClaim("sn", 1, time.Time{}, time.Time{}), by("cid")))
	require.NoError(t, db.CreateClaim(ctx, levelClaim("merger", 2, time.Time{}, time.Time{}), by("system:feedback")))

	for name, f := range map[string]struct {
		audit.Filter
		seqs []int64
	}{
		"all, newest first": {audit.Filter{}, []int64{4, 3, 2, 1}},
		"actor":             {audit.Filter{Actor: "bob"}, []int64{2}},
		"people":            {audit.Filter{People: true}, []int64{3, 2, 1}},
		"verb":              {audit.Filter{Verb: "create"}, []int64{1}},
		"kind":              {audit.Filter{Kind: "template"}, []int64{2, 1}},
		"object":            {audit.Filter{Object: x.ID}, []int64{2, 1}},
		"scope":             {audit.Filter{App: "sn", IDC: "na61"}, []int64{3}},
		"text":              {audit.Filter{Search: "NIGHT"}, []int64{2}},
		"wildcard is text":  {audit.Filter{Search: "%"}, nil},
		"cursor":            {audit.Filter{Before: 3, Limit: 1}, []int64{2}},
		"future":            {audit.Filter{From: time.Now().Add(time.Hour)}, nil},
		"past":              {audit.Filter{To: time.Now().Add(-time.Hour)}, nil},
		"now":               {audit.Filter{From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour)}, []int64{4, 3, 2, 1}},
	} {
		got, err := db.ListAudit(ctx, f.Filter)
		require.NoError(t, err)
		var seqs []int64
		for _, e := range got {
			seqs = append(seqs, e.Seq)
		}
		require.Equal(t, f.seqs, seqs, name)
	}
	got, err := db.ListAudit(ctx, audit.Filter{Actor: "bob"})
	require.NoError(t, err)
	var before, after struct{ Description string }
	require.NoError(t, json.Unmarshal(got[0].Before, &before))
	require.NoError(t, json.Unmarshal(got[0].After, &after))
	require.Equal(t, "about first", before.Description)
	require.Equal(t, "d", after.Description)
}

func testIdempotency(t *testing.T, db *store.DB) {
	ctx := t.Context()
	x := &template.Template{Name: "once"}
	require.NoError(t, db.CreateTemplate(ctx, x, keyed("ann", "k1")))
	again := &template.Template{Name: "another name"}
	err := db.CreateTemplate(ctx, again, keyed("ann", "k1"))
	requireCode(t, fault.Duplicate, err)
	f, _ := errors.AsType[*fault.Error](err)
	first, ok := f.Detail.(audit.Entry)
	require.True(t, ok)
	require.Equal(t, x.ID, first.Object, "the first result is named")
	require.Empty(t, again.ID)

	require.NoError(t, db.CreateTemplate(ctx, again, keyed("bob", "k1")), "keys belong to their actor")
	require.NoError(t, db.CreateTemplate(ctx, &template.Template{Name: "t3"}, keyed("ann", "")))
	require.NoError(t, db.CreateTemplate(ctx, &template.Template{Name: "t4"}, keyed("ann", "")), "no key, no limit")

	// A refused change does not use its key up.
	requireCode(t, fault.Conflict, db.CreateTemplate(ctx, &template.Template{Name: "once"}, keyed("ann", "k2")))
	require.NoError(t, db.CreateTemplate(ctx, &template.Template{Name: "twice"}, keyed("ann", "k2")))

	e, ok, err := db.FindIdempotent(ctx, "ann", "k1")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, first, e)
	_, ok, err = db.FindIdempotent(ctx, "cid", "k1")
	require.NoError(t, err)
	require.False(t, ok)
}

func testIdempotencyRace(t *testing.T, db *store.DB) {
	for round := range 4 {
		counts := race(8, func(int) error {
			c := levelClaim("sn", round, time.Time{}, time.Time{})
			return db.CreateClaim(t.Context(), c, keyed("ann", fmt.Sprint(round)))
		})
		require.Equal(t, map[fault.Code]int{"": 1, fault.Duplicate: 7}, counts)
	}
	items, _, err := db.ListClaims(t.Context(), control.ClaimFilter{})
	require.NoError(t, err)
	require.Len(t, items, 4)
}

func testHostileText(t *testing.T, db *store.DB) {
	ctx := t.Context()
	c := by("ann")
	c.Reason = "NUL \x00 and \xff and '; DROP TABLE claims; -- <img onerror=x>"
	c.RequestID = "line\nbreak"
	require.NoError(t, db.CreateClaim(ctx, levelClaim("sn", 1, time.Time{}, time.Time{}), c))
	require.NoError(t, verify(ctx, db), "the hash covers what is stored")
	got, err := db.ListAudit(ctx, audit.Filter{})
	require.NoError(t, err)
	require.Equal(t, "NUL � and � and '; DROP TABLE claims; -- <img onerror=x>", got[0].Reason)
}

func testCancelledContext(t *testing.T, db *store.DB) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := db.CreateTemplate(ctx, &template.Template{Name: "x"}, by("ann"))
	require.ErrorIs(t, err, context.Canceled)
	_, err = db.FindTemplate(t.Context(), "x")
	requireCode(t, fault.NotFound, err)
	require.NoError(t, db.CreateTemplate(t.Context(), &template.Template{Name: "x"}, by("ann")), "the next one is served")
}
