package agentapi_test

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
	"github.com/allspark/allspark/server/agentapi"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/push"
	"github.com/allspark/allspark/server/telemetry"
)

// fanoutServer is one system's server side.
type fanoutServer struct {
	address string
	set     func(version int) error
	acked   func() time.Duration // waits until all acked the newest; 0 when the system has no acks
	stop    func()
}

func startFanout(sys string, n int) (*fanoutServer, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	var s *fanoutServer
	switch sys {
	case "base", "base-ack":
		s = startBase(l, n, sys == "base-ack")
	case "ours", "ours-push":
		s = startOurs(l, n, sys == "ours")
	default:
		return nil, fmt.Errorf("no system %q", sys)
	}
	s.address = l.Addr().String()
	return s, nil
}

type nowhere struct{}

func (nowhere) Ingest(telemetry.Source, *gear.Report, time.Time) {}

const benchCredential = "bench"

func startOurs(l net.Listener, n int, acks bool) *fanoutServer {
	key := push.Key{App: "sn", IDC: "na61"}
	hub := push.NewHub(push.Options{})
	service := agentapi.New(agentapi.Options{
		Auth: &door{out: map[string]auth.AgentIdentity{benchCredential: {App: gear.Any, IDC: gear.Any}}},
		Hub:  hub, Fleet: fleet.NewRegistry(&shelf{agents: map[string]fleet.Agent{}}, fleet.Options{}),
		Reports: nowhere{}, Clock: wall{}, HelloRate: 1e6, AppHelloRate: 1e6,
	})
	g := grpc.NewServer(agentapi.ServerOptions(nil)...)
	service.Register(g)
	go func() { _ = g.Serve(l) }()
	changed, stopWatch := hub.Watch()
	return &fanoutServer{
		set: func(version int) error {
			set := benchSet(version)
			state, err := agentapi.Encode(&set, nil)
			if err != nil {
				return err
			}
			hub.Publish(key, state)
			return nil
		},
		acked: func() time.Duration {
			if !acks {
				return 0
			}
			for {
				if p, ok := hub.Progress(key); ok && p.Held == n {
					return p.To100
				}
				<-changed
				time.Sleep(5 * time.Millisecond) // as a console would: not on every ack
			}
		},
		stop: func() { stopWatch(); service.Stop(); g.Stop() },
	}
}

// benchSet is an order set whose frame is about 1 KiB. Its hash carries the
// moment of publishing to the agents' process.
func benchSet(version int) gear.OrderSet {
	set := gear.OrderSet{App: "sn", IDC: "na61", Epoch: 1, Revision: int64(version) + 1}
	for i := range 16 {
		set.Orders = append(set.Orders, gear.Order{
			Scene: gear.Any, Point: fmt.Sprint("p", i), Bucket: gear.Any, Table: "5f1c09a2", Strategy: gear.StrategyCentral,
			Level: 1 + (version+i)%9, MinLevel: 1, MaxLevel: 9, Template: "recall-tags", TemplateVersion: 3,
		})
	}
	set.Hash = strconv.FormatInt(time.Now().UnixNano(), 10)
	return set
}

// rawBytes is the base's codec.
type rawBytes struct{}

func (rawBytes) Name() string { return "bytes" }

func (rawBytes) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}

func (rawBytes) Unmarshal(d mem.BufferSlice, v any) error {
	*v.(*[]byte) = d.Materialize()
	return nil
}

type baseServer struct {
	mu      sync.Mutex
	streams []chan struct{} // in the order of joining: their memory lies in that order too
	now     atomic.Pointer[baseFrame]
	acks    bool
}

type baseFrame struct {
	bytes []byte
	prep  atomic.Pointer[grpc.PreparedMsg]
	at    time.Time
	acked atomic.Int64
	all   atomic.Int64 // nanoseconds until everyone acked
}

// startBase is plain gRPC streaming with the transport settings that serve it best.
func startBase(l net.Listener, n int, acks bool) *fanoutServer {
	s := &baseServer{acks: acks}
	g := grpc.NewServer(grpc.ForceServerCodecV2(rawBytes{}), grpc.InitialWindowSize(64<<10), grpc.InitialConnWindowSize(64<<10),
		grpc.ReadBufferSize(512), grpc.WriteBufferSize(4<<10))
	g.RegisterService(&grpc.ServiceDesc{ServiceName: "base", HandlerType: (*any)(nil), Streams: []grpc.StreamDesc{{
		StreamName: "Connect", ServerStreams: true, ClientStreams: true,
		Handler: func(_ any, st grpc.ServerStream) error { return s.serve(st, n) },
	}}}, nil)
	go func() { _ = g.Serve(l) }()
	return &fanoutServer{
		set: func(version int) error {
			f := &baseFrame{at: time.Now()}
			set := benchSet(version)
			var err error
			f.bytes, err = proto.Marshal(&agentv1.ConnectResponse{Body: &agentv1.ConnectResponse_Orders{Orders: wire.FromOrderSet(&set)}})
			if err != nil {
				return err
			}
			s.now.Store(f)
			s.mu.Lock()
			defer s.mu.Unlock()
			for _, w := range s.streams {
				select {
				case w <- struct{}{}:
				default:
				}
			}
			return nil
		},
		acked: func() time.Duration {
			for acks && s.now.Load().all.Load() == 0 {
				time.Sleep(5 * time.Millisecond)
			}
			return time.Duration(s.now.Load().all.Load())
		},
		stop: g.Stop,
	}
}

func (s *baseServer) serve(st grpc.ServerStream, n int) error {
	wake := make(chan struct{}, 1)
	s.mu.Lock()
	s.streams = append(s.streams, wake)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.streams = slices.DeleteFunc(s.streams, func(w chan struct{}) bool { return w == wake })
		s.mu.Unlock()
	}()
	if s.acks {
		go func() {
			var b []byte
			for st.RecvMsg(&b) == nil {
				if f := s.now.Load(); f.acked.Add(1) == int64(n) {
					f.all.Store(int64(time.Since(f.at)))
				}
			}
		}()
	}
	for {
		f := s.now.Load()
		p := f.prep.Load()
		if p == nil {
			p = new(grpc.PreparedMsg)
			if err := p.Encode(st, &f.bytes); err != nil {
				return err
			}
			f.prep.CompareAndSwap(nil, p)
		}
		if err := st.SendMsg(p); err != nil {
			return err
		}
		select {
		case <-wake:
		case <-st.Context().Done():
			return nil
		}
	}
}
