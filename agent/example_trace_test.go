package agent_test

import (
	"context"
	"fmt"

	"github.com/allspark/allspark/agent/trace"
)

// Without middleware an app says itself where a request is, and passes the header
// on with its calls.
func ExamplePoint_Follow() {
	ag := local()
	k2 := ag.Scene("k2")
	recall, creative := ag.Point("recall"), ag.External("creative")

	ctx := trace.Arrived(context.Background(), "") // the header that came with the request
	_, span := recall.Follow(ctx, k2)
	span.End() // when its work is over
	fmt.Println("a step of the same path gets", trace.Outgoing(ctx))

	call, edge := creative.Follow(ctx, k2)
	fmt.Println("a call through the edge gets", trace.Outgoing(call))
	edge.End()
	fmt.Println("the caller is answered", trace.Reply(ctx))
	// Output:
	// a step of the same path gets 1;k2;;sn/recall
	// a call through the edge gets 1;k2;sn/creative;
	// the caller is answered 1;k2;;sn/recall,sn/creative
}
