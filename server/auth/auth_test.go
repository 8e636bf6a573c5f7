package auth_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/store"
)

var by = audit.Change{Actor: "test", Via: "test", Reason: "test"}

// office is the service on a real database; down makes the database fail.
type office struct {
	*auth.Service
	db   *store.DB
	down *atomic.Bool
}

// failing is a real store whose reads can be made to fail.
type failing struct {
	*store.DB
	down *atomic.Bool
}

var errDown = errors.New("database is away")

func (f failing) AuthCounter(ctx context.Context) (int64, error) {
	if f.down.Load() {
		return 0, errDown
	}
	return f.DB.AuthCounter(ctx)
}

func inOffice(t *testing.T, f func(t *testing.T, o *office)) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(dir, "a.db"), store.WithClock(time.Now))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		require.NoError(t, db.Migrate(t.Context()))
		down := &atomic.Bool{}
		o := &office{auth.New(failing{db, down}, slog.New(slog.DiscardHandler)), db, down}
		require.NoError(t, o.Start(t.Context()))
		t.Cleanup(o.Stop)
		f(t, o)
	})
}

func (o *office) login(t *testing.T, name, password string) string {
	t.Helper()
	s, err := o.Login(t.Context(), name, password, auth.AudienceConsole, "10.0.0.1", by)
	require.NoError(t, err)
	return s.Token
}

// later stops the office for a while: a second by second poll of a month proves nothing.
func (o *office) later(t *testing.T, d time.Duration) {
	o.Stop()
	time.Sleep(d)
	o.Service = auth.New(failing{o.db, o.down}, slog.New(slog.DiscardHandler))
	require.NoError(t, o.Start(t.Context()))
	t.Cleanup(o.Stop)
}

func requireCode(t *testing.T, code fault.Code, err error) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, code, fault.CodeOf(err), err.Error())
}

func TestBootstrapMakesOneAdministratorOnce(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		name, password, err := o.Bootstrap(t.Context())
		require.NoError(t, err)
		require.Len(t, password, 20)
		id, err := o.Authenticate(o.login(t, name, password), auth.AudienceConsole)
		require.NoError(t, err)
		require.True(t, id.Can(auth.Access, "*", "*"))
		_, again, err := o.Bootstrap(t.Context())
		require.NoError(t, err)
		require.Empty(t, again)
		u, err := o.User(t.Context(), name)
		require.NoError(t, err)
		require.Contains(t, u.PasswordHash, "$argon2id$v=19$m=19456,t=2,p=1$")
	})
}

func TestTwoKeysLiveAndTheOlderRetires(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		name, password, err := o.Bootstrap(t.Context())
		require.NoError(t, err)
		keys := func() []auth.Key {
			s, err := o.db.AuthSnapshot(t.Context(), time.Now())
			require.NoError(t, err)
			return s.Keys
		}
		require.Len(t, keys(), 1)
		_, secret, err := o.IssueEnrolToken(t.Context(), "sn", "sn", "*", auth.MaxTokenLife, by)
		require.NoError(t, err)
		o.later(t, auth.KeyLife-time.Minute)
		old := o.login(t, name, password)
		credential, _, err := o.Enroll(t.Context(), secret, "sn", "ea119", "h", "sn-1")
		require.NoError(t, err)
		time.Sleep(2 * time.Minute)
		require.Len(t, keys(), 2, "a second key was added when the first had signed for its life")
		fresh := o.login(t, name, password)
		for _, token := range []string{old, fresh} {
			_, err = o.Authenticate(token, auth.AudienceConsole)
			require.NoError(t, err, "both keys verify")
		}
		_, err = o.Verify(t.Context(), credential)
		require.NoError(t, err)
		o.later(t, auth.CredentialLife+2*time.Hour)
		require.Len(t, keys(), 1, "the older key retired after all it signed had expired")
	})
}

func TestAgentsEnrolOnlyWhereTheTokenIsBound(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		_, secret, err := o.IssueEnrolToken(t.Context(), "sn", "sn", "*", time.Hour, by)
		require.NoError(t, err)
		credential, expires, err := o.Enroll(t.Context(), secret, "sn", "ea119", "h", "sn-1")
		require.NoError(t, err)
		require.Equal(t, auth.CredentialLife, time.Until(expires).Round(time.Second))
		id, err := o.Verify(t.Context(), credential)
		require.NoError(t, err)
		require.Equal(t, auth.AgentIdentity{App: "sn", IDC: "ea119", Instance: "sn-1"}, id)
		_, _, err = o.Enroll(t.Context(), secret, "rank", "ea119", "h", "rank-1")
		requireCode(t, fault.Forbidden, err)
		_, _, err = o.Enroll(t.Context(), secret+"x", "sn", "ea119", "h", "sn-2")
		requireCode(t, fault.Unauthorized, err)
		_, err = o.Authenticate(credential, auth.AudienceConsole)
		requireCode(t, fault.Unauthorized, err)
		o.later(t, auth.CredentialLife/2)
		_, _, err = o.Enroll(t.Context(), secret, "sn", "ea119", "h", "sn-3")
		requireCode(t, fault.Unauthorized, err) // the enrolment token has expired
		renewed, _, err := o.Renew(t.Context(), credential)
		require.NoError(t, err)
		o.later(t, auth.CredentialLife/2+time.Minute)
		_, err = o.Verify(t.Context(), credential)
		requireCode(t, fault.Unauthorized, err)
		_, err = o.Verify(t.Context(), renewed)
		require.NoError(t, err)
	})
}

// Without its database the controller trusts the last snapshot for a while, and
// agents for longer: they must not be cut off because it is away.
func TestTheStoreIsAway(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		name, password, err := o.Bootstrap(t.Context())
		require.NoError(t, err)
		session := o.login(t, name, password)
		_, secret, err := o.IssueEnrolToken(t.Context(), "sn", "sn", "*", time.Hour, by)
		require.NoError(t, err)
		credential, _, err := o.Enroll(t.Context(), secret, "sn", "ea119", "h", "sn-1")
		require.NoError(t, err)
		o.down.Store(true)
		time.Sleep(auth.MaxStale - 2*time.Second)
		_, err = o.Authenticate(session, auth.AudienceConsole)
		require.NoError(t, err)
		time.Sleep(4 * time.Second)
		_, err = o.Authenticate(session, auth.AudienceConsole)
		requireCode(t, fault.Unavailable, err)
		_, err = o.Verify(t.Context(), credential)
		require.NoError(t, err)
		o.down.Store(false)
		time.Sleep(2 * time.Second)
		_, err = o.Authenticate(session, auth.AudienceConsole)
		require.NoError(t, err)
	})
}

func TestNobodyGrantsMoreThanTheyHold(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		scoped := &auth.Identity{Kind: auth.KindUser, Grants: []auth.Grant{{Role: auth.Admin, App: "sn", IDC: "*"}}}
		for _, grants := range [][]auth.Grant{
			{{Role: auth.Admin, App: "*", IDC: "*"}}, {{Role: auth.Viewer, App: "rank", IDC: "*"}}, {{Role: auth.Operator, App: "sn", IDC: "*"}, {Role: auth.Viewer, App: "*", IDC: "ea119"}},
		} {
			_, err := o.CreateUser(t.Context(), scoped, &auth.User{Name: "bob", Grants: grants}, "", by)
			requireCode(t, fault.Forbidden, err)
			_, _, err = o.IssueToken(t.Context(), scoped, "t", grants, time.Hour, by)
			requireCode(t, fault.Forbidden, err)
		}
		narrow := &auth.Identity{Kind: auth.KindUser, Grants: []auth.Grant{{Role: auth.Admin, App: "*", IDC: "*", Verb: auth.Access}}}
		_, _, err := o.IssueToken(t.Context(), narrow, "t", []auth.Grant{{Role: auth.Admin, App: "*", IDC: "*"}}, time.Hour, by)
		requireCode(t, fault.Forbidden, err) // the verb access alone makes no administrator
		_, _, err = o.IssueToken(t.Context(), scoped, "t", []auth.Grant{{Role: auth.Operator, App: "sn", IDC: "ea119"}}, time.Hour, by)
		require.NoError(t, err)
	})
}

func TestTheLastAdministratorStays(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		_, _, err := o.Bootstrap(t.Context())
		require.NoError(t, err)
		root, err := o.User(t.Context(), auth.AdminName)
		require.NoError(t, err)
		me := &auth.Identity{Kind: auth.KindUser, ID: root.ID, Grants: root.Grants}
		_, err = o.UpdateUser(t.Context(), me, root.ID, root.Version, "", root.Grants, true, by)
		requireCode(t, fault.Conflict, err)
		requireCode(t, fault.Conflict, o.DeleteUser(t.Context(), me, root.ID, root.Version, by))
		_, err = o.CreateUser(t.Context(), nil, &auth.User{Name: "second", Grants: root.Grants}, "", by)
		require.NoError(t, err)
		require.NoError(t, o.DeleteUser(t.Context(), me, root.ID, root.Version, by))
	})
}

func TestPasswords(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		for _, bad := range []string{"short", "aaaaaaaaaaaaaaaa", "bob-bob-bob-bob"} {
			_, err := o.CreateUser(t.Context(), nil, &auth.User{Name: "bob-bob-bob-bob"}, bad, by)
			requireCode(t, fault.Invalid, err)
		}
		_, err := o.CreateUser(t.Context(), nil, &auth.User{Name: "ann", Grants: []auth.Grant{{Role: auth.Viewer, App: "*", IDC: "*"}}}, "correct horse battery", by)
		require.NoError(t, err)
		session := o.login(t, "ann", "correct horse battery")
		id, err := o.Authenticate(session, auth.AudienceConsole)
		require.NoError(t, err)
		requireCode(t, fault.Invalid, o.ChangePassword(t.Context(), id, "wrong", "another long password", "10.0.0.1", by))
		require.NoError(t, o.ChangePassword(t.Context(), id, "correct horse battery", "another long password", "10.0.0.1", by))
		_, err = o.Authenticate(session, auth.AudienceConsole)
		requireCode(t, fault.Unauthorized, err)
		o.login(t, "ann", "another long password")
		_, err = o.Login(t.Context(), "ann", "correct horse battery", auth.AudienceConsole, "10.0.0.1", by)
		requireCode(t, fault.Unauthorized, err)
	})
}

func TestLocalTokensAreKeptWhileTheyLast(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		one, err := o.LocalToken(t.Context(), "", auth.Operator)
		require.NoError(t, err)
		same, err := o.LocalToken(t.Context(), one, auth.Operator)
		require.NoError(t, err)
		require.Equal(t, one, same)
		o.later(t, auth.DefaultTokenLife)
		other, err := o.LocalToken(t.Context(), one, auth.Operator)
		require.NoError(t, err)
		require.NotEqual(t, one, other)
		_, err = o.Authenticate(one, auth.AudienceCLI)
		requireCode(t, fault.Unauthorized, err)
	})
}
