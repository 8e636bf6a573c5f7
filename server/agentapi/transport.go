package agentapi

import (
	"context"
	"errors"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/tap"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/wire"
)

const (
	// maxReceived is what gRPC takes of a frame. What is larger than wire.MaxInbound
	// is not decoded: it is taken so that its refusal can be worded. A report of 100
	// series with sketches takes some 60 KiB.
	maxReceived = 2 * wire.MaxInbound
	// window is grpc's smallest; a fixed one needs no bandwidth pings, and bounds
	// what a peer can make us hold.
	window = 64 << 10
	// readBuffer holds a frame header and a small report. Larger frames are read
	// straight into place.
	readBuffer = 512
	// writeBuffer is shared by the connections that write at the moment.
	writeBuffer = 4 << 10
	// maxStreams a connection: an agent needs one and a call to enrol; a sidecar or
	// test may share a connection.
	maxStreams = 64
)

// ServerOptions are the settings of a gRPC server that serves agents. creds is
// nil for plain text.
func ServerOptions(creds credentials.TransportCredentials) []grpc.ServerOption {
	if creds == nil {
		creds = insecure.NewCredentials()
	}
	return []grpc.ServerOption{
		grpc.Creds(closable{creds}),
		grpc.ForceServerCodecV2(newCodec()),
		grpc.InTapHandle(tapStream),
		grpc.InitialWindowSize(window),
		grpc.InitialConnWindowSize(window),
		grpc.ReadBufferSize(readBuffer),
		grpc.WriteBufferSize(writeBuffer),
		grpc.MaxRecvMsgSize(maxReceived),
		grpc.MaxSendMsgSize(MaxFrame + 64),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.MaxHeaderListSize(16 << 10),
		grpc.ConnectionTimeout(10 * time.Second),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
		grpc.KeepaliveParams(keepalive.ServerParameters{
			MaxConnectionIdle: 2 * time.Minute,  // a connection without streams
			Time:              20 * time.Second, // agents report each second: silence is suspect
			Timeout:           10 * time.Second,
		}),
	}
}

// cancellable is a stream's context that its handler, or somebody on its behalf,
// can cancel: there is no other way to free who hangs in RecvMsg, or in SendMsg
// on a peer that does not read.
type cancellable struct {
	context.Context
	cancel context.CancelCauseFunc
}

type cancelKey struct{}

// Value finds the cancellable itself.
func (c *cancellable) Value(key any) any {
	if key == (cancelKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// Err is what gRPC makes the stream's status of.
func (c *cancellable) Err() error {
	if errors.Is(context.Cause(c.Context), errNoHello) {
		return context.DeadlineExceeded
	}
	return c.Context.Err()
}

func tapStream(ctx context.Context, info *tap.Info) (context.Context, error) {
	if info.FullMethodName != agentv1.AgentService_Connect_FullMethodName {
		return ctx, nil
	}
	inner, cancel := context.WithCancelCause(ctx)
	return &cancellable{inner, cancel}, nil
}

// canceller gives the function that ends the stream of ctx with a cause.
func canceller(ctx context.Context) (context.CancelCauseFunc, error) {
	c, ok := ctx.Value(cancelKey{}).(*cancellable)
	if !ok {
		return nil, errors.New("the gRPC server was not made with ServerOptions")
	}
	return c.cancel, nil
}

// closable lets a stalled stream's connection be closed: what the peer does not
// read would otherwise stay in the transport.
type closable struct {
	credentials.TransportCredentials
}

type connInfo struct {
	credentials.AuthInfo
	conn net.Conn
}

// Unwrap gives the authentication of the credentials inside, e.g. TLS's.
func (c connInfo) Unwrap() credentials.AuthInfo { return c.AuthInfo }

func (c closable) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := c.TransportCredentials.ServerHandshake(raw)
	if err != nil {
		return nil, nil, err
	}
	return conn, connInfo{info, conn}, nil
}

func (c closable) Clone() credentials.TransportCredentials {
	return closable{c.TransportCredentials.Clone()}
}

// peerOf gives the address of a stream's peer and a function that closes its
// connection.
func peerOf(ctx context.Context) (address string, hangUp func()) {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return "", func() {}
	}
	hangUp = func() {}
	if c, ok := p.AuthInfo.(connInfo); ok {
		hangUp = func() { _ = c.conn.Close() }
	}
	if p.Addr != nil {
		address = p.Addr.String()
	}
	return address, hangUp
}
