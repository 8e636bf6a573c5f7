package servertest

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/app"
	"github.com/allspark/allspark/server/config"
)

// Server is a controller in this process, on free ports, with real listeners.
type Server struct {
	*Client
	App *app.App

	t      testing.TB
	log    *lockedBuffer
	cancel context.CancelFunc
	done   chan error
	once   sync.Once
}

// Settings gives the embedded defaults on free ports with data in dir.
func Settings(dir string) config.Config {
	cfg := config.Default()
	cfg.HTTP.Addr, cfg.GRPC.Addr = "127.0.0.1:0", "127.0.0.1:0"
	cfg.DataDir, cfg.Replica = dir, "test"
	cfg.Lease.TTL = 2 * time.Second
	return cfg
}

// Serve starts a controller and stops it when the test ends.
func Serve(t testing.TB, cfg config.Config) *Server {
	t.Helper()
	s := &Server{t: t, log: &lockedBuffer{}, done: make(chan error, 1)}
	a, err := app.New(t.Context(), cfg, "test", slog.New(slog.NewTextHandler(s.log, nil)))
	require.NoError(t, err)
	s.App = a
	s.Client = NewClient(t, a.Local().URL, a.Local().Token)
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	go func() { s.done <- a.Run(ctx) }()
	t.Cleanup(func() {
		s.Stop()
		if t.Failed() {
			t.Log(s.Log())
		}
	})
	return s
}

// Log is what the controller has logged so far.
func (s *Server) Log() string { return s.log.String() }

// Stop ends the controller as Ctrl-C does and tells how long that took.
func (s *Server) Stop() time.Duration {
	began := time.Now()
	s.once.Do(func() {
		s.Client.http.CloseIdleConnections()
		s.cancel()
		select {
		case err := <-s.done:
			if err != nil {
				s.t.Errorf("the controller ended with %v", err)
			}
		case <-time.After(patience):
			s.t.Errorf("the controller did not end within %v", patience)
		}
	})
	return time.Since(began)
}
