package agentapi_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
	"github.com/allspark/allspark/server/agentapi"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/push"
)

func TestBadHellos(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		conn := w.conn()
		ask := func(edit func(*gear.Hello), identity gear.Hello) error {
			h := helloOf("sn", "sn-1")
			edit(&h)
			a := w.openWith(conn, h, w.enrol(conn, identity))
			defer a.cancel()
			_, err := a.stream.Recv()
			return err
		}
		good := helloOf("sn", "sn-1")
		none := func(*gear.Hello) {}

		err := ask(none, helloOf("rank", "rank-1"))
		require.Equal(t, codes.PermissionDenied, status.Code(err))
		require.Contains(t, err.Error(), "this credential is for app rank in na61, not for app sn in na61")

		err = ask(func(h *gear.Hello) { h.Instance = "x\nlevel=ERROR msg=forged" }, good)
		require.Equal(t, codes.InvalidArgument, status.Code(err))
		require.Contains(t, err.Error(), "instance wants")

		err = ask(func(h *gear.Hello) { h.Build = "1.2\x1b[2J" }, good)
		require.Contains(t, err.Error(), "build wants")

		err = ask(func(h *gear.Hello) { h.Points = append(h.Points, h.Points[0]) }, good)
		require.Contains(t, err.Error(), "points[1].name: point recall is declared twice")

		require.NotContains(t, w.log.String(), "\nlevel=ERROR", "no log line is injected")
		require.Empty(t, w.fleet.Places(), "a refused hello changes nothing")
		require.EqualValues(t, 4, w.service.Stats().Refused)
	})
}

func TestBadTokens(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		conn := w.conn()
		c := agentv1.NewAgentServiceClient(conn)
		_, err := c.Enroll(t.Context(), &agentv1.EnrollRequest{Token: "wrong", App: "sn", Idc: "na61", Instance: "sn-1"})
		require.Equal(t, codes.Unauthenticated, status.Code(err))
		_, err = c.Enroll(t.Context(), &agentv1.EnrollRequest{Token: enrolToken, App: "sn\n", Idc: "na61", Instance: "sn-1"})
		require.Equal(t, codes.InvalidArgument, status.Code(err))
		require.Contains(t, err.Error(), "app: app wants")

		_, err = c.Enroll(t.Context(), &agentv1.EnrollRequest{})
		require.Equal(t, codes.Unauthenticated, status.Code(err))
		credential := w.enrol(conn, helloOf("sn", "sn-1"))
		ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+credential)
		renewed, err := c.Enroll(ctx, &agentv1.EnrollRequest{})
		require.NoError(t, err)
		require.NotEqual(t, credential, renewed.GetCredential())

		a := w.openWith(conn, helloOf("sn", "sn-1"), "made-up")
		_, err = a.stream.Recv()
		require.Equal(t, codes.Unauthenticated, status.Code(err))
		a.cancel()

		stream, err := c.Connect(t.Context())
		require.NoError(t, err)
		_, err = stream.Recv()
		require.Equal(t, codes.Unauthenticated, status.Code(err))
	})
}

func TestNoHelloInTime(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		conn := w.conn()
		ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+w.enrol(conn, helloOf("sn", "sn-1")))
		stream, err := agentv1.NewAgentServiceClient(conn).Connect(ctx)
		require.NoError(t, err)
		start := time.Now()
		r, err := stream.Recv()
		require.NoError(t, err)
		require.Contains(t, r.GetGoodbye().GetReason(), "no hello in time")
		_, err = stream.Recv()
		require.Equal(t, codes.DeadlineExceeded, status.Code(err))
		require.Equal(t, 5*time.Second, time.Since(start))
	})
}

func TestHugeFrameEndsTheStream(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		a := w.join(helloOf("sn", "sn-1"))
		huge := &gear.Report{Sequence: 1, At: time.Now(), Points: []gear.PointReport{{Scene: "k2", Point: strings.Repeat("x", 300<<10)}}}
		require.NoError(t, a.stream.Send(&agentv1.ConnectRequest{Report: wire.FromReport(huge)}))
		_, err := a.stream.Recv()
		require.Equal(t, codes.ResourceExhausted, status.Code(err))
		require.Contains(t, err.Error(), "a frame takes 307228 bytes, and a controller reads 262144")
		synctest.Wait()
		require.Zero(t, w.service.Stats().Streams)
	})
}

func TestHugeHelloIsToldWhatIsWrong(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		h := helloOf("sn", "sn-1")
		h.Points[0].Params[0].Unit = strings.Repeat("x", 300<<10)
		a := w.openWith(w.conn(), h, w.door.give(identityOf("sn", "sn-1")))
		_, err := a.stream.Recv()
		require.Equal(t, codes.ResourceExhausted, status.Code(err))
		require.Contains(t, err.Error(), "the hello takes 307286 bytes, and a controller reads 262144: declare fewer points")
		synctest.Wait()
		require.Zero(t, w.service.Stats().Streams)
		require.EqualValues(t, 1, w.service.Stats().Refused)
	})
}

func TestBannedAgent(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		a := w.join(helloOf("sn", "sn-1"))
		synctest.Wait() // welcomed is not joined yet
		was, err := w.fleet.Ban(t.Context(), "sn-1", "bad disk", auditChange(), time.Now())
		require.NoError(t, err)
		require.True(t, w.hub.CutInstance(push.Key{App: was.App, IDC: was.IDC}, was.Instance, "banned: bad disk"))
		require.Contains(t, a.next().GetGoodbye().GetReason(), "banned: bad disk")
		b := w.openWith(a.conn, helloOf("sn", "sn-1"), w.door.give(identityOf("sn", "sn-1")))
		_, err = b.stream.Recv()
		require.Equal(t, codes.PermissionDenied, status.Code(err))
		require.Contains(t, err.Error(), "banned: bad disk")
		require.NoError(t, w.fleet.Unban(t.Context(), "sn-1", auditChange(), time.Now()))
		require.NotNil(t, w.join(helloOf("sn", "sn-1")).welcome)
	})
}

func TestAdmissionSpreadsAStorm(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		conn := w.conn()
		credential := w.enrol(conn, helloOf("sn", "sn-1"))
		in, away := 0, 0
		for range 30 {
			a := w.openWith(conn, helloOf("sn", "sn-1"), credential)
			r, err := a.stream.Recv()
			require.NoError(t, err)
			if r.GetWelcome() != nil {
				in++
			} else {
				away++
				require.Positive(t, r.GetGoodbye().GetRetryAfterNs())
				require.Contains(t, r.GetGoodbye().GetReason(), "too many agents at once")
			}
			a.cancel()
			synctest.Wait()
		}
		require.Equal(t, 10, in)
		require.Equal(t, 20, away)
		// Another app has an allowance of its own.
		require.NotNil(t, w.join(helloOf("rank", "rank-1")).welcome)
		time.Sleep(5 * time.Second)
		require.NotNil(t, w.join(helloOf("sn", "sn-1")).welcome)
	}, func(o *agentapi.Options, _ *push.Options) { o.AppHelloRate = 10 })
}

func TestStopSaysGoodbye(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		a := w.join(helloOf("sn", "sn-1"))
		synctest.Wait() // while its first state is written, a goodbye would have to wait
		w.service.Stop()
		require.Contains(t, a.next().GetGoodbye().GetReason(), "stops")
		_, err := a.stream.Recv()
		require.Equal(t, codes.Canceled, status.Code(err))
	})
}

func TestEncodeRefusesTooLargeASet(t *testing.T) {
	set := gear.OrderSet{App: "sn", IDC: "na61", Orders: []gear.Order{{Template: strings.Repeat("x", agentapi.MaxFrame)}}}
	_, err := agentapi.Encode(&set, nil)
	require.True(t, fault.Is(err, fault.TooLarge))
}

func TestAPanicEndsOneStreamOnly(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		w.publish("sn", 1)
		a := w.join(helloOf("sn", "sn-1"))
		bad := w.open(helloOf("boom", "boom-1"))
		for {
			if _, err := bad.stream.Recv(); err != nil {
				require.Equal(t, codes.Internal, status.Code(err))
				break
			}
		}
		synctest.Wait()
		got, err := w.fleet.Get("boom-1", time.Now())
		require.NoError(t, err)
		require.Equal(t, fleet.StateDisconnected, got.State)
		require.EqualValues(t, 1, w.service.Stats().Panics)
		_, set := a.orders()
		require.EqualValues(t, 1, set.Revision)
	}, func(o *agentapi.Options, _ *push.Options) {
		o.Joined = func(app, _ string) {
			if app == "boom" {
				panic("boom")
			}
		}
	})
}

// TestVersionsThatNobodyGave: an agent that claims an epoch from nowhere is refused
// with the path, raises nothing, and gets nothing past the ledger.
func TestVersionsThatNobodyGave(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		conn := w.conn()
		for _, held := range []gear.Version{{Epoch: 1 << 60}, {Epoch: 1 << 40, Revision: 1}, {Epoch: 1, Revision: 1 << 60}} {
			h := helloOf("sn", "sn-1")
			h.Held = held
			a := w.openWith(conn, h, w.enrol(conn, h))
			_, err := a.stream.Recv()
			require.Equal(t, codes.InvalidArgument, status.Code(err), "%v", err)
			require.Regexp(t, "epoch|revision", err.Error())
			a.cancel()
		}
		require.Empty(t, w.journal.ahead)
		require.Empty(t, w.fleet.Places())

		v := w.publish("sn", 1)
		a := w.join(helloOf("sn", "sn-1"))
		a.orders()
		require.NoError(t, a.stream.Send(&agentv1.ConnectRequest{Report: wire.FromReport(&gear.Report{
			Sequence: 1, At: time.Now(), Window: time.Second, Held: gear.Version{Epoch: 1, Revision: 99},
		})}))
		synctest.Wait()
		got, err := w.fleet.Get("sn-1", time.Now())
		require.NoError(t, err)
		require.False(t, v.Less(got.Held), "nobody gave it that")
		require.EqualValues(t, 1, w.service.Stats().BadReports)
	})
}
