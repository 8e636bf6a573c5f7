package agenttest_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/agenttest"
	"github.com/allspark/allspark/proto/gear"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The controller in wall time, as most tests of apps will use it.
func TestAControllerForAppsTests(t *testing.T) {
	c := agenttest.NewController(agenttest.Options{ReportInterval: 100 * time.Millisecond})
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var agents [3]*agent.Agent
	var reads [3]func() string
	for i := range agents {
		ag := c.NewAgent(agent.Config{App: "rank", IDC: "et2"})
		p := ag.Point("rank")
		model := p.Enum("model", "small", "large").Default("large")
		reads[i] = func() string {
			d := p.Begin(agent.Scene{}, agent.Request{})
			defer d.End(agent.Result{Elapsed: time.Millisecond})
			return model.Get(&d)
		}
		require.NoError(t, ag.Start(ctx))
		defer ag.Close()
		agents[i] = ag
	}
	require.NoError(t, c.WaitAgents(ctx, 3))
	c.Levels("rank", agenttest.Row{"model": gear.Enum("small")}, agenttest.Row{"model": gear.Enum("large")})
	v := c.SetLevel("*", "rank", 1)
	require.NoError(t, c.WaitHeld(ctx, v, 3))
	for _, read := range reads {
		require.Equal(t, "small", read())
	}
	r, err := c.WaitReport(ctx, func(r gear.Report) bool { return len(r.Points) == 1 && r.Held == v })
	require.NoError(t, err)
	require.Equal(t, 1, r.Points[0].LevelMax)
	require.Panics(t, func() { c.Levels("rank", agenttest.Row{"model": struct{}{}}) })

	short, stop := context.WithTimeout(ctx, 10*time.Millisecond)
	defer stop()
	_, err = c.WaitAck(short, gear.Version{Epoch: 9})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestAnAgentLearnsOfLostTablesByAsking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := agenttest.NewController(agenttest.Options{})
		defer c.Close()
		ag := c.NewAgent(agent.Config{App: "rank", IDC: "et2"})
		ag.Point("rank").Int("docs").Default(5)
		require.NoError(t, ag.Start(t.Context()))
		defer ag.Close()
		require.NoError(t, c.WaitAgents(t.Context(), 1))
		c.Levels("rank", agenttest.Row{"docs": 1}, agenttest.Row{"docs": 2})
		c.LoseTables() // the next set goes out without them, as if the controller were mistaken
		ack, err := c.WaitAck(t.Context(), c.SetLevel("*", "rank", 2))
		require.NoError(t, err)
		require.False(t, ack.Refused, gear.Problems(ack.Problems).Error())
		require.Len(t, c.Hellos(), 2)
	})
}

// An app's test of its own ranking: the base quota arrives, weights apply, what
// entered ranking is counted, and the end of the signal is the app's default.
func TestQuotaForAppsTests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := agenttest.NewController(agenttest.Options{})
		defer c.Close()
		ag := c.NewAgent(agent.Config{App: "rank", IDC: "et2"})
		q := ag.Point("rank").Quota("k2").Default(300)
		c.SetBase("rank", 100, gear.QuotaTerms{Default: 60, TTL: 10 * time.Second}, "rank") // before anybody is there
		base, _ := q.Base()
		require.EqualValues(t, 300, base)
		require.NoError(t, ag.Start(t.Context()))
		defer ag.Close()
		require.NoError(t, c.WaitAgents(t.Context(), 1))
		synctest.Wait()
		require.Equal(t, 150, q.Take(1.5, 1000))
		require.Equal(t, 40, q.Take(1, 40))
		n, err := c.WaitQuotaCount(t.Context(), func(n gear.QuotaCount) bool { return n.Requests > 0 && n.Rung == gear.QuotaLive })
		require.NoError(t, err)
		require.EqualValues(t, 190, n.Consumed)
		require.EqualValues(t, 2, n.Requests)

		c.SetBase("rank", 20, gear.QuotaTerms{Default: 60, TTL: 10 * time.Second}, "rank")
		synctest.Wait()
		require.Equal(t, 20, q.Take(1, 1000))
		time.Sleep(time.Minute) // nobody renews it: the default quota, by and by
		require.Equal(t, 60, q.Take(1, 1000))
		require.NotEmpty(t, c.QuotaCounts())
	})
}
