package restapi

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/api"
)

func alertIDs(d *desk, role, query string) (ids []string, next string) {
	var p api.Page[api.Alert]
	d.ok(d.do(role, "GET", "/alerts"+query, ""), 200, &p)
	for _, a := range p.Items {
		ids = append(ids, a.ID)
	}
	return ids, p.NextCursor
}

func TestAlertsKeepToTheScope(t *testing.T) {
	withDesk(t, func(d *desk) {
		ids, _ := alertIDs(d, "viewer", "")
		require.ElementsMatch(t, []string{alertID, alertAt}, ids, "an alert of all apps concerns everybody there")
		ids, _ = alertIDs(d, "foreign", "?state=open")
		require.Equal(t, []string{alertAt}, ids)
		ids, _ = alertIDs(d, "elsewhere", "")
		require.Empty(t, ids)
		first, next := alertIDs(d, "admin", "?limit=1")
		second, last := alertIDs(d, "admin", "?limit=1&cursor="+next)
		require.ElementsMatch(t, []string{alertID, alertAt}, append(first, second...))
		require.Empty(t, last)
		require.Equal(t, 400, d.do("admin", "GET", "/alerts?cursor=!", "").Code)
		ids, _ = alertIDs(d, "admin", "?search=RECALL&kind=bad_machine&app=sn&point=recall")
		require.Equal(t, []string{alertID}, ids)
		// An operator of sn alone cannot silence everybody's alerts.
		require.Equal(t, 403, d.do("operator", "POST", "/alert-silences", `{"scope":{},"reason":"quiet","for":"1h"}`).Code)
	})
}

func TestAlertAckAndSilence(t *testing.T) {
	withDesk(t, func(d *desk) {
		var a api.AlertDetail
		d.ok(d.do("viewer", "GET", "/alerts/"+alertID, ""), 200, &a)
		require.Equal(t, "firing", a.State)
		require.Equal(t, "peak", a.Plans[0].Name, "the plan that was prepared for its scope")
		require.NotEmpty(t, a.Plans[0].Steps)
		var acked api.Alert
		d.ok(d.do("operator", "POST", "/alerts/"+alertID+"/ack", `{"note":"on it"}`, "Idempotency-Key", "k1"), 200, &acked)
		require.Equal(t, "acked", acked.State)
		d.ok(d.do("operator", "POST", "/alerts/"+alertID+"/ack", `{"note":"on it"}`, "Idempotency-Key", "k1"), 200, &acked)
		require.Equal(t, 409, d.do("admin", "POST", "/alerts/"+alertID+"/ack", `{}`).Code)

		var s api.AlertSilence
		for body, why := range map[string]string{
			`{"scope":{"app":"sn"},"for":"1h"}`:                                           "reason",
			`{"scope":{"app":"sn"},"reason":"x"}`:                                         "end",
			`{"scope":{"app":"sn"},"reason":"x","for":"99999h"}`:                          "30 days",
			`{"scope":{"app":"sn"},"reason":"x","for":"soon"}`:                            "duration",
			`{"scope":{"app":"sn"},"reason":"x","end":"2000-01-01T00:00:00Z","for":"1h"}`: "not both",
			`{"scope":{"app":"sn"},"reason":"x","for":"1h","kind":"nonsense"}`:            "kind",
		} {
			r := d.do("operator", "POST", "/alert-silences", body)
			require.Equal(t, 422, r.Code, body)
			require.Contains(t, r.Body.String(), why)
		}
		d.ok(d.do("operator", "POST", "/alert-silences", `{"scope":{"app":"sn","instance":"sn-1"},"reason":"repair","for":"1h"}`), 201, &s)
		require.True(t, s.Active)
		d.ok(d.do("viewer", "GET", "/alerts/"+alertID, ""), 200, &a)
		require.Equal(t, "silenced", a.State)
		require.Equal(t, s.ID, a.Silence)
		require.Equal(t, 404, d.do("foreign", "POST", "/alert-silences/"+s.ID+"/end", `{"reason":"x"}`).Code)
		d.ok(d.do("operator", "POST", "/alert-silences/"+s.ID+"/end", `{"reason":"repaired"}`), 200, &s)
		d.ok(d.do("viewer", "GET", "/alerts/"+alertID, ""), 200, &a)
		require.Equal(t, "acked", a.State)
	})
}

// What a sink's address and secret are is told to nobody: in no answer, no
// conflict and no audit entry.
func TestSinkSecretsAreWriteOnly(t *testing.T) {
	withDesk(t, func(d *desk) {
		var sink api.AlertSink
		said := ""
		say := func(r interface{ String() string }) { said += r.String() }
		r := d.do("admin", "POST", "/alert-sinks", sinkOf("robot"))
		d.ok(r, 201, &sink)
		say(r.Body)
		require.Equal(t, "https://hooks.example.com/…", sink.Host)
		require.True(t, sink.Signed)
		body := `{"name":"robot","kind":"slack","enabled":false,"resolved":false}`
		r = d.do("admin", "PUT", "/alert-sinks/robot", body, "If-Match", `"1"`)
		d.ok(r, 200, &sink)
		say(r.Body)
		require.True(t, sink.Signed, "left out: it stays")
		r = d.do("admin", "PUT", "/alert-sinks/robot", strings.Replace(body, `"kind"`, `"url":"https://elsewhere.example.com/secret-token2","kind"`, 1), "If-Match", `"1"`)
		require.Equal(t, http.StatusConflict, r.Code)
		say(r.Body)
		r = d.do("admin", "PUT", "/alert-sinks/robot", strings.Replace(body, `"kind"`, `"url":"https://elsewhere.example.com/secret-token","kind"`, 1), "If-Match", `"2"`)
		d.ok(r, 200, &sink)
		say(r.Body)
		require.False(t, sink.Signed, "another address does not get the old secret")
		for _, path := range []string{"/alert-sinks", "/alert-sinks/robot", "/audit?limit=500", "/audit/export"} {
			say(d.do("admin", "GET", path, "").Body)
		}
		require.NotContains(t, said, "secret-token")
		require.NotContains(t, said, "shh")
		require.Equal(t, 422, d.do("admin", "POST", "/alert-sinks", `{"name":"hook","kind":"webhook","url":"https://x.example.com","enabled":true,"resolved":true}`).Code, "a webhook wants a secret")
		require.Equal(t, 422, d.do("admin", "POST", "/alert-sinks", `{"name":"hook","kind":"slack","url":"file:///etc/passwd","enabled":true,"resolved":true}`).Code)
	})
}

func TestAlertRules(t *testing.T) {
	withDesk(t, func(d *desk) {
		var p api.Page[api.AlertRule]
		d.ok(d.do("viewer", "GET", "/alert-rules", ""), 200, &p)
		require.Len(t, p.Items, 9)
		require.True(t, p.Items[0].Default)
		var r api.AlertRule
		put := func(kind, body, match string) int {
			x := d.do("admin", "PUT", "/alert-rules/"+kind, body, "If-Match", match)
			if x.Code == 200 {
				require.NoError(t, json.Unmarshal(x.Body.Bytes(), &r))
			}
			return x.Code
		}
		good := `{"enabled":true,"severity":"critical","threshold":0.5,"for":"10s","clear":"1m"}`
		require.Equal(t, 200, put("bad_machine", good, `"0"`))
		require.InDelta(t, 0.5, r.Threshold, 0)
		require.False(t, r.Default)
		require.Equal(t, 409, put("bad_machine", good, `"0"`))
		require.Equal(t, 200, put("bad_machine", good, `"1"`))
		require.Equal(t, 404, put("nonsense", good, `"0"`))
		require.Equal(t, 422, put("capacity", strings.Replace(good, "0.5", "50", 1), `"0"`))
		require.Equal(t, 422, put("capacity", strings.Replace(good, "10s", "soon", 1), `"0"`))
		require.Equal(t, 422, put("input_silent", good, `"0"`), "it has no threshold")
	})
}
