package httpmw_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/agenttest"
	"github.com/allspark/allspark/agent/middleware/httpmw"
)

// TestAnUpgradeGoesThroughPointAndEdge: a reverse proxy behind a point, whose calls
// are an edge, passes on a connection that switched protocols; and the connection
// outlives the edge's timeout.
func TestAnUpgradeGoesThroughPointAndEdge(t *testing.T) {
	c := agenttest.NewController(agenttest.Options{})
	defer c.Close()
	ag := c.NewAgent(agent.Config{App: "sn", IDC: "et2", Log: slog.New(slog.DiscardHandler)})
	point := ag.Point("serve")
	edge := ag.External("upstream").Default(200 * time.Millisecond)
	require.NoError(t, ag.Start(t.Context()))
	defer ag.Close()
	require.NoError(t, c.WaitAgents(t.Context(), 1))

	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		_, _ = io.Copy(conn, rw.Reader)
	}))
	defer echo.Close()
	to, err := url.Parse(echo.URL)
	require.NoError(t, err)
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport: &httpmw.Transport{Edge: edge, Base: base},
		ErrorLog:  slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	handler := httpmw.Server{Point: point}.Handler(func(w http.ResponseWriter, r *http.Request, _ *agent.Decision) {
		proxy.ServeHTTP(w, r)
	})
	served := make(chan struct{}) // a server that closes does not wait for hijacked connections
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(served)
		handler.ServeHTTP(w, r)
	}))
	defer front.Close()

	conn, err := net.Dial("tcp", front.Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	_, err = fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: front\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
	require.NoError(t, err)
	in := bufio.NewReader(conn)
	resp, err := http.ReadResponse(in, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusSwitchingProtocols, resp.StatusCode)
	echoes := func(say string) {
		_, err := io.WriteString(conn, say)
		require.NoError(t, err)
		got, err := in.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, say, got)
	}
	echoes("one\n")
	time.Sleep(300 * time.Millisecond) // past the edge's timeout; sockets know no virtual time
	echoes("two\n")
	require.NoError(t, conn.Close())
	<-served
	front.Close()
	require.NoError(t, ag.Close())
	ok, count := map[string]int64{}, map[string]int64{}
	for _, r := range c.Reports() {
		for _, p := range r.Points {
			ok[p.Point] += p.OK
			count[p.Point] += p.Count
		}
	}
	require.Equal(t, map[string]int64{"serve": 1, "upstream": 1}, ok)
	require.Equal(t, ok, count)
}

// TestAHandlerStreams: an http.Flusher gets each part to the client while the
// handler goes on, behind a point and behind Propagate.
func TestAHandlerStreams(t *testing.T) {
	ag := agent.New(agent.Config{App: "sn", IDC: "et2"})
	for name, wrap := range map[string]func(http.Handler) http.Handler{
		"point": func(h http.Handler) http.Handler {
			return httpmw.Server{Point: ag.Point("serve")}.Handler(func(w http.ResponseWriter, r *http.Request, _ *agent.Decision) { h.ServeHTTP(w, r) })
		},
		"propagate": httpmw.Propagate,
	} {
		t.Run(name, func(t *testing.T) {
			read := make(chan struct{})
			refused := make(chan error, 1)
			srv := httptest.NewServer(wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				flusher, ok := w.(http.Flusher)
				if !ok {
					http.Error(w, "no flusher", http.StatusInternalServerError)
					return
				}
				flusher.Flush() // the head alone
				<-read
				_, _ = io.WriteString(w, "part")
				flusher.Flush()
				<-read
				refused <- http.NewResponseController(struct{ http.ResponseWriter }{w}).Flush()
			})))
			defer srv.Close()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL, nil)
			require.NoError(t, err)
			resp, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			defer resp.Body.Close()
			require.Equal(t, http.StatusOK, resp.StatusCode)
			read <- struct{}{}
			part := make([]byte, 4)
			_, err = io.ReadFull(resp.Body, part)
			require.NoError(t, err)
			require.Equal(t, "part", string(part))
			read <- struct{}{}
			require.ErrorIs(t, <-refused, http.ErrNotSupported, "a wrapper that hides it still hides it")
			_, err = io.ReadAll(resp.Body)
			require.NoError(t, err)
		})
	}
	// A writer that cannot flush says so.
	h := httpmw.Propagate(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		require.ErrorIs(t, http.NewResponseController(w).Flush(), http.ErrNotSupported)
		_, _, err := http.NewResponseController(w).Hijack()
		require.ErrorIs(t, err, http.ErrNotSupported)
	}))
	h.ServeHTTP(struct{ http.ResponseWriter }{httptest.NewRecorder()}, httptest.NewRequest(http.MethodGet, "/", nil))
}
