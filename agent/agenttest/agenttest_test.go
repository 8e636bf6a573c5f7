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
