package servertest_test

import (
	"fmt"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/servertest"
)

// TestASceneIsLoweredAndRaised: a scene of 300 ms is saved with 160 ms while real
// agents with crowds serve it. The preset reaches every machine, what the caller in
// front measures follows, feedback takes over as the row stands; saved with 300 ms
// again, levels and shares of time come back.
func TestASceneIsLoweredAndRaised(t *testing.T) {
	p := servertest.Start(t, t.TempDir(), "serve")
	c, network := p.Client(), servertest.NewNetwork(p.Local().AgentsAddr)
	x := c.Scene("300ms")
	const n = 3
	machines := servertest.Run(t, network, p.Local().EnrolToken, "sn", n, "na61")
	var fronts servertest.Machines
	for i := range n {
		fronts = append(fronts, servertest.NewMachine(servertest.MachineConfig{Network: network, Point: "entry", Config: agent.Config{
			App: "frontend", IDC: "na61", Instance: fmt.Sprintf("frontend-%d", i), EnrolToken: p.Local().EnrolToken,
		}}))
	}
	fronts.Start(t)
	machines.Traffic(t, fronts)

	// await waits until the scene stands as ok says.
	await := func(what string, ok func(l *api.SceneLink, recall *api.SceneLinkNode) bool) (out api.SceneLink) {
		t.Helper()
		servertest.Eventually(t, what, func() bool {
			links := c.Links()
			if len(links) != 1 || len(links[0].Nodes) != 1 {
				return false
			}
			out = links[0]
			return ok(&out, &out.Nodes[0])
		})
		return out
	}
	within := func(l *api.SceneLink, share float64) bool {
		return l.Live != nil && l.Live.Count > 0 && math.Abs(l.Live.RTMeanMS/l.TargetMS-1) <= share
	}
	before := await("300 ms is met in front", func(l *api.SceneLink, _ *api.SceneLinkNode) bool {
		return l.Phase != "idle" && l.TargetMS == 300 && within(l, 0.15)
	})
	require.Less(t, c.Row(160), before.Nodes[0].Level)

	saved := time.Now()
	c.Target(x, "160ms")
	held := await("the preset of 160 ms is ordered", func(l *api.SceneLink, recall *api.SceneLinkNode) bool {
		return l.Phase == "preset" && l.TargetMS == 160 && recall.Source == "preset" && recall.Level <= c.Row(160)
	})
	require.WithinDuration(t, held.Since.Add(20*time.Second), *held.Until, time.Second)
	machines.Await(t, "no machine runs above the preset's level", 1, func(s servertest.Seen) bool { return s.Level <= held.Nodes[0].Level })
	await("160 ms is met in front", func(l *api.SceneLink, _ *api.SceneLinkNode) bool { return l.TargetMS == 160 && within(l, 0.15) })
	t.Logf("within 15 %% of 160 ms %v after the save", time.Since(saved).Round(time.Millisecond))

	after := await("feedback has taken over", func(l *api.SceneLink, recall *api.SceneLinkNode) bool {
		return l.Phase == "feedback" && recall.Source != "preset"
	})
	require.True(t, within(&after, 0.15), "%+v", after.Live)
	require.Less(t, after.Nodes[0].AvailableRTMS, before.Nodes[0].AvailableRTMS, "the row's share of time stands without the preset")
	var claims api.Page[api.Claim]
	c.Do(http.MethodGet, "/claims?limit=100", nil, &claims)
	for _, k := range claims.Items {
		require.False(t, k.Active && k.Source == "preset", "the preset's claims have ended: %s", k.Value)
	}

	c.Target(x, "300ms")
	await("300 ms is met again, and the levels are back", func(l *api.SceneLink, recall *api.SceneLinkNode) bool {
		return l.TargetMS == 300 && within(l, 0.15) && recall.Level >= before.Nodes[0].Level-2 && recall.AvailableRTMS > after.Nodes[0].AvailableRTMS
	})
}
