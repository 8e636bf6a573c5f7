package httpmw_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/agenttest"
	"github.com/allspark/allspark/agent/middleware/httpmw"
	"github.com/allspark/allspark/proto/gear"
)

func TestAPointAroundAHandlerAndAnEdgeAroundAClient(t *testing.T) {
	c := agenttest.NewController(agenttest.Options{ReportInterval: 100 * time.Millisecond})
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	ag := c.NewAgent(agent.Config{App: "sn", IDC: "et2", Log: slog.New(slog.DiscardHandler)})
	point := ag.Point("serve")
	docs := point.Int("docs").Default(7)
	edge := ag.External("downstream").Default(10 * time.Second)
	require.NoError(t, ag.Start(ctx))
	defer ag.Close()
	require.NoError(t, c.WaitAgents(ctx, 1)) // else Close might come before the stream, and nothing be told

	var left atomic.Int64
	release := make(chan struct{})
	server := httpmw.Server{
		Point:   point,
		Scene:   func(r *http.Request) agent.Scene { return ag.Scene(r.URL.Query().Get("scene")) },
		Request: func(*http.Request) agent.Request { return agent.Request{Load: 5} },
	}
	srv := httptest.NewServer(server.Handler(func(w http.ResponseWriter, r *http.Request, d *agent.Decision) {
		if at, ok := r.Context().Deadline(); ok {
			left.Store(int64(time.Until(at)))
		}
		switch r.URL.Path {
		case "/hang":
			<-release // not before the client has given up
			<-r.Context().Done()
		case "/panic":
			panic(http.ErrAbortHandler)
		default:
			status, _ := strconv.Atoi(r.URL.Path[1:])
			w.WriteHeader(status)
			_, _ = io.WriteString(w, strconv.FormatInt(docs.Get(d), 10))
			require.NoError(t, http.NewResponseController(w).Flush())
		}
	}))
	defer srv.Close()
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	client := http.Client{Transport: &httpmw.Transport{Edge: edge, Base: base}}
	get := func(path string) string {
		resp, err := client.Get(srv.URL + path)
		if err != nil {
			return "error"
		}
		defer resp.Body.Close()
		p, _ := io.ReadAll(resp.Body)
		return string(p)
	}
	require.Equal(t, "7", get("/200?scene=k2"))
	require.InDelta(t, 10*time.Second, time.Duration(left.Load()), float64(5*time.Second), "the edge's timeout travels")
	get("/404?scene=k2")
	get("/503?scene=k2")
	get("/429?scene=k2")
	get("/504?scene=k2")
	_, err := client.Post(srv.URL+"/panic?scene=k2", "text/plain", nil) // a GET would be tried twice
	require.Error(t, err)
	gone, giveUp := context.WithCancel(ctx)
	giveUp()
	never, err := http.NewRequestWithContext(gone, http.MethodGet, srv.URL+"/200", nil)
	require.NoError(t, err)
	_, err = client.Do(never)
	require.Error(t, err, "not counted")
	edge.Default(30 * time.Millisecond)
	require.Equal(t, "error", get("/hang?scene=k2"))
	close(release)
	late, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+"/200?scene=k2", nil)
	require.NoError(t, err)
	late.Header.Set(httpmw.DeadlineHeader, "0")
	resp, err := base.RoundTrip(late)
	require.NoError(t, err)
	require.Equal(t, http.StatusGatewayTimeout, resp.StatusCode, "dropped before any work")
	resp.Body.Close()

	srv.Close() // waits for its handlers
	require.NoError(t, ag.Close())
	sum := map[string]gear.PointReport{}
	for _, r := range c.Reports() {
		for _, p := range r.Points {
			x := sum[p.Point]
			x.Count, x.OK, x.Errors, x.Timeouts, x.Shed = x.Count+p.Count, x.OK+p.OK, x.Errors+p.Errors, x.Timeouts+p.Timeouts, x.Shed+p.Shed
			x.Load += p.Load
			sum[p.Point] = x
		}
	}
	s := sum["serve"]
	require.Equal(t, []int64{8, 2, 2, 2, 2}, []int64{s.Count, s.OK, s.Errors, s.Timeouts, s.Shed})
	e := sum["downstream"]
	require.Equal(t, []int64{7, 2, 2, 2, 1}, []int64{e.Count, e.OK, e.Errors, e.Timeouts, e.Shed})
	require.InDelta(t, 40, s.Load, 1e-6)
}
