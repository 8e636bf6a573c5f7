package grpcmw_test

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/agenttest"
	"github.com/allspark/allspark/agent/middleware/grpcmw"
	"github.com/allspark/allspark/agent/trace"
	agentv1 "github.com/allspark/allspark/proto/agent/v1"
)

// A trace goes there in the head of a call and comes back in its trailer, through
// a service that has no point of its own too.
func TestCallsAreFollowed(t *testing.T) {
	c := agenttest.NewController(agenttest.Options{})
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	sn := c.NewAgent(agent.Config{App: "sn", IDC: "et2", Log: slog.New(slog.DiscardHandler)})
	feature := c.NewAgent(agent.Config{App: "feature", IDC: "et2", Log: slog.New(slog.DiscardHandler)})
	serve := func(service agentv1.AgentServiceServer, around grpc.UnaryServerInterceptor, call grpc.UnaryClientInterceptor) agentv1.AgentServiceClient {
		ln := bufconn.Listen(1 << 16)
		s := grpc.NewServer(grpc.UnaryInterceptor(around))
		agentv1.RegisterAgentServiceServer(s, service)
		go func() { _ = s.Serve(ln) }()
		t.Cleanup(s.Stop)
		cc, err := grpc.NewClient("passthrough:///x", grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return ln.Dial() }), grpc.WithUnaryInterceptor(call))
		require.NoError(t, err)
		t.Cleanup(func() { _ = cc.Close() })
		return agentv1.NewAgentServiceClient(cc)
	}
	docs := feature.Point("fetch").Int("docs").Default(7)
	below := serve(&echo{docs: docs}, grpcmw.UnaryServer(feature.Point("fetch"), nil), grpcmw.UnaryClient(nil, nil))
	gate := serve(relay{to: below}, grpcmw.Propagate(), grpcmw.UnaryClient(nil, nil))

	in := trace.Arrived(ctx, "")
	_, span := sn.Point("recall").Follow(in, sn.Scene("k2"))
	span.End()
	_, err := gate.Enroll(in, &agentv1.EnrollRequest{})
	require.NoError(t, err)
	require.Equal(t, "1;k2;;sn/recall,feature/fetch", trace.Reply(in))

	through := serve(&echo{docs: docs}, grpcmw.UnaryServer(feature.Point("fetch"), nil), grpcmw.UnaryClient(sn.External("edge"), nil))
	_, err = through.Enroll(in, &agentv1.EnrollRequest{})
	require.NoError(t, err)
	require.Equal(t, "1;k2;;sn/recall,feature/fetch,sn/edge", trace.Reply(in), "the edge stands for what is below it")
}

// relay is a service that only calls on.
type relay struct {
	agentv1.UnimplementedAgentServiceServer
	to agentv1.AgentServiceClient
}

func (r relay) Enroll(ctx context.Context, in *agentv1.EnrollRequest) (*agentv1.EnrollResponse, error) {
	return r.to.Enroll(ctx, in)
}
