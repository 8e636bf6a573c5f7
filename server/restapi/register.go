package restapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/fault"
)

const (
	metaAccess = "access"
	prefix     = "/api/v1"

	// maxBody bounds every request body.
	maxBody = 1 << 20
)

// access says who may call an operation at all; handlers check the object's
// scope besides.
type access struct {
	verb   auth.Verb // "" with public false: any signed-in caller
	public bool
}

// endpoint is what every operation says about itself.
type endpoint struct {
	method, path, id, tag string
	summary, description  string
	verb                  auth.Verb
	public                bool
	status                int // of success; 200 by default
	errors                []int
	request               *huma.RequestBody // where the body is not a DTO
	responses             map[string]*huma.Response
}

// handle registers an operation. The handler gets the caller (nil when public)
// and may return any error of a room.
func handle[I, O any](s *Server, e endpoint, h func(context.Context, *caller, *I) (*O, error)) {
	errs := []int{http.StatusBadRequest, http.StatusTooManyRequests, http.StatusServiceUnavailable}
	if !e.public {
		errs = append(errs, http.StatusUnauthorized, http.StatusForbidden)
	}
	if strings.Contains(e.path, "{") {
		errs = append(errs, http.StatusNotFound)
	}
	if e.method != http.MethodGet {
		errs = append(errs, http.StatusConflict)
	}
	if e.method == http.MethodPost || e.method == http.MethodPut {
		errs = append(errs, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	errs = append(errs, e.errors...)
	slices.Sort(errs)
	op := huma.Operation{
		OperationID: e.id, Method: e.method, Path: prefix + e.path, Summary: e.summary, Description: e.description,
		Tags: []string{e.tag}, Errors: slices.Compact(errs), DefaultStatus: e.status, MaxBodyBytes: maxBody,
		Responses: e.responses, RejectUnknownQueryParameters: true,
		Metadata: map[string]any{metaAccess: access{verb: e.verb, public: e.public}},
	}
	if !e.public {
		op.Security = []map[string][]string{{"session": {}}, {"bearer": {}}}
	} else {
		op.Security = []map[string][]string{}
	}
	huma.Register(s.api, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := h(ctx, callerOf(ctx), in)
		if err == nil {
			return out, nil
		}
		id := requestID(ctx)
		f := asFailure(err, id)
		if f.Status >= 500 && !errors.Is(err, context.Canceled) {
			s.deps.Log.ErrorContext(ctx, "restapi: request failed", "operation", e.id, "err", err, "cause", cause(err), "request_id", id)
		}
		return nil, huma.ErrorWithHeaders(f, f.GetHeaders())
	})
	if e.request != nil {
		// Documented here only: the room reads such a body, not huma.
		documented(s.api.OpenAPI(), op.Path, op.Method).RequestBody = e.request
	}
}

func documented(doc *huma.OpenAPI, path, method string) *huma.Operation {
	item := doc.Paths[path]
	switch method {
	case http.MethodGet:
		return item.Get
	case http.MethodPut:
		return item.Put
	case http.MethodDelete:
		return item.Delete
	}
	return item.Post
}

// cause digs out what a fault hides from callers.
func cause(err error) string {
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Err != nil {
		return e.Err.Error()
	}
	return ""
}

// etag writes a version as an ETag.
func etag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// Conditional is embedded in inputs of writes to existing objects.
type Conditional struct {
	IfMatch string `header:"If-Match" maxLength:"64" doc:"ETag of the version that was edited. Required." example:"\"7\""`
}

func (c Conditional) version() (int64, error) {
	if c.IfMatch == "" {
		return 0, newFailure(http.StatusPreconditionRequired, "", "send If-Match with the ETag of the version you edited", "")
	}
	s, ok := strings.CutPrefix(c.IfMatch, `"`)
	s, ok2 := strings.CutSuffix(s, `"`)
	n, err := strconv.ParseInt(s, 10, 64)
	if !ok || !ok2 || err != nil || n < 0 {
		return 0, newFailure(http.StatusBadRequest, "", `If-Match wants one ETag as it was sent, like "7"`, "")
	}
	return n, nil
}

// Idempotent is embedded in inputs of POST.
type Idempotent struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"128" pattern:"^[!-~]*$" doc:"A retry with the same key gets the first result and changes nothing."`
}

// Paged is embedded in inputs of lists.
type Paged struct {
	Cursor string `query:"cursor" maxLength:"512" doc:"next_cursor of the page before."`
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"Objects a page."`
}

// Reasoned is embedded in inputs of deletes, which have no body.
type Reasoned struct {
	Reason string `query:"reason" maxLength:"500" doc:"Why; kept in the audit log."`
}

// tagged is embedded in outputs of one versioned object.
type tagged[T any] struct {
	ETag string `header:"ETag" doc:"Version of the object."`
	Body T
}

// plain is the output of anything else.
type plain[T any] struct{ Body T }

// once answers a retried POST: it finds what the caller's key did the first time.
// done is false when the key is new.
func (s *Server) once(ctx context.Context, c *caller, key, kind string) (object string, done bool, err error) {
	if key == "" {
		return "", false, nil
	}
	e, ok, err := s.deps.Audit.FindIdempotent(ctx, c.Actor(), key)
	if err != nil || !ok {
		return "", false, err
	}
	if e.Kind != kind {
		return "", false, fault.WithProblems(problem("header.Idempotency-Key", "duplicate", "this key was used to %s a %s", e.Verb, e.Kind), "the Idempotency-Key belongs to another request")
	}
	return e.Object, true, nil
}
