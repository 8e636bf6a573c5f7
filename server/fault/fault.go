// Package fault is the one error vocabulary of the server: a Code that programs
// act on, a message for people, and, where a document was wrong, every path.
//
// Messages are English everywhere: API, command line, log. A message's format stands
// as a literal where the error is made, for by it the console words the message in
// its reader's language (web/src/said, the law "words" of scripts/archtest).
//
// Each edge maps codes once: restapi to HTTP problems, agentapi to gRPC status.
// Wrap with fmt.Errorf("save template %q: %w", …); Is and CodeOf look through.
package fault

import (
	"errors"
	"fmt"

	"github.com/allspark/allspark/proto/gear"
)

// Code classifies an error.
type Code string

// The codes. Internal is what an unmarked error counts as.
const (
	Invalid      Code = "invalid"      // the request or document is wrong; Problems says where
	NotFound     Code = "not_found"    // no such object, or not visible to the caller
	Conflict     Code = "conflict"     // clashes with another object: name taken, still bound, equal specificity
	Stale        Code = "stale"        // the version edited is not the newest
	Unauthorized Code = "unauthorized" // no or bad credentials
	Forbidden    Code = "forbidden"    // known, but not allowed
	Frozen       Code = "frozen"       // inside a freeze window
	TooLarge     Code = "too_large"    // body, document or page over its limit
	RateLimited  Code = "rate_limited" // try again later
	Unavailable  Code = "unavailable"  // a dependency is away; retry
	Refused      Code = "refused"      // agents would refuse it
	Duplicate    Code = "duplicate"    // idempotency key seen before; the first result stands
	Internal     Code = "internal"
)

// Error is an error with a code.
type Error struct {
	Code     Code
	Message  string
	Problems gear.Problems // nil unless Code is Invalid or Refused
	Detail   any           // what the edge shows besides: e.g. base / mine / theirs of a stale write
	Err      error         // cause, for logs only
}

// Error gives the message for people; the cause is kept out of it.
func (e *Error) Error() string {
	if len(e.Problems) > 0 {
		return e.Message + ": " + e.Problems.Error()
	}
	return e.Message
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// New makes an error with a formatted message.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap marks err with a code and a message for people.
func Wrap(code Code, err error, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Err: err}
}

// WithProblems makes an Invalid error that lists every path.
func WithProblems(problems gear.Problems, format string, args ...any) *Error {
	return &Error{Code: Invalid, Message: fmt.Sprintf(format, args...), Problems: problems}
}

// CodeOf finds the outermost code in err's chain; Internal if there is none and
// "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}

// Is reports whether err carries the code.
func Is(err error, code Code) bool { return err != nil && CodeOf(err) == code }
