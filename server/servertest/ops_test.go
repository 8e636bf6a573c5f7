package servertest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/servertest"
)

func fetch(t *testing.T, url string) (status int, body string) {
	t.Helper()
	resp, err := http.Get(url)
	require.NoError(t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(b)
}

// Metrics tell what the console tells, on an address of their own.
func TestMetrics(t *testing.T) {
	cfg := servertest.Settings(t.TempDir())
	cfg.Ops.Addr = "127.0.0.1:0"
	s := servertest.Serve(t, cfg)
	s.Publish(servertest.Recall("recall-tags", 100))
	s.Bind("recall-tags", "sn", "recall")
	s.Hold("sn", "*", 10, time.Hour)
	machines := servertest.Run(t, servertest.NewNetwork(s.App.GRPCAddr()), s.App.Local().EnrolToken, "sn", 2, "na61")
	machines.Await(t, "both machines hold level 10", 1, servertest.Level(10))
	load := time.NewTicker(20 * time.Millisecond)
	defer load.Stop()
	url := "http://" + s.App.OpsAddr()
	var text string
	servertest.Eventually(t, "the point has a level", func() bool {
		<-load.C
		for _, m := range machines {
			m.Serve(5 * time.Millisecond)
		}
		_, text = fetch(t, url+"/metrics")
		return strings.Contains(text, `allspark_point_level{app="sn",idc="na61",point="recall",scene="k2"} 10`)
	})
	for _, line := range []string{
		`allspark_build_info{replica="test",version="test"} 1`,
		`allspark_leading 1`,
		`allspark_trouble 0`,
		`allspark_agents{state="connected"} 2`,
		`allspark_streams 2`,
		`allspark_stream_events_total{event="hello"} 2`,
		`allspark_orders_agents{app="sn",idc="na61",what="held"} 2`,
		`allspark_point_share{app="sn",idc="na61",outcome="timeout",point="recall",scene="k2"} 0`,
		`allspark_point_rt_seconds{app="sn",idc="na61",point="recall",scene="k2",stat="p99"} 0.00`,
		`allspark_http_requests_total{method="POST",route="/api/v1/templates",status="201"} 1`,
		`allspark_http_request_seconds_count{method="POST",route="/api/v1/templates"} 1`,
		`go_sql_open_connections{db_name="sqlite"}`,
		`go_goroutines`,
	} {
		require.Contains(t, text, line)
	}
	require.NotContains(t, text, s.App.Local().Token)

	status, profile := fetch(t, url+"/debug/pprof/goroutine?debug=1")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, profile, "goroutine profile")

	// Beside the console there is neither.
	for _, path := range []string{"/metrics", "/debug/pprof/"} {
		_, body := fetch(t, s.App.Local().URL+path)
		require.NotContains(t, body, "go_goroutines")
		require.NotContains(t, body, "profile")
	}
}

// Without an address nothing listens.
func TestMetricsAreOffByDefault(t *testing.T) {
	s := servertest.Serve(t, servertest.Settings(t.TempDir()))
	require.Empty(t, s.App.OpsAddr())
}
