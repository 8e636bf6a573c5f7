package restapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/template"
)

const problemType = "application/problem+json"

// statuses is the one mapping of fault codes to HTTP.
var statuses = map[fault.Code]int{
	fault.Invalid:      http.StatusUnprocessableEntity,
	fault.NotFound:     http.StatusNotFound,
	fault.Conflict:     http.StatusConflict,
	fault.Stale:        http.StatusConflict,
	fault.Unauthorized: http.StatusUnauthorized,
	fault.Forbidden:    http.StatusForbidden,
	fault.Frozen:       http.StatusLocked,
	fault.TooLarge:     http.StatusRequestEntityTooLarge,
	fault.RateLimited:  http.StatusTooManyRequests,
	fault.Unavailable:  http.StatusServiceUnavailable,
	fault.Refused:      http.StatusUnprocessableEntity,
	fault.Duplicate:    http.StatusConflict,
	fault.Internal:     http.StatusInternalServerError,
}

// codes names the statuses that arise before any room is asked.
var codes = map[int]string{
	http.StatusBadRequest: "invalid", http.StatusUnauthorized: "unauthorized", http.StatusForbidden: "forbidden",
	http.StatusNotFound: "not_found", http.StatusMethodNotAllowed: "method_not_allowed", http.StatusNotAcceptable: "not_acceptable",
	http.StatusRequestTimeout: "timeout", http.StatusRequestEntityTooLarge: "too_large",
	http.StatusUnsupportedMediaType: "unsupported_media_type", http.StatusUnprocessableEntity: "invalid",
	http.StatusPreconditionRequired: "precondition_required", http.StatusServiceUnavailable: "unavailable",
}

// failure is a problem as huma writes it.
type failure struct {
	api.Problem
	retryAfter time.Duration
}

// GetStatus makes a failure a huma.StatusError.
func (f *failure) GetStatus() int { return f.Status }

// ContentType names the problem's media type.
func (f *failure) ContentType(string) string { return problemType }

// GetHeaders makes a failure a huma.HeadersError.
func (f *failure) GetHeaders() http.Header {
	h := http.Header{}
	if f.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int((f.retryAfter+time.Second-1)/time.Second)))
	}
	if f.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="allspark"`)
	}
	return h
}

func newFailure(status int, code, detail, requestID string) *failure {
	if code == "" {
		if code = codes[status]; code == "" {
			code = string(fault.Internal)
		}
	}
	return &failure{Problem: api.Problem{
		Type: "urn:allspark:problem:" + code, Title: http.StatusText(status), Status: status,
		Code: code, Detail: detail, RequestID: requestID,
	}}
}

// asFailure maps any error of a room. What is not marked stays out of the answer:
// it may hold SQL or addresses.
func asFailure(err error, requestID string) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		f.RequestID = requestID
		return f
	}
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		if ps, ok := errors.AsType[gear.Problems](err); ok {
			e = fault.WithProblems(ps, "the request is not valid")
		} else {
			return newFailure(http.StatusInternalServerError, "", "something went wrong on the server", requestID)
		}
	}
	f := newFailure(statuses[e.Code], string(e.Code), e.Message, requestID)
	f.Errors = problemErrors(e.Problems)
	switch d := e.Detail.(type) {
	case time.Duration:
		f.retryAfter = d
	case *api.Conflict:
		f.Conflict = d
	case []template.Refusal:
		f.Refusals = mapped(d, toRefusal)
	}
	if e.Code == fault.Stale && f.Conflict == nil {
		f.Conflict = conflictOf(e.Detail, nil)
	}
	if e.Code == fault.Unavailable && f.retryAfter == 0 {
		f.retryAfter = time.Second
	}
	return f
}

func problemErrors(ps gear.Problems) []api.ProblemError {
	out := make([]api.ProblemError, len(ps))
	for i, p := range ps {
		out[i] = api.ProblemError{Path: p.Path, Code: p.Code, Message: p.Message, Line: p.Line, Column: p.Column}
	}
	return out
}

// withMine puts what was sent beside what is stored into a stale write's error.
func withMine(err error, mine any) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Code != fault.Stale {
		return err
	}
	return &fault.Error{Code: e.Code, Message: e.Message, Detail: conflictOf(e.Detail, mine), Err: e.Err}
}

// conflictOf shows the three sides of a stale write, whoever found it out.
func conflictOf(detail, mine any) *api.Conflict {
	c := &api.Conflict{Mine: rawOf(mine)}
	var theirs, base any
	switch d := detail.(type) {
	case *api.Conflict:
		d.Mine = c.Mine
		return d
	case fault.Clash:
		theirs, base = d.Theirs, d.Base
	case *fault.Clash:
		theirs, base = d.Theirs, d.Base
	case map[string]*template.Binding:
		theirs = d["theirs"]
	case map[string]*control.Claim:
		theirs = d["theirs"]
	case template.StaleDetail:
		theirs, base = d.Theirs, d.Base
		if d.TheirsVersion > 0 {
			c.ETag = etag(d.TheirsVersion)
		}
		if d.Mine != nil {
			c.Mine = rawOf(toDocument(d.Mine))
		}
	}
	shown, version := dto(theirs)
	c.Theirs = rawOf(shown)
	shown, _ = dto(base)
	c.Base = rawOf(shown)
	if c.ETag == "" && version > 0 {
		c.ETag = etag(version)
	}
	return c
}

func rawOf(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	if raw, ok := v.(json.RawMessage); ok {
		return raw
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return b
}

// humaError is what huma calls for errors it finds itself: it keeps their places.
func humaError(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
	id := ""
	if ctx != nil {
		id = requestID(ctx.Context())
	}
	f := newFailure(status, "", message, id)
	params := len(errs) > 0
	for _, err := range errs {
		d, ok := err.(huma.ErrorDetailer)
		if !ok {
			if err != nil {
				f.Detail = message + ": " + err.Error()
			}
			params = false
			continue
		}
		detail := d.ErrorDetail()
		where, inBody := strings.CutPrefix(detail.Location, "body")
		where = strings.TrimPrefix(where, ".")
		params = params && !inBody
		f.Errors = append(f.Errors, api.ProblemError{Path: where, Code: codeOf(detail.Message), Message: detail.Message})
	}
	// A path, query or header that makes no sense is a bad request; a body that
	// can be read but not accepted is unprocessable.
	if status == http.StatusUnprocessableEntity && params {
		f.Status, f.Title = http.StatusBadRequest, http.StatusText(http.StatusBadRequest)
	}
	return f
}

// codeOf gives huma's messages the stable codes of our own checks.
func codeOf(message string) string {
	for _, m := range []struct{ has, code string }{
		{"JSON input", "syntax"},
		{"invalid character", "syntax"},
		{"nested deeper", "syntax"},
		{"unexpected property", "unknown"},
		{"unknown query", "unknown"},
		{"required", "required"},
		{"expected value to be one of", "enum"},
		{"expected number", "range"},
		{"expected length", "range"},
		{"expected array length", "range"},
		{"pattern", "pattern"},
		{"unique", "duplicate"},
		{"invalid", "type"},
		{"expected", "type"},
	} {
		if strings.Contains(message, m.has) {
			return m.code
		}
	}
	return "invalid"
}
