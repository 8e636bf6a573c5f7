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
		left, limited := httpmw.Left(c.Request.Header)
		if limited && left <= 0 {
			d.End(agent.Result{Outcome: agent.Shed})
			c.AbortWithStatus(http.StatusGatewayTimeout)
			return
		}
		if limited {
			ctx, cancel := context.WithDeadline(c.Request.Context(), began.Add(left))
			defer cancel()
			c.Request = c.Request.WithContext(ctx)
		}
		finished := false
		defer func() {
			outcome := agent.Error // a panic on its way up
			if finished {
				outcome = httpmw.OutcomeOf(c.Writer.Status(), c.Request.Context().Err())
			}
			d.EndSince(began, outcome)
		}()
		c.Set(decisionKey, &d)
		c.Next()
		finished = true
	}
}
