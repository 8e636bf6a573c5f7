package httpmw_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/agenttest"
	"github.com/allspark/allspark/agent/middleware/httpmw"
)

// What a request passes is counted across three services: sn calls feature as a
// step of its own path, and creative through an edge; gate has no point at all.
func TestCallsAreFollowedAcrossServices(t *testing.T) {
	c := agenttest.NewController(agenttest.Options{})
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	start := func(app string) *agent.Agent {
		ag := c.NewAgent(agent.Config{App: app, IDC: "et2", Log: slog.New(slog.DiscardHandler)})
		return ag
	}
	sn, feature, creative := start("sn"), start("feature"), start("creative")
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	leaf := func(p *agent.Point) *httptest.Server {
		return httptest.NewServer(httpmw.Server{Point: p}.Handler(func(w http.ResponseWriter, r *http.Request, _ *agent.Decision) {
			_, limited := r.Context().Deadline()
			if !limited {
				w.WriteHeader(http.StatusTeapot)
			}
			_, _ = io.WriteString(w, "ok")
		}))
	}
	fetch, choose := leaf(feature.Point("fetch")), leaf(creative.Point("select"))
	defer fetch.Close()
	defer choose.Close()
	plain := &http.Client{Transport: &httpmw.Transport{Base: base}}
	edge := &http.Client{Transport: &httpmw.Transport{Base: base, Edge: sn.External("creative_edge")}}
	get := func(ctx context.Context, client *http.Client, url string) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		require.NoError(t, err)
		resp, err := client.Do(r)
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, resp.Body)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, http.StatusOK, resp.StatusCode, "the deadline travels with the call")
	}
	k2 := sn.Scene("k2")
	work := func(ctx context.Context, p *agent.Point) {
		_, span := p.Follow(ctx, k2)
		span.End()
	}
	recall, rank := sn.Point("recall"), sn.Point("rank")
	gate := httptest.NewServer(httpmw.Propagate(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		get(r.Context(), plain, fetch.URL)
		w.WriteHeader(http.StatusOK)
	})))
	defer gate.Close()
	front := httptest.NewServer(httpmw.Server{
		Point: sn.Point("serve"), Scene: func(*http.Request) agent.Scene { return k2 },
	}.Handler(func(_ http.ResponseWriter, r *http.Request, _ *agent.Decision) {
		work(r.Context(), recall)
		get(r.Context(), plain, gate.URL)
		get(r.Context(), edge, choose.URL)
		work(r.Context(), rank)
	}))
	defer front.Close()
	for _, ag := range []*agent.Agent{sn, feature, creative} {
		require.NoError(t, ag.Start(ctx))
	}
	require.NoError(t, c.WaitAgents(ctx, 3))
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, front.URL, nil)
	require.NoError(t, err)
	r.Header.Set(httpmw.DeadlineHeader, "15000")
	resp, err := plain.Do(r)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	for _, ag := range []*agent.Agent{sn, feature, creative} {
		require.NoError(t, ag.Close()) // the last report tells
	}
	got := map[string]int64{}
	require.Eventually(t, func() bool {
		clear(got)
		for _, r := range c.Reports() {
			for _, x := range r.Calls {
				k := x.Scene + " " + x.Point + " in " + x.Caller + " after " + x.After
				if x.Span {
					k += " span"
				}
				got[k] += x.Count
			}
		}
		return len(got) == 13
	}, 10*time.Second, 10*time.Millisecond, "%v", got)
	for _, want := range []string{
		"k2 serve in  after ", "k2 serve in  after  span", "k2 recall in  after ", "k2 fetch in  after ", "k2 fetch in  after sn/recall",
		"k2 creative_edge in  after ", "k2 creative_edge in  after sn/recall", "k2 creative_edge in  after feature/fetch",
		"k2 select in sn/creative_edge after ", "k2 rank in  after ", "k2 rank in  after sn/recall", "k2 rank in  after feature/fetch", "k2 rank in  after sn/creative_edge",
	} {
		require.EqualValues(t, 1, got[want], "%s of %v", want, got)
	}
}
