package restapi

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/api"
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
