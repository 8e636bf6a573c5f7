package agent_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"math"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/agenttest"
	"github.com/allspark/allspark/agent/gearbox"
	agentv1 "github.com/allspark/allspark/proto/agent/v1"
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

func TestAnAgentComesBackByItself(t *testing.T) {
	inBubble(t, agenttest.Options{OrderTTL: time.Minute}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		b.Levels("recall", rows(10)...)
		v := b.SetLevel("*", "recall", 5)
		b.held(t, v)
		acks := len(b.Acks())
		for range 5 {
			b.Cut()
			require.NoError(t, b.WaitAgents(b.ctx, 0))
			require.Equal(t, int64(50), b.read("*"), "no request notices")
			require.NoError(t, b.WaitAgents(b.ctx, 1))
		}
		require.Equal(t, v, b.Hellos()[5].Held)
		time.Sleep(time.Second)
		require.Len(t, b.Acks(), acks, "a set that is held is not sent again")
		require.Equal(t, 1, b.Enrolments(), "nor does it enrol again")

		b.Down()
		time.Sleep(30 * time.Second)
		require.Equal(t, gear.RungLastGood, b.ag.Status().Rung)
		require.Contains(t, b.ag.Status().LastError, "took the controller down")
		require.Equal(t, int64(50), b.read("*"))
		time.Sleep(31 * time.Second)
		require.Equal(t, int64(77), b.read("*"), "the TTL ran out")
		require.Equal(t, gear.RungDefault, b.ag.Status().Rung)
		v = b.SetLevel("*", "recall", 8)
		b.Up()
		b.held(t, v)
		require.Equal(t, int64(80), b.read("*"), "straight to the newest")
	})
}

func TestReportsOfAnOutageAreBounded(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		time.Sleep(1500 * time.Millisecond)
		b.Down()
		time.Sleep(10 * time.Minute)
		before := len(b.Reports())
		b.Up()
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		time.Sleep(100 * time.Millisecond)
		kept := b.Reports()[before:]
		require.NotEmpty(t, kept)
		require.LessOrEqual(t, len(kept), 9)
		require.Greater(t, kept[0].Sequence, int64(500), "the newest are kept")
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

func TestGoodbyeIsObeyed(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		b.Goodbye("overloaded", 20*time.Second)
		require.NoError(t, b.WaitAgents(b.ctx, 0))
		left := time.Now()
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		away := time.Since(left)
		require.GreaterOrEqual(t, away, 20*time.Second)
		require.Less(t, away, 31*time.Second)
	})
}

func TestCredentialsAreRenewedBeforeTheyEnd(t *testing.T) {
	inBubble(t, agenttest.Options{CredentialLife: 10 * time.Minute}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		time.Sleep(35 * time.Minute)
		require.InDelta(t, 5, b.Enrolments(), 1, "at three quarters of each life")
		require.Len(t, b.Hellos(), 1, "on the same stream")
		b.Cut()
		require.NoError(t, b.WaitAgents(b.ctx, 0))
		require.NoError(t, b.WaitAgents(b.ctx, 1))
	})
}

func TestAWrongTokenIsShownAndTriedAgain(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		cfg := b.cfg
		cfg.EnrolToken, cfg.DataDir = "wrong", ""
		ag := b.NewAgent(cfg)
		require.NoError(t, ag.Start(b.ctx))
		time.Sleep(time.Minute)
		require.Contains(t, ag.Status().LastError, "unknown enrolment token")
		require.False(t, ag.Status().Connected)
		require.NoError(t, ag.Close())
	})
}

func TestAnotherInstanceIdIsTakenOver(t *testing.T) {
	inBubble(t, agenttest.Options{Instance: "sn-1-second"}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		time.Sleep(time.Second)
		require.Equal(t, "sn-1-second", b.ag.Status().Instance)
		b.Cut()
		require.NoError(t, b.WaitAgents(b.ctx, 0))
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		require.Equal(t, "sn-1-second", b.Hellos()[1].Instance)
	})
}

// TestR13 (the agent's side): a controller that knows more words than this build.
func TestR13WordsOfANewerControllerAreIgnored(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		b.Send(&agentv1.ConnectResponse{})      // a body of a later version decodes as none
		unknown := new(agentv1.ConnectResponse) // field 99, a string
		require.NoError(t, proto.Unmarshal([]byte{0x9a, 0x06, 2, 'h', 'i'}, unknown))
		b.Send(unknown)
		b.Send(&agentv1.ConnectResponse{Body: &agentv1.ConnectResponse_BaseQuota{BaseQuota: &agentv1.BaseQuota{Group: "later"}}})
		b.Levels("recall", rows(10)...)
		v := b.Publish(gear.Order{Scene: "*", Point: "recall", Bucket: "*", Strategy: "of_tomorrow", Level: 1, MinLevel: 1, MaxLevel: 1})
		ack, err := b.WaitAck(b.ctx, v)
		require.NoError(t, err)
		require.True(t, ack.Refused, "what cannot be obeyed is refused, not guessed")
		require.Contains(t, gear.Problems(ack.Problems).Error(), `strategy "of_tomorrow" is not known`)
		b.Publish()
		b.held(t, b.SetLevel("*", "recall", 3))
		require.Equal(t, int64(30), b.read("*"))
	})
}

func TestTLS(t *testing.T) {
	srv := httptest.NewUnstartedServer(nil)
	srv.StartTLS() // for its certificate
	defer srv.Close()
	c := agenttest.NewController(agenttest.Options{TLS: &tls.Config{Certificates: srv.TLS.Certificates, MinVersion: tls.VersionTLS13}})
	defer c.Close()
	roots := x509.NewCertPool()
	roots.AddCert(srv.Certificate())
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	cfg := agent.Config{App: "sn", IDC: "et2", Address: "example.com:7600", Log: slog.New(slog.DiscardHandler)}
	cfg.TLS = &tls.Config{RootCAs: roots, ServerName: "example.com", MinVersion: tls.VersionTLS13}
	ag := c.NewAgent(cfg)
	require.NoError(t, ag.Start(ctx))
	defer ag.Close()
	require.NoError(t, c.WaitAgents(ctx, 1))

	cfg.TLS = &tls.Config{RootCAs: x509.NewCertPool(), ServerName: "example.com", MinVersion: tls.VersionTLS13}
	stranger := c.NewAgent(cfg)
	require.NoError(t, stranger.Start(ctx))
	defer stranger.Close()
	require.Eventually(t, func() bool { return strings.Contains(stranger.Status().LastError, "certificate") }, 5*time.Second, 5*time.Millisecond)
}

func TestSeveralControllersAreTriedInTurn(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		other := agenttest.NewController(agenttest.Options{})
		defer other.Close()
		other.Down()
		cfg := b.cfg
		cfg.Address, cfg.DataDir, cfg.EnrolToken = "dead, alive", "", agenttest.Token
		ag := agent.New(cfg, agent.WithDialer(func(ctx context.Context, address string) (net.Conn, error) {
			if address == "alive" {
				return b.Dial(ctx, address)
			}
			return other.Dial(ctx, address)
		}))
		require.NoError(t, ag.Start(b.ctx))
		require.NoError(t, b.WaitAgents(b.ctx, 2))
		require.Equal(t, "alive", ag.Status().Controller)
		require.NoError(t, ag.Close())
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

func TestADeclarationAfterStartIsTold(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		late := b.ag.Point("rank")
		size := late.Int("candidates").Default(500)
		d := late.Begin(agent.Scene{}, agent.Request{})
		require.Equal(t, int64(500), size.Get(&d))
		more := late.Float("share").Default(0.5)
		require.InDelta(t, 0.5, more.Get(&d), 0, "declared after the decision began: its default")
		require.Equal(t, int64(77), b.tags.Get(&d), "another point's decision: the default")
		time.Sleep(time.Second)
		last := b.Hellos()[len(b.Hellos())-1]
		require.Len(t, last.Points, 3)
		require.Len(t, last.Points[2].Params, 2)
	})
}

func TestASilentControllerIsLeft(t *testing.T) {
	inBubble(t, agenttest.Options{ClockInterval: 5 * time.Second}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		b.Mute()
		time.Sleep(16 * time.Second)
		require.Contains(t, b.ag.Status().LastError, "silent")
		b.Unmute()
		time.Sleep(time.Minute)
		require.True(t, b.ag.Status().Connected)
	})
}

func TestWrongDeclarationsAreAllTold(t *testing.T) {
	ag := agent.New(agent.Config{App: "s n", Address: "10.0.0.1:7600"})
	p := ag.Point("recall")
	p.Int("tag_count").Range(200, 10).Default(50)
	p.Int("docs").Range(1, 10).Default(50)
	p.Float("share")
	p.Enum("model", "small", "large").Default("huge")
	p.Float("tag_count")
	p.Int("Bad Name").Default(1)
	ag.Point("bad point")
	ag.External("recall")
	ag.External("call").Default(-1)
	err := ag.Start(t.Context())
	var problems gear.Problems
	require.ErrorAs(t, err, &problems)
	for _, want := range []string{
		`config.app: "s n" is not a name of app`,
		"config.idc: the agent needs the name of its IDC",
		"config.address: controller address \"10.0.0.1:7600\" is on another machine: give a TLS config",
		"points.recall.tag_count.max: the max of \"tag_count\" is 10, below its min 200",
		"points.recall.docs.default: docs wants int 1..10, got 50 as default",
		"points.recall.share.default: share needs a default",
		"points.recall.model.default: model wants enum small|large, got \"huge\" as default",
		"points.recall: tag_count is declared as int and as float",
		"points.recall: recall is a point that is no external call already",
		"points.call: the timeout of call must be above 0, got -1ns",
		`points.bad point: "bad point" is not a name of a point`,
		`"Bad Name" is not a parameter name`,
	} {
		require.Contains(t, err.Error(), want)
	}
	d := p.Begin(ag.Scene("k2"), agent.Request{})
	p.Int("docs").Get(&d)
	d.End(agent.Result{})
	require.NoError(t, ag.Close(), "never started")
}

func TestEveryKindIsRead(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		p := b.ag.Point("all")
		i, f := p.Int("i").Step(5).Default(5), p.Float("f").Range(0, 1).Step(0.25).Unit("share").Monotonic(agent.Rising).Default(0.5)
		o, s := p.Bool("o"), p.String("s").Default("plain")
		e, w := p.Enum("e", "small", "large").Default("small"), p.Duration("w").Range(0, time.Second).Step(time.Millisecond).Monotonic(agent.Falling).Default(time.Millisecond)
		read := func() []any {
			d := p.Begin(agent.Scene{}, agent.Request{})
			return []any{i.Get(&d), f.Get(&d), o.Get(&d), s.Get(&d), e.Get(&d), w.Get(&d)}
		}
		require.Equal(t, []any{int64(5), 0.5, false, "plain", "small", time.Millisecond}, read())
		var none agent.Decision
		require.Equal(t, int64(5), i.Get(&none), "the zero Decision reads defaults")
		none.End(agent.Result{})
		b.Levels("all", agenttest.Row{"i": 10, "f": 0.75, "o": true, "s": "fancy", "e": gear.Enum("large"), "w": 2 * time.Millisecond})
		b.held(t, b.SetLevel("*", "all", 1))
		require.Equal(t, []any{int64(10), 0.75, true, "fancy", "large", 2 * time.Millisecond}, read())
		require.NoError(t, b.ag.Check())
	})
}

// The promise to a request: nothing is allocated, whatever it meets.
func TestARequestAllocatesNothing(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		b.Levels("recall", rows(10)...)
		name := b.pt.String("model").Default("small")
		request := func() {
			d := b.pt.Begin(b.ag.Scene("k2"), agent.Request{Load: 3, Value: 2, Key: "u1234567890"})
			if b.tags.Get(&d) == 0 || name.Get(&d) == "" {
				panic("no value")
			}
			d.End(agent.Result{Elapsed: 5 * time.Millisecond, Outcome: agent.OK, Value: 1})
			c := b.call.Begin(b.ag.Scene("k2"), agent.Request{})
			c.EndSince(time.Now().Add(-c.Timeout()), agent.Timeout)
		}
		request()
		require.Zero(t, testing.AllocsPerRun(100, request), "on defaults")
		for l := range 2 {
			b.Levels("recall", agenttest.Row{"tag_count": 20, "model": "a"}, agenttest.Row{"tag_count": 30, "model": "b"})
			v := b.SetLevel("*", "recall", l+1)
			b.held(t, v)
			request()
			require.Zero(t, testing.AllocsPerRun(100, request), "on orders")
		}
	})
}

func TestUnreadableTextOfAControllerIsMadeInert(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		b.Goodbye("gone\nlevel=ERROR msg=\"forged\"", time.Second)
		require.NoError(t, b.WaitAgents(b.ctx, 0))
		time.Sleep(100 * time.Millisecond)
		require.False(t, strings.ContainsAny(b.ag.Status().LastError, "\n\r"))
		require.Contains(t, b.ag.Status().LastError, "forged")
	})
}
