package agentapi_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"golang.org/x/sync/errgroup"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
)

// arrivals notes when which version was applied by how many.
type arrivals struct {
	n     int
	mu    sync.Mutex
	count map[int]int
	last  map[int]time.Duration
	full  chan int
}

func (a *arrivals) applied(version int, published int64) {
	d := time.Duration(time.Now().UnixNano() - published)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count[version]++
	a.last[version] = max(a.last[version], d)
	if a.count[version] == a.n {
		a.full <- version
	}
}

// phases of the 100 ms frame: agents do not tick together.
const phases = 10

// benchAgent receives states; ack is what its next frame carries.
type benchAgent struct {
	recv func() (version int, published int64, err error)
	ack  func(version int) error
	due  atomic.Int64 // version + 1 to be acked, 0 for none
	held atomic.Pointer[gear.OrderSet]
}

func agentsRole(sys string, n int, address string) error {
	a := &arrivals{n: n, count: map[int]int{}, last: map[int]time.Duration{}, full: make(chan int, 100)}
	agents := make([]*benchAgent, n)
	var open errgroup.Group
	open.SetLimit(64)
	for i := range agents {
		open.Go(func() (err error) {
			if sys == "base" || sys == "base-ack" {
				agents[i], err = openBase(address)
			} else {
				agents[i], err = openOurs(address, i)
			}
			if err != nil {
				return err
			}
			version, published, err := agents[i].recv() // joins are bounded in number
			if err != nil {
				return err
			}
			a.applied(version, published)
			go func() {
				for {
					version, published, err := agents[i].recv()
					if err != nil {
						return
					}
					a.applied(version, published)
					agents[i].due.Store(int64(version) + 1)
				}
			}()
			return nil
		})
	}
	if err := open.Wait(); err != nil {
		return err
	}
	<-a.full
	if sys == "ours" || sys == "base-ack" {
		for p := range phases {
			go frames(agents, p)
		}
	}
	fmt.Println("ready")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var verb string
		var version int
		_, _ = fmt.Sscan(in.Text(), &verb, &version)
		select {
		case got := <-a.full:
			if got != version {
				return fmt.Errorf("%s: got version %d, want %d", sys, got, version)
			}
		case <-time.After(time.Minute):
			return fmt.Errorf("%s: version %d did not reach everybody", sys, version)
		}
		a.mu.Lock()
		fmt.Println(int64(a.last[version]))
		a.mu.Unlock()
	}
	return in.Err()
}

// frames sends what is due of every phases-th agent, each 100 ms.
func frames(agents []*benchAgent, phase int) {
	time.Sleep(time.Duration(phase) * 100 * time.Millisecond / phases)
	for range time.Tick(100 * time.Millisecond) {
		for i := phase; i < len(agents); i += phases {
			if v := agents[i].due.Swap(0); v > 0 && agents[i].ack(int(v-1)) != nil {
				return
			}
		}
	}
}

func dialBench(address string, opts ...grpc.DialOption) (*grpc.ClientConn, error) {
	return grpc.NewClient("passthrough:///"+address, append(opts, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithInitialWindowSize(128<<10), grpc.WithInitialConnWindowSize(128<<10), grpc.WithReadBufferSize(4<<10),
		grpc.WithDisableServiceConfig(), grpc.WithNoProxy())...)
}

func openBase(address string) (*benchAgent, error) {
	conn, err := dialBench(address, grpc.WithDefaultCallOptions(grpc.ForceCodecV2(rawBytes{})))
	if err != nil {
		return nil, err
	}
	desc := &grpc.StreamDesc{StreamName: "Connect", ServerStreams: true, ClientStreams: true}
	st, err := conn.NewStream(context.Background(), desc, "/base/Connect", grpc.WaitForReady(true))
	if err != nil {
		return nil, err
	}
	a := &benchAgent{}
	a.recv = func() (int, int64, error) {
		var b []byte
		if err := st.RecvMsg(&b); err != nil {
			return 0, 0, err
		}
		r := new(agentv1.ConnectResponse)
		if err := proto.Unmarshal(b, r); err != nil {
			return 0, 0, err
		}
		return a.apply(r.GetOrders())
	}
	return a.with(
		func(version int) error {
			b := binary.LittleEndian.AppendUint64(nil, uint64(version))
			return st.SendMsg(&b)
		}), nil
}

func (a *benchAgent) with(ack func(int) error) *benchAgent {
	a.ack = ack
	return a
}

// apply does what every agent does with a set, whichever system brought it.
func (a *benchAgent) apply(p *agentv1.OrderSet) (version int, published int64, err error) {
	set, ps := wire.ToOrderSet(p)
	if len(ps) > 0 {
		return 0, 0, ps
	}
	a.held.Store(&set)
	published, err = strconv.ParseInt(set.Hash, 10, 64)
	return int(set.Revision) - 1, published, err
}

func openOurs(address string, i int) (*benchAgent, error) {
	conn, err := dialBench(address)
	if err != nil {
		return nil, err
	}
	ctx := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+benchCredential)
	st, err := agentv1.NewAgentServiceClient(conn).Connect(ctx, grpc.WaitForReady(true))
	if err != nil {
		return nil, err
	}
	h := helloOf("sn", fmt.Sprint("sn-", i))
	if err := st.Send(&agentv1.ConnectRequest{Hello: wire.FromHello(&h)}); err != nil {
		return nil, err
	}
	a := &benchAgent{}
	a.recv = func() (int, int64, error) {
		for {
			r, err := st.Recv()
			if err != nil {
				return 0, 0, err
			}
			if r.GetOrders() != nil {
				return a.apply(r.GetOrders())
			}
		}
	}
	return a.with(func(version int) error {
		return st.Send(&agentv1.ConnectRequest{Ack: &agentv1.Ack{Epoch: 1, Revision: int64(version) + 1}})
	}), nil
}
