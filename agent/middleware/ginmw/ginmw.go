// Package ginmw puts control points around gin handlers. Outcomes and the deadline
// header are those of httpmw.
//
// # When things fail
//
// A request whose deadline has passed is answered 504 and the chain ends. A
// handler that asks for a Decision where there is none gets one of no point, which
// reads defaults.
package ginmw

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/middleware/httpmw"
	"github.com/allspark/allspark/agent/trace"
)

const decisionKey = "allspark.decision"

// Decision finds the decision of the request being handled.
func Decision(c *gin.Context) *agent.Decision {
	if v, ok := c.Get(decisionKey); ok {
		if d, ok := v.(*agent.Decision); ok {
			return d
		}
	}
	return new(agent.Decision)
}

// Point puts a point around the handlers behind it. call tells what is known of a
// request and may be nil.
func Point(point *agent.Point, call func(*gin.Context) (agent.Scene, agent.Request)) gin.HandlerFunc {
	return func(c *gin.Context) {
		began := time.Now()
		var scene agent.Scene
		var known agent.Request
		if call != nil {
			scene, known = call(c)
		}
		d := point.Begin(scene, known)
		ctx, cancel, passed := httpmw.Arrive(c.Request.Context(), c.Request.Header, began)
		defer cancel()
		if passed {
			d.End(agent.Result{Outcome: agent.Shed})
			c.AbortWithStatus(http.StatusGatewayTimeout)
			return
		}
		ctx, span := point.Follow(ctx, scene)
		c.Request = c.Request.WithContext(ctx)
		seen := &writer{ResponseWriter: c.Writer, span: span, ctx: ctx}
		c.Writer = seen
		finished := false
		defer func() {
			outcome := agent.Error // a panic on its way up
			if finished {
				outcome = httpmw.OutcomeOf(c.Writer.Status(), c.Request.Context().Err())
			}
			span.End()
			d.EndSince(began, outcome)
		}()
		c.Set(decisionKey, &d)
		c.Next()
		finished = true
		seen.answer()
	}
}

// writer tells the caller with the head of the answer what was passed. gin writes
// the head with the first byte, so that is when the point's span ends.
type writer struct {
	gin.ResponseWriter
	ctx      context.Context
	span     *trace.Span
	answered bool
}

func (w *writer) answer() {
	if w.answered || w.Written() {
		return
	}
	w.answered = true
	w.span.End()
	if text := trace.Reply(w.ctx); text != "" {
		w.Header().Set(trace.Header, text)
	}
}

func (w *writer) Write(p []byte) (int, error) {
	w.answer()
	return w.ResponseWriter.Write(p)
}

func (w *writer) WriteString(s string) (int, error) {
	w.answer()
	return w.ResponseWriter.WriteString(s)
}

func (w *writer) WriteHeaderNow() {
	w.answer()
	w.ResponseWriter.WriteHeaderNow()
}

func (w *writer) Flush() {
	w.answer()
	w.ResponseWriter.Flush()
}
