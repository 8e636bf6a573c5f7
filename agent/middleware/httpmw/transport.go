package httpmw

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/trace"
)

// Transport puts a call edge around a client: each call gets the edge's timeout,
// or what is left of the caller's deadline when that is less. A call lasts until
// its body is read or closed.
type Transport struct {
	// Edge is the call edge; nil for calls that are a step of the caller's own path
	// and have no timeout of their own.
	Edge *agent.External
	// Scene and Request as for Server.
	Scene   func(*http.Request) agent.Scene
	Request func(*http.Request) agent.Request
	// Base makes the calls; http.DefaultTransport when nil.
	Base http.RoundTripper
}

// RoundTrip makes one call.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	if t.Edge == nil {
		return pass(base, r)
	}
	began := time.Now()
	scene, known := Server{Scene: t.Scene, Request: t.Request}.known(r)
	d := t.Edge.Begin(scene, known)
	caller := r.Context()
	ctx, span := t.Edge.Follow(caller, scene)
	cancel := func() {}
	if timeout := d.Timeout(); timeout > 0 { // 0: declared as a point, too, which Start refuses
		ctx, cancel = context.WithDeadline(ctx, began.Add(timeout)) // an earlier deadline stays
	}
	r = r.Clone(ctx) // a RoundTripper must not change its request
	depart(r)
	resp, err := base.RoundTrip(r)
	if err != nil {
		span.End()
	}
	if err != nil {
		outcome := agent.Error
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded) {
			outcome = agent.Timeout
		}
		cancel()
		if !errors.Is(caller.Err(), context.Canceled) {
			d.EndSince(began, outcome)
		}
		return nil, err
	}
	end := func(failed bool) {
		outcome := OutcomeOf(resp.StatusCode, ctx.Err())
		if failed && outcome == agent.OK {
			outcome = agent.Error
		}
		cancel()
		span.End()
		if !errors.Is(caller.Err(), context.Canceled) {
			d.EndSince(began, outcome)
		}
	}
	if resp.StatusCode == http.StatusSwitchingProtocols || resp.Body == nil {
		// The call is over with the switch: what its body is now, a connection that is
		// written to as well, lasts as long as its users want.
		end(false)
		return resp, nil
	}
	resp.Body = &body{ReadCloser: resp.Body, end: end}
	return resp, nil
}

// depart writes what travels with a call.
func depart(r *http.Request) {
	if at, ok := r.Context().Deadline(); ok {
		r.Header.Set(DeadlineHeader, strconv.FormatInt(max(time.Until(at).Milliseconds(), 0), 10))
	}
	if text := trace.Outgoing(r.Context()); text != "" {
		r.Header.Set(trace.Header, text)
	}
}

// pass makes a call that is a step of the caller's own path.
func pass(base http.RoundTripper, r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	r = r.Clone(ctx)
	depart(r)
	resp, err := base.RoundTrip(r)
	if err == nil {
		trace.Returned(ctx, resp.Header.Get(trace.Header))
	}
	return resp, err
}

// body ends the call with its last byte.
type body struct {
	io.ReadCloser
	once sync.Once
	end  func(failed bool)
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.once.Do(func() { b.end(!errors.Is(err, io.EOF)) })
	}
	return n, err
}

func (b *body) Close() error {
	b.once.Do(func() { b.end(false) })
	return b.ReadCloser.Close()
}
