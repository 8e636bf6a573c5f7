package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/allspark/allspark/server/alert"
)

// Sender speaks to every kind of sink.
type Sender struct {
	http  *http.Client
	now   func() time.Time
	agent string
}

// New makes a sender that dials public addresses and those in allow.
func New(allow []netip.Prefix, version string) *Sender {
	return &Sender{http: client(allow), now: time.Now, agent: "allspark/" + version}
}

// Pace implements alert.Sender.
func (s *Sender) Pace(k alert.SinkKind) time.Duration {
	switch k {
	case alert.DingTalk:
		return 3100 * time.Millisecond // 20 a minute, else the robot is mute for ten
	case alert.Feishu:
		return 650 * time.Millisecond // 100 a minute and 5 a second
	case alert.Slack:
		return 1100 * time.Millisecond // one a second
	}
	return 200 * time.Millisecond
}

// message is what is posted.
type message struct {
	url  string
	body any
	sign func(body []byte, h http.Header)
	// answer finds a refusal in a 200; nil believes the status.
	answer func(body []byte) error
}

// Send implements alert.Sender.
func (s *Sender) Send(ctx context.Context, sink *alert.Sink, notices []alert.Notice) error {
	now := s.now()
	var m message
	var err error
	switch sink.Kind {
	case alert.Webhook:
		m = webhook(sink, notices, now)
	case alert.Alertmanager:
		m, err = alertmanager(sink, notices, now)
	case alert.DingTalk:
		m, err = dingtalk(sink, notices, now)
	case alert.Feishu:
		m = feishu(sink, notices, now)
	case alert.Slack:
		m = slack(sink, notices)
	default:
		err = fmt.Errorf("nobody speaks %q", sink.Kind)
	}
	if err != nil {
		return err
	}
	return s.post(ctx, &m)
}

const (
	maxAnswer = 64 << 10
	shownBody = 200
)

func (s *Sender) post(ctx context.Context, m *message) error {
	body, err := json.Marshal(m.body)
	if err != nil {
		return fmt.Errorf("write the message: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(body))
	if err != nil {
		return errors.New("the sink's address cannot be read")
	}
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	r.Header.Set("User-Agent", s.agent)
	if m.sign != nil {
		m.sign(body, r.Header)
	}
	res, err := s.http.Do(r)
	if err != nil {
		// url.Error writes the address, which may hold a token.
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err
		}
		return fmt.Errorf("not reached: %w", err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("the answer broke off: %w", err)
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return fmt.Errorf("answered %d: %s", res.StatusCode, shown(answer))
	}
	if m.answer != nil {
		return m.answer(answer)
	}
	return nil
}

// shown is the beginning of an answer, safe to log and to show.
func shown(b []byte) string {
	s := strings.ToValidUTF8(string(b), "?")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	if r := []rune(s); len(r) > shownBody {
		s = string(r[:shownBody]) + "…"
	}
	return s
}

var _ alert.Sender = (*Sender)(nil)
