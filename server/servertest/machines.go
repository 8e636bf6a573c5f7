package servertest

import (
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/proto/gear"
)

// watchEvery is how often a machine's log looks at what its requests would get.
const watchEvery = 20 * time.Millisecond

// Seen is one line of a machine's log: what a request got from then on.
type Seen struct {
	At      time.Time
	Version gear.Version
	Level   int
	Tags    int64
	Rung    gear.Rung
}

// Machine is one real agent with a point that reads tag_count.
type Machine struct {
	*agent.Agent
	App, IDC, Name string

	point *agent.Point
	tags  *agent.IntParam
	scene agent.Scene

	mu  sync.Mutex
	log []Seen
}

// MachineConfig says how to make a machine; zero fields get defaults.
type MachineConfig struct {
	agent.Config
	Network *Network
	Skew    time.Duration // of the machine's clock
	Point   string        // "recall" by default
}

// NewMachine makes a machine, not started.
func NewMachine(cfg MachineConfig) *Machine {
	if cfg.Host == "" {
		cfg.Host = cfg.Instance
	}
	if cfg.Build == "" {
		cfg.Build = "1.2"
	}
	if cfg.CPU == nil {
		cfg.CPU = func() float64 { return 0.5 }
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Address == "" {
		cfg.Address = "127.0.0.1:1" // a Network leads elsewhere
	}
	opts := []agent.Option{agent.WithClockOffset(cfg.Skew)}
	if cfg.Network != nil {
		opts = append(opts, agent.WithDialer(cfg.Network.Dialer(cfg.IDC)))
	}
	m := &Machine{App: cfg.App, IDC: cfg.IDC, Name: cfg.Instance, Agent: agent.New(cfg.Config, opts...)}
	if cfg.Point == "" {
		cfg.Point = "recall"
	}
	m.point = m.Agent.Point(cfg.Point)
	m.tags = m.point.Int("tag_count").Range(10, 200).Unit("tags").Default(100)
	m.scene = m.Scene("k2")
	return m
}

// Serve passes one request through the point and tells what it got.
func (m *Machine) Serve(elapsed time.Duration) Seen {
	d := m.point.Begin(m.scene, agent.Request{Load: 1})
	s := Seen{At: time.Now(), Version: d.Version(), Level: d.Level(), Tags: m.tags.Get(&d), Rung: d.Rung()}
	if elapsed > 0 {
		d.End(agent.Result{Elapsed: elapsed, Outcome: agent.OK})
	}
	return s
}

// Now is what a request would get.
func (m *Machine) Now() Seen { return m.Serve(0) }

func (m *Machine) look() {
	s := m.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.log); n > 0 && m.log[n-1].Version == s.Version && m.log[n-1].Level == s.Level && m.log[n-1].Rung == s.Rung {
		return
	}
	m.log = append(m.log, s)
}

// Log is everything the machine's requests got so far, a line a change.
func (m *Machine) Log() []Seen {
	m.look()
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Seen(nil), m.log...)
}

// Machines are many, each with a log that is checked in the end.
type Machines []*Machine

// Run makes n machines of an app in each IDC, starts them and writes their logs
// until the test ends.
func Run(t testing.TB, network *Network, token, app string, n int, idcs ...string) Machines {
	t.Helper()
	var ms Machines
	for _, idc := range idcs {
		for i := range n {
			ms = append(ms, NewMachine(MachineConfig{Network: network, Config: agent.Config{
				App: app, IDC: idc, Instance: fmt.Sprintf("%s-%s-%d", app, idc, i), EnrolToken: token,
			}}))
		}
	}
	ms.Start(t)
	return ms
}

// Start starts the machines, and stops and checks them when the test ends.
func (ms Machines) Start(t testing.TB) {
	t.Helper()
	for _, m := range ms {
		require.NoError(t, m.Agent.Start(t.Context()))
	}
	stop := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				for _, m := range ms {
					m.look()
				}
			}
		}
	})
	t.Cleanup(func() {
		close(stop)
		watching.Wait()
		var closing sync.WaitGroup
		for _, m := range ms {
			closing.Go(func() { _ = m.Close() })
		}
		closing.Wait()
		ms.Check(t)
	})
}

// Check reads every log: versions never go back.
func (ms Machines) Check(t testing.TB) {
	t.Helper()
	for _, m := range ms {
		log := m.Log()
		for i := 1; i < len(log); i++ {
			if log[i].Version.Less(log[i-1].Version) && log[i].Version != (gear.Version{}) {
				t.Errorf("%s went back from %v to %v at %s", m.Name, log[i-1].Version, log[i].Version, log[i].At)
			}
		}
	}
}

// In gives those of one IDC.
func (ms Machines) In(idc string) (out Machines) {
	for _, m := range ms {
		if m.IDC == idc {
			out = append(out, m)
		}
	}
	return out
}

// Count tells for how many a request would get what ok accepts.
func (ms Machines) Count(ok func(Seen) bool) (n int) {
	for _, m := range ms {
		if ok(m.Now()) {
			n++
		}
	}
	return n
}

// Await waits until a request gets what ok accepts on a share of the machines,
// and tells how long that took.
func (ms Machines) Await(t testing.TB, what string, share float64, ok func(Seen) bool) time.Duration {
	t.Helper()
	began := time.Now()
	want := int(share*float64(len(ms)) + 0.999)
	n := 0
	for {
		if n = ms.Count(ok); n >= want {
			return time.Since(began)
		}
		if time.Since(began) > patience {
			t.Fatalf("not within %v: %s: %d of %d", patience, what, n, len(ms))
		}
		time.Sleep(watchEvery / 4)
	}
}

// Level accepts a level.
func Level(level int) func(Seen) bool { return func(s Seen) bool { return s.Level == level } }

// Tags accepts a value of tag_count.
func Tags(n int64) func(Seen) bool { return func(s Seen) bool { return s.Tags == n } }
