package servertest_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/servertest"
)

// bound starts a controller with a template on app sn.
func bound(t *testing.T) (*servertest.Server, *servertest.Network) {
	cfg := servertest.Settings(t.TempDir())
	cfg.Agents.ClockInterval = time.Second
	s := servertest.Serve(t, cfg)
	s.Publish(servertest.Recall("recall-tags", 100))
	s.Bind("recall-tags", "sn", "recall")
	return s, servertest.NewNetwork(s.App.GRPCAddr())
}

// Two live machines claim the same id: the second gets one of its own, and both
// are served.
func TestDuplicateID(t *testing.T) {
	s, network := bound(t)
	var ms servertest.Machines
	for range 2 {
		ms = append(ms, servertest.NewMachine(servertest.MachineConfig{Network: network, Config: agent.Config{
			App: "sn", IDC: "na61", Instance: "sn-1", EnrolToken: s.App.Local().EnrolToken,
		}}))
		time.Sleep(2 * time.Millisecond) // processes start at different times
	}
	ms.Start(t)
	ms.Await(t, "both are given orders", 1, servertest.Level(8))
	ids := [2]string{ms[0].Status().Instance, ms[1].Status().Instance}
	require.NotEqual(t, ids[0], ids[1])
	for _, id := range ids {
		require.True(t, strings.HasPrefix(id, "sn-1"), id)
		servertest.Eventually(t, id+" is shown as itself", func() bool { a := s.Agent(id); return a.State == "connected" && a.Current })
	}
	s.Hold("sn", "*", 3, time.Hour)
	ms.Await(t, "both follow an edit", 1, servertest.Level(3))
	require.Len(t, s.Agents(t), 2)
}

// A machine's connection goes dead without a close, the machine comes back on a
// new one, and the old one is closed late: the newer session lives on.
func TestLateClose(t *testing.T) {
	s, network := bound(t)
	ms := servertest.Run(t, network, s.App.Local().EnrolToken, "sn", 1, "na61")
	ms.Await(t, "it is given orders", 1, servertest.Level(8))
	before := s.Agent("sn-na61-0")
	network.Deaden("na61")
	s.Hold("sn", "*", 3, time.Hour) // into the dead connection
	servertest.Eventually(t, "it comes back by itself", func() bool {
		a := s.Agent("sn-na61-0")
		return a.ConnectedAt.After(*before.ConnectedAt) && a.State == "connected"
	})
	ms.Await(t, "it has what it missed", 1, servertest.Level(3))
	back := s.Agent("sn-na61-0")
	require.Positive(t, network.CloseDead("na61"), "the old connection was still open")
	s.Hold("sn", "*", 5, time.Hour)
	ms.Await(t, "it is still served", 1, servertest.Level(5))
	servertest.Eventually(t, "it is still there", func() bool {
		a := s.Agent("sn-na61-0")
		return a.State == "connected" && a.Current && a.ConnectedAt.Equal(*back.ConnectedAt)
	})
	require.Len(t, s.Agents(t), 1)
}

// Whoever presents no good token for its app and IDC is told so and changes
// nothing; requests are answered by the declared defaults.
func TestAgentsThatMayNotCome(t *testing.T) {
	s, network := bound(t)
	admin := s.SignIn("admin", s.App.Password())
	token := admin.EnrolToken("sn-only", "sn", "na61")
	for name, x := range map[string]struct {
		app, idc, token, want string
	}{
		"another app":     {"rank", "na61", token, "this enrolment token is for app sn in na61, not for rank in na61"},
		"another IDC":     {"sn", "et2", token, "this enrolment token is for app sn in na61, not for sn in et2"},
		"a made-up token": {"sn", "na61", "ase_made-up", "the enrolment token is unknown, revoked or expired"},
		"no token at all": {"sn", "na61", "", "enrol first"},
	} {
		t.Run(name, func(t *testing.T) {
			m := servertest.NewMachine(servertest.MachineConfig{Network: network, Config: agent.Config{
				App: x.app, IDC: x.idc, Instance: "stranger", EnrolToken: x.token,
			}})
			servertest.Machines{m}.Start(t)
			servertest.Eventually(t, "it is told why", func() bool { return strings.Contains(m.Status().LastError, x.want) })
			require.Equal(t, servertest.Seen{Tags: 100, Rung: gear.RungDefault}, servertest.Seen{Level: m.Now().Level, Tags: m.Now().Tags, Rung: m.Now().Rung})
			require.Empty(t, s.Agents(t))
		})
	}

	t.Log("a credential of app sn does not open the door of app rank")
	raw := servertest.Dial(t, s.App.GRPCAddr())
	credential, err := raw.Enrol(token, servertest.Hello("sn", "sn-1"))
	require.NoError(t, err)
	stream, err := raw.Open(t.Context(), credential, servertest.Hello("rank", "rank-1"))
	require.NoError(t, err)
	_, err = stream.Recv()
	require.Equal(t, codes.PermissionDenied, status.Code(err))
	require.Empty(t, s.Agents(t))
}

// Names that would write into a terminal or a log are refused at the first place
// they come to, in the SDK and in the controller, and never logged as they are.
func TestNamesWithControlCharacters(t *testing.T) {
	s, network := bound(t)
	const evil = "sn\nlevel=ERROR msg=forged\x1b[2J"
	bad := agent.New(agent.Config{App: evil, IDC: "na61", Log: slog.New(slog.DiscardHandler)}, agent.WithDialer(network.Dialer("na61")))
	err := bad.Start(t.Context())
	require.ErrorContains(t, err, "config.app")
	require.NotContains(t, err.Error(), "\n")
	require.NoError(t, bad.Close())

	raw := servertest.Dial(t, s.App.GRPCAddr())
	_, err = raw.Enrol(s.App.Local().EnrolToken, servertest.Hello(evil, "sn-1"))
	require.Equal(t, codes.InvalidArgument, status.Code(err))
	credential, err := raw.Enrol(s.App.Local().EnrolToken, servertest.Hello("sn", "sn-1"))
	require.NoError(t, err)
	for _, spoil := range []func(*gear.Hello){
		func(h *gear.Hello) { h.Instance = evil },
		func(h *gear.Hello) { h.Build = evil },
		func(h *gear.Hello) { h.Points[0].Name = evil },
		func(h *gear.Hello) { h.Points[0].Params[0].Name = evil },
	} {
		h := servertest.Hello("sn", "sn-1")
		spoil(&h)
		stream, err := raw.Open(t.Context(), credential, h)
		require.NoError(t, err)
		_, err = stream.Recv()
		require.Equal(t, codes.InvalidArgument, status.Code(err), "%v", err)
		require.NotContains(t, err.Error(), "\x1b")
	}
	require.Empty(t, s.Agents(t))
	require.Contains(t, s.Log(), "hello refused")
	require.NotContains(t, s.Log(), "\nlevel=ERROR")
	require.NotContains(t, s.Log(), "\x1b")
}

// A report from the future is refused and changes nothing; the agent is asked for
// a hello and told why, and its good reports count.
func TestReportFromTheFuture(t *testing.T) {
	s, _ := bound(t)
	raw := servertest.Dial(t, s.App.GRPCAddr())
	h := servertest.Hello("sn", "sn-1")
	credential, err := raw.Enrol(s.App.Local().EnrolToken, h)
	require.NoError(t, err)
	stream, err := raw.Open(t.Context(), credential, h)
	require.NoError(t, err)
	require.NoError(t, stream.Send(servertest.Report(1, time.Now().Add(time.Hour), "k2", 1000)))
	for {
		r, err := stream.Recv()
		require.NoError(t, err)
		if reason := r.GetRehello().GetReason(); reason != "" {
			require.Contains(t, reason, "in the future")
			break
		}
	}
	require.Nil(t, s.Agent("sn-1").LastReportAt)
	require.NoError(t, stream.Send(servertest.Report(2, time.Now(), "k2", 7)))
	servertest.Eventually(t, "the good report is taken", func() bool { return s.Agent("sn-1").LastReportAt != nil })
}
