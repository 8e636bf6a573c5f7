package servertest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/api"
)

// Client speaks to the REST API as an operator's program does.
type Client struct {
	t    testing.TB
	base string
	auth string
	http *http.Client
}

// NewClient makes a client of the controller at url.
func NewClient(t testing.TB, url, token string) *Client {
	tr := &http.Transport{MaxIdleConnsPerHost: 16, DisableCompression: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &Client{t: t, base: url + "/api/v1", auth: "Bearer " + token, http: &http.Client{Transport: tr, Timeout: patience}}
}

// Answer is what came back.
type Answer struct {
	Status int
	ETag   string
	Body   []byte
}

// Try makes a request; the body is a DTO or text, headers are name, value pairs.
func (c *Client) Try(method, path string, body any, headers ...string) (Answer, error) {
	text, ok := body.(string)
	if !ok && body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return Answer{}, err
		}
		text = string(b)
	}
	req, err := http.NewRequest(method, c.base+path, bytes.NewReader([]byte(text)))
	if err != nil {
		return Answer{}, err
	}
	req.Header.Set("Authorization", c.auth)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := c.http.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return Answer{Status: res.StatusCode, ETag: res.Header.Get("ETag"), Body: b}, err
}

// Do is Try for a request that has to succeed; the answer is read into out.
func (c *Client) Do(method, path string, body, out any, headers ...string) Answer {
	c.t.Helper()
	a, err := c.Try(method, path, body, headers...)
	require.NoError(c.t, err)
	require.Less(c.t, a.Status, 300, "%s %s: %s", method, path, a.Body)
	if out != nil {
		require.NoError(c.t, json.Unmarshal(a.Body, out), "%s", a.Body)
	}
	return a
}

// Problem reads a refusal.
func (a Answer) Problem(t testing.TB) *api.Problem {
	t.Helper()
	require.GreaterOrEqual(t, a.Status, 400, "%s", a.Body)
	var p api.Problem
	require.NoError(t, json.Unmarshal(a.Body, &p), "%s", a.Body)
	return &p
}

// Publish creates a template or saves its draft, publishes it and gives it back.
func (c *Client) Publish(doc *api.TemplateDocument) *api.TemplateDetail {
	c.t.Helper()
	var out api.TemplateDetail
	a, err := c.Try(http.MethodGet, "/templates/"+doc.Name, nil)
	require.NoError(c.t, err)
	if a.Status == http.StatusNotFound {
		a = c.Do(http.MethodPost, "/templates", doc, nil)
	} else {
		a = c.Do(http.MethodPut, "/templates/"+doc.Name+"/draft", doc, nil, "If-Match", a.ETag)
	}
	c.Do(http.MethodPost, "/templates/"+doc.Name+"/publish", api.Publish{Reason: "test"}, &out, "If-Match", a.ETag)
	return &out
}

// Bind lets a template serve a point of an app in every scene and IDC.
func (c *Client) Bind(template, app, point string) {
	c.t.Helper()
	c.Do(http.MethodPost, "/bindings", api.BindingInput{
		Template: template, Reason: "test",
		Selector: api.Selector{Scene: "*", IDC: "*", App: app, Point: point},
	}, nil)
}

// Hold sets a manual level for all scenes of an app in an IDC.
func (c *Client) Hold(app, idc string, level int, d time.Duration) *api.Claim {
	c.t.Helper()
	var out api.Claim
	c.Do(http.MethodPost, "/claims", map[string]any{
		"field": "level", "level": level, "reason": "test", "for": d.String(),
		"scope": api.Scope{Scene: "*", IDC: idc, App: app, Point: "*"},
	}, &out)
	return &out
}

// State tells how the controller stands.
func (c *Client) State() (s api.Status) {
	c.t.Helper()
	c.Do(http.MethodGet, "/status", nil, &s)
	return s
}

// Recall is a template of one int parameter: tag_count runs from 10 at level 1 to
// top at level 10. It starts at level 8.
func Recall(name string, top int) *api.TemplateDocument {
	return &api.TemplateDocument{
		Name: name, Strategy: api.Strategy{Kind: "fixed"}, Levels: api.Levels{Count: 10, Default: 8, Min: 1, Max: 10},
		Parameters: []api.Parameter{{Name: "tag_count", Type: "int", Unit: "tags", Min: number(10), Max: number(200)}},
		Gears: []api.Gear{
			{Level: 1, Set: map[string]json.RawMessage{"tag_count": number(10)}},
			{Level: 10, Set: map[string]json.RawMessage{"tag_count": number(top)}},
		},
	}
}

func number(n int) json.RawMessage { b, _ := json.Marshal(n); return b }

// Agents lists every agent.
func (c *Client) Agents(t testing.TB) (all []api.Agent) {
	t.Helper()
	for cursor := ""; ; {
		var p api.Page[api.Agent]
		c.Do(http.MethodGet, "/agents?limit=500&cursor="+url.QueryEscape(cursor), nil, &p)
		if all = append(all, p.Items...); p.NextCursor == "" {
			return all
		}
		cursor = p.NextCursor
	}
}

// SignIn gives a client that acts as a user.
func (c *Client) SignIn(name, password string) *Client {
	c.t.Helper()
	var s api.Session
	c.Do(http.MethodPost, "/sessions", api.Login{Name: name, Password: password, Bearer: true}, &s)
	user := *c
	user.auth = "Bearer " + s.Token
	return &user
}

// EnrolToken makes an enrolment token; only administrators may.
func (c *Client) EnrolToken(name, app, idc string) string {
	c.t.Helper()
	var out struct{ Secret string }
	c.Do(http.MethodPost, "/enrolment-tokens", map[string]any{"name": name, "app": app, "idc": idc, "reason": "test"}, &out)
	return out.Secret
}

// Agent reads one agent.
func (c *Client) Agent(instance string) (a api.Agent) {
	c.t.Helper()
	c.Do(http.MethodGet, "/agents/"+url.PathEscape(instance), nil, &a)
	return a
}
