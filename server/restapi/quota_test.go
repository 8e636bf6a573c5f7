package restapi

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/quota"
)

func quotaSettings(total float64) string {
	s := quota.DefaultSettings()
	s.Total = total
	b, _ := json.Marshal(toQuotaSettings(&s))
	return string(b)
}

func quotaOf(name, app, point string, total float64) string {
	return `{"name":"` + name + `","enabled":true,"reason":"test","members":[{"scene":"*","idc":"*","app":"` + app + `","point":"` + point + `"}],"settings":` + quotaSettings(total) + `}`
}

var quotaETag = match(func(d *desk) int64 {
	var g api.QuotaState
	d.ok(d.do("admin", "GET", "/quota-groups/sn-rank", ""), 200, &g)
	return g.Version
})

func TestQuotaGroups(t *testing.T) {
	withDesk(t, func(d *desk) { quotaDay(d.t, d) })
}

func quotaDay(t *testing.T, d *desk) {
	var g api.QuotaState
	d.ok(d.do("viewer", "GET", "/quota-groups/sn-rank", ""), 200, &g)
	require.Equal(t, "lost", g.Status.State)
	require.EqualValues(t, 1000, g.Settings.TotalQuota)
	require.Equal(t, "1s", g.Settings.Window)

	// A retry with the same key gets the first result.
	var first, again api.QuotaGroup
	d.ok(d.do("operator", "POST", "/quota-groups", quotaOf("once", "sn", "score", 5), "Idempotency-Key", "k1"), 201, &first)
	d.ok(d.do("operator", "POST", "/quota-groups", quotaOf("once", "sn", "score", 5), "Idempotency-Key", "k1"), 201, &again)
	require.Equal(t, first, again)

	// What is wrong is named by its path; a place belongs to one group.
	var p api.Problem
	d.ok(d.do("operator", "POST", "/quota-groups", quotaOf("bad", "sn", "merge", 0)), 422, &p)
	require.Contains(t, p.Errors[0].Message, "total_quota wants a number")
	d.ok(d.do("operator", "POST", "/quota-groups", quotaOf("thief", "sn", "rank", 10)), 409, nil)
	d.ok(d.do("operator", "POST", "/quota-groups", `{"name":"x","enabled":true,"members":[{"scene":"*","idc":"*","app":"sn","point":"m"}],"settings":{"window":"soon"}}`), 422, nil)

	// Base, mine and theirs.
	d.ok(d.do("operator", "PUT", "/quota-groups/sn-rank", quotaOf("sn-rank", "sn", "rank", 2000), "If-Match", etag(g.Version)), 200, nil)
	d.ok(d.do("operator", "PUT", "/quota-groups/sn-rank", quotaOf("sn-rank", "sn", "rank", 3000), "If-Match", etag(g.Version)), 409, &p)
	b, err := json.Marshal(p)
	require.NoError(t, err)
	require.Contains(t, string(b), `"total_quota":2000`)
	require.Contains(t, string(b), `"total_quota":3000`)

	var list api.Page[api.QuotaState]
	d.ok(d.do("foreign", "GET", "/quota-groups", ""), 200, &list)
	require.Empty(t, list.Items)
	d.ok(d.do("operator", "GET", "/quota-groups", ""), 200, &list)
	require.Len(t, list.Items, 2)

	var sim api.QuotaSimulation
	d.ok(d.do("viewer", "POST", "/quota-groups/sn-rank/simulate", `{"settings":`+quotaSettings(300_000)+`,"arrivals":[1000,1000,1000,8000,8000,8000,8000,8000]}`), 200, &sim)
	require.Len(t, sim.Tried, 80)
	require.InDelta(t, 300_000.0/8000, sim.Tried[79].Base, 6)
	require.InDelta(t, 300, sim.Tried[0].Base, 1)

	at := time.Now().Add(-10 * time.Minute).Truncate(time.Minute)
	require.NoError(t, d.db.SaveQuotaMinutes(t.Context(), []quota.Minute{{Group: g.ID, At: at, Ticks: 600, Consumed: 6000, Requests: 600, Base: 10, CPU: -1}}))
	var h api.QuotaHistory
	d.ok(d.do("viewer", "GET", "/quota-groups/sn-rank/history?step=minute", ""), 200, &h)
	require.Len(t, h.Items, 1)
	require.EqualValues(t, 100, h.Items[0].Consumed)
	require.Nil(t, h.Items[0].CPU)
	d.ok(d.do("viewer", "GET", "/quota-groups/sn-rank/history", ""), 200, &h)
	require.Empty(t, h.Items)
	d.ok(d.do("viewer", "GET", "/quota-groups/sn-rank/history?step=minute&from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z", ""), 422, nil)
	var c api.QuotaCalibration
	d.ok(d.do("viewer", "GET", "/quota-groups/sn-rank/calibration", ""), 200, &c)
	require.False(t, c.OK)
	require.NotEmpty(t, c.Reason)
}
