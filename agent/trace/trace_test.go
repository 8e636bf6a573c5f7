package trace_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent/trace"
	"github.com/allspark/allspark/proto/gear"
)

func book(app string) *trace.Book {
	return trace.NewBook(app, func(scene int) string { return []string{"*", "k2"}[scene] })
}

func counts(b *trace.Book) map[string]int64 {
	out := map[string]int64{}
	for _, c := range b.Take(true) {
		k := c.Scene + " " + c.Point
		if c.External {
			k += "!"
		}
		if c.Caller != "" {
			k += " in " + c.Caller
		}
		if c.After != "" {
			k += " after " + c.After
		}
		if c.Span {
			k += " span"
		}
		out[k] += c.Count
	}
	return out
}

// A handler with a point calls a step of its own path, then a call edge.
func request(front, below *trace.Book) {
	ctx := trace.Arrived(context.Background(), "")
	ctx, entry := front.Begin(ctx, 1, "entry", false)
	_, first := front.Begin(ctx, 0, "recall", false)
	first.End()
	first.End() // does nothing

	header := trace.Outgoing(ctx) // a call without a timeout of its own
	callee := trace.Arrived(context.Background(), header)
	_, s := below.Begin(callee, 0, "fetch", false)
	s.End()
	trace.Returned(ctx, trace.Reply(callee))

	edge, call := front.Begin(ctx, 0, "creative", true)
	callee = trace.Arrived(context.Background(), trace.Outgoing(edge))
	_, s = below.Begin(callee, 0, "select", false)
	s.End()
	trace.Returned(edge, trace.Reply(callee))
	call.End()
	entry.End()
}

func TestOrdersAndCallersAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		front, below := book("sn"), book("feature")
		request(front, below)
		require.Equal(t, map[string]int64{
			"k2 entry": 1, "k2 entry span": 1, "k2 recall": 1,
			"k2 creative!": 1, "k2 creative! after sn/recall": 1, "k2 creative! after feature/fetch": 1,
		}, counts(front))
		require.Equal(t, map[string]int64{
			"k2 fetch": 1, "k2 fetch after sn/recall": 1, "k2 select in sn/creative": 1,
		}, counts(below), "a call through an edge starts afresh")

		request(front, below)
		require.Empty(t, counts(front), "not so soon again")
		require.Empty(t, counts(below), "who is called follows what the caller follows")
		time.Sleep(trace.SampleEvery)
		request(front, below)
		require.Len(t, counts(front), 6)
		require.Empty(t, below.Take(false), "counts go now and then")
		time.Sleep(trace.TakeEvery)
		require.Len(t, below.Take(false), 3)
	})
}

func TestHeadersFromAnywhere(t *testing.T) {
	b := book("sn")
	for _, header := range []string{
		"-", "1", "2;k2;;", "1;k2;no edge;", "1;k 2;;", "1;k2;;sn/recall,", "1;k2;;a", ";;;",
		"1;k2;;" + strings.TrimSuffix(strings.Repeat("sn/recall,", 65), ","), strings.Repeat("x", 9000),
	} {
		ctx := trace.Arrived(t.Context(), header)
		_, s := b.Begin(ctx, 1, "recall", false)
		require.Nil(t, s, header)
		s.End()
		require.Empty(t, trace.Reply(ctx))
		require.Equal(t, "-", trace.Outgoing(ctx))
	}
	require.Empty(t, b.Take(true))
	require.Empty(t, trace.Outgoing(t.Context()))
	trace.Returned(t.Context(), "1;k2;;sn/recall")

	ctx := trace.Arrived(t.Context(), "1;k2;merger/call_sn;merger/a")
	require.Equal(t, "1;k2;merger/call_sn;merger/a", trace.Outgoing(ctx))
	trace.Returned(ctx, "1;k2;other/edge;x/y")
	trace.Returned(ctx, "1;k2;merger/call_sn;x/y")
	_, s := b.Begin(ctx, 0, "recall", false)
	s.End()
	require.Equal(t, "1;k2;merger/call_sn;merger/a,x/y,sn/recall", trace.Reply(ctx))
	require.Equal(t, []gear.CallReport{
		{Scene: "k2", Point: "recall", Caller: "merger/call_sn", Count: 1},
		{Scene: "k2", Point: "recall", After: "merger/a", Count: 1},
		{Scene: "k2", Point: "recall", After: "x/y", Count: 1},
	}, b.Take(true))
}

func TestARequestThatIsNotFollowedAllocatesLittle(t *testing.T) {
	b := book("sn")
	ctx := trace.Arrived(t.Context(), "-")
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		_, s := b.Begin(ctx, 1, "recall", false)
		s.End()
	}))
}
