package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/allspark/allspark/server/alert"
)

// maxText keeps a message within what every chat takes (DingTalk and Feishu 20 kB,
// Slack 40,000 characters).
const maxText = 16_000

// lines writes notices for people; quote makes a text inert in the chat's language.
func lines(notices []alert.Notice, quote func(string) string, strong, link func(text, target string) string) string {
	var b strings.Builder
	for i := range notices {
		n, a := &notices[i], notices[i].Alert
		head := map[alert.Event]string{alert.Firing: "🔔 FIRING", alert.Resolved: "✅ RESOLVED", alert.Test: "🧪 TEST"}[n.Event]
		text := fmt.Sprintf("%s %s\n%s\n", strong(head+" ["+string(a.Severity)+"]", ""), quote(a.Title()), quote(a.Reason))
		if n.Event == alert.Resolved {
			text += quote(fmt.Sprintf("stood for %s; %s", a.ResolvedAt.Sub(a.FiredAt).Round(time.Second), a.Ending)) + "\n"
		} else {
			text += quote("since "+a.StartedAt.UTC().Format("2006-01-02 15:04:05 MST")) + "\n"
		}
		if n.Link != "" {
			text += link("open", n.Link) + "\n"
		}
		if b.Len()+len(text) > maxText {
			fmt.Fprintf(&b, "… and %d more\n", len(notices)-i)
			break
		}
		b.WriteString(text + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func sum(key, text string) string {
	m := hmac.New(sha256.New, []byte(key))
	m.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(m.Sum(nil))
}

// markdownQuote keeps names from being markdown, links or mentions.
var markdownQuote = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "(", `\(`, ")", `\)`, "#", `\#`, "!", `\!`, "<", "&lt;", ">", "&gt;", "@", "@\u200b", "\r", " ",
)

// dingtalk: https://open.dingtalk.com/document/robots/custom-robot-access and its
// signature: base64(HMAC-SHA256(secret, timestamp "\n" secret)).
func dingtalk(s *alert.Sink, notices []alert.Notice, now time.Time) (message, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return message{}, fmt.Errorf("the sink's address cannot be read")
	}
	if s.Secret != "" {
		at := strconv.FormatInt(now.UnixMilli(), 10)
		q := u.Query()
		q.Set("timestamp", at)
		q.Set("sign", sum(s.Secret, at+"\n"+s.Secret))
		u.RawQuery = q.Encode()
	}
	text := lines(notices, markdownQuote.Replace,
		func(t, _ string) string { return "**" + t + "**" },
		func(t, target string) string { return "[" + t + "](" + target + ")" })
	return message{
		url: u.String(),
		body: map[string]any{
			"msgtype":  "markdown",
			"markdown": map[string]string{"title": fmt.Sprintf("AllSpark: %d alerts", len(notices)), "text": strings.ReplaceAll(text, "\n", "\n\n")},
			"at":       map[string]any{"isAtAll": false},
		},
		answer: says("errcode", "errmsg"),
	}, nil
}

// feishu: https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot and its
// signature: base64(HMAC-SHA256(timestamp "\n" secret, "")).
func feishu(s *alert.Sink, notices []alert.Notice, now time.Time) message {
	plain := strings.NewReplacer("<", "‹", ">", "›", "\r", " ") // <at …> is its mention, and there is no escape
	body := map[string]any{
		"msg_type": "text",
		"content": map[string]string{"text": lines(notices, plain.Replace,
			func(t, _ string) string { return t },
			func(t, target string) string { return t + ": " + target })},
	}
	if s.Secret != "" {
		at := strconv.FormatInt(now.Unix(), 10)
		body["timestamp"], body["sign"] = at, sum(at+"\n"+s.Secret, "")
	}
	return message{url: s.URL, body: body, answer: says("code", "msg")}
}

// slack: https://api.slack.com/messaging/webhooks; &, < and > are its only syntax
// that names could speak, besides marks, which code leaves alone.
func slack(s *alert.Sink, notices []alert.Notice) message {
	quote := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", " ")
	text := lines(notices, quote.Replace,
		func(t, _ string) string { return "*" + t + "*" },
		func(t, target string) string { return "<" + quote.Replace(target) + "|" + t + ">" })
	return message{url: s.URL, body: map[string]any{"text": text, "unfurl_links": false}}
}

// says finds the refusal in an answer that is 200 all the same.
func says(code, text string) func([]byte) error {
	return func(b []byte) error {
		var m map[string]any
		if json.Unmarshal(b, &m) != nil {
			return fmt.Errorf("answered what is no JSON: %s", shown(b))
		}
		n, ok := m[code].(float64)
		if ok && n != 0 {
			return fmt.Errorf("refused with %s %.0f: %s", code, n, shown([]byte(fmt.Sprint(m[text]))))
		}
		return nil
	}
}
