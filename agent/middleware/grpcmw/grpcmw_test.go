package grpcmw_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/agenttest"
	"github.com/allspark/allspark/agent/middleware/grpcmw"
	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
)

// echo is a service of the project's own, used as any app's would be.
type echo struct {
	agentv1.UnimplementedAgentServiceServer
	docs *agent.IntParam
	read atomic.Int64
}

func (e *echo) Enroll(ctx context.Context, r *agentv1.EnrollRequest) (*agentv1.EnrollResponse, error) {
	e.read.Store(e.docs.Get(grpcmw.Decision(ctx)))
	switch r.GetToken() {
	case "hang":
		<-ctx.Done()
		return nil, status.FromContextError(ctx.Err()).Err()
	case "full":
		return nil, status.Error(codes.ResourceExhausted, "full")
	case "broken":
		return nil, errors.New("broken")
	case "missing":
		return nil, status.Error(codes.NotFound, "no such thing")
	}
	return &agentv1.EnrollResponse{}, nil
}

func TestAPointAroundHandlersAndAnEdgeAroundCalls(t *testing.T) {
	c := agenttest.NewController(agenttest.Options{})
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	ag := c.NewAgent(agent.Config{App: "sn", IDC: "et2", Log: slog.New(slog.DiscardHandler)})
	point := ag.Point("serve")
	e := &echo{docs: point.Int("docs").Default(7)}
	edge := ag.External("downstream").Default(10 * time.Second)
	require.NoError(t, ag.Start(ctx))
	defer ag.Close()
	require.NoError(t, c.WaitAgents(ctx, 1))

	l := bufconn.Listen(1 << 16)
	k2 := func(context.Context, string, any) (agent.Scene, agent.Request) {
		return ag.Scene("k2"), agent.Request{Load: 5}
	}
	srv := grpc.NewServer(grpc.UnaryInterceptor(grpcmw.UnaryServer(point, k2)))
	agentv1.RegisterAgentServiceServer(srv, e)
	go func() { _ = srv.Serve(l) }()
	cc, err := grpc.NewClient("passthrough:///echo", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }),
		grpc.WithUnaryInterceptor(grpcmw.UnaryClient(edge, nil)))
	require.NoError(t, err)
	defer cc.Close()
	client := agentv1.NewAgentServiceClient(cc)
	for _, token := range []string{"", "full", "broken", "missing", "hang"} {
		if token == "hang" {
			edge.Default(30 * time.Millisecond)
		}
		_, err := client.Enroll(ctx, &agentv1.EnrollRequest{Token: token})
		require.Equal(t, token == "", err == nil)
	}
	require.EqualValues(t, 7, e.read.Load())

	past, stop := context.WithDeadline(ctx, time.Now().Add(-time.Second))
	defer stop()
	_, err = grpcmw.UnaryServer(point, k2)(past, nil, &grpc.UnaryServerInfo{}, nil) // a handler would panic
	require.Equal(t, codes.DeadlineExceeded, status.Code(err))
	require.Panics(t, func() {
		_, _ = grpcmw.UnaryServer(point, k2)(ctx, nil, &grpc.UnaryServerInfo{}, func(context.Context, any) (any, error) { panic("handler") })
	})
	require.NotPanics(t, func() { e.docs.Get(grpcmw.Decision(ctx)) }, "no decision: defaults")

	srv.GracefulStop()
	require.NoError(t, ag.Close())
	sum := map[string]gear.PointReport{}
	for _, r := range c.Reports() {
		for _, p := range r.Points {
			x := sum[p.Point]
			x.Count, x.OK, x.Errors, x.Timeouts, x.Shed = x.Count+p.Count, x.OK+p.OK, x.Errors+p.Errors, x.Timeouts+p.Timeouts, x.Shed+p.Shed
			sum[p.Point] = x
		}
	}
	s, d := sum["serve"], sum["downstream"]
	require.Equal(t, []int64{7, 2, 2, 1, 2}, []int64{s.Count, s.OK, s.Errors, s.Timeouts, s.Shed})
	require.Equal(t, []int64{5, 2, 1, 1, 1}, []int64{d.Count, d.OK, d.Errors, d.Timeouts, d.Shed})
}
