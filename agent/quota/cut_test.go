package quota

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestADrainBetweenTakingAndGivingBack: the frame ends after a request has counted its
// candidates and before the cap has taken some of them back. What it gives back is of
// the next frame then, not a trillion candidates.
func TestADrainBetweenTakingAndGivingBack(t *testing.T) {
	b := New(Config{})
	x := terms()
	x.FrameBudget, x.FrameSum, x.Agents = 1000, 0, 1
	b.Apply(frame(1, 100, x))
	q := b.Quota("k2", "rank")
	g := q.grant.Load()
	used := candidates(q.cell.Add(requestUnit+100)) + g.cap // as when the frame is used up
	consumed, requests, _, _ := q.drain()
	require.EqualValues(t, 100, consumed)
	require.EqualValues(t, 1, requests)
	m := q.cut(g, 100, used)
	require.Less(t, m, 100)
	given := int64(100 - m)

	consumed, requests, _, _ = q.drain() // a frame without requests
	require.Zero(t, consumed)
	require.Zero(t, requests)
	require.Equal(t, 10, q.Take(1, 10), "less than was given back: no cap")
	require.Equal(t, 100, q.Take(1, 1000))
	consumed, requests, _, _ = q.drain()
	require.EqualValues(t, 2, requests)
	require.Equal(t, 110-given, consumed, "what was given back is taken off once")
}

// TestTheCapEndsWithTheBook: nobody drains the cells of an agent that is closed, and
// requests that still come must not be cut to the least.
func TestTheCapEndsWithTheBook(t *testing.T) {
	b := New(Config{})
	x := terms()
	x.FrameBudget, x.FrameSum, x.Agents = 1000, 0, 1
	b.Apply(frame(1, 100, x))
	q := b.Quota("k2", "rank")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b.Run(ctx)
	for range 1000 {
		require.Equal(t, 100, q.Take(1, 1000))
	}
	require.Equal(t, 100, b.Quota("k3", "rank").Take(1, 1000), "also where it is asked for first")
}
