package restapi

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
)

// tap is an event stream being read.
type tap struct {
	status int
	end    func()
	done   chan struct{}

	mu     sync.Mutex
	header http.Header
	body   bytes.Buffer
}

func (s *tap) Header() http.Header { return s.header }
func (s *tap) WriteHeader(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}
func (s *tap) Flush() {}
func (s *tap) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.body.Write(b)
}

// events gives what came so far, but hello.
func (s *tap) events(t *testing.T) []api.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []api.Event
	for line := range strings.Lines(s.body.String()) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			var e api.Event
			require.NoError(t, json.Unmarshal([]byte(data), &e))
			if e.Type != "hello" {
				out = append(out, e)
			}
		}
	}
	return out
}

func (s *tap) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// stream opens the event stream as a role and ends it with the desk's test.
func (d *desk) stream(role, last string) *tap {
	return d.streamWith("Authorization", "Bearer "+d.tokens[role], last)
}

func (d *desk) streamWith(header, value, last string) *tap {
	ctx, end := context.WithCancel(d.t.Context())
	s := &tap{end: end, done: make(chan struct{}), header: http.Header{}}
	req := httptest.NewRequestWithContext(ctx, "GET", prefix+"/events", nil)
	req.Header.Set(header, value)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	go func() {
		defer close(s.done)
		d.server.ServeHTTP(s, req)
	}()
	d.t.Cleanup(func() { end(); <-s.done })
	synctest.Wait()
	return s
}

func TestEventsKeepToTheScope(t *testing.T) {
	withDesk(t, func(d *desk) {
		d.server.Start(d.t.Context())
		time.Sleep(time.Second)
		mine, foreign := d.stream("viewer", ""), d.stream("foreign", "")
		d.ok(d.do("operator", "POST", "/claims", claimOf("sn", 2)), 201, nil)
		d.ok(d.do("operator", "POST", "/templates", named("fresh")), 201, nil)
		time.Sleep(2 * time.Second)
		kinds := func(s *tap) (out []string) {
			for _, e := range s.events(d.t) {
				if e.ID != "" {
					out = append(out, e.Type)
				}
			}
			return out
		}
		require.Equal(d.t, []string{"claim", "template"}, kinds(mine))
		require.Equal(d.t, []string{"template"}, kinds(foreign), "a claim of app sn reached an operator of app rank")
		for _, e := range foreign.events(d.t) {
			require.NotEqual(d.t, "sn", e.App)
		}
	})
}

func TestAStreamResumesWhereItWas(t *testing.T) {
	withDesk(t, func(d *desk) {
		d.server.Start(d.t.Context())
		time.Sleep(time.Second)
		first := d.stream("operator", "")
		d.ok(d.do("operator", "POST", "/templates", named("one")), 201, nil)
		time.Sleep(time.Second)
		var last string
		for _, e := range first.events(d.t) {
			if e.ID != "" {
				last = e.ID
			}
		}
		require.NotEmpty(d.t, last)
		first.end()
		<-first.done
		d.ok(d.do("operator", "POST", "/templates", named("two")), 201, nil)
		time.Sleep(time.Second)
		var missed []string
		for _, e := range d.stream("operator", last).events(d.t) {
			if e.ID != "" {
				missed = append(missed, string(e.Data))
			}
		}
		require.Len(d.t, missed, 1)
		require.Contains(d.t, missed[0], `"two"`)
		for _, unknown := range []string{"elsewhere-7", "garbage", last + "999"} {
			again := d.stream("operator", unknown).events(d.t)
			require.NotEmpty(d.t, again, unknown)
			require.Equal(d.t, "reset", again[0].Type, unknown)
		}
	})
}

// A second replica on the same database sees the cut too.
func TestLogoutAndRoleChangeCutStreamsWithinFiveSeconds(t *testing.T) {
	withDesk(t, func(d *desk) {
		other := *d
		other.auth = auth.New(d.db, d.server.deps.Log)
		require.NoError(d.t, other.auth.Start(d.t.Context()))
		d.t.Cleanup(other.auth.Stop)
		deps := d.server.deps
		deps.Auth = other.auth
		other.server = New(deps)
		d.t.Cleanup(other.server.Stop)

		password := d.user("ann", auth.Grant{Role: auth.Operator, App: "sn", IDC: "*"})
		login := func() string {
			w := d.do("", "POST", "/sessions", `{"name":"ann","password":"`+password+`"}`)
			require.Equal(d.t, 201, w.Code, w.Body.String())
			c := w.Result().Cookies()[0]
			require.Equal(d.t, cookieName, c.Name)
			require.True(d.t, c.Secure && c.HttpOnly && c.Path == "/" && c.Domain == "" && c.SameSite == http.SameSiteStrictMode)
			return cookieName + "=" + c.Value
		}
		for name, cut := range map[string]func(cookie string){
			"logout": func(cookie string) {
				require.Equal(d.t, 204, d.do("", "DELETE", "/sessions/current", "", "Cookie", cookie).Code)
			},
			"role change": func(string) {
				var u api.User
				d.ok(d.do("admin", "GET", "/users/ann", ""), 200, &u)
				d.ok(d.do("admin", "PUT", "/users/ann", `{"grants":[{"role":"viewer","app":"sn","idc":"*"}],"reason":"test"}`, "If-Match", etag(u.Version)), 200, nil)
			},
		} {
			cookie := login()
			time.Sleep(2 * time.Second)
			here, there := d.streamWith("Cookie", cookie, ""), other.streamWith("Cookie", cookie, "")
			require.Equal(d.t, 200, here.status, name)
			require.Equal(d.t, 200, there.status, name)
			cut(cookie)
			time.Sleep(5 * time.Second)
			require.True(d.t, here.ended() && there.ended(), "%s left a stream open", name)
			d.refused(d.do("", "GET", "/me", "", "Cookie", cookie), 401)
			d.refused(other.do("", "GET", "/me", "", "Cookie", cookie), 401)
		}
	})
}

func TestASlowReaderIsCutAndOthersAreNot(t *testing.T) {
	h := newHub()
	slow, _, _, _ := h.join("slow", "")
	quick, _, _, _ := h.join("quick", "")
	for i := range streamBuffer + 1 {
		h.publish(api.Event{Type: "claim"})
		if i < streamBuffer {
			<-quick.ch
		}
	}
	n := 0
	for range slow.ch {
		n++
	}
	require.Equal(t, streamBuffer, n, "what was buffered is still delivered")
	require.Equal(t, 1, h.size())
	for range maxStreamsEach - 1 {
		_, _, _, room := h.join("quick", "")
		require.True(t, room)
	}
	_, _, _, room := h.join("quick", "")
	require.False(t, room, "one caller took more than its share of streams")
}

func (d *desk) user(name string, grants ...auth.Grant) (password string) {
	u := &auth.User{Name: name, Grants: grants}
	password, err := d.auth.CreateUser(d.t.Context(), nil, u, "", system)
	require.NoError(d.t, err)
	return password
}
