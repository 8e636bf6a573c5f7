package restapi

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
)

// A screen's token reads the wall of its apps and IDCs, and nothing else at all.
func TestAWallsTokenReadsTheWallOnly(t *testing.T) {
	withDesk(t, func(d *desk) {
		for role, app := range map[string]string{"screen": gear.Any, "narrow": "rank"} {
			_, secret, err := d.auth.IssueToken(d.t.Context(), nil, role, []auth.Grant{{Role: auth.Viewer, App: app, IDC: gear.Any, Verb: auth.Wall}}, time.Hour, system)
			require.NoError(d.t, err)
			d.tokens[role] = secret
		}
		for id, r := range accessTable {
			if id == "get-wall" || r.want[0] != 401 || id == "me" || id == "logout" || id == "change-password" || id == "login" {
				continue
			}
			if id == "unban-agent" {
				r.header = nil // it bans as administrator first
			}
			got := d.try(r, "screen")
			require.Contains(d.t, []int{401, 403, 404}, got, id)
		}
		var w api.Wall
		d.ok(d.do("screen", "GET", "/wall", ""), 200, &w)
		require.Equal(d.t, 2, w.Agents.Connected)
		require.Equal(d.t, 2, w.Agents.Ordered)
		require.Zero(d.t, w.Agents.Current, "the agents of the desk have no stream")
		require.Len(d.t, w.Scenes, 1)
		require.Equal(d.t, "k2", w.Scenes[0].Scene)
		require.Equal(d.t, "ea119", w.Scenes[0].Links[0].IDC)
		require.InDelta(d.t, 300, w.Scenes[0].Links[0].TargetMS, 0)
		require.InDelta(d.t, -1, w.Scenes[0].Links[0].ActualMS, 0, "without requests nothing is said")
		require.Empty(d.t, w.Next, "a draft does not come next")

		d.ok(d.do("narrow", "GET", "/wall", ""), 200, &w)
		require.Equal(d.t, 1, w.Agents.Connected)
		require.Empty(d.t, w.Scenes, "the scene is of an app that the token does not name")

		// An approved plan comes next, when it is near enough, and runs from its start.
		near := strings.Replace(planOf("near"), "2000-02-01 23:56:00", "2000-01-01 08:10:00", 1)
		d.ok(d.do("admin", "POST", "/plans", near), 201, nil)
		for _, name := range []string{"peak", "near"} {
			d.ok(d.do("admin", "POST", "/plans/"+name+"/approve", `{"reason":"test"}`), 200, nil)
		}
		state := func(want ...string) {
			d.t.Helper()
			d.ok(d.do("screen", "GET", "/wall", ""), 200, &w)
			var got []string
			for _, x := range w.Next {
				got = append(got, x.Plan+" "+x.State)
			}
			require.Equal(d.t, want, got)
		}
		state("near coming") // peak is weeks ahead
		time.Sleep(11 * time.Minute)
		state("near running")
		time.Sleep(7 * time.Minute)
		state([]string(nil)...)
	})
}
