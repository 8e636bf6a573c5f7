package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/allspark/allspark/server/alert"
)

// Payload is the body of a webhook. Fields are only ever added.
type Payload struct {
	Version int      `json:"version"`
	Sink    string   `json:"sink"`
	Notices []Notice `json:"notices"`
}

// Notice is one event of one alert.
type Notice struct {
	ID         string     `json:"id"` // the same when it is repeated
	Event      string     `json:"event"`
	Alert      string     `json:"alert"`
	Kind       string     `json:"kind"`
	Severity   string     `json:"severity"`
	Title      string     `json:"title"`
	Reason     string     `json:"reason"`
	App        string     `json:"app"`
	IDC        string     `json:"idc"`
	Scene      string     `json:"scene,omitempty"`
	Point      string     `json:"point,omitempty"`
	Instance   string     `json:"instance,omitempty"`
	Object     string     `json:"object,omitempty"`
	Value      float64    `json:"value"`
	Limit      float64    `json:"limit"`
	StartedAt  time.Time  `json:"started_at"`
	FiredAt    time.Time  `json:"fired_at"`
	ResolvedAt *time.Time `json:"resolved_at,omitempty"`
	Link       string     `json:"link,omitempty"`
}

func toNotice(n *alert.Notice) Notice {
	a := n.Alert
	out := Notice{
		ID: n.ID, Event: string(n.Event), Alert: a.ID, Kind: string(a.Kind), Severity: string(a.Severity), Title: a.Title(), Reason: a.Reason,
		App: a.Scope.App, IDC: a.Scope.IDC, Scene: a.Scope.Scene, Point: a.Scope.Point, Instance: a.Scope.Instance, Object: a.Scope.Object,
		Value: a.Value, Limit: a.Limit, StartedAt: a.StartedAt.UTC(), FiredAt: a.FiredAt.UTC(), Link: n.Link,
	}
	if !a.ResolvedAt.IsZero() {
		at := a.ResolvedAt.UTC()
		out.ResolvedAt = &at
	}
	return out
}

// Headers of a webhook.
const (
	HeaderTimestamp = "X-AllSpark-Timestamp"
	HeaderSignature = "X-AllSpark-Signature"
)

// Signature is what a receiver computes to check a webhook.
func Signature(secret, timestamp string, body []byte) string {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte(timestamp + "."))
	m.Write(body)
	return "sha256=" + hex.EncodeToString(m.Sum(nil))
}

func webhook(s *alert.Sink, notices []alert.Notice, now time.Time) message {
	p := Payload{Version: 1, Sink: s.Name}
	for i := range notices {
		p.Notices = append(p.Notices, toNotice(&notices[i]))
	}
	return message{url: s.URL, body: p, sign: func(body []byte, h http.Header) {
		at := strconv.FormatInt(now.Unix(), 10)
		h.Set(HeaderTimestamp, at)
		h.Set(HeaderSignature, Signature(s.Secret, at, body))
	}}
}

// managed is an alert as Alertmanager takes it.
type managed struct {
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	StartsAt     time.Time         `json:"startsAt"`
	EndsAt       *time.Time        `json:"endsAt,omitempty"`
	GeneratorURL string            `json:"generatorURL,omitempty"`
}

// standsFor is how long Alertmanager keeps an alert that nobody ends: it is told
// once, and its own resolve_timeout is five minutes.
const standsFor = 24 * time.Hour

func alertmanager(s *alert.Sink, notices []alert.Notice, now time.Time) (message, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return message{}, fmt.Errorf("the sink's address cannot be read")
	}
	if !strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/api/v2/alerts") {
		u = u.JoinPath("api/v2/alerts")
	}
	var list []managed
	for i := range notices {
		n, a := &notices[i], notices[i].Alert
		x := managed{
			// Labels are what makes two alerts one there, so nothing that moves is in them.
			Labels:      map[string]string{"alertname": "allspark_" + string(a.Kind), "severity": string(a.Severity), "source": "allspark"},
			Annotations: map[string]string{"summary": a.Title(), "description": a.Reason, "alert": a.ID},
			StartsAt:    a.StartedAt.UTC(), GeneratorURL: n.Link,
		}
		for k, v := range map[string]string{"app": a.Scope.App, "idc": a.Scope.IDC, "instance": a.Scope.Instance, "object": a.Scope.Object} {
			if v != "" {
				x.Labels[k] = v
			}
		}
		for k, v := range map[string]string{"scene": a.Scope.Scene, "point": a.Scope.Point} {
			if v != "" {
				x.Annotations[k] = v
			}
		}
		end := now.Add(standsFor).UTC()
		switch n.Event {
		case alert.Resolved:
			end = a.ResolvedAt.UTC()
		case alert.Test:
			x.Labels["alertname"], end = "allspark_test", now.Add(time.Minute).UTC()
		}
		x.EndsAt = &end
		list = append(list, x)
	}
	return message{url: u.String(), body: list, sign: func(_ []byte, h http.Header) {
		if s.Secret != "" {
			h.Set("Authorization", "Bearer "+s.Secret)
		}
	}}, nil
}
