// Package httpmw puts control points into net/http: a point around a handler, an
// external call edge around a client's transport.
//
// The deadline travels in the header DeadlineHeader, as whole milliseconds that
// are left; which points were passed travels in trace.Header, both ways. A service
// without a point of its own passes both on by Propagate and a Transport without
// an Edge.
//
// # Outcomes
//
//	429                                      shed
//	408, 504, or the caller hung up or
//	the deadline passed meanwhile            timeout
//	other 5xx, a panic, a failed round trip  error
//	anything else                            ok
//
// A call that its own caller gave up before its time is not counted: it says
// nothing about the edge. A switch of protocols ends a call: it is ok, and how long
// the connection lives after it is neither timed nor limited by the edge.
//
// # When things fail
//
// A header that is no number is ignored. A request whose deadline has passed is
// answered 504 without calling the handler. A body that the client never closes
// keeps its call open, as it keeps its connection.
package httpmw

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/trace"
)

// DeadlineHeader carries how many milliseconds are left to answer in.
const DeadlineHeader = "X-Deadline-Ms"

// maxLeft bounds a deadline that arrives: more is as good as none.
const maxLeft = time.Hour

// Server puts a point around handlers.
type Server struct {
	Point *agent.Point
	// Scene tells a request's scene; nil stands for "*".
	Scene func(*http.Request) agent.Scene
	// Request tells what is known of a request; nil knows nothing.
	Request func(*http.Request) agent.Request
}

// Handler makes a handler of one that is told how much work to do.
func (s Server) Handler(serve func(http.ResponseWriter, *http.Request, *agent.Decision)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		scene, known := s.known(r)
		d := s.Point.Begin(scene, known)
		ctx, cancel, passed := Arrive(r.Context(), r.Header, began)
		defer cancel()
		if passed {
			d.End(agent.Result{Outcome: agent.Shed})
			http.Error(w, "the deadline has passed", http.StatusGatewayTimeout)
			return
		}
		ctx, span := s.Point.Follow(ctx, scene)
		r = r.WithContext(ctx)
		seen := &recorder{ResponseWriter: w, span: span, ctx: ctx}
		finished := false
		defer func() {
			outcome := agent.Error // a panic on its way up
			if finished {
				outcome = OutcomeOf(seen.status, r.Context().Err())
			}
			span.End()
			d.EndSince(began, outcome)
		}()
		serve(seen, r, &d)
		finished = true
		seen.answer() // a handler that wrote nothing
	})
}

func (s Server) known(r *http.Request) (scene agent.Scene, known agent.Request) {
	if s.Scene != nil {
		scene = s.Scene(r)
	}
	if s.Request != nil {
		known = s.Request(r)
	}
	return scene, known
}

// Propagate hands the deadline and the trace of a request on to a handler that has
// no point of its own: what runs and is called in the request's context is limited
// and followed.
func Propagate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel, passed := Arrive(r.Context(), r.Header, time.Now())
		defer cancel()
		if passed {
			http.Error(w, "the deadline has passed", http.StatusGatewayTimeout)
			return
		}
		seen := &recorder{ResponseWriter: w, ctx: ctx}
		next.ServeHTTP(seen, r.WithContext(ctx))
		seen.answer()
	})
}

// Arrive gives the context of a request that has just come, with its deadline and
// its trace; passed when the deadline is over already.
func Arrive(ctx context.Context, h http.Header, now time.Time) (_ context.Context, cancel context.CancelFunc, passed bool) {
	ctx, cancel = trace.Arrived(ctx, h.Get(trace.Header)), func() {}
	left, limited := Left(h)
	if limited {
		ctx, cancel = context.WithDeadline(ctx, now.Add(left))
	}
	return ctx, cancel, limited && left <= 0
}

// Left reads how much time a request has; limited is false without a deadline.
func Left(h http.Header) (left time.Duration, limited bool) {
	ms, err := strconv.ParseInt(h.Get(DeadlineHeader), 10, 64)
	if err != nil || ms > maxLeft.Milliseconds() {
		return 0, false
	}
	return time.Duration(max(ms, 0)) * time.Millisecond, true
}

// OutcomeOf maps a status (0: the handler wrote none, which is 200) and the
// request's context to an outcome.
func OutcomeOf(status int, ctxErr error) agent.Outcome {
	switch {
	case status == http.StatusTooManyRequests:
		return agent.Shed
	case status == http.StatusGatewayTimeout, status == http.StatusRequestTimeout, ctxErr != nil:
		return agent.Timeout
	case status >= 500:
		return agent.Error
	default:
		return agent.OK
	}
}

// recorder notes the status, and tells the caller with the head of the answer what
// was passed. Handlers reach what the writer below can do by http.ResponseController
// and by the interfaces of net/http; what it cannot, they are told.
type recorder struct {
	http.ResponseWriter
	ctx      context.Context
	span     *trace.Span
	status   int
	answered bool
}

// answer ends the point's span: what comes after the head cannot be told any more.
func (r *recorder) answer() {
	if r.answered {
		return
	}
	r.answered = true
	r.span.End()
	if text := trace.Reply(r.ctx); text != "" {
		r.Header().Set(trace.Header, text)
	}
}

// Write answers 200 if no status was written.
func (r *recorder) Write(p []byte) (int, error) {
	r.answer()
	return r.ResponseWriter.Write(p)
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) { // behind any other 1xx another follows
		r.status = status
		r.answer()
	}
	r.ResponseWriter.WriteHeader(status)
}

// FlushError sends what was written so far, and the head before it.
func (r *recorder) FlushError() error {
	r.answer()
	return http.NewResponseController(r.ResponseWriter).Flush()
}

// Flush makes it an http.Flusher, which cannot tell an error.
func (r *recorder) Flush() { _ = r.FlushError() }

// Hijack hands over the connection; nothing is written by net/http any more.
func (r *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	r.answer()
	return http.NewResponseController(r.ResponseWriter).Hijack()
}

// Unwrap gives the writer below.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
