package quota_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/allspark/allspark/server/quota"
	"github.com/allspark/allspark/server/storetest/windowtest"
)

func TestLocalWindow(t *testing.T) {
	windowtest.Run(t, func(*testing.T) windowtest.Opened {
		l := quota.NewLocal()
		return windowtest.Opened{Window: l, Relay: l}
	})
}

// Whatever the phase of an agent's frames, nothing is lost or counted twice, and
// no part lies outside the time it was counted in.
func TestSpreadKeepsEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(1e9, rapid.Int64Range(0, 1e9).Draw(t, "ns"))
		span := time.Duration(rapid.Int64Range(0, int64(2*time.Second)).Draw(t, "span"))
		c := quota.Count{Consumed: rapid.Int64Range(0, 1e9).Draw(t, "c"), Requests: rapid.Int64Range(0, 1e6).Draw(t, "r"), Weight: rapid.Int64Range(0, 1e9).Draw(t, "w")}
		var sum quota.Count
		for _, p := range quota.Spread(nil, now, span, c) {
			sum = sum.Plus(p.Count)
			require.GreaterOrEqual(t, p.Consumed, int64(0))
			require.LessOrEqual(t, p.Bucket, quota.Bucket(now))
			require.GreaterOrEqual(t, p.Bucket, quota.Bucket(now.Add(-500*time.Millisecond)))
		}
		require.Equal(t, c, sum)
	})
}

// One agent that reports every 100 ms, a little unevenly, shows no jumps.
func TestUnevenFramesShowNoJump(t *testing.T) {
	var ring quota.Ring
	now := time.Unix(1e9, 0)
	last := now
	for i := range 200 {
		at := now.Add(time.Duration(i)*100*time.Millisecond + time.Duration(i*37%40)*time.Millisecond)
		n := int64(at.Sub(last).Milliseconds()) * 10
		for _, p := range quota.Spread(nil, at, at.Sub(last), quota.Count{Consumed: n, Requests: n}) {
			ring.Add(p)
		}
		last = at
		if i > 20 {
			require.InDelta(t, 1000, quota.Read(at, time.Second, ring.At).Fast.Requests, 30)
		}
	}
}

func BenchmarkLocalAdd(b *testing.B) {
	var r quota.Ring
	for i := int64(0); b.Loop(); i++ {
		r.Add(quota.Part{Bucket: i >> 10, Count: quota.Count{Consumed: 1, Requests: 1}})
	}
}
