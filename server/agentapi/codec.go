package agentapi

import (
	"fmt"

	"google.golang.org/grpc/encoding"
	protocodec "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/wire"
	"github.com/allspark/allspark/server/fault"
)

// codec is protobuf, but passes Frames through as they are.
type codec struct{ proto encoding.CodecV2 }

func newCodec() codec { return codec{encoding.GetCodecV2(protocodec.Name)} }

func (codec) Name() string { return protocodec.Name }

func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	if f, ok := v.(*Frame); ok {
		return mem.BufferSlice{mem.SliceBuffer(f.bytes)}, nil
	}
	b, err := c.proto.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return b, nil
}

// Unmarshal leaves an inbound frame that is too large undecoded: gRPC would end the
// stream in words that tell an agent's owner nothing.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	in, ok := v.(*inbound)
	if !ok {
		return c.proto.Unmarshal(data, v)
	}
	if in.size = data.Len(); in.size > wire.MaxInbound {
		return nil
	}
	return c.proto.Unmarshal(data, &in.frame)
}

// inbound is a frame from an agent as it is received.
type inbound struct {
	frame agentv1.ConnectRequest
	size  int
}

// err says what is wrong with a frame that is too large.
func (in *inbound) err(what, remedy string) error {
	if in.size <= wire.MaxInbound {
		return nil
	}
	return fault.New(fault.TooLarge, "%s takes %d bytes, and a controller reads %d: %s", what, in.size, wire.MaxInbound, remedy)
}
