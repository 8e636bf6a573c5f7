// Package windowtest is the conformance suite that every quota window is held to.
package windowtest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/quota"
)

// Opened is an empty window. Another opens what other replicas see of it; nil
// where there is one process only.
type Opened struct {
	Window  quota.Window
	Relay   quota.Relay
	Another func() (quota.Window, quota.Relay)
}

// start lies near now, because shared windows expire by their own clock.
var start = time.Now().Truncate(quota.SubWindow)

func added(group string, bucket, consumed, requests, weight int64) quota.Added {
	return quota.Added{Group: group, Keep: 2 * time.Second, Parts: []quota.Part{{Bucket: bucket, Count: quota.Count{Consumed: consumed, Requests: requests, Weight: weight}}}}
}

// Run holds a window to the suite.
func Run(t *testing.T, open func(t *testing.T) Opened) {
	for name, test := range map[string]func(t *testing.T, o Opened){
		"Slides": testSlides, "Groups": testGroups, "Late": testLate, "Empty": testEmpty, "Replicas": testReplicas, "Relay": testRelay, "Cancelled": testCancelled,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func sums(t *testing.T, w quota.Window, now time.Time, window time.Duration, add ...quota.Added) quota.Sums {
	t.Helper()
	s, err := w.Exchange(t.Context(), now, add, []quota.Query{{Group: "g", Window: window}})
	require.NoError(t, err)
	require.Len(t, s, 1)
	return s[0]
}

// The sum is that of the last window, as of a lag ago, with the oldest sub-window
// counted by the share of it that is inside.
func testSlides(t *testing.T, o Opened) {
	b := quota.Bucket(start)
	for i := range int64(10) {
		sums(t, o.Window, start, time.Second, added("g", b+i, 100, 10, 12_000))
	}
	end := start.Add(time.Second + quota.Lag)
	s := sums(t, o.Window, end, time.Second)
	require.InDelta(t, 1000, s.Window.Consumed, 1e-9)
	require.InDelta(t, 100, s.Window.Requests, 1e-9)
	require.InDelta(t, 120, s.Window.Weight, 1e-9)
	require.InDelta(t, 500, s.Half.Consumed, 1e-9)
	require.InDelta(t, 100, s.Fast.Consumed, 1e-9)
	for _, c := range []struct {
		after time.Duration
		want  float64
	}{{25 * time.Millisecond, 975}, {100 * time.Millisecond, 900}, {550 * time.Millisecond, 450}, {time.Second, 0}, {3 * time.Second, 0}} {
		require.InDelta(t, c.want, sums(t, o.Window, end.Add(c.after), time.Second).Window.Consumed, 1e-9, c.after)
	}
}

func testGroups(t *testing.T, o Opened) {
	b := quota.Bucket(start)
	now := start.Add(quota.SubWindow + quota.Lag)
	s, err := o.Window.Exchange(t.Context(), now, []quota.Added{added("g", b, 1, 1, 0), added("h", b, 2, 1, 0), added("g", b, 4, 1, 0)},
		[]quota.Query{{Group: "h", Window: time.Second}, {Group: "g", Window: time.Second}, {Group: "i", Window: 2 * time.Second}})
	require.NoError(t, err)
	require.InDelta(t, 2, s[0].Window.Consumed, 0)
	require.InDelta(t, 5, s[1].Window.Consumed, 0)
	require.InDelta(t, 0, s[2].Window.Consumed, 0)
}

// What comes late still counts, also after it was read.
func testLate(t *testing.T, o Opened) {
	b := quota.Bucket(start)
	now := start.Add(5 * quota.SubWindow)
	sums(t, o.Window, now, time.Second, added("g", b+3, 10, 1, 0))
	require.InDelta(t, 17, sums(t, o.Window, now.Add(quota.SubWindow), time.Second, added("g", b+1, 7, 1, 0)).Window.Consumed, 1e-9)
	require.InDelta(t, 18, sums(t, o.Window, now.Add(2*quota.SubWindow), time.Second, added("g", b+1, 1, 1, 0)).Window.Consumed, 1e-9)
}

func testEmpty(t *testing.T, o Opened) {
	s, err := o.Window.Exchange(t.Context(), start, nil, nil)
	require.NoError(t, err)
	require.Empty(t, s)
	require.Zero(t, sums(t, o.Window, start, 30*time.Second).Window)
}

func testReplicas(t *testing.T, o Opened) {
	if o.Another == nil {
		return // one process
	}
	w, _ := o.Another()
	b := quota.Bucket(start)
	_, err := w.Exchange(t.Context(), start, []quota.Added{added("g", b, 30, 3, 0)}, nil)
	require.NoError(t, err)
	require.InDelta(t, 35, sums(t, o.Window, start.Add(3*quota.SubWindow), time.Second, added("g", b, 5, 1, 0)).Window.Consumed, 1e-9)
}

func testRelay(t *testing.T, o Opened) {
	d := quota.Decision{
		Group: "g", Epoch: 3, Tick: 9, At: start.UTC(), Base: 100.5, Scale: 0.9, Choices: []quota.Choice{{From: 1, Quota: 20}}, Lambda: 0.1,
		Sum: 5, Total: 6, Error: 0.2, Terms: quota.Terms{P: 1, I: 2, D: 3, FeedForward: 4, Frozen: true, Bound: -1}, Arrivals: 7, Consumed: 8,
		Weight: 1.1, FrameSum: 9, Crew: quota.Crew{Agents: 5, Live: 2, Returning: 1, Fallback: 2, Capped: 3},
	}
	require.NoError(t, o.Relay.Publish(t.Context(), []quota.Decision{d}))
	if o.Another == nil {
		return
	}
	_, r := o.Another()
	got, err := r.Follow(t.Context(), []string{"nobody", "g"})
	require.NoError(t, err)
	require.Equal(t, []quota.Decision{d}, got)
}

func testCancelled(t *testing.T, o Opened) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := o.Window.Exchange(ctx, start, []quota.Added{added("g", quota.Bucket(start), 1, 1, 0)}, []quota.Query{{Group: "g", Window: time.Second}})
	if o.Another != nil {
		require.Error(t, err)
	}
}
