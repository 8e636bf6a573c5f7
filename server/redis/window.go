package redis

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/allspark/allspark/server/quota"
)

const (
	// Timeout bounds a call.
	Timeout = 50 * time.Millisecond
	// keepExtra is how long a sub-window outlives the window it is read for.
	keepExtra = 10 * time.Second
	// decisionLife is longer than a base quota's TTL: whoever reads it checks.
	decisionLife = 2 * time.Second
	// recent is how many sub-windows may still grow: those that late counts reach.
	recent = 16
)

// Options say where Redis is.
type Options struct {
	// URL is redis://[user:password@]host:port[/db], rediss:// for TLS, or
	// unix:///path/to.sock. With Cluster, more nodes follow as ?addr=host:port.
	URL     string
	Cluster bool
	Prefix  string // of keys; "allspark" when empty
}

// Window is the shared window.
type Window struct {
	client redis.UniversalClient
	prefix string
	breaker

	mu      sync.Mutex
	rings   map[string]*cache
	expires map[string]int64 // by key: already told to expire
}

// cache keeps the sub-windows that cannot grow any more.
type cache struct {
	ring quota.Ring
	read int64 // the newest sub-window read
	used time.Time
}

// Open makes the client; it does not wait for Redis.
func Open(o Options) (*Window, error) {
	if o.Prefix == "" {
		o.Prefix = "allspark"
	}
	w := &Window{prefix: o.Prefix, rings: map[string]*cache{}, expires: map[string]int64{}}
	if o.Cluster {
		c, err := redis.ParseClusterURL(o.URL)
		if err != nil {
			return nil, fmt.Errorf("redis url: %w", err)
		}
		c.DialTimeout, c.ReadTimeout, c.WriteTimeout, c.PoolTimeout = Timeout, Timeout, Timeout, Timeout
		c.MaxRetries, c.MaxRedirects, c.ContextTimeoutEnabled, c.PoolSize = -1, 2, true, 4
		w.client = redis.NewClusterClient(c)
		return w, nil
	}
	c, err := redis.ParseURL(o.URL)
	if err != nil {
		return nil, fmt.Errorf("redis url: %w", err)
	}
	c.DialTimeout, c.ReadTimeout, c.WriteTimeout, c.PoolTimeout = Timeout, Timeout, Timeout, Timeout
	c.MaxRetries, c.ContextTimeoutEnabled, c.PoolSize, c.MinIdleConns = -1, true, 4, 1
	w.client = redis.NewClient(c)
	return w, nil
}

// Close ends all connections.
func (w *Window) Close() error { return w.client.Close() }

// Ping asks whether Redis answers, whatever the breaker thinks.
func (w *Window) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	return w.client.Ping(ctx).Err()
}

func (w *Window) bucketKey(group string, bucket int64) string {
	return w.prefix + ":{" + group + "}:w:" + strconv.FormatInt(bucket, 10)
}

func (w *Window) decisionKey(group string) string { return w.prefix + ":{" + group + "}:d" }

// do runs calls as one pipeline behind the breaker.
func (w *Window) do(ctx context.Context, fill func(p redis.Pipeliner)) error {
	if err := w.allow(time.Now()); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	p := w.client.Pipeline()
	fill(p)
	if p.Len() == 0 {
		w.report(nil, time.Now())
		return nil
	}
	_, err := p.Exec(ctx)
	if errors.Is(err, redis.Nil) { // a key that is not there is an answer
		err = nil
	}
	w.report(err, time.Now())
	return err
}

// Exchange implements quota.Window.
func (w *Window) Exchange(ctx context.Context, now time.Time, add []quota.Added, ask []quota.Query) ([]quota.Sums, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	reads := make([]*redis.SliceCmd, len(ask))
	from := make([]int64, len(ask))
	newest := quota.Bucket(now)
	err := w.do(ctx, func(p redis.Pipeliner) {
		for _, a := range add {
			for _, x := range a.Parts {
				w.count(ctx, p, &a, x)
			}
		}
		for i, q := range ask {
			from[i] = w.unread(q, now)
			keys := make([]string, 0, newest-from[i]+1)
			for b := from[i]; b <= newest; b++ {
				keys = append(keys, w.bucketKey(q.Group, b))
			}
			reads[i] = p.MGet(ctx, keys...)
		}
	})
	if err != nil {
		clear(w.rings) // what was read before may have been lost
		clear(w.expires)
		return nil, fmt.Errorf("quota window: %w", err)
	}
	out := make([]quota.Sums, len(ask))
	for i, q := range ask {
		c := w.rings[q.Group]
		for k, v := range reads[i].Val() {
			s, _ := v.(string)
			c.ring.Set(quota.Part{Bucket: from[i] + int64(k), Count: decode(s)})
		}
		c.read = newest
		out[i] = quota.Read(now, q.Window, c.ring.At)
	}
	w.forget(now)
	return out, nil
}

// count adds one sub-window, and has it expire the first time.
func (w *Window) count(ctx context.Context, p redis.Pipeliner, a *quota.Added, x quota.Part) {
	key := w.bucketKey(a.Group, x.Bucket)
	args := []any{"INCRBY", "i64", "#0", x.Consumed, "INCRBY", "i64", "#1", x.Requests}
	if x.Weight != 0 {
		args = append(args, "INCRBY", "i64", "#2", x.Weight)
	}
	p.BitField(ctx, key, args...)
	if _, told := w.expires[key]; !told {
		p.PExpire(ctx, key, a.Keep+keepExtra)
		w.expires[key] = x.Bucket
	}
}

// unread is the first sub-window to read: all of the window at first, later only
// those that may have grown.
func (w *Window) unread(q quota.Query, now time.Time) int64 {
	c := w.rings[q.Group]
	if c == nil {
		c = &cache{}
		w.rings[q.Group] = c
	}
	c.used = now
	first := quota.Bucket(now.Add(-quota.Lag - q.Window))
	if c.read == 0 || c.read < first {
		return first
	}
	return max(first, c.read-recent)
}

// forget drops what is no longer needed.
func (w *Window) forget(now time.Time) {
	for g, c := range w.rings {
		if now.Sub(c.used) > 2*quota.MaxWindow {
			delete(w.rings, g)
		}
	}
	if old := quota.Bucket(now) - 2*recent; len(w.expires) > 64 {
		for k, b := range w.expires {
			if b < old {
				delete(w.expires, k)
			}
		}
	}
}

// decode reads a sub-window's numbers; those that are not there are 0.
func decode(s string) quota.Count {
	var n [3]int64
	b := []byte(s)
	for i := range n {
		if len(b) >= 8 {
			n[i] = max(int64(binary.BigEndian.Uint64(b)), 0)
			b = b[8:]
		}
	}
	return quota.Count{Consumed: n[0], Requests: n[1], Weight: n[2]}
}

// Publish implements quota.Relay.
func (w *Window) Publish(ctx context.Context, ds []quota.Decision) error {
	docs := make([][]byte, len(ds))
	for i := range ds {
		b, err := json.Marshal(toDoc(&ds[i]))
		if err != nil {
			return fmt.Errorf("relay quota decision: %w", err)
		}
		docs[i] = b
	}
	return w.do(ctx, func(p redis.Pipeliner) {
		for i := range ds {
			p.Set(ctx, w.decisionKey(ds[i].Group), docs[i], decisionLife)
		}
	})
}

// Follow implements quota.Relay.
func (w *Window) Follow(ctx context.Context, groups []string) ([]quota.Decision, error) {
	reads := make([]*redis.StringCmd, len(groups))
	err := w.do(ctx, func(p redis.Pipeliner) {
		for i, g := range groups {
			reads[i] = p.Get(ctx, w.decisionKey(g))
		}
	})
	if err != nil {
		return nil, fmt.Errorf("follow quota decisions: %w", err)
	}
	var out []quota.Decision
	for i, r := range reads {
		var d doc
		if text, err := r.Result(); err == nil && json.NewDecoder(strings.NewReader(text)).Decode(&d) == nil {
			out = append(out, d.decision(groups[i]))
		}
	}
	return out, nil
}

var (
	_ quota.Window = (*Window)(nil)
	_ quota.Relay  = (*Window)(nil)
)
