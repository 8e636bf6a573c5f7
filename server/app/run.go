package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"

	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/config"
)

// drainBudget is how long open requests and streams may take to end.
const drainBudget = 3 * time.Second

// Run serves until ctx ends or a listener fails, then closes everything.
func (a *App) Run(ctx context.Context) error {
	defer a.Close()
	a.rest.Start(ctx)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		serve := a.http.Serve
		if a.http.TLSConfig != nil {
			serve = func(l net.Listener) error { return a.http.ServeTLS(l, "", "") }
		}
		err := serve(a.httpLn)
		if errors.Is(err, http.ErrServerClosed) {
			return nil
		}
		return fmt.Errorf("serve the console: %w", err)
	})
	g.Go(func() error {
		// Stopped before it served: the end came during the start.
		if err := a.grpc.Serve(a.grpcLn); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			return fmt.Errorf("serve agents: %w", err)
		}
		return nil
	})
	if a.ops != nil {
		g.Go(func() error {
			if err := a.ops.http.Serve(a.ops.ln); !errors.Is(err, http.ErrServerClosed) {
				return fmt.Errorf("serve metrics: %w", err)
			}
			return nil
		})
	}
	g.Go(func() error {
		<-ctx.Done()
		a.drain()
		return nil
	})
	return g.Wait()
}

// drain says goodbye to agents and browsers: agents get a retry-after and spread
// their return, browsers resume where they were.
func (a *App) drain() {
	a.agents.Stop()
	a.rest.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), drainBudget)
	defer cancel()
	if err := a.http.Shutdown(ctx); err != nil {
		_ = a.http.Close()
	}
	if a.ops != nil {
		_ = a.ops.http.Close() // who watches sees the end
	}
	done := make(chan struct{})
	go func() { a.grpc.GracefulStop(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		a.grpc.Stop()
		<-done
	}
}

// Close ends the loops and closes what was opened, newest first. It may be called
// more than once.
func (a *App) Close() {
	a.closing.Do(func() {
		a.stop()
		a.loops.Wait()
		for _, c := range slices.Backward(a.cleanups) {
			if err := c.do(); err != nil {
				a.log.Warn("not closed cleanly", "what", c.name, "error", err)
			}
		}
	})
}

func (a *App) onClose(name string, do func() error) {
	a.cleanups = append(a.cleanups, cleanup{name, do})
}

// writeLocal gives the command line and agents on this machine their credentials.
// Only a controller that is reached over loopback does so: elsewhere an operator
// issues tokens.
func (a *App) writeLocal(ctx context.Context) error {
	if !config.Loopback(a.HTTPAddr()) {
		return nil
	}
	old, err := readLocal(a.cfg.DataDir)
	if err != nil {
		return err
	}
	scheme := "http"
	if a.cfg.HTTP.TLSCert != "" {
		scheme = "https"
	}
	a.local = Local{URL: scheme + "://" + a.HTTPAddr(), AgentsAddr: a.GRPCAddr()}
	if a.local.Token, err = a.auth.LocalToken(ctx, old.Token, auth.Operator); err != nil {
		return fmt.Errorf("make the local token: %w", err)
	}
	if a.local.EnrolToken, err = a.auth.LocalEnrolToken(ctx, old.EnrolToken); err != nil {
		return fmt.Errorf("make the local enrolment token: %w", err)
	}
	return writeLocal(a.cfg.DataDir, a.local)
}
