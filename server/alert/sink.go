package alert

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// SinkKind is the language a sink speaks.
type SinkKind string

// The kinds of sink.
const (
	Webhook      SinkKind = "webhook" // JSON signed with HMAC-SHA256
	Alertmanager SinkKind = "alertmanager"
	DingTalk     SinkKind = "dingtalk"
	Feishu       SinkKind = "feishu"
	Slack        SinkKind = "slack"
)

// SinkKinds lists the kinds.
func SinkKinds() []SinkKind { return []SinkKind{Webhook, Alertmanager, DingTalk, Feishu, Slack} }

// Sink is where alerts are sent.
type Sink struct {
	ID      string
	Name    string
	Kind    SinkKind
	URL     string // of chats it holds a token: a secret
	Secret  string // signs; "" signs nothing
	Enabled bool
	Filter  SinkFilter
	// Resolved sends a second message when an alert it was told of is resolved.
	Resolved bool

	Version   int64
	CreatedBy string
	CreatedAt time.Time
	UpdatedBy string
	UpdatedAt time.Time
}

// SinkFilter says which alerts a sink is told of; "" and nil do not filter.
type SinkFilter struct {
	App, IDC string
	Kinds    []Kind
	Severity Severity // Critical: only those
}

// Wants reports whether the sink is told of an alert.
func (s *Sink) Wants(a *Alert) bool {
	f := &s.Filter
	return s.Enabled && (f.App == "" || f.App == gear.Any || f.App == a.Scope.App) && (f.IDC == "" || f.IDC == gear.Any || f.IDC == a.Scope.IDC) &&
		(len(f.Kinds) == 0 || slices.Contains(f.Kinds, a.Kind)) && (f.Severity != Critical || a.Severity == Critical)
}

// ShownURL is the sink's address without what may be secret in it.
func (s *Sink) ShownURL() string {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host + "/…"
}

const (
	maxURL    = 2048
	maxSecret = 256
	maxName   = 63
)

// Check names what is wrong with a sink.
func (s *Sink) Check() gear.Problems {
	var ps gear.Problems
	bad := func(path, code, format string, args ...any) {
		ps = append(ps, gear.Problem{Path: path, Code: code, Message: fmt.Sprintf(format, args...)})
	}
	if s.Name == "" || len(s.Name) > maxName || strings.ContainsFunc(s.Name, func(r rune) bool { return r < ' ' }) {
		bad("name", gear.CodeName, "name wants 1 to %d characters on one line", maxName)
	}
	if !slices.Contains(SinkKinds(), s.Kind) {
		bad("kind", gear.CodeEnum, "kind wants one of %v, got %q", SinkKinds(), gear.Shown(string(s.Kind)))
	}
	u, err := url.Parse(s.URL)
	switch {
	case len(s.URL) > maxURL:
		bad("url", gear.CodeLength, "url is longer than %d bytes", maxURL)
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		bad("url", gear.CodeSyntax, "url wants http:// or https:// and a host")
	case u.User != nil:
		bad("url", gear.CodeSyntax, "url must hold no user and password: use the secret")
	}
	if len(s.Secret) > maxSecret {
		bad("secret", gear.CodeLength, "secret is longer than %d bytes", maxSecret)
	}
	if s.Kind == Webhook && s.Secret == "" {
		bad("secret", gear.CodeRequired, "a webhook wants a secret to sign with")
	}
	for i, k := range s.Filter.Kinds {
		if !slices.Contains(Kinds(), k) {
			bad(fmt.Sprintf("kinds[%d]", i), gear.CodeEnum, "there is no kind of alert %q", gear.Shown(string(k)))
		}
	}
	if s.Filter.Severity != "" && s.Filter.Severity != Warning && s.Filter.Severity != Critical {
		bad("severity", gear.CodeEnum, "severity wants warning or critical")
	}
	return ps
}

// Event is what a message tells of an alert.
type Event string

// The events.
const (
	Firing   Event = "firing"
	Resolved Event = "resolved"
	Test     Event = "test"
)

// Delivery is one event of one alert on its way to one sink. Its key is
// (alert, sink, event): whichever replica writes it first, there is one.
type Delivery struct {
	Alert, Sink string
	Event       Event
	Attempts    int
	NextAt      time.Time
	SentAt      time.Time // zero while it waits
	GivenUp     bool
	Error       string // of the last attempt
	CreatedAt   time.Time
}

// Notice is what a sink is told.
type Notice struct {
	ID    string // stays the same when the message is repeated
	Event Event
	Alert *Alert
	Link  string // to the alert in the console; "" when its address is not known
}

// Sender speaks to sinks. Send must end when ctx does.
type Sender interface {
	Send(ctx context.Context, s *Sink, notices []Notice) error
	// Pace is the least time between two messages to a kind of sink.
	Pace(k SinkKind) time.Duration
}
