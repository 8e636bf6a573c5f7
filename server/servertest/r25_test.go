package servertest_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/servertest"
)

// user makes a user with grants and signs them in.
func user(t *testing.T, c *servertest.Client, name string, grants ...api.Grant) *servertest.Client {
	t.Helper()
	var out api.UserSecret
	c.Do(http.MethodPost, "/users", api.UserCreate{Name: name, Grants: grants}, &out)
	return c.SignIn(name, out.Password)
}

// TestR25: in a freeze every write that decides what machines do is refused with
// 423 and says why. Leave counts when a second person gives it, for the two of
// them, and every change made with it is flagged. What is planned still fires, and
// whoever holds or stops a plan is not kept from it.
func TestR25(t *testing.T) {
	s := servertest.Serve(t, servertest.Settings(t.TempDir()))
	root := s.SignIn("admin", s.App.Password())
	root.Publish(servertest.Recall("recall-tags", 100))
	root.Bind("recall-tags", "sn", "recall")
	operator := api.Grant{Role: "operator", App: "sn", IDC: "*"}
	ann, bob, eve := user(t, root, "ann", operator), user(t, root, "bob", operator), user(t, root, "eve", operator)
	ms := servertest.Run(t, servertest.NewNetwork(s.App.GRPCAddr()), s.App.Local().EnrolToken, "sn", 2, "na61")
	ms.Await(t, "orders come", 1, servertest.Level(8))
	at := soon(5 * time.Second)
	approve(t, root, peakPlan("double-11", at, 3*time.Second))
	approve(t, root, peakPlan("later", at.Add(24*time.Hour), time.Hour))
	awaitStaged(t, root, "double-11", len(ms))

	now := time.Now()
	root.Do(http.MethodPost, "/freezes", api.Freeze{App: "sn", IDC: "*", From: now.Add(-time.Minute), Until: now.Add(time.Hour), Reason: "the peak of 11.11"}, nil)
	claim := map[string]any{
		"field": "level", "level": 2, "reason": "test", "for": "10m",
		"scope": api.Scope{Scene: "feeds", IDC: "na61", App: "sn", Point: "recall"},
	}
	frozen := func(c *servertest.Client, method, path string, body any, headers ...string) {
		t.Helper()
		a, err := c.Try(method, path, body, headers...)
		require.NoError(t, err)
		require.Equal(t, http.StatusLocked, a.Status, "%s %s: %s", method, path, a.Body)
		require.Contains(t, a.Problem(t).Detail, "the peak of 11.11")
	}
	frozen(root, http.MethodPost, "/claims", claim) // not even an administrator
	frozen(ann, http.MethodPost, "/claims", claim)
	frozen(ann, http.MethodPost, "/plans", peakPlan("fresh", at.Add(48*time.Hour), time.Hour))
	frozen(ann, http.MethodPost, "/bindings", api.BindingInput{Template: "recall-tags", Reason: "test", Selector: api.Selector{Scene: "k2", IDC: "na61", App: "sn", Point: "recall"}})

	t.Log("leave wants a second person, and counts for the two of them")
	var glass api.Glass
	ann.Do(http.MethodPost, "/break-glass", api.GlassInput{Reason: "it burns", For: "30m"}, &glass)
	leave := []string{"Break-Glass", glass.ID}
	frozen(ann, http.MethodPost, "/claims", claim, leave...)
	a, err := ann.Try(http.MethodPost, "/break-glass/"+glass.ID+"/approve", api.Reason{Reason: "I say so"})
	require.NoError(t, err)
	require.Equal(t, http.StatusForbidden, a.Status, "%s", a.Body)
	frozen(ann, http.MethodPost, "/claims", claim, leave...)
	bob.Do(http.MethodPost, "/break-glass/"+glass.ID+"/approve", api.Reason{Reason: "yes"}, &glass)
	require.Equal(t, "bob", glass.ApprovedBy)
	frozen(eve, http.MethodPost, "/claims", claim, leave...)
	ann.Do(http.MethodPost, "/claims", claim, nil, leave...)

	var log struct{ Items []api.AuditEntry }
	root.Do(http.MethodGet, "/audit?kind=claim&limit=10", nil, &log)
	require.Equal(t, "ann", log.Items[0].Actor)
	require.True(t, strings.HasPrefix(log.Items[0].Reason, "BREAK GLASS (asked by ann, approved by bob: it burns)"), log.Items[0].Reason)

	t.Log("who takes a plan out of force is not kept from it, and what is planned fires")
	bob.Do(http.MethodPost, "/plans/later/hold", api.Reason{Reason: "wait"}, nil)
	frozen(bob, http.MethodPost, "/plans/later/resume", api.Reason{Reason: "go on"})
	bob.Do(http.MethodPost, "/plans/later/stop", api.Reason{Reason: "no"}, nil)
	ms.Await(t, "the planned step fires", 1, servertest.Level(3))
	ms.Await(t, "and ends", 1, servertest.Level(8))
}
