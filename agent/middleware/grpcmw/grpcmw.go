// Package grpcmw puts control points into gRPC: a point around unary handlers,
// an external call edge around unary calls. gRPC carries the deadline itself; which
// points were passed travels as metadata, there in the head and back in the
// trailer. A service without a point of its own passes it on by Propagate and a
// UnaryClient without an edge.
//
// # Outcomes
//
//	ResourceExhausted                    shed
//	DeadlineExceeded, or in a handler
//	Canceled: the caller hung up         timeout
//	Unknown, Internal, Unavailable,
//	DataLoss, Unimplemented, a panic     error
//	anything else                        ok: the caller's own business
//
// A call that its own caller gave up before its time is not counted: it says
// nothing about the edge.
//
// # When things fail
//
// A call whose deadline has passed on arrival is answered DeadlineExceeded without
// calling the handler. A handler that asks for a Decision where there is none gets
// a Decision of no point, which reads defaults.
package grpcmw

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/allspark/allspark/agent"
)

// Call tells what is known of a call before it is made or handled.
type Call func(ctx context.Context, method string, request any) (agent.Scene, agent.Request)

func known(call Call, ctx context.Context, method string, request any) (agent.Scene, agent.Request) {
	if call == nil {
		return agent.Scene{}, agent.Request{}
	}
	return call(ctx, method, request)
}

type decisionKey struct{}

// Decision finds the decision of the call being handled.
func Decision(ctx context.Context) *agent.Decision {
	if d, ok := ctx.Value(decisionKey{}).(*agent.Decision); ok {
		return d
	}
	return new(agent.Decision)
}

// UnaryServer puts a point around every unary handler. call may be nil.
func UnaryServer(point *agent.Point, call Call) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (resp any, err error) {
		began := time.Now()
		scene, ask := known(call, ctx, info.FullMethod, request)
		d := point.Begin(scene, ask)
		if at, ok := ctx.Deadline(); ok && !began.Before(at) {
			d.End(agent.Result{Outcome: agent.Shed})
			return nil, status.Error(codes.DeadlineExceeded, "the deadline has passed")
		}
		ctx, span := point.Follow(arrived(ctx), scene)
		finished := false
		defer func() {
			span.End()
			reply(ctx)
			outcome := agent.Error // a panic on its way up
			if finished {
				outcome = OutcomeOf(err)
				if status.Code(err) == codes.Canceled { // the caller's timer fired a moment before ours
					outcome = agent.Timeout
				}
			}
			d.EndSince(began, outcome)
		}()
		resp, err = handle(context.WithValue(ctx, decisionKey{}, &d), request)
		finished = true
		return resp, err
	}
}

// UnaryClient puts a call edge around every unary call: it gets the edge's
// timeout, or what is left of the caller's deadline when that is less. A nil edge
// is for calls that are a step of the caller's own path.
func UnaryClient(edge *agent.External, call Call) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, request, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if edge == nil {
			return pass(ctx, method, request, reply, cc, invoke, opts)
		}
		began := time.Now()
		scene, ask := known(call, ctx, method, request)
		d := edge.Begin(scene, ask)
		limited, span := edge.Follow(ctx, scene)
		defer span.End()
		if timeout := d.Timeout(); timeout > 0 { // 0: declared as a point, too, which Start refuses
			var cancel context.CancelFunc
			limited, cancel = context.WithDeadline(limited, began.Add(timeout)) // an earlier deadline stays
			defer cancel()
		}
		err := invoke(depart(limited), method, request, reply, cc, opts...)
		if err == nil || !errors.Is(ctx.Err(), context.Canceled) {
			d.EndSince(began, OutcomeOf(err))
		}
		return err
	}
}

// OutcomeOf maps the error of a call to an outcome.
func OutcomeOf(err error) agent.Outcome {
	if errors.Is(err, context.DeadlineExceeded) {
		return agent.Timeout
	}
	switch status.Code(err) {
	case codes.ResourceExhausted:
		return agent.Shed
	case codes.DeadlineExceeded:
		return agent.Timeout
	case codes.Unknown, codes.Internal, codes.Unavailable, codes.DataLoss, codes.Unimplemented:
		return agent.Error
	default:
		return agent.OK
	}
}
