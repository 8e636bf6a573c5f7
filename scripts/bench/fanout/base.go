package fanout

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
)

// PayloadSize is the size of a state.
const PayloadSize = 1024

// Payload is a state: its version and bytes that do not compress to nothing.
func Payload(version uint64) []byte {
	p := binary.LittleEndian.AppendUint64(make([]byte, 0, PayloadSize), version)
	for i := len(p); i < PayloadSize; i++ {
		p = append(p, byte(i*131)^byte(version))
	}
	return p
}

// Base is the least that pushes over gRPC.
var Base = Side{Server: func() Server { return &baseServer{streams: map[*baseStream]struct{}{}} }, Agents: baseAgents}

// bytesCodec leaves messages as they are.
type bytesCodec struct{}

func (bytesCodec) Name() string { return "bytes" }

func (bytesCodec) Marshal(v any) (mem.BufferSlice, error) {
	p, ok := v.(*[]byte)
	if !ok {
		return nil, fmt.Errorf("no bytes: %T", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(*p)}, nil
}

func (bytesCodec) Unmarshal(data mem.BufferSlice, v any) error {
	p, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("no bytes: %T", v)
	}
	*p = data.Materialize()
	return nil
}

// state is a message that the first stream encodes for all.
type state struct {
	payload []byte
	once    sync.Once
	encoded grpc.PreparedMsg
	err     error
}

func (s *state) send(to grpc.ServerStream) error {
	s.once.Do(func() { s.err = s.encoded.Encode(to, &s.payload) })
	if s.err != nil {
		return s.err
	}
	return to.SendMsg(&s.encoded)
}

type baseStream struct{ wake chan struct{} }

type baseServer struct {
	newest  atomic.Pointer[state]
	joined  atomic.Int64
	mu      sync.Mutex
	streams map[*baseStream]struct{}
}

var baseDesc = grpc.StreamDesc{StreamName: "Receive", ServerStreams: true, ClientStreams: true}

func (s *baseServer) Start(int) (string, error) {
	s.newest.Store(&state{payload: Payload(1)})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	desc := baseDesc
	desc.Handler = func(_ any, to grpc.ServerStream) error { return s.handle(to) }
	server := grpc.NewServer(
		grpc.ForceServerCodecV2(bytesCodec{}),
		// Windows of a given size switch the bandwidth estimator off, which
		// would ping back for each message.
		grpc.InitialWindowSize(64<<10), grpc.InitialConnWindowSize(64<<10),
		grpc.SharedWriteBuffer(true), grpc.WriteBufferSize(4<<10), grpc.ReadBufferSize(512),
	)
	server.RegisterService(&grpc.ServiceDesc{ServiceName: "bench.Push", HandlerType: (*any)(nil), Streams: []grpc.StreamDesc{desc}}, struct{}{})
	go func() { _ = server.Serve(listener) }()
	return listener.Addr().String(), nil
}

func (s *baseServer) handle(to grpc.ServerStream) error {
	me := &baseStream{wake: make(chan struct{}, 1)}
	s.mu.Lock()
	s.streams[me] = struct{}{}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.streams, me)
		s.mu.Unlock()
	}()
	if err := s.newest.Load().send(to); err != nil {
		return err
	}
	s.joined.Add(1)
	for {
		select {
		case <-me.wake:
			if err := s.newest.Load().send(to); err != nil {
				return err
			}
		case <-to.Context().Done():
			return nil
		}
	}
}

func (s *baseServer) Joined() int { return int(s.joined.Load()) }

func (s *baseServer) Push(version uint64) error {
	s.newest.Store(&state{payload: Payload(version)})
	s.mu.Lock()
	defer s.mu.Unlock()
	for stream := range s.streams {
		select {
		case stream.wake <- struct{}{}:
		default: // it has not taken the last wake yet and will see the newest
		}
	}
	return nil
}

func (s *baseServer) Acked(context.Context, uint64) (time.Time, error) { return time.Time{}, nil }

func baseAgents(ctx context.Context, addr string, n int, applied func(uint64)) error {
	var connecting errgroup.Group
	connecting.SetLimit(32)
	for range n {
		connecting.Go(func() error {
			conn, err := grpc.NewClient(addr,
				grpc.WithTransportCredentials(insecure.NewCredentials()),
				grpc.WithDefaultCallOptions(grpc.ForceCodecV2(bytesCodec{})),
				grpc.WithInitialWindowSize(64<<10), grpc.WithInitialConnWindowSize(64<<10),
				grpc.WithSharedWriteBuffer(true), grpc.WithWriteBufferSize(4<<10), grpc.WithReadBufferSize(4<<10),
			)
			if err != nil {
				return err
			}
			stream, err := conn.NewStream(ctx, &baseDesc, "/bench.Push/Receive")
			if err != nil {
				return err
			}
			var first []byte
			if err := stream.RecvMsg(&first); err != nil {
				return err
			}
			go func() {
				var p []byte
				for stream.RecvMsg(&p) == nil {
					applied(binary.LittleEndian.Uint64(p))
				}
			}()
			return nil
		})
	}
	return connecting.Wait()
}
