package agentapi

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/allspark/allspark/server/fault"
)

var grpcCodes = map[fault.Code]codes.Code{
	fault.Invalid:      codes.InvalidArgument,
	fault.NotFound:     codes.NotFound,
	fault.Conflict:     codes.AlreadyExists,
	fault.Stale:        codes.Aborted,
	fault.Unauthorized: codes.Unauthenticated,
	fault.Forbidden:    codes.PermissionDenied,
	fault.Frozen:       codes.FailedPrecondition,
	fault.TooLarge:     codes.ResourceExhausted,
	fault.RateLimited:  codes.ResourceExhausted,
	fault.Unavailable:  codes.Unavailable,
	fault.Refused:      codes.FailedPrecondition,
	fault.Duplicate:    codes.AlreadyExists,
}

// toStatus is the one mapping of errors to gRPC. The text of an unmarked error
// stays inside.
func toStatus(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := status.FromError(err); ok {
		return err
	}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		if code, ok := grpcCodes[e.Code]; ok {
			return status.Error(code, e.Error())
		}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return status.FromContextError(err).Err()
	}
	return status.Error(codes.Internal, "internal error")
}
