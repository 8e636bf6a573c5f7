package opsapi

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/push"
	"github.com/allspark/allspark/server/telemetry"
)

func TestMetricsSayWhatTheSourcesSay(t *testing.T) {
	now := time.Date(2026, 11, 11, 0, 0, 0, 0, time.UTC)
	s := New(Sources{
		Version: "v1", Replica: "a",
		Now:    func() time.Time { return now },
		Agents: func(time.Time) map[fleet.State]int { return map[fleet.State]int{fleet.StateConnected: 3} },
		Points: func(telemetry.Filter, time.Time) []telemetry.Point { return make([]telemetry.Point, 1) },
		Progress: func() []push.Progress {
			return []push.Progress{{Key: push.Key{App: "sn", IDC: "sh"}, Expected: 3, Held: 2, Refused: 1}}
		},
		Loop:    func() control.Status { return control.Status{Leading: true, Epoch: 7, Trouble: "the database is away"} },
		Streams: func() Streams { return Streams{Open: 3, Events: map[string]int64{"cut": 4}} },
	}, nil)
	s.Observe(http.MethodGet, "/api/v1/points", http.StatusOK, 20*time.Millisecond)

	get := func(method, path string) (int, string) {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		return w.Code, w.Body.String()
	}
	code, text := get(http.MethodGet, "/metrics")
	require.Equal(t, http.StatusOK, code)
	for _, line := range []string{
		`allspark_build_info{replica="a",version="v1"} 1`,
		"allspark_leading 1", "allspark_lease_epoch 7", "allspark_trouble 1",
		`allspark_agents{state="connected"} 3`, `allspark_agents{state="banned"} 0`,
		"allspark_streams 3", `allspark_stream_events_total{event="cut"} 4`,
		`allspark_orders_agents{app="sn",idc="sh",what="held"} 2`,
		`allspark_orders_agents{app="sn",idc="sh",what="refused"} 1`,
		`route="/api/v1/points"`,
	} {
		require.Contains(t, text, line)
	}
	require.NotContains(t, text, "allspark_decided_timestamp_seconds ", "it never led: no time is not the year 1970")
	require.NotContains(t, text, "allspark_point_level{", "a point without requests has no figures")

	code, text = get(http.MethodGet, "/debug/pprof/")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, text, "goroutine")
	code, _ = get(http.MethodPost, "/metrics")
	require.Equal(t, http.StatusMethodNotAllowed, code)
	code, _ = get(http.MethodGet, "/api/v1/points")
	require.Equal(t, http.StatusNotFound, code, "this listener serves nothing else: it asks for no credential")
}
