package redis

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/quota"
	"github.com/allspark/allspark/server/storetest/services"
	"github.com/allspark/allspark/server/template"
)

const (
	costGroups = 10
	costAgents = 200
	costRate   = 1_000_000 // requests a second, over all agents
	costTicks  = 40
	perRequest = 60_000 // requests of a base
	workers    = 16
	windowMS   = 1000
)

// sumZSET keeps an exact log of costs, a member a request, and sums it.
var sumZSET = redis.NewScript(`
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, ARGV[1]-ARGV[2])
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[3])
redis.call('PEXPIRE', KEYS[1], 2000)
local s = 0
for _, m in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do s = s + tonumber(string.match(m, '^%d+')) end
return s`)

// gcra is the generic cell rate algorithm for a cost, as rate limiters keep it in
// Redis: one theoretical arrival time a key.
var gcra = redis.NewScript(`
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local tat = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now) + ARGV[1] * ARGV[2]
if tat - now > tonumber(ARGV[3]) then return -1 end
redis.call('SET', KEYS[1], string.format('%d', tat), 'PX', 5000)
return tat - now`)

// BenchmarkCost tells Redis's CPU for a million requests: ours, batched by agents
// and replicas, and three designs that ask Redis for every request.
func BenchmarkCost(b *testing.B) {
	server := services.OwnRedis(b)
	b.Run("ours", func(b *testing.B) {
		for range b.N {
			seconds, commands := batched(b, server.URL)
			b.ReportMetric(seconds, "redis-s/1M")
			b.ReportMetric(commands, "commands/1M")
		}
	})
	ctx := context.Background()
	for name, ask := range map[string]func(c *redis.Client, key string, cost, id int64) error{
		"incrby": func(c *redis.Client, key string, cost, _ int64) error {
			return c.IncrBy(ctx, key+strconv.FormatInt(time.Now().UnixMilli()/100, 10), cost).Err()
		},
		"zset": func(c *redis.Client, key string, cost, id int64) error {
			return sumZSET.Run(ctx, c, []string{key}, time.Now().UnixMilli(), windowMS, fmt.Sprint(cost, ":", id)).Err()
		},
		"gcra": func(c *redis.Client, key string, cost, _ int64) error {
			return gcra.Run(ctx, c, []string{key}, cost, 0.001, 1_000_000).Err()
		},
	} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				seconds, commands := each(b, server.URL, name, ask)
				b.ReportMetric(seconds, "redis-s/1M")
				b.ReportMetric(commands, "commands/1M")
			}
		})
	}
}

// spent reads Redis's own CPU and how many commands it has run.
func spent(b *testing.B, c redis.UniversalClient) (seconds, commands float64) {
	info, err := c.Info(context.Background(), "cpu", "stats").Result()
	require.NoError(b, err)
	for line := range strings.SplitSeq(info, "\r\n") {
		k, v, _ := strings.Cut(line, ":")
		x, _ := strconv.ParseFloat(v, 64)
		switch k {
		case "used_cpu_user", "used_cpu_sys":
			seconds += x
		case "total_commands_processed":
			commands = x
		}
	}
	return seconds, commands
}

// batched is a leader and a follower with a hundred agents each, at the rate, for
// costTicks in real time.
func batched(b *testing.B, url string) (seconds, commands float64) {
	var meters [2]*quota.Meter
	var windows [2]*Window
	var groups []*quota.Group
	for g := range costGroups {
		s := quota.DefaultSettings()
		s.Total = 1e6
		name := "g" + strconv.Itoa(g)
		groups = append(groups, &quota.Group{ID: name, Name: name, Enabled: true, Settings: s, Members: []template.Selector{{Scene: "*", IDC: "*", App: name, Point: "rank"}}})
	}
	for i := range windows {
		w, err := Open(Options{URL: url, Prefix: "cost"})
		require.NoError(b, err)
		defer w.Close()
		windows[i], meters[i] = w, quota.NewMeter()
		meters[i].Know(groups)
	}
	reader := windows[0].client
	var s0, c0 float64
	requests := 0
	tick := time.NewTicker(quota.Tick)
	defer tick.Stop()
	var ids []string
	var ask []quota.Query
	for _, g := range groups {
		ids, ask = append(ids, g.ID), append(ask, quota.Query{Group: g.ID, Window: g.Settings.Window})
	}
	for i := range costTicks + 12 {
		now := <-tick.C
		if i == 12 { // the window is full
			s0, c0 = spent(b, reader)
			requests = 0
		}
		for a := range costAgents { // an agent serves one group here
			n := int64(costRate / costAgents / 10)
			meters[a%2].Count("g"+strconv.Itoa(a%costGroups), "na61", strconv.Itoa(a), []gear.QuotaCount{{Group: "g" + strconv.Itoa(a%costGroups), Span: quota.Tick, Requests: n, Consumed: 100 * n}}, now)
			requests += int(n)
		}
		ctx := context.Background()
		sums, err := windows[0].Exchange(ctx, now, meters[0].Take(now), ask)
		require.NoError(b, err)
		ds := make([]quota.Decision, len(sums))
		for k := range sums {
			ds[k] = quota.Decision{Group: ids[k], Epoch: 1, Tick: int64(i), At: now, Base: 100, Sum: sums[k].Window.Consumed, Total: 1e6}
		}
		require.NoError(b, windows[0].Publish(ctx, ds))
		_, err = windows[1].Exchange(ctx, now, meters[1].Take(now), nil)
		require.NoError(b, err)
		_, err = windows[1].Follow(ctx, ids)
		require.NoError(b, err)
	}
	s1, c1 := spent(b, reader)
	return (s1 - s0) * 1e6 / float64(requests), (c1 - c0) * 1e6 / float64(requests)
}

// each asks Redis once a request, as fast as it answers.
func each(b *testing.B, url, name string, ask func(c *redis.Client, key string, cost, id int64) error) (seconds, commands float64) {
	opt, err := redis.ParseURL(url)
	require.NoError(b, err)
	opt.PoolSize = workers
	c := redis.NewClient(opt)
	defer c.Close()
	n := int64(perRequest)
	if name == "zset" {
		n /= 4 // it sums thousands of members for each
	}
	var id atomic.Int64
	s0, c0 := spent(b, c)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 1))
			for i := id.Add(1); i <= n; i = id.Add(1) {
				if err := ask(c, name+":{"+strconv.Itoa(rng.IntN(costGroups))+"}", 1+rng.Int64N(100), i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	s1, c1 := spent(b, c)
	return (s1 - s0) * 1e6 / float64(n), (c1 - c0) * 1e6 / float64(n)
}
