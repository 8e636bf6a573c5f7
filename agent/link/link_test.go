package link

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
)

func TestTheExchangeWithTheLeastRoundTripCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClock(0)
		_, _, known := c.reference()
		require.False(t, known)
		const skew = 5 * time.Minute
		exchange := func(there, back time.Duration) {
			sent := c.local()
			time.Sleep(there)
			ref := time.Now().Add(skew)
			time.Sleep(back)
			c.exchange(sent, c.local(), ref)
		}
		check := func(within time.Duration) {
			t.Helper()
			now, ahead, known := c.reference()
			require.True(t, known)
			require.InDelta(t, 0, time.Now().Add(skew).Sub(now), float64(within))
			require.InDelta(t, -skew, ahead, float64(within))
		}
		exchange(10*time.Millisecond, 90*time.Millisecond) // uneven: off by 40 ms, as its round trip admits
		check(50 * time.Millisecond)
		exchange(time.Millisecond, time.Millisecond)
		check(0)
		exchange(0, 200*time.Millisecond)
		check(0)
		time.Sleep(time.Hour)
		check(0)

		now := c.local()
		c.exchange(now.Add(time.Second), now, now) // answers nothing we sent
		c.exchange(now.Add(-time.Hour), now, now)
		check(0)
		for range clockSamples { // the good one has left the window
			exchange(0, 20*time.Millisecond)
		}
		check(10 * time.Millisecond)
	})
}

func TestBackoffIsBoundedAndSpread(t *testing.T) {
	for n, limit := range map[int]time.Duration{0: 500 * time.Millisecond, 1: time.Second, 5: 16 * time.Second, 6: 20 * time.Second, 1000: 20 * time.Second} {
		var sum time.Duration
		const rounds = 2000
		for range rounds {
			d := backoff(n)
			require.GreaterOrEqual(t, d, time.Duration(0))
			require.Less(t, d, limit)
			sum += d
		}
		require.InEpsilon(t, float64(limit)/2, float64(sum/rounds), 0.1, "full jitter: uniform from 0")
	}
	for range 100 {
		d := spread(time.Second)
		require.GreaterOrEqual(t, d, time.Second)
		require.LessOrEqual(t, d, 1501*time.Millisecond)
	}
}

func TestCredentialsStayOnThisMachineWithoutTLS(t *testing.T) {
	for _, a := range []string{"127.0.0.1:7600", "[::1]:7600", "localhost:1", "unix:/run/a.sock"} {
		require.NoError(t, CheckAddress(a), a)
	}
	for _, a := range []string{"10.0.0.1:7600", "controller:7600", "127.0.0.1", "", "localhost.evil.example:1", "0.0.0.0:1"} {
		require.Error(t, CheckAddress(a), a)
	}
}

func TestInstancesAreNamesAndDiffer(t *testing.T) {
	for _, host := range []string{"", "sn-1", "---", "Ünïcode höst\n", strings.Repeat("long", 40)} {
		a, b := NewInstance(host), NewInstance(host)
		require.True(t, gear.PlaceName(a), "%q", a)
		require.NotEqual(t, a, b)
	}
}

func TestCredentialLife(t *testing.T) {
	now := time.Now()
	c := credential{bearer: "x", renew: now.Add(time.Minute), expires: now.Add(2 * time.Minute)}
	require.True(t, c.valid(now) && c.renewable(now))
	late := now.Add(90 * time.Second)
	require.True(t, !c.valid(late) && c.renewable(late))
	gone := now.Add(3 * time.Minute)
	require.True(t, !c.valid(gone) && !c.renewable(gone))
	require.False(t, credential{}.valid(now))
}
