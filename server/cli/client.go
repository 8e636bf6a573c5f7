package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/allspark/allspark/server/api"
)

// client is a small typed client of the REST API.
type client struct {
	base  string
	token string
	agent string
	http  *http.Client
}

// maxAnswer bounds what is read of one answer.
const maxAnswer = 64 << 20

// unreachable is a controller that does not answer.
type unreachable struct{ err error }

func (u *unreachable) Error() string { return "the controller cannot be reached: " + u.err.Error() }
func (u *unreachable) Unwrap() error { return u.err }

// call is one request.
type call struct {
	method, path string
	query        url.Values
	body         any    // a DTO, or []byte as it is
	kind         string // of a []byte body; JSON otherwise
	match        string // If-Match
	accept       string
}

// do makes the call, reads the answer into out (nil, a DTO, or *[]byte) and
// gives its ETag.
func (c *client) do(ctx context.Context, r call, out any) (etag string, err error) {
	body, ok := r.body.([]byte)
	if !ok && r.body != nil {
		if body, err = json.Marshal(r.body); err != nil {
			return "", fmt.Errorf("write request: %w", err)
		}
	}
	key := ""
	if r.method == http.MethodPost {
		b := make([]byte, 16)
		rand.Read(b)
		key = hex.EncodeToString(b)
	}
	answer, err := c.send(ctx, r, body, key)
	if gone := (*unreachable)(nil); errors.As(err, &gone) && (key != "" || r.method == http.MethodGet) && ctx.Err() == nil {
		answer, err = c.send(ctx, r, body, key) // the key makes a second try safe
	}
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return "", &unreachable{err}
	}
	if answer.StatusCode >= 400 {
		return "", problemOf(answer, text)
	}
	switch into := out.(type) {
	case nil:
	case *[]byte:
		*into = text
	default:
		if err := json.Unmarshal(text, out); err != nil {
			return "", fmt.Errorf("read the controller's answer to %s %s: %w", r.method, r.path, err)
		}
	}
	return answer.Header.Get("ETag"), nil
}

func (c *client) send(ctx context.Context, r call, body []byte, key string) (*http.Response, error) {
	target := c.base + "/api/v1" + r.path
	if len(r.query) > 0 {
		target += "?" + r.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.method, target, bytes.NewReader(body))
	if err != nil {
		return nil, usagef("the controller's address is not valid: %v", err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + c.token, "User-Agent": c.agent, "If-Match": r.match, "Accept": r.accept, "Idempotency-Key": key,
	} {
		if value != "" && value != "Bearer " {
			req.Header.Set(name, value)
		}
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
		if r.kind != "" {
			req.Header.Set("Content-Type", r.kind)
		}
	}
	answer, err := c.http.Do(req)
	if err != nil {
		return nil, &unreachable{err}
	}
	return answer, nil
}

func problemOf(answer *http.Response, text []byte) error {
	var p api.Problem
	if json.Unmarshal(text, &p) != nil || p.Status == 0 {
		return &api.Problem{Status: answer.StatusCode, Title: answer.Status, Detail: "the controller answered " + answer.Status}
	}
	return &p
}

func newClient(base, token, version string) *client {
	return &client{
		base: strings.TrimRight(base, "/"), token: token, agent: "allspark-cli/" + version,
		http: &http.Client{Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // a token goes to no other host
		}},
	}
}

// each walks every page of a list.
func each[T any](ctx context.Context, c *client, path string, query url.Values) ([]T, error) {
	if query == nil {
		query = url.Values{}
	}
	query.Set("limit", "500")
	out := []T{}
	for range 1000 {
		var p api.Page[T]
		if _, err := c.do(ctx, call{method: http.MethodGet, path: path, query: query}, &p); err != nil {
			return nil, err
		}
		out = append(out, p.Items...)
		if p.NextCursor == "" {
			return out, nil
		}
		query.Set("cursor", p.NextCursor)
	}
	return out, errors.New("the list does not end")
}

// at joins path segments, each escaped: names come from people.
func at(segments ...string) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteString("/" + url.PathEscape(s))
	}
	return b.String()
}
