package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/fleet"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shelf is a store in memory that counts writes and can be away.
type shelf struct {
	mu     sync.Mutex
	agents map[string]fleet.Agent
	writes int
	away   error
}

func newShelf() *shelf { return &shelf{agents: map[string]fleet.Agent{}} }

func (s *shelf) SaveAgents(_ context.Context, agents []fleet.Agent) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away != nil {
		return s.away
	}
	s.writes++
	for _, a := range agents {
		s.agents[a.Instance] = a
	}
	return nil
}

func (s *shelf) LoadAgents(context.Context) (out []fleet.Agent, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.agents {
		out = append(out, a)
	}
	return out, s.away
}

func (s *shelf) DeleteAgents(_ context.Context, instances []string, _ time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, i := range instances {
		delete(s.agents, i)
	}
	return s.away
}

func (s *shelf) BannedAgents(context.Context) (map[string]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]string{}
	for i, a := range s.agents {
		if a.Banned != "" {
			out[i] = a.Banned
		}
	}
	return out, s.away
}

func (s *shelf) BanAgent(_ context.Context, instance, reason string, _ audit.Change) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.agents[instance]
	if !ok {
		return fault.New(fault.NotFound, "no agent")
	}
	a.Banned = reason
	s.agents[instance] = a
	return nil
}

func (s *shelf) UnbanAgent(ctx context.Context, instance string, c audit.Change) error {
	return s.BanAgent(ctx, instance, "", c)
}

func (s *shelf) written() (int, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes, len(s.agents)
}

func (s *shelf) setAway(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = err
}

var t0 = time.Date(2026, 11, 11, 0, 0, 0, 0, time.UTC)

func hello(instance string) gear.Hello {
	return gear.Hello{
		App: "sn", IDC: "na61", Instance: instance, Host: "h1", Build: "1.2", SDK: "go", StartedAt: t0,
		Points: []gear.PointDecl{{Name: "recall", Params: []gear.Param{{Name: "tag_count", Kind: gear.KindInt, Max: gear.Int(200)}}}},
	}
}

func connect(t *testing.T, r *fleet.Registry, h gear.Hello, now time.Time) fleet.Connection {
	c, err := r.Connect(h, "127.0.0.1:1", now)
	require.NoError(t, err)
	return c
}

func TestPresence(t *testing.T) {
	r := fleet.NewRegistry(newShelf(), fleet.Options{})
	c := connect(t, r, hello("sn-1"), t0)
	state := func(now time.Time) fleet.State {
		a, err := r.Get("sn-1", now)
		require.NoError(t, err)
		return a.State
	}
	require.Equal(t, fleet.StateConnected, state(t0.Add(5*time.Second)))
	require.Equal(t, fleet.StateStale, state(t0.Add(5*time.Second+1)))
	require.True(t, r.Report(c.Session, &gear.Report{CPU: 0.5, Clock: time.Second, Held: gear.Version{Revision: 3}}, t0.Add(8*time.Second)))
	require.Equal(t, fleet.StateConnected, state(t0.Add(9*time.Second)))
	r.SetRules(500*time.Millisecond, 0)
	require.Equal(t, fleet.StateStale, state(t0.Add(9*time.Second)))
	require.True(t, r.Disconnect(c.Session, t0.Add(10*time.Second)))
	require.Equal(t, fleet.StateDisconnected, state(t0.Add(10*time.Second)))
	require.False(t, r.Report(c.Session, &gear.Report{}, t0), "a session that is over says nothing")
	require.False(t, r.Ack(c.Session, gear.Ack{}, t0))
}

func TestSameProcessReplacesItsSession(t *testing.T) {
	r := fleet.NewRegistry(newShelf(), fleet.Options{})
	old := connect(t, r, hello("sn-1"), t0)
	refusal := gear.Ack{Version: gear.Version{Revision: 7}, Refused: true}
	require.True(t, r.Ack(old.Session, refusal, t0))
	fresh := connect(t, r, hello("sn-1"), t0)
	require.Equal(t, "sn-1", fresh.Instance)
	require.Equal(t, old.Session, fresh.Replaced)
	require.Equal(t, refusal, fresh.LastAck)
	require.False(t, r.Disconnect(old.Session, t0), "the late close")
	require.True(t, r.Live(fresh.Session))
	a, err := r.Get("sn-1", t0)
	require.NoError(t, err)
	require.Equal(t, fresh.Session, a.Session)
}

func TestAnotherLiveProcessGetsANewID(t *testing.T) {
	r := fleet.NewRegistry(newShelf(), fleet.Options{})
	first := connect(t, r, hello("sn-1"), t0)
	h := hello("sn-1")
	h.StartedAt = t0.Add(time.Minute)
	second := connect(t, r, h, t0)
	require.NotEqual(t, "sn-1", second.Instance)
	require.Empty(t, second.Replaced)
	require.True(t, r.Live(first.Session))
	require.True(t, r.Live(second.Session))

	require.True(t, r.Disconnect(first.Session, t0))
	h.StartedAt = t0.Add(2 * time.Minute)
	third := connect(t, r, h, t0)
	require.Equal(t, "sn-1", third.Instance, "the id is free again")
	require.False(t, third.LastAck.Refused, "another process refused nothing")

	long := hello("a234567890123456789012345678901234567890123456789012345678901234"[:gear.MaxName])
	connect(t, r, long, t0)
	long.Host = "h2"
	require.LessOrEqual(t, len(connect(t, r, long, t0).Instance), gear.MaxName)
}

func TestHelloIsChecked(t *testing.T) {
	for name, edit := range map[string]func(*gear.Hello){
		"app: app is required":                                func(h *gear.Hello) { h.App = "" },
		"app: app wants letters":                              func(h *gear.Hello) { h.App = gear.Any },
		"idc: idc wants letters":                              func(h *gear.Hello) { h.IDC = "na61\nlevel=ERROR" },
		"host: host wants letters":                            func(h *gear.Hello) { h.Host = "h 1" },
		"build: build wants at most":                          func(h *gear.Hello) { h.Build = "1.2\u202e" },
		"sdk: sdk wants at most":                              func(h *gear.Hello) { h.SDK = "\xff" },
		"capabilities[0]: capabilities[0] wants":              func(h *gear.Hello) { h.Capabilities = []string{"\x00"} },
		"points[1].name: point recall is declared twice":      func(h *gear.Hello) { h.Points = append(h.Points, h.Points[0]) },
		"points[0].params[0].name: a parameter's name wants":  func(h *gear.Hello) { h.Points[0].Params[0].Name = "Tag" },
		"points[0].params[1].name: parameter tag_count is de": func(h *gear.Hello) { h.Points[0].Params = append(h.Points[0].Params, h.Points[0].Params[0]) },
	} {
		r := fleet.NewRegistry(newShelf(), fleet.Options{})
		h := hello("sn-1")
		edit(&h)
		_, err := r.Connect(h, "", t0)
		require.True(t, fault.Is(err, fault.Invalid), name)
		require.ErrorContains(t, err, name)
		require.NotContains(t, err.Error(), "\n")
		require.Empty(t, r.Counts(t0), "nothing changed")
	}
}

func TestTheFleetIsBounded(t *testing.T) {
	r := fleet.NewRegistry(newShelf(), fleet.Options{MaxAgents: 2, MaxScenes: 3})
	c := connect(t, r, hello("sn-1"), t0)
	connect(t, r, hello("sn-2"), t0)
	_, err := r.Connect(hello("sn-3"), "", t0)
	require.True(t, fault.Is(err, fault.Unavailable))
	connect(t, r, hello("sn-2"), t0)

	rep := &gear.Report{}
	for i := range 10 {
		rep.Points = append(rep.Points, gear.PointReport{Scene: fmt.Sprint("k", i)})
	}
	rep.Points = append(rep.Points, gear.PointReport{Scene: "\x1b"})
	require.True(t, r.Report(c.Session, rep, t0))
	require.Equal(t, []string{"k0", "k1", "k2"}, r.Scenes("sn"))
	require.Empty(t, r.Scenes("rank"))
}

func TestDeclared(t *testing.T) {
	r := fleet.NewRegistry(newShelf(), fleet.Options{})
	for i := range 3 {
		connect(t, r, hello(fmt.Sprint("sn-", i)), t0)
	}
	newer := hello("sn-9")
	newer.Build = "1.3"
	newer.Points[0].Params = []gear.Param{{Name: "tag_count", Kind: gear.KindInt, Max: gear.Int(300)}}
	c := connect(t, r, newer, t0)
	d := r.Declared("sn")
	require.Len(t, d, 2)
	require.Equal(t, []any{"1.2", 3, gear.Int(200)}, []any{d[0].Build, d[0].Machines, d[0].Params[0].Max})
	require.Equal(t, []any{"1.3", 1, gear.Int(300)}, []any{d[1].Build, d[1].Machines, d[1].Params[0].Max})
	require.Empty(t, r.Declared("rank"))
	require.Equal(t, []fleet.Place{{App: "sn", IDC: "na61"}}, r.Places())

	before := r.Changes()
	newer.Points = append(newer.Points, gear.PointDecl{Name: "rank"})
	require.NoError(t, r.Redeclare(c.Session, newer, t0))
	require.Greater(t, r.Changes(), before)
	require.Equal(t, []string{"rank", "recall"}, r.Points("sn", "na61"))
	newer.Points = []gear.PointDecl{{Name: "bad name"}}
	require.True(t, fault.Is(r.Redeclare(c.Session, newer, t0), fault.Invalid))
	require.Equal(t, []string{"rank", "recall"}, r.Points("sn", "na61"))
}

func TestList(t *testing.T) {
	r := fleet.NewRegistry(newShelf(), fleet.Options{})
	for i := range 25 {
		h := hello(fmt.Sprintf("sn-%02d", i))
		if i%5 == 0 {
			h.IDC = "su18"
		}
		connect(t, r, h, t0)
	}
	page, next := r.List(fleet.Filter{IDC: "na61", Limit: 15}, t0)
	require.Len(t, page, 15)
	page, next = r.List(fleet.Filter{IDC: "na61", Limit: 15, After: next}, t0)
	require.Len(t, page, 5)
	require.Empty(t, next)
	found, _ := r.List(fleet.Filter{Search: "SN-07"}, t0)
	require.Len(t, found, 1)
	found, _ = r.List(fleet.Filter{State: fleet.StateStale}, t0.Add(time.Minute))
	require.Len(t, found, 25)
}

func TestBan(t *testing.T) {
	s := newShelf()
	r := fleet.NewRegistry(s, fleet.Options{})
	c := connect(t, r, hello("sn-1"), t0)
	_, err := r.Ban(t.Context(), "sn-1", "", audit.Change{}, t0)
	require.True(t, fault.Is(err, fault.Invalid))
	was, err := r.Ban(t.Context(), "sn-1", "bad disk", audit.Change{}, t0)
	require.NoError(t, err)
	require.Equal(t, c.Session, was.Session)
	require.Equal(t, "bad disk", s.agents["sn-1"].Banned)
	require.Equal(t, map[fleet.State]int{fleet.StateBanned: 1}, r.Counts(t0))
	_, err = r.Connect(hello("sn-1"), "", t0)
	require.True(t, fault.Is(err, fault.Forbidden))
	require.True(t, r.Disconnect(c.Session, t0))
	require.Empty(t, r.AgeOut(t0.Add(1000*time.Hour)), "a ban is not forgotten")
	require.Empty(t, r.Declared("sn"))
	require.NoError(t, r.Unban(t.Context(), "sn-1", audit.Change{}, t0))
	connect(t, r, hello("sn-1"), t0)
	_, err = r.Ban(t.Context(), "nobody", "x", audit.Change{}, t0)
	require.True(t, fault.Is(err, fault.NotFound))
}

func TestWritesAreBatchedAndSurviveAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		r := fleet.NewRegistry(s, fleet.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		go r.Run(ctx)
		s.setAway(errors.New("database is away"))
		for i := range 300 {
			connect(t, r, hello(fmt.Sprint("sn-", i)), time.Now())
			time.Sleep(10 * time.Millisecond)
		}
		writes, agents := s.written()
		require.Zero(t, writes+agents)
		s.setAway(nil)
		time.Sleep(1100 * time.Millisecond)
		writes, agents = s.written()
		require.Equal(t, []int{1, 300}, []int{writes, agents}, "one write, nothing lost")
		time.Sleep(10 * time.Second)
		writes, _ = s.written()
		require.Equal(t, 1, writes, "nothing changed, nothing written")

		connect(t, r, hello("last"), time.Now())
		cancel()
		synctest.Wait()
		_, agents = s.written()
		require.Equal(t, 301, agents, "the end flushes")

		again := fleet.NewRegistry(s, fleet.Options{})
		require.NoError(t, again.Load(t.Context()))
		require.Equal(t, map[fleet.State]int{fleet.StateDisconnected: 301}, again.Counts(time.Now()))
		require.Equal(t, 301, again.Declared("sn")[0].Machines)

		gone := again.AgeOut(time.Now().Add(25 * time.Hour))
		require.Len(t, gone, 301)
		require.NoError(t, again.Flush(t.Context(), time.Now()))
		_, agents = s.written()
		require.Zero(t, agents)
	})
}

// TestAReturnOfAllIsNoLoad: ten thousand agents that come back to a controller that
// began anew, as they were, write nothing; when they leave, rows go out evenly.
func TestAReturnOfAllIsNoLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 10_000
		s := newShelf()
		old := fleet.NewRegistry(s, fleet.Options{})
		for i := range n {
			connect(t, old, hello(fmt.Sprint("sn-", i)), time.Now())
		}
		require.NoError(t, old.Flush(t.Context(), time.Now()))
		before, _ := s.written()

		r := fleet.NewRegistry(s, fleet.Options{})
		require.NoError(t, r.Load(t.Context()))
		ctx, cancel := context.WithCancel(t.Context())
		go r.Run(ctx)
		time.Sleep(time.Minute)
		var sessions []string
		for i := range n {
			sessions = append(sessions, connect(t, r, hello(fmt.Sprint("sn-", i)), time.Now()).Session)
		}
		time.Sleep(time.Minute + time.Second/2) // between two turns, not at the instant of one
		after, _ := s.written()
		require.Equal(t, before, after)
		for _, id := range sessions {
			r.Disconnect(id, time.Now())
		}
		for range 10 {
			time.Sleep(time.Second)
			synctest.Wait()
			now, _ := s.written()
			require.LessOrEqual(t, now-after, 2, "at most two batches of 500 a second")
			after = now
		}
		cancel()
		synctest.Wait()
	})
}
