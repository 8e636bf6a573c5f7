package redis_test

import (
	"context"
	"crypto/rand"
	"errors"
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
