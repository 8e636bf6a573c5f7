package redis_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/allspark/allspark/server/quota"
	"github.com/allspark/allspark/server/redis"
	"github.com/allspark/allspark/server/storetest/services"
	"github.com/allspark/allspark/server/storetest/windowtest"
)

func open(t *testing.T, url, prefix string) *redis.Window {
	w, err := redis.Open(redis.Options{URL: url, Prefix: prefix})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	return w
}

func TestWindow(t *testing.T) {
	url := services.Redis(t)
	windowtest.Run(t, func(t *testing.T) windowtest.Opened {
		prefix := "t-" + rand.Text()
		w := open(t, url, prefix)
		return windowtest.Opened{Window: w, Relay: w, Another: func() (quota.Window, quota.Relay) {
			o := open(t, url, prefix)
			return o, o
		}}
	})
}

// In a Cluster every command keeps to the slot of its group, whatever the groups'
// names: the suite passes as on one server.
func TestWindowInACluster(t *testing.T) {
	url := services.RedisCluster(t)
	open := func(t *testing.T, prefix string) *redis.Window {
		w, err := redis.Open(redis.Options{URL: url, Cluster: true, Prefix: prefix})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, w.Close()) })
		// The client learns the slots with its first command, which the budget of a
		// call is short for on a busy machine.
		require.Eventually(t, func() bool { return w.Ping(t.Context()) == nil }, 30*time.Second, 20*time.Millisecond)
		return w
	}
	windowtest.Run(t, func(t *testing.T) windowtest.Opened {
		prefix := "t-" + rand.Text()
		w := open(t, prefix)
		return windowtest.Opened{Window: w, Relay: w, Another: func() (quota.Window, quota.Relay) {
			o := open(t, prefix)
			return o, o
		}}
	})
	t.Run("many groups in one call", func(t *testing.T) {
		w := open(t, "many-"+rand.Text())
		now := time.Now()
		var add []quota.Added
		var ask []quota.Query
		var ds []quota.Decision
		var ids []string
		for i := range 20 {
			id := fmt.Sprintf("group-%d", i)
			ids = append(ids, id)
			add = append(add, quota.Added{Group: id, Keep: time.Second, Parts: []quota.Part{{Bucket: quota.Bucket(now) - 3, Count: quota.Count{Consumed: int64(i + 1), Requests: 1}}}})
			ask = append(ask, quota.Query{Group: id, Window: time.Second})
			ds = append(ds, quota.Decision{Group: id, Base: float64(i + 1)})
		}
		sums, err := w.Exchange(t.Context(), now, add, ask)
		require.NoError(t, err)
		for i := range sums {
			require.EqualValues(t, i+1, sums[i].Window.Consumed)
		}
		require.NoError(t, w.Publish(t.Context(), ds))
		got, err := w.Follow(t.Context(), ids)
		require.NoError(t, err)
		require.Len(t, got, 20)
	})
}

// A Redis that hangs costs no more than the budget, and soon nothing.
func TestABlackHoleIsNotWaitedFor(t *testing.T) {
	srv := services.OwnRedis(t)
	w := open(t, srv.URL, "hole")
	now := time.Now()
	add := []quota.Added{{Group: "g", Parts: []quota.Part{{Bucket: quota.Bucket(now), Count: quota.Count{Consumed: 5, Requests: 1}}}, Keep: time.Second}}
	ask := []quota.Query{{Group: "g", Window: time.Second}}
	_, err := w.Exchange(t.Context(), now, add, ask)
	require.NoError(t, err)

	srv.Stop(t)
	open := false
	for range 10 {
		began := time.Now()
		_, err := w.Exchange(t.Context(), time.Now(), add, ask)
		require.Error(t, err)
		if open = errors.Is(err, redis.ErrOpen); open {
			break
		}
		require.Less(t, time.Since(began), redis.Timeout+time.Second) // the second is for a busy machine
	}
	require.True(t, open, "the breaker opens")
	quickest := time.Hour
	for range 20 {
		began := time.Now()
		_, err := w.Exchange(t.Context(), time.Now(), add, ask)
		require.Error(t, err)
		quickest = min(quickest, time.Since(began))
	}
	require.Less(t, quickest, redis.Timeout/10, "while it is open nobody waits")
	srv.Resume(t)
	require.Eventually(t, func() bool {
		_, err := w.Exchange(t.Context(), time.Now(), nil, ask)
		return err == nil
	}, 3*time.Second, 20*time.Millisecond)

	srv.Kill(t)
	_, err = w.Exchange(t.Context(), time.Now(), add, ask)
	require.Error(t, err)
	srv.Start(t)
	require.Eventually(t, func() bool {
		s, err := w.Exchange(t.Context(), time.Now().Add(2*quota.Lag), add, ask)
		return err == nil && s[0].Window.Consumed >= 0
	}, 3*time.Second, 20*time.Millisecond)
}

// Nothing is kept for ever.
func TestKeysExpire(t *testing.T) {
	url := services.Redis(t)
	w := open(t, url, "exp-"+rand.Text())
	now := time.Now()
	for i := range 3 {
		add := []quota.Added{{Group: "g", Parts: []quota.Part{{Bucket: quota.Bucket(now) - int64(i), Count: quota.Count{Consumed: 5, Requests: 1}}}, Keep: time.Second}}
		_, err := w.Exchange(context.Background(), now, add, nil)
		require.NoError(t, err)
	}
	require.NoError(t, w.Publish(context.Background(), []quota.Decision{{Group: "g", Base: 1}}))
	n, without := w.Keys(context.Background())
	require.Equal(t, 4, n)
	require.Zero(t, without)
}

func TestBadURLsAreErrors(t *testing.T) {
	_, err := redis.Open(redis.Options{URL: "http://nowhere"})
	require.Error(t, err)
	_, err = redis.Open(redis.Options{URL: "nonsense", Cluster: true})
	require.Error(t, err)
}

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("os/exec.(*Cmd).Wait"),
		goleak.IgnoreAnyFunction("github.com/allspark/allspark/server/storetest/services.spawn.func1"))
}
