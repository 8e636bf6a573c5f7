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
)

// Transport puts a call edge around a client: each call gets the edge's timeout,
// or what is left of the caller's deadline when that is less. A call lasts until
// its body is read or closed.
type Transport struct {
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
	began := time.Now()
	d := Server{Point: &t.Edge.Point, Scene: t.Scene, Request: t.Request}.begin(r)
	deadline := began.Add(d.Timeout())
	if own, ok := r.Context().Deadline(); ok && own.Before(deadline) {
		deadline = own
	}
	caller := r.Context()
	ctx, cancel := context.WithDeadline(caller, deadline)
	r = r.Clone(ctx) // a RoundTripper must not change its request
	r.Header.Set(DeadlineHeader, strconv.FormatInt(max(deadline.Sub(began).Milliseconds(), 0), 10))
	resp, err := base.RoundTrip(r)
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
	resp.Body = &body{ReadCloser: resp.Body, end: func(failed bool) {
		outcome := OutcomeOf(resp.StatusCode, ctx.Err())
		if failed && outcome == agent.OK {
			outcome = agent.Error
		}
		cancel()
		if !errors.Is(caller.Err(), context.Canceled) {
			d.EndSince(began, outcome)
		}
	}}
	return resp, nil
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
