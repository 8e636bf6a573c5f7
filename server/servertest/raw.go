package servertest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
)

// Raw is an agent that keeps no rules: it sends what it is told to.
type Raw struct {
	agentv1.AgentServiceClient
	t testing.TB
}

// Dial connects to a controller without the SDK.
func Dial(t testing.TB, address string) *Raw {
	t.Helper()
	cc, err := grpc.NewClient("passthrough:///"+address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { _ = cc.Close() })
	return &Raw{AgentServiceClient: agentv1.NewAgentServiceClient(cc), t: t}
}

// Stream is an agent's stream.
type Stream = grpc.BidiStreamingClient[agentv1.ConnectRequest, agentv1.ConnectResponse]

// Hello is what an honest agent of an app would say.
func Hello(app, instance string) gear.Hello {
	return gear.Hello{
		Instance: instance, App: app, IDC: "na61", Host: "h", Build: "1.2", SDK: "raw/1", StartedAt: time.Now(), FallbackRung: gear.RungDefault,
		Points: []gear.PointDecl{{Name: "recall", Params: []gear.Param{{
			Name: "tag_count", Kind: gear.KindInt, Min: gear.Int(10), Max: gear.Int(200), Default: gear.Int(100),
		}}}},
	}
}

// Enrol trades a token for a credential.
func (r *Raw) Enrol(token string, h gear.Hello) (string, error) {
	res, err := r.AgentServiceClient.Enroll(r.t.Context(), &agentv1.EnrollRequest{Token: token, App: h.App, Idc: h.IDC, Instance: h.Instance, Host: h.Host})
	return res.GetCredential(), err
}

// Open opens a stream and says hello. The stream ends with ctx.
func (r *Raw) Open(ctx context.Context, credential string, h gear.Hello) (Stream, error) {
	s, err := r.Connect(metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+credential))
	if err == nil {
		err = s.Send(&agentv1.ConnectRequest{Hello: wire.FromHello(&h)})
	}
	return s, err
}

// Report makes a frame with a report of one point.
func Report(sequence int64, at time.Time, scene string, count int64) *agentv1.ConnectRequest {
	return &agentv1.ConnectRequest{Report: wire.FromReport(&gear.Report{
		Sequence: sequence, At: at, Window: time.Second,
		Points: []gear.PointReport{{Scene: scene, Point: "recall", Count: count}},
	})}
}
