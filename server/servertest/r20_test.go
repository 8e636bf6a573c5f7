package servertest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/alert"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/notify"
	"github.com/allspark/allspark/server/servertest"
)

// TestR20: one machine of six becomes slow at its point while one webhook hangs.
// The other sink hears of it, once, and orders go on arriving meanwhile.
func TestR20(t *testing.T) {
	cfg := servertest.Settings(t.TempDir())
	cfg.Alerts.Allow = []string{"127.0.0.0/8"} // the sinks of this test
	s := servertest.Serve(t, cfg)
	s.Publish(servertest.Recall("recall-tags", 100))
	s.Bind("recall-tags", "sn", "recall")
	s.Hold("sn", "*", 10, time.Hour)
	ms := servertest.Run(t, servertest.NewNetwork(s.App.GRPCAddr()), s.App.Local().EnrolToken, "sn", 6, "na61")
	ms.Await(t, "all machines have their level", 1, servertest.Level(10))

	release := make(chan struct{})
	asked := make(chan struct{}, 1000)
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(hanging.Close)
	t.Cleanup(func() { close(release) })
	told := make(chan notify.Notice, 1000)
	hearing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var p notify.Payload
		if r.Header.Get(notify.HeaderSignature) != notify.Signature("shh", r.Header.Get(notify.HeaderTimestamp), body) || json.Unmarshal(body, &p) != nil {
			http.Error(w, "not signed", http.StatusForbidden)
			return
		}
		for _, n := range p.Notices {
			told <- n
		}
	}))
	t.Cleanup(hearing.Close)
	admin := s.SignIn("admin", s.App.Password())
	for name, url := range map[string]string{"hanging": hanging.URL, "hearing": hearing.URL} {
		admin.Do(http.MethodPost, "/alert-sinks", api.AlertSinkInput{Name: name, Kind: "webhook", URL: url, Secret: "shh", Enabled: true, Resolved: true}, nil)
	}

	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	began := time.Now()
	go func() { // twenty requests a second at each machine; the third needs twice as long
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			for i, m := range ms {
				rt := 8 * time.Millisecond
				if i == 2 {
					rt *= 2
				}
				m.Serve(rt)
			}
		}
	}()

	var n notify.Notice
	servertest.Eventually(t, "the sink that answers is told", func() bool {
		select {
		case n = <-told:
			return n.Kind == string(alert.BadMachine)
		default:
			return false
		}
	})
	t.Logf("told after %v: %s", time.Since(began), n.Reason)
	require.Equal(t, ms[2].Name, n.Instance)
	require.Equal(t, "recall", n.Point)
	require.LessOrEqual(t, n.FiredAt.Sub(n.StartedAt), 30*time.Second)
	servertest.Eventually(t, "the other one hangs", func() bool { return len(asked) > 0 })

	changed := time.Now()
	s.Hold("sn", "*", 5, time.Hour)
	ms.Await(t, "orders arrive while a sink hangs", 1, servertest.Level(5))
	t.Logf("orders arrived after %v", time.Since(changed))

	var page api.Page[api.Alert]
	s.Do(http.MethodGet, "/alerts?state=open&kind=bad_machine", nil, &page)
	require.Len(t, page.Items, 1)
	var a api.AlertDetail
	servertest.Eventually(t, "the record says who was told", func() bool {
		s.Do(http.MethodGet, "/alerts/"+n.Alert, nil, &a)
		state := map[string]string{}
		for _, d := range a.Deliveries {
			state[d.Sink] = d.State
		}
		return state["hearing"] == "sent" && state["hanging"] == "waiting"
	})
	for len(told) > 0 {
		if x := <-told; x.ID == n.ID {
			t.Fatalf("told twice: %+v", x)
		}
	}
}
