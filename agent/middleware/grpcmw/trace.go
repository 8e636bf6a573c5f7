package grpcmw

import (
	"context"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/allspark/allspark/agent/trace"
)

var key = strings.ToLower(trace.Header)

func text(md metadata.MD) string {
	if v := md.Get(key); len(v) > 0 {
		return v[0]
	}
	return ""
}

// arrived begins to follow a call that has just come.
func arrived(ctx context.Context) context.Context {
	md, _ := metadata.FromIncomingContext(ctx)
	return trace.Arrived(ctx, text(md))
}

// reply tells the caller what was passed. It fails only where there is no stream,
// in tests of handlers.
func reply(ctx context.Context) {
	if t := trace.Reply(ctx); t != "" {
		_ = grpc.SetTrailer(ctx, metadata.Pairs(key, t))
	}
}

// depart writes what travels with a call.
func depart(ctx context.Context) context.Context {
	if t := trace.Outgoing(ctx); t != "" {
		return metadata.AppendToOutgoingContext(ctx, key, t)
	}
	return ctx
}

// pass makes a call that is a step of the caller's own path.
func pass(ctx context.Context, method string, request, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts []grpc.CallOption) error {
	var trailer metadata.MD
	err := invoke(depart(ctx), method, request, reply, cc, append(opts[:len(opts):len(opts)], grpc.Trailer(&trailer))...)
	trace.Returned(ctx, text(trailer))
	return err
}

// Propagate hands the trace of a call on to handlers that have no point of their
// own.
func Propagate() grpc.UnaryServerInterceptor {
	return func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		ctx = arrived(ctx)
		defer reply(ctx)
		return handle(ctx, request)
	}
}
