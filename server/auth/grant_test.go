package auth

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestGrants(t *testing.T) {
	for _, x := range []struct {
		g        Grant
		v        Verb
		app, idc string
		want     bool
	}{
		{Grant{Role: Viewer, App: "*", IDC: "*"}, Read, "sn", "ea119", true},
		{Grant{Role: Viewer, App: "*", IDC: "*"}, Set, "sn", "ea119", false},
		{Grant{Role: Operator, App: "sn", IDC: "*"}, Set, "sn", "ea119", true},
		{Grant{Role: Operator, App: "sn", IDC: "*"}, Set, "sn", "*", true},
		{Grant{Role: Operator, App: "sn", IDC: "*"}, Set, "*", "*", false}, // all apps is more than one
		{Grant{Role: Operator, App: "sn", IDC: "ea119"}, Set, "sn", "*", false},
		{Grant{Role: Operator, App: "sn", IDC: "ea119"}, Set, "", "ea119", false}, // a blank names nothing
		{Grant{Role: Operator, App: "sn", IDC: "*"}, Access, "sn", "ea119", false},
		{Grant{Role: Admin, App: "sn", IDC: "*"}, Access, "sn", "ea119", true},
		{Grant{Role: Admin, App: "*", IDC: "*", Verb: Publish}, Publish, "sn", "ea119", true},
		{Grant{Role: Admin, App: "*", IDC: "*", Verb: Publish}, Set, "sn", "ea119", false},
		{Grant{Role: Viewer, App: "*", IDC: "*", Verb: Set}, Set, "sn", "ea119", false}, // a verb narrows, never widens
		{Grant{Role: "root", App: "*", IDC: "*"}, Read, "sn", "ea119", false},
	} {
		require.Equal(t, x.want, x.g.Allows(x.v, x.app, x.idc), "%+v", x)
	}
	ps := CheckGrants([]Grant{{Role: "root", App: "<img>", IDC: ""}, {Role: Viewer, App: "sn", IDC: "*", Verb: Set}})
	paths := []string{}
	for _, p := range ps {
		paths = append(paths, p.Path)
	}
	require.Equal(t, []string{"grants[0].role", "grants[0].app", "grants[0].idc", "grants[1].verb"}, paths)
}

func TestTheLimiterRefillsAndStaysSmall(t *testing.T) {
	now := time.Date(2026, 11, 11, 0, 0, 0, 0, time.UTC)
	l := newLimiter(3, time.Second, 100)
	for range 3 {
		_, ok := l.take("a", now)
		require.True(t, ok)
	}
	wait, ok := l.take("a", now)
	require.False(t, ok)
	require.Equal(t, time.Second, wait)
	_, ok = l.take("a", now.Add(time.Second))
	require.True(t, ok)
	_, ok = l.take("a", now.Add(-time.Hour)) // a clock set back gives nothing
	require.False(t, ok)
	for i := range 10_000 {
		l.take(fmt.Sprint(i), now)
	}
	require.Equal(t, 100, l.order.Len())
	require.Len(t, l.keys, 100)
}

// An unreadable hash is never a match, whatever the password.
func TestBrokenHashesMatchNothing(t *testing.T) {
	h := newHasher()
	good, err := h.hash(t.Context(), "correct horse battery")
	require.NoError(t, err)
	ok, err := h.verify(t.Context(), good, "correct horse battery")
	require.NoError(t, err)
	require.True(t, ok)
	for _, phc := range []string{"", "plain", "$argon2id$v=19$m=19456,t=2,p=1$$", "$argon2i" + good[9:], good[:len(good)-2], "$argon2id$v=19$m=4294967295,t=2,p=1$AA$AA"} {
		ok, err := h.verify(t.Context(), phc, "correct horse battery")
		require.NoError(t, err)
		require.False(t, ok, phc)
	}
}
