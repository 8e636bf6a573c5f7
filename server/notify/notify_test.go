package notify

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/alert"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

type got struct {
	r    *http.Request
	body []byte
}

func receiver(t *testing.T, answer string, status int) (*httptest.Server, *[]got) {
	var all []got
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		all = append(all, got{r, b})
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	return s, &all
}

func notices(e alert.Event) []alert.Notice {
	at := time.Date(2026, 11, 11, 0, 0, 5, 0, time.UTC)
	a := &alert.Alert{
		ID: "a1", Fingerprint: "f", Kind: alert.BadMachine, Severity: alert.Warning,
		Scope:     alert.Scope{App: "sn", IDC: "ea119", Scene: "k2", Point: "recall", Instance: `m<1>*_[x](y)@all`},
		Reason:    `needs 50 % more; <!channel> <at user_id="all">`,
		StartedAt: at, FiredAt: at.Add(5 * time.Second), Value: 0.5, Limit: 0.3,
	}
	if e == alert.Resolved {
		a.ResolvedAt, a.Ending = at.Add(time.Minute), "not seen for 1m0s"
	}
	return []alert.Notice{{ID: "a1/" + string(e), Event: e, Alert: a, Link: "https://spark.example.com/alerts/a1"}}
}

func TestWebhookIsSigned(t *testing.T) {
	s, all := receiver(t, "", 204)
	sink := &alert.Sink{Name: "hook", Kind: alert.Webhook, URL: s.URL + "/in", Secret: "shh"}
	require.NoError(t, New(loopback, "1").Send(t.Context(), sink, notices(alert.Firing)))
	x := (*all)[0]
	require.Equal(t, Signature("shh", x.r.Header.Get(HeaderTimestamp), x.body), x.r.Header.Get(HeaderSignature))
	var p Payload
	require.NoError(t, json.Unmarshal(x.body, &p))
	require.Equal(t, "a1/firing", p.Notices[0].ID)
	require.Equal(t, "recall", p.Notices[0].Point)
	require.Nil(t, p.Notices[0].ResolvedAt)
}

func TestAlertmanager(t *testing.T) {
	s, all := receiver(t, "", 200)
	sink := &alert.Sink{Kind: alert.Alertmanager, URL: s.URL + "/am/"}
	send := New(loopback, "1")
	require.NoError(t, send.Send(t.Context(), sink, notices(alert.Firing)))
	require.NoError(t, send.Send(t.Context(), sink, notices(alert.Resolved)))
	require.Equal(t, "/am/api/v2/alerts", (*all)[0].r.URL.Path)
	var firing, resolved []managed
	require.NoError(t, json.Unmarshal((*all)[0].body, &firing))
	require.NoError(t, json.Unmarshal((*all)[1].body, &resolved))
	require.Equal(t, firing[0].Labels, resolved[0].Labels, "the same alert to it")
	require.Equal(t, "allspark_bad_machine", firing[0].Labels["alertname"])
	require.True(t, firing[0].EndsAt.After(time.Now()))
	require.Equal(t, time.Date(2026, 11, 11, 0, 1, 5, 0, time.UTC), *resolved[0].EndsAt)
}

func TestDingTalk(t *testing.T) {
	s, all := receiver(t, `{"errcode":0,"errmsg":"ok"}`, 200)
	sink := &alert.Sink{Kind: alert.DingTalk, URL: s.URL + "/robot/send?access_token=t0k", Secret: "SECx"}
	require.NoError(t, New(loopback, "1").Send(t.Context(), sink, notices(alert.Firing)))
	q := (*all)[0].r.URL.Query()
	require.Equal(t, "t0k", q.Get("access_token"))
	require.Equal(t, sum("SECx", q.Get("timestamp")+"\nSECx"), q.Get("sign"))
	require.Len(t, q.Get("timestamp"), 13)
	var m struct {
		Msgtype  string
		Markdown struct{ Title, Text string }
	}
	require.NoError(t, json.Unmarshal((*all)[0].body, &m))
	require.Equal(t, "markdown", m.Msgtype)
	require.NotContains(t, m.Markdown.Text, "@all")
	require.NotContains(t, m.Markdown.Text, "[x](y)")
	require.Contains(t, m.Markdown.Text, "[open](https://spark.example.com/alerts/a1)")

	bad, _ := receiver(t, `{"errcode":130101,"errmsg":"send too fast"}`, 200)
	sink.URL = bad.URL + "/?access_token=t0k"
	err := New(loopback, "1").Send(t.Context(), sink, notices(alert.Firing))
	require.ErrorContains(t, err, "130101: send too fast")
	require.NotContains(t, err.Error(), "t0k")
}

func TestFeishu(t *testing.T) {
	s, all := receiver(t, `{"code":0,"msg":"success"}`, 200)
	sink := &alert.Sink{Kind: alert.Feishu, URL: s.URL + "/open-apis/bot/v2/hook/x", Secret: "k"}
	require.NoError(t, New(loopback, "1").Send(t.Context(), sink, notices(alert.Resolved)))
	var m struct {
		Timestamp, Sign string
		MsgType         string `json:"msg_type"`
		Content         struct{ Text string }
	}
	require.NoError(t, json.Unmarshal((*all)[0].body, &m))
	require.Equal(t, "text", m.MsgType)
	require.Equal(t, sum(m.Timestamp+"\nk", ""), m.Sign)
	require.NotContains(t, m.Content.Text, "<at")
	require.Contains(t, m.Content.Text, "RESOLVED")
	bad, _ := receiver(t, `{"code":19021,"msg":"sign match fail or timestamp is not within one hour from current time"}`, 200)
	sink.URL = bad.URL
	require.ErrorContains(t, New(loopback, "1").Send(t.Context(), sink, notices(alert.Firing)), "19021")
}

func TestSlack(t *testing.T) {
	s, all := receiver(t, "ok", 200)
	require.NoError(t, New(loopback, "1").Send(t.Context(), &alert.Sink{Kind: alert.Slack, URL: s.URL + "/services/T/B/x"}, notices(alert.Firing)))
	var m struct{ Text string }
	require.NoError(t, json.Unmarshal((*all)[0].body, &m))
	require.NotContains(t, m.Text, "<!channel>")
	require.Contains(t, m.Text, "&lt;!channel&gt;")
	require.Contains(t, m.Text, "<https://spark.example.com/alerts/a1|open>")
}

func TestLongBatchIsCut(t *testing.T) {
	one := notices(alert.Firing)[0]
	long := *one.Alert
	long.Reason = strings.Repeat("x", 2000)
	one.Alert = &long
	var many []alert.Notice
	for range 20 {
		many = append(many, one)
	}
	text := lines(many, strings.ToLower, func(t, _ string) string { return t }, func(t, _ string) string { return t })
	require.LessOrEqual(t, len(text), maxText+100)
	require.Contains(t, text, "more")
}

// The address is checked when it is dialled: a literal, a name that resolves to
// loopback, and a redirect.
func TestDialsOnlyWhatIsAllowed(t *testing.T) {
	s, all := receiver(t, "", 200)
	sink := &alert.Sink{Kind: alert.Webhook, Secret: "s", URL: s.URL}
	require.ErrorContains(t, New(nil, "1").Send(t.Context(), sink, notices(alert.Test)), "not a public one")
	sink.URL = strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	require.ErrorContains(t, New(nil, "1").Send(t.Context(), sink, notices(alert.Test)), "not a public one")
	require.Empty(t, *all)

	away := httptest.NewServer(http.RedirectHandler("http://169.254.169.254/latest/meta-data", http.StatusTemporaryRedirect))
	t.Cleanup(away.Close)
	sink.URL = away.URL
	require.ErrorContains(t, New(loopback, "1").Send(t.Context(), sink, notices(alert.Test)), "answered 307")
}

func TestPublic(t *testing.T) {
	for _, a := range []string{
		"127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "240.0.0.1",
		"198.18.0.1", "192.0.2.1", "::1", "::", "fe80::1", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1",
	} {
		require.False(t, public(netip.MustParseAddr(a)), a)
	}
	for _, a := range []string{"93.184.216.34", "1.1.1.1", "2606:4700::1111"} {
		require.True(t, public(netip.MustParseAddr(a)), a)
	}
	check := guard(nil)
	require.Error(t, check("tcp", "[::ffff:10.0.0.1]:80", nil))
	require.Error(t, check("tcp6", "[fe80::1%eth0]:80", nil))
	require.NoError(t, check("tcp", "1.1.1.1:443", nil))
	_, err := ParseAllow([]string{"10.0.0.0/8", "192.168.1.1", "x"})
	require.Error(t, err)
}

func TestSendEndsWithItsContext(t *testing.T) {
	hang := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(hang) })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := New(loopback, "1").Send(ctx, &alert.Sink{Kind: alert.Webhook, Secret: "s", URL: s.URL + "/?token=abc"}, notices(alert.Test))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotContains(t, err.Error(), "abc")
}

// The signatures of the services' own documents: HMAC-SHA256 as base64.
func TestSum(t *testing.T) {
	b, err := base64.StdEncoding.DecodeString(sum("key", "text"))
	require.NoError(t, err)
	require.Len(t, b, 32)
}
