package agentapi

import (
	"fmt"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/push"
)

// MaxFrame bounds what is sent in one frame; it is the default limit of a
// gRPC client.
const MaxFrame = 4 << 20

// Frame is a message to agents, encoded once. It is what push carries.
type Frame struct {
	bytes []byte
	quota int64 // number of a frame of base quotas, else 0
	prep  atomic.Pointer[grpc.PreparedMsg]
}

// NewFrame encodes a response.
func NewFrame(r *agentv1.ConnectResponse) (*Frame, error) {
	b, err := proto.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode frame: %w", err)
	}
	if len(b) > MaxFrame {
		return nil, fault.New(fault.TooLarge, "a frame of %d bytes is larger than %d", len(b), MaxFrame)
	}
	return &Frame{bytes: b}, nil
}

// Len tells the frame's size in bytes.
func (f *Frame) Len() int { return len(f.bytes) }

// send writes f to the stream. The first stream adds gRPC's message header for
// all of them.
func (f *Frame) send(s grpc.ServerStream) error {
	p := f.prep.Load()
	if p == nil {
		p = new(grpc.PreparedMsg)
		if err := p.Encode(s, f); err != nil {
			return err
		}
		f.prep.CompareAndSwap(nil, p)
	}
	return s.SendMsg(p)
}

// Encode makes the state that push publishes from an order set and the level
// tables it refers to.
func Encode(set *gear.OrderSet, tables []gear.LevelTable) (push.State, error) {
	orders, err := NewFrame(&agentv1.ConnectResponse{Body: &agentv1.ConnectResponse_Orders{Orders: wire.FromOrderSet(set)}})
	if err != nil {
		return push.State{}, fmt.Errorf("order set of %s in %s: %w", set.App, set.IDC, err)
	}
	s := push.State{Version: set.Version(), Hash: set.Hash, Orders: orders, Tables: make(map[string]any, len(tables))}
	for i := range tables {
		f, err := NewTableFrame(&tables[i])
		if err != nil {
			return push.State{}, err
		}
		s.Tables[tables[i].Hash] = f
	}
	return s, nil
}

// NewTableFrame encodes one level table. Callers that publish often keep the
// frame by the table's hash.
func NewTableFrame(t *gear.LevelTable) (*Frame, error) {
	f, err := NewFrame(&agentv1.ConnectResponse{Body: &agentv1.ConnectResponse_Tables{
		Tables: &agentv1.LevelTables{Tables: []*agentv1.LevelTable{wire.FromTable(t)}},
	}})
	if err != nil {
		return nil, fmt.Errorf("level table %s: %w", t.Hash, err)
	}
	return f, nil
}
