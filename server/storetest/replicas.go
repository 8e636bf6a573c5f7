package storetest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/sketch"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/replica"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/telemetry"
)

// house is one controller's share of what controllers tell each other.
type house struct {
	fleet   *fleet.Registry
	windows *telemetry.Windows
	turn    func(t *testing.T)
	ended   []string
	others  map[string]fleet.Agent
	leads   bool
}

func newHouse(db *store.DB, name string) *house {
	h := &house{windows: telemetry.New(telemetry.Limits{}), others: map[string]fleet.Agent{}}
	h.fleet = fleet.NewRegistry(db, fleet.Options{
		Replica: name, Codec: store.Presence{}, Leading: func() bool { return h.leads }, AgeOut: time.Hour,
		End: func(a fleet.Agent, reason string) { h.ended = append(h.ended, a.Instance+": "+reason) },
		Elsewhere: func(agents []fleet.Agent) {
			for _, a := range agents {
				h.others[a.Instance] = a
			}
		},
		Log: slog.New(slog.DiscardHandler),
	})
	e := replica.New(replica.Config{Name: name, Store: db, Topics: []replica.Topic{h.fleet, h.windows}, After: h.fleet.Settle})
	h.turn = func(t *testing.T) {
		t.Helper()
		require.NoError(t, e.Turn(t.Context()))
	}
	return h
}

func turns(t *testing.T, houses ...*house) {
	t.Helper()
	for range 2 { // the first tells, the second hears
		for _, h := range houses {
			h.turn(t)
		}
	}
}

func helloFrom(instance string, started time.Time) gear.Hello {
	return gear.Hello{
		App: "sn", IDC: "na61", Instance: instance, Host: "h-" + instance, Build: "1.2", SDK: "go/1", StartedAt: started,
		Points: []gear.PointDecl{{Name: "recall", Params: []gear.Param{{Name: "tag_count", Kind: gear.KindInt, Min: gear.Int(10), Max: gear.Int(200), Default: gear.Int(100)}}}},
	}
}

// testReplicas: what one controller's agents declare, hold and measure is known to
// the other; an agent that moves is one agent; a ban counts everywhere.
func testReplicas(t *testing.T, db *store.DB) {
	now, err := db.Now(t.Context())
	require.NoError(t, err)
	now = now.Add(123 * time.Nanosecond) // processes tell their start more exactly than it is kept
	a, b := newHouse(db, "a"), newHouse(db, "b")
	get := func(h *house, instance string) fleet.Agent {
		t.Helper()
		x, err := h.fleet.Get(instance, now)
		require.NoError(t, err)
		return x
	}
	turns(t, a, b)
	one, err := a.fleet.Connect(helloFrom("sn-1", now), "10.0.0.1:1", now)
	require.NoError(t, err)
	_, err = b.fleet.Connect(helloFrom("sn-2", now), "10.0.0.2:1", now)
	require.NoError(t, err)
	turns(t, a, b)
	for _, h := range []*house{a, b} {
		require.Equal(t, map[fleet.State]int{fleet.StateConnected: 2}, h.fleet.Counts(now))
		d := h.fleet.Declared("sn")
		require.Len(t, d, 1, "one build, one declaration")
		require.Equal(t, 2, d[0].Machines)
		require.Equal(t, gear.Int(200), d[0].Params[0].Max)
	}
	require.Equal(t, "a", get(b, "sn-1").Replica)

	ack := gear.Ack{Version: gear.Version{Epoch: 1, Revision: 7}, Refused: true, Problems: gear.Problems{{Path: "orders[0]", Code: "range", Message: "no"}}}
	require.True(t, a.fleet.Ack(one.Session, ack, now))
	turns(t, a, b)
	require.Equal(t, ack, b.others["sn-1"].LastAck, "refusals too")

	t.Log("the agent moves to the other controller: one agent, one session, and the old stream ends")
	moved, err := b.fleet.Connect(helloFrom("sn-1", now), "10.0.0.1:2", now)
	require.NoError(t, err)
	require.Equal(t, "sn-1", moved.Instance)
	require.Equal(t, ack, moved.LastAck, "what it refused elsewhere is not sent again")
	turns(t, b, a)
	require.Equal(t, []string{"sn-1: served by another controller"}, a.ended)
	require.False(t, a.fleet.Live(one.Session))
	require.False(t, a.fleet.Disconnect(one.Session, now), "the late close")
	turns(t, a, b)
	require.Equal(t, "b", get(a, "sn-1").Replica)
	require.Equal(t, fleet.StateConnected, get(b, "sn-1").State)

	t.Log("another live process with the id gets one of its own, wherever it knocks")
	twin, err := a.fleet.Connect(helloFrom("sn-1", now.Add(time.Minute)), "10.0.0.9:1", now)
	require.NoError(t, err)
	require.NotEqual(t, "sn-1", twin.Instance)
	require.True(t, a.fleet.Leave(twin.Session, true, now))
	turns(t, a, b)
	require.True(t, b.others[twin.Instance].Left)

	t.Log("a ban at one ends the session at the other")
	require.NoError(t, a.fleet.Flush(t.Context(), now))
	_, err = a.fleet.Ban(t.Context(), "sn-1", "bad disk", audit.Change{Actor: "ann"}, now)
	require.NoError(t, err, "of an agent that the other serves and whose row is not written yet")
	runFor(t, b)
	require.Equal(t, []string{"sn-1: banned: bad disk"}, b.ended[:1])
	require.Equal(t, fleet.StateBanned, get(b, "sn-1").State)
	_, err = b.fleet.Connect(helloFrom("sn-1", now), "10.0.0.1:3", now)
	require.ErrorContains(t, err, "bad disk")
	require.NoError(t, b.fleet.Unban(t.Context(), "sn-1", audit.Change{Actor: "ann"}, now))
	runFor(t, a)
	require.Empty(t, a.fleet.Banned("sn-1"))

	t.Log("only who leads drops rows, and knows whom the others serve")
	a.leads = true
	require.NoError(t, b.fleet.Flush(t.Context(), now))
	later := now.Add(2 * time.Hour)
	gone := a.fleet.AgeOut(later)
	require.Len(t, gone, 1)
	require.Equal(t, twin.Instance, gone[0].Instance)
	require.NoError(t, a.fleet.Flush(t.Context(), later))
	rows, err := db.LoadAgents(t.Context())
	require.NoError(t, err)
	require.Len(t, rows, 2, "agents of the other are there")

	t.Log("a controller that begins anew: its agents are disconnected until they are back")
	b2 := newHouse(db, "b")
	require.NoError(t, b2.fleet.Load(t.Context()))
	turns(t, a, b2, a)
	require.Equal(t, fleet.StateDisconnected, get(a, "sn-2").State)
	_, err = b2.fleet.Connect(helloFrom("sn-2", now), "10.0.0.2:2", now)
	require.NoError(t, err)
	turns(t, b2, a)
	require.Equal(t, fleet.StateConnected, get(a, "sn-2").State)

	t.Log("one that does not come back: stale, then disconnected")
	a.fleet.Peer("b", false, now, now.Add(10*time.Second))
	require.Equal(t, fleet.StateStale, get(a, "sn-2").State)
	a.fleet.Settle(now)
	require.Equal(t, fleet.StateStale, a.others["sn-2"].State)
	_, err = a.fleet.Connect(helloFrom("sn-2", now.Add(time.Minute)), "10.0.0.2:9", now)
	require.NoError(t, err, "its id is free: nobody knows whether the old process lives")
	a.fleet.Peer("b", false, now, now.Add(2*time.Minute))
	require.Equal(t, fleet.StateConnected, get(a, "sn-2").State)

	n, err := db.ForgetReplicas(t.Context(), now.Add(time.Hour))
	require.NoError(t, err)
	require.EqualValues(t, 2, n)
	turns(t, a, b2)
	require.NoError(t, verify(t.Context(), db))
}

// runFor lets the registry take a turn of its own.
func runFor(t *testing.T, h *house) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	before := h.fleet.Changes()
	go func() { defer close(done); h.fleet.Run(ctx) }()
	require.Eventually(t, func() bool { return h.fleet.Changes() != before }, 30*time.Second, 10*time.Millisecond)
	stop()
	<-done
}

// testReplicaWindows: two controllers hear different agents of a point; both show
// the point as a whole.
func testReplicaWindows(t *testing.T, db *store.DB) {
	now, err := db.Now(t.Context())
	require.NoError(t, err)
	a, b := newHouse(db, "a"), newHouse(db, "b")
	turns(t, a, b)
	k := telemetry.Key{Scene: "k2", IDC: "na61", App: "sn", Point: "recall"}
	report := func(h *house, instance string, at time.Time, rt time.Duration) {
		var s sketch.Sketch
		for range 100 {
			s.Record(uint64(rt.Microseconds()))
		}
		h.windows.Ingest(telemetry.Source{App: "sn", IDC: "na61", Instance: instance}, &gear.Report{
			At: at, Window: time.Second, CPU: 0.5, Points: []gear.PointReport{{
				Scene: "k2", Point: "recall", Count: 100, OK: 100, RTSum: 100 * rt, LevelSum: 500, LevelMin: 5, LevelMax: 5, RT: s.AppendTo(nil), AvailableRT: rt,
				Crowds: []gear.CrowdReport{{Edge: rt, Count: 100, RTSum: 100 * rt, Work: 0.5, Level: 5, Reason: "held"}},
			}},
		}, at)
	}
	begin := now.Truncate(time.Second)
	at := begin
	for i := range 20 {
		at = begin.Add(time.Duration(i) * time.Second)
		report(a, "sn-1", at, 10*time.Millisecond)
		report(b, "sn-2", at, 20*time.Millisecond)
		report(b, "sn-3", at, 30*time.Millisecond)
		for _, from := range []*house{a, b} {
			to, name := b, "a"
			if from == b {
				to, name = a, "b"
			}
			for _, p := range from.windows.Tell(at, i == 0) {
				require.NoError(t, to.windows.Hear(name, p, at))
			}
		}
	}
	for _, h := range []*house{a, b} {
		p, ok := h.windows.Point(k, at)
		require.True(t, ok)
		require.Equal(t, []any{int64(300), 3, 20 * time.Millisecond}, []any{p.Last.Count, p.Last.Agents, p.Last.Mean})
		require.Equal(t, []any{int64(3000), 3, 300.0}, []any{p.Recent.Count, p.Recent.Agents, p.Recent.QPS})
		require.InEpsilon(t, 20*time.Millisecond, p.Recent.P50, 0.02)
		require.InEpsilon(t, 30*time.Millisecond, p.Recent.P99, 0.02)
		require.Len(t, h.windows.Points(telemetry.Filter{}, at), 1)
		agents := h.windows.Agents(k, at)
		require.Len(t, agents, 3)
		require.Equal(t, 30*time.Millisecond, agents[2].Recent.Mean)
		crowds, ok := h.windows.Crowds(k, at)
		require.True(t, ok)
		require.Len(t, crowds.Crowds, 3)
		require.Len(t, crowds.Agents, 3)
		require.Equal(t, 30*time.Millisecond, crowds.AvailableRT)
	}
	t.Log("the other is silent: its share grows old, this one's goes on without the lag")
	for range 15 {
		at = at.Add(time.Second)
		report(a, "sn-1", at, 10*time.Millisecond)
		a.windows.Advance(at)
	}
	p, ok := a.windows.Point(k, at)
	require.True(t, ok)
	require.Equal(t, int64(100), p.Last.Count)
	require.Len(t, a.windows.Agents(k, at), 1)

	for _, bad := range [][]byte{{1}, {9, 1}, {1, 200}, {1, 2, 4, 'k', '2'}, append([]byte{1}, make([]byte, 40)...)} {
		require.Error(t, a.windows.Hear("b", replica.Part{Topic: "windows", Name: "live/sn", Body: bad}, at), "%v", bad)
	}
	require.Error(t, a.windows.Hear("b", replica.Part{Topic: "windows", Name: "live/\x1b", Body: []byte{1, 0}}, at))
}

// testReplicaParts: a reader misses nothing, and a writer whose rows are gone tells
// everything again.
func testReplicaParts(t *testing.T, db *store.DB) {
	ctx := t.Context()
	part := func(name, body string) replica.Part { return replica.Part{Topic: "x", Name: name, Body: []byte(body)} }
	known, err := db.Publish(ctx, replica.Beat{Name: "a", Boot: "1", Seq: 1}, false, []replica.Part{part("p", "lost")})
	require.NoError(t, err)
	require.False(t, known)
	known, err = db.Publish(ctx, replica.Beat{Name: "a", Boot: "1", Seq: 2}, true, []replica.Part{part("p", "1"), part("q", "1")})
	require.NoError(t, err)
	require.True(t, known)
	known, err = db.Publish(ctx, replica.Beat{Name: "a", Boot: "1", Seq: 3}, false, []replica.Part{part("q", "2"), part("r", "")})
	require.NoError(t, err)
	require.True(t, known)
	beats, now, err := db.Replicas(ctx)
	require.NoError(t, err)
	require.Len(t, beats, 1)
	require.Equal(t, replica.Beat{Name: "a", Boot: "1", Seq: 3, At: beats[0].At}, beats[0])
	require.WithinDuration(t, now, beats[0].At, time.Minute)
	parts, newest, err := db.PartsAfter(ctx, "a", 2)
	require.NoError(t, err)
	require.EqualValues(t, 3, newest)
	require.Len(t, parts, 2)
	require.Equal(t, part("q", "2"), parts[0])
	require.Equal(t, []any{"r", 0}, []any{parts[1].Name, len(parts[1].Body)}, "it has nothing any more")
	parts, _, err = db.PartsAfter(ctx, "a", 0)
	require.NoError(t, err)
	require.Len(t, parts, 3)

	known, err = db.Publish(ctx, replica.Beat{Name: "a", Boot: "other", Seq: 4}, false, nil)
	require.NoError(t, err)
	require.False(t, known, "another boot")
	known, err = db.Publish(ctx, replica.Beat{Name: "a", Boot: "2", Seq: 1}, true, []replica.Part{part("p", "new")})
	require.NoError(t, err)
	require.True(t, known)
	parts, _, err = db.PartsAfter(ctx, "a", 0)
	require.NoError(t, err)
	require.Equal(t, []replica.Part{part("p", "new")}, parts)
	n, err := db.ForgetReplicas(ctx, now.Add(-time.Hour))
	require.NoError(t, err)
	require.Zero(t, n)
	n, err = db.ForgetReplicas(ctx, now.Add(time.Hour))
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	parts, _, err = db.PartsAfter(ctx, "a", 0)
	require.NoError(t, err)
	require.Empty(t, parts)
}
