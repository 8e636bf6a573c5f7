package restapi

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/telemetry"
)

// A scene at a past minute: measured then, ordered then, aimed at then.
func TestASceneAtAPastMinute(t *testing.T) {
	withDesk(t, func(d *desk) {
		d.remember(telemetry.Key{Scene: "k2", IDC: "ea119", App: "sn", Point: "recall"}, 2, 8)
		past := func(role string, at time.Time) (l api.SceneLive) {
			d.t.Helper()
			d.ok(d.do(role, "GET", "/scenes/k2/live?at="+at.UTC().Format(time.RFC3339), ""), 200, &l)
			return l
		}
		hour := time.Now().Truncate(time.Hour).Add(-time.Hour)
		l := past("admin", hour.Add(3*time.Minute+20*time.Second))
		require.Len(d.t, l.Links, 1)
		require.Equal(d.t, "ea119", l.Links[0].IDC)
		require.InDelta(d.t, 300, l.Links[0].TargetMS, 0)
		n := l.Links[0].Nodes[0]
		require.InDelta(d.t, 8, n.Recent.LevelMean, 0)
		require.InDelta(d.t, 5, n.Recent.RTMeanMS, 0)
		require.InDelta(d.t, 100./60, n.Recent.QPS, 1e-9)
		require.Zero(d.t, n.Level, "nothing was ordered before the desk opened")
		require.Nil(d.t, n.Live)
		require.InDelta(d.t, 2, past("admin", hour.Add(4*time.Minute)).Links[0].Nodes[0].Recent.LevelMean, 0)
		require.Empty(d.t, past("admin", hour.Add(-time.Minute)).Links, "no traffic, no link")
		require.Empty(d.t, past("foreign", hour).Links)

		// Orders and sources are those of the minute.
		time.Sleep(time.Hour + time.Minute)
		d.remember(telemetry.Key{Scene: "k2", IDC: "ea119", App: "sn", Point: "recall"}, 4)
		n = past("admin", time.Now().Truncate(time.Hour).Add(-10*time.Minute)).Links[0].Nodes[0]
		require.Equal(d.t, "template", n.Source, "the claim has ended by then")
		require.Equal(d.t, 3, n.Level, "nobody decided since")
		require.Equal(d.t, 10, n.MaxLevel)
	})
}

// A scene over a range: measured, aimed at, and the gear it ran in, by minute.
func TestASceneOverARange(t *testing.T) {
	withDesk(t, func(d *desk) {
		time.Sleep(2 * time.Hour)
		hour := time.Now().Truncate(time.Hour).Add(-time.Hour)
		d.remember(telemetry.Key{Scene: "k2", IDC: "ea119", App: "sn", Point: "recall"}, 2)
		aim := func(source control.Source, origin, idc string, target time.Duration, from, to int) {
			d.t.Helper()
			c := &control.Claim{
				Field: control.FieldTarget, Source: source, Origin: origin, Duration: target, Reason: "test",
				Start: hour.Add(time.Duration(from) * time.Minute), End: hour.Add(time.Duration(to) * time.Minute),
				Scope: control.Scope{Scene: "k2", IDC: idc, App: "*", Point: "*", Bucket: "*"},
			}
			require.NoError(d.t, d.db.CreateClaim(d.t.Context(), c, audit.Change{Actor: "test"}))
		}
		aim(control.SourceManual, "", "*", 200*time.Millisecond, 10, 20)
		aim(control.SourceFeedback, "scene:k2", "ea119", 90*time.Millisecond, 30, 40)
		aim(control.SourceFeedback, "scene:k2", "elsewhere", 120*time.Millisecond, 50, 60)

		over := func(role string, from, to int) (h api.SceneHistory) {
			d.t.Helper()
			at := func(n int) string { return hour.Add(time.Duration(n) * time.Minute).UTC().Format(time.RFC3339) }
			d.ok(d.do(role, "GET", "/scenes/k2/history?idc=ea119&from="+at(from)+"&to="+at(to), ""), 200, &h)
			return h
		}
		h := over("admin", 8, 60)
		require.Len(d.t, h.At, 52)
		require.True(d.t, h.At[0].Equal(hour.Add(8*time.Minute)))
		for i := range h.At {
			target, effective, gear := 300., 300., 1
			switch end := i + 9; { // what stood at the end of the minute
			case end >= 10 && end < 20:
				target, effective = 200, 200
			case end >= 30 && end < 40:
				effective, gear = 90, 3
			}
			require.InDelta(d.t, target, h.TargetMS[i], 0, "minute %d", i+8)
			require.InDelta(d.t, effective, h.EffectiveMS[i], 0, "minute %d", i+8)
			require.Equal(d.t, gear, h.Gear[i], "minute %d", i+8)
			require.Equal(d.t, 3, h.Steps[i])
		}
		require.Equal(d.t, "sn/recall", h.Nodes[0].ID)
		require.EqualValues(d.t, 100, h.Nodes[0].Count[51])
		require.InDelta(d.t, 5, h.Nodes[0].RTMeanMS[0], 0)
		require.NotNil(d.t, h.Front)
		require.Zero(d.t, h.Front.Count[0], "nothing was measured at the front")

		h = over("foreign", 8, 60)
		require.Nil(d.t, h.Front, "of another's app nothing is told")
		require.Empty(d.t, h.Nodes)
		require.Empty(d.t, over("admin", -600, -540).At, "there was no scene")
		d.refused(d.do("admin", "GET", "/scenes/k2/history?idc=ea119&step=minute&from=1990-01-01T00:00:00Z", ""), 400)
	})
}
