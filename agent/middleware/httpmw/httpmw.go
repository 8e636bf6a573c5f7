// Package httpmw puts control points into net/http: a point around a handler, an
// external call edge around a client's transport.
//
// The deadline travels in the header DeadlineHeader, as whole milliseconds that
// are left.
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
// nothing about the edge.
//
// # When things fail
//
// A header that is no number is ignored. A request whose deadline has passed is
// answered 504 without calling the handler. A body that the client never closes
// keeps its call open, as it keeps its connection.
package httpmw

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/allspark/allspark/agent"
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
		d := s.begin(r)
		left, limited := Left(r.Header)
		if limited && left <= 0 {
			d.End(agent.Result{Outcome: agent.Shed})
			http.Error(w, "the deadline has passed", http.StatusGatewayTimeout)
			return
		}
		if limited {
			ctx, cancel := context.WithDeadline(r.Context(), began.Add(left))
			defer cancel()
			r = r.WithContext(ctx)
		}
		seen := &recorder{ResponseWriter: w}
		finished := false
		defer func() {
			outcome := agent.Error // a panic on its way up
			if finished {
				outcome = OutcomeOf(seen.status, r.Context().Err())
			}
			d.EndSince(began, outcome)
		}()
		serve(seen, r, &d)
		finished = true
	})
}

func (s Server) begin(r *http.Request) agent.Decision {
	var scene agent.Scene
	var known agent.Request
	if s.Scene != nil {
		scene = s.Scene(r)
	}
	if s.Request != nil {
		known = s.Request(r)
	}
	return s.Point.Begin(scene, known)
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

// recorder notes the status; Unwrap keeps http.ResponseController working.
type recorder struct {
	http.ResponseWriter
	status int
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= 200 { // not 1xx: another follows
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Unwrap gives the writer below.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
