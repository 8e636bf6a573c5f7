package agent_test

import (
	"context"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/agenttest"
	"github.com/allspark/allspark/agent/gearbox"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/sketch"
	"github.com/allspark/allspark/proto/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is an app with one point and one call edge, and its controller.
type bench struct {
	*agenttest.Controller
	cfg  agent.Config
	ag   *agent.Agent
	pt   *agent.Point
	tags *agent.IntParam
	call *agent.External
	ctx  context.Context
}

func inBubble(t *testing.T, opts agenttest.Options, test func(t *testing.T, b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // virtual: only a test that hangs meets it
		defer cancel()
		b := &bench{Controller: agenttest.NewController(opts), ctx: ctx}
		defer b.Controller.Close()
		b.cfg = agent.Config{App: "sn", IDC: "et2", Host: "sn-1", Build: "1.2", CPU: func() float64 { return 0.25 }, DataDir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
		b.start(t)
		defer func() { _ = b.ag.Close() }()
		test(t, b)
	})
}

func (b *bench) start(t *testing.T) {
	b.ag = b.NewAgent(b.cfg)
	b.pt = b.ag.Point("recall")
	b.tags = b.pt.Int("tag_count").Range(10, 200).Unit("tags").Default(77)
	b.call = b.ag.External("feature_call").Default(50*time.Millisecond).Range(time.Millisecond, time.Second)
	require.NoError(t, b.ag.Start(b.ctx))
}

func (b *bench) read(scene string) int64 {
	d := b.pt.Begin(b.ag.Scene(scene), agent.Request{})
	return b.tags.Get(&d)
}

func (b *bench) held(t *testing.T, v gear.Version) {
	t.Helper()
	ack, err := b.WaitAck(b.ctx, v)
	require.NoError(t, err)
	require.False(t, ack.Refused, gear.Problems(ack.Problems).Error())
}

func rows(n int) []agenttest.Row {
	out := make([]agenttest.Row, n)
	for l := range out {
		out[l] = agenttest.Row{"tag_count": 10 * (l + 1)}
	}
	return out
}

func TestAnAgentRegistersAppliesAcknowledgesAndReports(t *testing.T) {
	inBubble(t, agenttest.Options{Skew: 3 * time.Second}, func(t *testing.T, b *bench) {
		require.Equal(t, int64(77), b.read("k2"), "before any controller")
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		h := b.Hellos()[0]
		require.Equal(t, []string{"sn", "et2", "sn-1", "1.2"}, []string{h.App, h.IDC, h.Host, h.Build})
		require.Equal(t, gear.RungDefault, h.FallbackRung)
		require.Contains(t, h.Capabilities, "external_timeout")
		require.Len(t, h.Points, 2)
		require.Equal(t, "int 10..200", h.Points[0].Params[0].Text())
		require.True(t, h.Points[1].External)

		b.Levels("recall", rows(10)...)
		b.held(t, b.SetLevel("*", "recall", 5))
		b.held(t, b.SetLevel("k2", "recall", 2))
		b.held(t, b.SetTimeout("*", "feature_call", 30*time.Millisecond))
		require.Equal(t, []int64{50, 20}, []int64{b.read("*"), b.read("k2")})

		d := b.pt.Begin(b.ag.Scene("k2"), agent.Request{Load: 12, Value: 3})
		require.Equal(t, 2, d.Level())
		require.Equal(t, gear.RungLive, d.Rung())
		require.Equal(t, gear.Version{Epoch: 1, Revision: 3}, d.Version())
		b.held(t, b.SetLevel("k2", "recall", 9))
		require.Equal(t, int64(20), b.tags.Get(&d), "a decision keeps the orders it began with")
		d.End(agent.Result{Elapsed: 8 * time.Millisecond, Outcome: agent.OK, Value: 3})
		d.End(agent.Result{Elapsed: time.Hour, Outcome: agent.OK}) // no second time
		c := b.call.Begin(b.ag.Scene("k2"), agent.Request{})
		require.Equal(t, 30*time.Millisecond, c.Timeout())
		began := time.Now()
		time.Sleep(30 * time.Millisecond)
		c.EndSince(began, agent.Timeout)

		r, err := b.WaitReport(b.ctx, func(r gear.Report) bool { return len(r.Points) == 2 })
		require.NoError(t, err)
		p, e := r.Points[0], r.Points[1]
		require.Equal(t, []string{"k2", "recall"}, []string{p.Scene, p.Point})
		require.Equal(t, []int64{1, 1, 2}, []int64{p.Count, p.OK, p.LevelSum})
		require.Equal(t, 8*time.Millisecond, p.RTSum)
		require.InDelta(t, 12, p.Load, 1e-6)
		require.InDelta(t, 3, p.Value, 1e-6)
		var s sketch.Sum
		require.NoError(t, s.Merge(p.RT))
		q, _ := s.Quantile(0.5)
		require.InEpsilon(t, 8000, q, 0.01)
		require.Equal(t, []int64{1, 1}, []int64{e.Count, e.Timeouts})
		require.Equal(t, 30*time.Millisecond, e.RTSum)
		require.InDelta(t, 0.25, r.CPU, 0)
		require.Equal(t, gear.RungLive, r.Rung)
		require.Equal(t, -3*time.Second, r.Clock, "this machine is behind reference time")
		require.Equal(t, time.Second, r.Window)

		st := b.ag.Status()
		require.True(t, st.Connected && st.ClockKnown)
		require.Equal(t, -3*time.Second, st.ClockAhead)
		require.Equal(t, gear.Version{Epoch: 1, Revision: 4}, st.Held)
		require.Equal(t, agent.PointStatus{Name: "recall", Rung: gear.RungLive, Level: 5}, st.Points[0])
	})
}

func TestReportsAreNumberedAndTheLastOneGoesOut(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		time.Sleep(5500 * time.Millisecond)
		d := b.pt.Begin(agent.Scene{}, agent.Request{})
		d.End(agent.Result{Elapsed: time.Millisecond})
		require.NoError(t, b.ag.Close())
		require.NoError(t, b.ag.Close(), "twice is once")
		got := b.Reports()
		require.Len(t, got, 6)
		for i, r := range got {
			require.EqualValues(t, i+1, r.Sequence)
		}
		require.Len(t, got[5].Points, 1)
		require.Equal(t, 500*time.Millisecond, got[5].Window)
		require.ErrorIs(t, b.ag.Start(b.ctx), agent.ErrClosed)
		require.Equal(t, int64(77), b.read("*"), "a closed agent still answers")
	})
}

func TestR10ABadOrderIsRefusedWithItsReason(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		b.Levels("recall", rows(10)...)
		b.held(t, b.SetLevel("*", "recall", 5))
		b.Levels("recall", append(rows(8), agenttest.Row{"tag_count": 250})...)
		ack, err := b.WaitAck(b.ctx, b.SetLevel("*", "recall", 9))
		require.NoError(t, err)
		require.True(t, ack.Refused)
		require.Equal(t, []gear.Problem{{
			Path: "orders[0].table.rows[8].tag_count", Code: gear.CodeRange, Message: "tag_count wants int 10..200, got 250 at level 9",
		}}, ack.Problems)
		require.Equal(t, int64(50), b.read("*"), "last good kept")
		st := b.ag.Status()
		require.Equal(t, gear.RungLastGood, st.Rung)
		require.NotEmpty(t, st.Refusal)

		// Blank and not a number: what cannot even be read.
		nan := gear.LevelTable{Params: []gear.TableParam{{Name: "tag_count", Kind: gear.KindFloat}}, Rows: [][]gear.Value{{gear.Float(math.NaN())}}, Work: []float64{1}}
		nan.Hash = nan.ComputeHash()
		b.AddTable(nan)
		ack, err = b.WaitAck(b.ctx, b.Publish(gear.Order{Scene: "*", Point: "recall", Bucket: "*", Table: nan.Hash, Strategy: gear.StrategyFixed, Level: 1, MinLevel: 1, MaxLevel: 1}))
		require.NoError(t, err)
		require.True(t, ack.Refused)
		require.Contains(t, gear.Problems(ack.Problems).Error(), "tables[0].rows[0].tag_count")
		require.Equal(t, int64(50), b.read("*"))

		b.Levels("recall", rows(10)...)
		b.held(t, b.SetLevel("*", "recall", 6))
		require.Equal(t, int64(60), b.read("*"))
		require.Nil(t, b.ag.Status().Refusal)
	})
}

func TestAStaleVersionIsRefused(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		b.Levels("recall", rows(10)...)
		b.SetVersion(gear.Version{Epoch: 2, Revision: 40})
		v := b.SetLevel("*", "recall", 5)
		b.held(t, v)
		stale := gear.Version{Epoch: 1, Revision: 99}
		b.SetVersion(stale)
		ack, err := b.WaitAck(b.ctx, stale)
		require.NoError(t, err)
		require.True(t, ack.Refused)
		require.Equal(t, gearbox.CodeStale, ack.Problems[0].Code)
		require.Equal(t, v, b.ag.Status().Held)
	})
}

func TestAReportOfVeryManyScenesIsSplit(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		const scenes = 900
		for i := range scenes {
			sc := b.ag.Scene("scene-with-a-long-name-" + strconv.Itoa(i))
			for us := range 120 {
				d := b.pt.Begin(sc, agent.Request{})
				d.End(agent.Result{Elapsed: time.Duration(us*us) * 10 * time.Microsecond})
			}
		}
		time.Sleep(1500 * time.Millisecond)
		seen := map[string]bool{}
		reports := b.Reports()
		require.Greater(t, len(reports), 1)
		for i, r := range reports {
			require.EqualValues(t, i+1, r.Sequence)
			m := wire.FromReport(&r)
			require.Less(t, proto.Size(m), 200<<10)
			for _, p := range r.Points {
				seen[p.Scene] = true
				require.EqualValues(t, 120, p.Count)
			}
		}
		require.Len(t, seen, scenes)
	})
}

func TestOrdersSurviveARestartWithoutAController(t *testing.T) {
	inBubble(t, agenttest.Options{OrderTTL: time.Hour}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		b.Levels("recall", rows(10)...)
		b.held(t, b.SetLevel("*", "recall", 5))
		require.NoError(t, b.ag.Close())
		b.Down()

		b.start(t)
		require.Equal(t, int64(50), b.read("*"))
		require.Equal(t, gear.RungLastGood, b.ag.Status().Rung)
		require.NoError(t, b.ag.Close())

		path := filepath.Join(b.cfg.DataDir, gearbox.SnapshotFile)
		p, err := os.ReadFile(path)
		require.NoError(t, err)
		p[len(p)/2] ^= 4
		require.NoError(t, os.WriteFile(path, p, 0o600))
		b.start(t)
		require.Equal(t, int64(77), b.read("*"), "a damaged snapshot: defaults")
		require.ErrorIs(t, b.ag.Status().Disk, gearbox.ErrDamaged)
		b.Up()
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		require.Equal(t, gear.RungDefault, b.Hellos()[len(b.Hellos())-1].FallbackRung, "and the controller is told")
		b.held(t, b.SetLevel("*", "recall", 6))
		time.Sleep(2 * time.Second)
		require.NoError(t, b.ag.Status().Disk, "the next good snapshot mends it")
	})
}
