package servertest

import (
	"fmt"
	"log/slog"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/quota"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
)

// Ranker is a real agent whose requests take quota.
type Ranker struct {
	*agent.Agent
	quota *quota.Quota
	owed  float64
	log   []Held
}

// Held is one line of a ranker's log: the base quota in force from then on.
type Held struct {
	At   time.Time
	Base float64
	Rung gear.QuotaRung
}

// requestEvery is how often a ranker catches up with its rate.
const requestEvery = 5 * time.Millisecond

// Rankers are many, driven by one goroutine, so that hundreds fit on a core.
type Rankers struct {
	All []*Ranker

	mu    *sync.Mutex
	state *rankState
}

type rankState struct {
	rate float64 // requests a second of each
	wait []time.Duration
}

// Rank starts n rankers of app sn in IDC na61, each at a rate.
func Rank(t testing.TB, network *Network, token string, n int, rate float64) Rankers {
	t.Helper()
	rs := Rankers{mu: new(sync.Mutex), state: &rankState{rate: rate}}
	for i := range n {
		r := &Ranker{owed: float64(i) / float64(n)}
		r.Agent = agent.New(agent.Config{
			App: "sn", IDC: "na61", Instance: fmt.Sprintf("ranker-%d", i), Host: "h", Build: "1", Address: "127.0.0.1:1", EnrolToken: token,
			CPU: func() float64 { return 0.5 }, Log: slog.New(slog.DiscardHandler),
		}, agent.WithDialer(network.Dialer("na61")))
		r.quota = r.Point("rank").Quota("k2").Default(50)
		require.NoError(t, r.Start(t.Context()))
		rs.All = append(rs.All, r)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		rs.drive(stop)
	}()
	t.Cleanup(func() {
		close(stop)
		<-done
		var all sync.WaitGroup
		for _, r := range rs.All {
			all.Go(func() { _ = r.Close() })
		}
		all.Wait()
	})
	return rs
}

// drive makes requests, times each Take, and logs the bases.
func (rs Rankers) drive(stop <-chan struct{}) {
	t := time.NewTicker(requestEvery)
	defer t.Stop()
	last := time.Now()
	for {
		select {
		case <-stop:
			return
		case now := <-t.C:
			rs.mu.Lock()
			due := rs.state.rate * min(now.Sub(last).Seconds(), 1)
			last = now
			for _, r := range rs.All {
				for r.owed += due; r.owed >= 1; r.owed-- {
					began := time.Now()
					r.quota.Take(1, 100_000)
					rs.state.wait = append(rs.state.wait, time.Since(began))
				}
				base, rung := r.quota.Base()
				if n := len(r.log); n == 0 || r.log[n-1].Rung != rung || r.log[n-1].Base != base {
					r.log = append(r.log, Held{now, base, rung})
				}
			}
			rs.mu.Unlock()
		}
	}
}

// SetRate changes the requests a second of every ranker.
func (rs Rankers) SetRate(rate float64) {
	rs.mu.Lock()
	rs.state.rate = rate
	rs.mu.Unlock()
}

// Bases are those in force now, and how many rankers stand on a rung.
func (rs Rankers) Bases(on gear.QuotaRung) (bases []float64, n int) {
	for _, r := range rs.All {
		b, rung := r.quota.Base()
		bases = append(bases, b)
		if rung == on {
			n++
		}
	}
	return bases, n
}

// Near reports whether every ranker's base is within share of want.
func (rs Rankers) Near(want, share float64) bool {
	bases, _ := rs.Bases(gear.QuotaLive)
	return !slices.ContainsFunc(bases, func(b float64) bool { return math.Abs(b/want-1) > share })
}

// Log is everything that a ranker's base was since a time.
func (rs Rankers) Log(i int, since time.Time) (out []Held) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, h := range rs.All[i].log {
		if h.At.After(since) {
			out = append(out, h)
		}
	}
	return out
}

// Waits takes the times that requests waited in Take, and forgets them.
func (rs Rankers) Waits() (n int, p999, worst time.Duration) {
	rs.mu.Lock()
	all := rs.state.wait
	rs.state.wait = nil
	rs.mu.Unlock()
	if len(all) == 0 {
		return 0, 0, 0
	}
	slices.Sort(all)
	return len(all), all[len(all)*999/1000], all[len(all)-1]
}

// Group makes a quota group of sn's rank.
func (c *Client) Group(total float64) *api.QuotaGroup {
	c.t.Helper()
	var g api.QuotaGroup
	c.Do("POST", "/quota-groups", api.QuotaGroupInput{
		Name: "rank", Enabled: true, Reason: "test", Members: []api.Selector{{Scene: "*", IDC: "*", App: "sn", Point: "rank"}},
		Settings: api.QuotaSettings{
			TotalQuota: total, Window: "1s", Delay: "300ms", QMin: 2, QMax: 2000, DefaultQuota: 60, Law: "log", FeedForward: true,
			WeightMin: 0.5, WeightMax: 1.5, Watermark: 0.7, FallbackSlew: 0.1, ReturnSlew: 0.5,
		},
	}, &g)
	return &g
}

// Quota is how the group stands.
func (c *Client) Quota() (g api.QuotaState) {
	c.t.Helper()
	c.Do("GET", "/quota-groups/rank", nil, &g)
	return g
}
