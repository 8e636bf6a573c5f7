package demo

import (
	"context"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/trace"
	"github.com/allspark/allspark/server/lab"
)

// stop is where a request is followed to.
type stop struct {
	ctx  context.Context
	span *trace.Span
}

// ignored is the context of what is called by a request that is not followed.
var ignored = trace.Arrived(context.Background(), "-")

func at(list *[]stop, id int32) *stop {
	for int(id) >= len(*list) {
		*list = append(*list, stop{ctx: ignored})
	}
	return &(*list)[id]
}

// Called does what middleware does on both sides of a call: the caller's context
// becomes a header, and the header the context of the callee. It makes controls a
// lab.Follower.
func (c *controls) Called(frame, from, edge int32) {
	header := ""
	switch {
	case edge >= 0:
		header = trace.Outgoing(at(&c.visits, edge).ctx)
	case from >= 0:
		header = trace.Outgoing(at(&c.frames, from).ctx)
	}
	to := at(&c.frames, frame)
	if *to = (stop{ctx: ignored}); header != "-" {
		to.ctx = trace.Arrived(context.Background(), header)
	}
}

// Returned brings the answer's header back.
func (c *controls) Returned(frame, to int32) {
	if ctx := at(&c.frames, to).ctx; ctx != ignored {
		trace.Returned(ctx, trace.Reply(at(&c.frames, frame).ctx))
	}
}

// follow notes a visit. What the point in front calls is within its visit; other
// points call nothing.
func (c *controls) follow(v *lab.Visit, p *agent.Point, scene agent.Scene) {
	frame, visit := at(&c.frames, v.Frame), at(&c.visits, v.ID)
	*visit = stop{ctx: ignored}
	if frame.ctx == ignored {
		return
	}
	visit.ctx, visit.span = p.Follow(frame.ctx, scene)
	switch {
	case visit.span == nil:
		visit.ctx, frame.ctx = ignored, ignored
	case v.Point == lab.Entry:
		frame.ctx = visit.ctx
	}
}
