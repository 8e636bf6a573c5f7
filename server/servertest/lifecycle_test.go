package servertest_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/allspark/allspark/server/app"
	"github.com/allspark/allspark/server/config"
	"github.com/allspark/allspark/server/servertest"
)

// A controller that cannot start says why and leaves nothing behind: no listener,
// no goroutine, no lock on the database.
func TestNewCleansUp(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	busy := taken.Addr().String()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for name, x := range map[string]struct {
		spoil func(*config.Config)
		want  string
	}{
		"console port taken":  {func(c *config.Config) { c.HTTP.Addr = busy }, "listen for the console (http.addr)"},
		"agents' port taken":  {func(c *config.Config) { c.GRPC.Addr = busy }, "listen for agents (grpc.addr)"},
		"metrics port taken":  {func(c *config.Config) { c.Ops.Addr = busy }, "listen for metrics (ops.addr)"},
		"no such database":    {func(c *config.Config) { c.Database = "postgres://127.0.0.1:1/none?connect_timeout=1" }, "open database"},
		"unknown database":    {func(c *config.Config) { c.Database = "oracle:thing" }, "open database"},
		"database no file":    {func(c *config.Config) { c.Database = "sqlite:" + filepath.Join(file, "x.db") }, "database"},
		"data dir is no dir":  {func(c *config.Config) { c.DataDir = file }, "make data directory"},
		"certificate missing": {func(c *config.Config) { c.HTTP.TLSCert, c.HTTP.TLSKey = "none.pem", "none.pem" }, "load the console's certificate"},
		"agents' certificate": {func(c *config.Config) { c.GRPC.TLSCert, c.GRPC.TLSKey = "none.pem", "none.pem" }, "load the agents' certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			dir := t.TempDir()
			cfg := servertest.Settings(dir)
			x.spoil(&cfg)
			began := time.Now()
			a, err := app.New(t.Context(), cfg, "test", slog.New(slog.DiscardHandler))
			require.ErrorContains(t, err, x.want)
			require.Nil(t, a)
			require.Less(t, time.Since(began), 10*time.Second)
			goleak.VerifyNone(t, before)

			// With the mistake mended it starts on the same data.
			a, err = app.New(t.Context(), servertest.Settings(dir), "test", slog.New(slog.DiscardHandler))
			require.NoError(t, err)
			a.Close()
			goleak.VerifyNone(t, before)
		})
	}
}

// listen opens the event stream of the console.
func listen(t *testing.T, ctx context.Context, url, token string) *bufio.Reader {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/v1/events", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	tr := &http.Transport{}
	res, err := (&http.Client{Transport: tr}).Do(req)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, res.StatusCode)
	t.Cleanup(func() { res.Body.Close(); tr.CloseIdleConnections() })
	r := bufio.NewReader(res.Body)
	line, err := r.ReadString('\n')
	require.NoError(t, err)
	require.NotEmpty(t, line)
	return r
}

// Ctrl-C with open streams of agents and browsers: it ends in time, everybody is
// told, and no goroutine is left.
func TestStopWithOpenStreams(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Run("run", func(t *testing.T) {
		s, network := bound(t)
		ms := servertest.Run(t, network, s.App.Local().EnrolToken, "sn", 50, "na61", "et2")
		ms.Await(t, "orders come", 1, servertest.Level(8))
		local := s.App.Local()
		events := listen(t, t.Context(), local.URL, local.Token)
		ended := make(chan error, 1)
		go func() { _, err := io.Copy(io.Discard, events); ended <- err }()
		for _, m := range ms {
			m.Serve(time.Millisecond)
		}
		took := s.Stop()
		t.Logf("ended after %v", took)
		require.Less(t, took, 5*time.Second+slack)
		select {
		case <-ended:
		case <-time.After(slack):
			t.Fatal("the browser's stream is still open")
		}
		require.NotContains(t, s.Log(), "not closed cleanly")
		require.NotContains(t, s.Log(), "level=ERROR")
		require.Equal(t, len(ms), ms.Count(servertest.Level(8)), "agents serve on")
	})
	goleak.VerifyNone(t, before)
}

// The same on a process, by a real interrupt.
func TestInterruptWithOpenStreams(t *testing.T) {
	p, _, ms := serve(t, t.TempDir())
	listen(t, t.Context(), p.Local().URL, p.Local().Token)
	began := time.Now()
	require.Zero(t, p.Interrupt(), p.Output())
	took := time.Since(began)
	t.Logf("ended after %v", took)
	require.Less(t, took, 5*time.Second+slack)
	require.Equal(t, len(ms), ms.Count(servertest.Level(8)), "agents serve on")
}

// Ctrl-C during the start is an end like any other.
func TestEndingDuringTheStart(t *testing.T) {
	for range 5 {
		cfg := servertest.Settings(t.TempDir())
		cfg.Ops.Addr = "127.0.0.1:0"
		a, err := app.New(t.Context(), cfg, "test", slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, a.Run(ctx))
	}
}
