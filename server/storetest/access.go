package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/store"
)

var grants = []auth.Grant{{Role: auth.Operator, App: "sn", IDC: gear.Any, Verb: auth.Publish}, {Role: auth.Viewer, App: gear.Any, IDC: gear.Any}}

// counts asserts that fn raises the access counter, or that it does not.
func counter(t *testing.T, db *store.DB, raises bool, fn func()) {
	t.Helper()
	before, err := db.AuthCounter(t.Context())
	require.NoError(t, err)
	fn()
	after, err := db.AuthCounter(t.Context())
	require.NoError(t, err)
	require.Equal(t, raises, after > before)
}

func testUsers(t *testing.T, db *store.DB) {
	ctx := t.Context()
	u := &auth.User{Name: "ann", Display: "Ann", PasswordHash: "$argon2id$secret", Grants: grants, Epoch: 3}
	counter(t, db, true, func() { require.NoError(t, db.CreateUser(ctx, u, by("root"))) })
	require.EqualValues(t, 1, u.Version)
	got, err := db.GetUser(ctx, u.ID)
	require.NoError(t, err)
	require.Equal(t, u, got)
	got, err = db.FindUser(ctx, "ann")
	require.NoError(t, err)
	require.Equal(t, u, got)
	requireCode(t, fault.Conflict, db.CreateUser(ctx, &auth.User{Name: "ann"}, by("root")))
	_, err = db.FindUser(ctx, "none")
	requireCode(t, fault.NotFound, err)

	login := time.Now().UTC().Truncate(time.Microsecond)
	counter(t, db, false, func() { require.NoError(t, db.TouchLogin(ctx, u.ID, login, by("ann"))) })
	requireCode(t, fault.NotFound, db.TouchLogin(ctx, "none", login, by("ann")))

	mine := *u
	u.Grants, u.Disabled, u.Epoch, u.PasswordHash = grants[:1], true, 4, "$argon2id$other"
	counter(t, db, true, func() { require.NoError(t, db.UpdateUser(ctx, u, by("root"))) })
	got, err = db.GetUser(ctx, u.ID)
	require.NoError(t, err)
	require.Equal(t, login, got.LastLogin, "an edit keeps the login")
	require.Equal(t, u, got)
	err = db.UpdateUser(ctx, &mine, by("bob"))
	requireCode(t, fault.Stale, err)
	require.Equal(t, u, clash(t, err).Theirs)

	entries, err := db.ListAudit(ctx, audit.Filter{})
	require.NoError(t, err)
	require.Len(t, entries, 3)
	for _, e := range entries {
		require.NotContains(t, string(e.Before)+string(e.After), "argon2id", "the log never holds a hash")
	}
	all, err := db.ListUsers(ctx)
	require.NoError(t, err)
	require.Equal(t, []*auth.User{u}, all)
	requireCode(t, fault.Stale, db.DeleteUser(ctx, u.ID, 1, by("root")))
	counter(t, db, true, func() { require.NoError(t, db.DeleteUser(ctx, u.ID, 2, by("root"))) })
	_, err = db.GetUser(ctx, u.ID)
	requireCode(t, fault.NotFound, err)
	require.NoError(t, verify(ctx, db))
}

func testTokens(t *testing.T, db *store.DB) {
	ctx := t.Context()
	now, err := db.Now(ctx)
	require.NoError(t, err)
	tok := &auth.Token{Name: "ci", Prefix: "as_abc", Hash: strings.Repeat("a", 64), Grants: grants, Expires: now.Add(time.Hour)}
	counter(t, db, true, func() { require.NoError(t, db.CreateToken(ctx, tok, by("ann"))) })
	got, err := db.GetToken(ctx, tok.ID)
	require.NoError(t, err)
	require.Equal(t, tok, got)
	requireCode(t, fault.Conflict, db.CreateToken(ctx, &auth.Token{Name: "ci", Hash: "b"}, by("ann")))
	requireCode(t, fault.Conflict, db.CreateToken(ctx, &auth.Token{Name: "cj", Hash: tok.Hash}, by("ann")))

	counter(t, db, false, func() {
		require.NoError(t, db.TouchTokens(ctx, map[string]time.Time{tok.ID: now, "none": now}))
		require.NoError(t, db.TouchTokens(ctx, map[string]time.Time{tok.ID: now.Add(-time.Minute)}))
		require.NoError(t, db.TouchTokens(ctx, nil))
	})
	got, err = db.GetToken(ctx, tok.ID)
	require.NoError(t, err)
	require.Equal(t, now, got.LastUsed, "never backwards")

	counter(t, db, true, func() { require.NoError(t, db.RevokeToken(ctx, tok.ID, now, by("bob"))) })
	require.NoError(t, db.RevokeToken(ctx, tok.ID, now.Add(time.Hour), by("cid")))
	got, err = db.GetToken(ctx, tok.ID)
	require.NoError(t, err)
	require.Equal(t, now, got.Revoked)
	require.Equal(t, "bob", got.RevokedBy)
	requireCode(t, fault.NotFound, db.RevokeToken(ctx, "none", now, by("bob")))
	list, err := db.ListTokens(ctx)
	require.NoError(t, err)
	require.Equal(t, []*auth.Token{got}, list)

	e := &auth.EnrolToken{Name: "sn-agents", Prefix: "en_x", Hash: strings.Repeat("e", 64), App: "sn", IDC: gear.Any, Expires: now.Add(time.Hour)}
	counter(t, db, true, func() { require.NoError(t, db.CreateEnrolToken(ctx, e, by("ann"))) })
	gotE, err := db.GetEnrolToken(ctx, e.ID)
	require.NoError(t, err)
	require.Equal(t, e, gotE)
	requireCode(t, fault.Conflict, db.CreateEnrolToken(ctx, &auth.EnrolToken{Name: "sn-agents", Hash: "x"}, by("ann")))
	counter(t, db, true, func() { require.NoError(t, db.RevokeEnrolToken(ctx, e.ID, now, by("bob"))) })
	requireCode(t, fault.NotFound, db.RevokeEnrolToken(ctx, "none", now, by("bob")))
	listE, err := db.ListEnrolTokens(ctx)
	require.NoError(t, err)
	require.Len(t, listE, 1)
	require.Equal(t, "bob", listE[0].RevokedBy)
	entries, err := db.ListAudit(ctx, audit.Filter{})
	require.NoError(t, err)
	for _, x := range entries {
		require.NotContains(t, string(x.After), tok.Hash)
		require.NotContains(t, string(x.After), e.Hash)
	}
}

func testKeys(t *testing.T, db *store.DB) {
	ctx := t.Context()
	now, err := db.Now(ctx)
	require.NoError(t, err)
	key := func(id string, created time.Time) auth.Key {
		return auth.Key{ID: id, Secret: []byte(id + "\x00\xff"), CreatedAt: created, Retires: created.Add(time.Hour)}
	}
	counts := race(5, func(i int) error {
		added, err := db.AddKey(ctx, key("first"+string(rune('a'+i)), now), time.Time{})
		if err == nil && !added {
			return fault.New(fault.Conflict, "not added")
		}
		return err
	})
	require.Equal(t, map[fault.Code]int{"": 1, fault.Conflict: 4}, counts, "replicas that rotate at once add one key")
	added, err := db.AddKey(ctx, key("second", now.Add(30*time.Minute)), now)
	require.NoError(t, err)
	require.True(t, added)
	s, err := db.AuthSnapshot(ctx, now)
	require.NoError(t, err)
	require.Len(t, s.Keys, 2)
	require.Equal(t, key("second", now.Add(30*time.Minute)), s.Keys[1])
	added, err = db.AddKey(ctx, key("third", now.Add(90*time.Minute)), now.Add(30*time.Minute))
	require.NoError(t, err)
	require.True(t, added)
	s, err = db.AuthSnapshot(ctx, now)
	require.NoError(t, err)
	require.Len(t, s.Keys, 2, "the retired one is gone")
	s, err = db.AuthSnapshot(ctx, now.Add(100*time.Minute))
	require.NoError(t, err)
	require.Len(t, s.Keys, 1)
}

func testSessions(t *testing.T, db *store.DB) {
	ctx := t.Context()
	now, err := db.Now(ctx)
	require.NoError(t, err)
	r := auth.Revocation{JTI: "j1", UserID: "u", Expires: now.Add(time.Hour)}
	counter(t, db, true, func() { require.NoError(t, db.RevokeSession(ctx, r, by("ann"))) })
	require.NoError(t, db.RevokeSession(ctx, r, by("ann")), "twice is once")
	require.NoError(t, db.RevokeSession(ctx, auth.Revocation{JTI: "old", UserID: "u", Expires: now.Add(-time.Hour)}, by("ann")))
	require.NoError(t, db.CreateUser(ctx, &auth.User{Name: "ann"}, by("root")))
	live := &auth.Token{Name: "live", Hash: "h1", Expires: now.Add(time.Hour)}
	dead := &auth.Token{Name: "dead", Hash: "h2", Expires: now.Add(-time.Hour)}
	require.NoError(t, db.CreateToken(ctx, live, by("ann")))
	require.NoError(t, db.CreateToken(ctx, dead, by("ann")))
	en := &auth.EnrolToken{Name: "en", Hash: "h3", App: gear.Any, IDC: gear.Any, Expires: now.Add(time.Hour)}
	require.NoError(t, db.CreateEnrolToken(ctx, en, by("ann")))

	s, err := db.AuthSnapshot(ctx, now)
	require.NoError(t, err)
	n, err := db.AuthCounter(ctx)
	require.NoError(t, err)
	require.Equal(t, n, s.Counter)
	require.Equal(t, []auth.Revocation{r}, s.Revocations)
	require.Len(t, s.Users, 1)
	require.Equal(t, []*auth.Token{live}, s.Tokens)
	require.Equal(t, []*auth.EnrolToken{en}, s.Enrol)
	require.NoError(t, verify(ctx, db))
}
