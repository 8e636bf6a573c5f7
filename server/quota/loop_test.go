package quota_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/quota"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/template"
)

// flaky is a real window that can be taken away.
type flaky struct {
	*quota.Local
	mu   sync.Mutex
	away bool
}

func (f *flaky) set(away bool) {
	f.mu.Lock()
	f.away = away
	f.mu.Unlock()
}

func (f *flaky) Exchange(ctx context.Context, now time.Time, add []quota.Added, ask []quota.Query) ([]quota.Sums, error) {
	f.mu.Lock()
	away := f.away
	f.mu.Unlock()
	if away {
		return nil, errors.New("gone")
	}
	return f.Local.Exchange(ctx, now, add, ask)
}

// room is a loop on a real database and a window, with agents that obey what they
// are sent and count what they consume.
type room struct {
	t      *testing.T
	db     *store.DB
	groups *quota.Service
	loop   *quota.Loop
	meter  *quota.Meter
	window *flaky

	mu       sync.Mutex
	leads    bool
	arrivals float64 // requests a second
	base     float64
	frames   int
	last     gear.BaseQuotas
}

func inRoom(t *testing.T, test func(t *testing.T, r *room)) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(dir, "a.db"), store.WithClock(time.Now))
		require.NoError(t, err)
		require.NoError(t, db.Migrate(t.Context()))
		r := &room{t: t, db: db, meter: quota.NewMeter(), window: &flaky{Local: quota.NewLocal()}, leads: true, arrivals: 1000, base: 50}
		r.loop = quota.NewLoop(quota.Config{
			Groups: db, Window: r.window, Meter: r.meter, Now: time.Now, Log: slog.New(slog.DiscardHandler),
			Lease:    func() (int64, bool) { r.mu.Lock(); defer r.mu.Unlock(); return 3, r.leads },
			Places:   func() []fleet.Place { return []fleet.Place{{App: "sn", IDC: "na61"}, {App: "other", IDC: "na61"}} },
			Machines: func(*quota.Group) quota.Machines { return quota.Machines{CPU: 0.4, Count: 3, Builds: "sn@1"} },
			Send: func(app, _ string, q *gear.BaseQuotas) {
				r.mu.Lock()
				defer r.mu.Unlock()
				require.Equal(t, "sn", app)
				r.base, r.last = q.Quotas[0].Base, *q
				r.frames++
			},
		})
		r.groups = quota.NewService(db, r.loop.Nudge)
		ctx, stop := context.WithCancel(context.Background())
		var all sync.WaitGroup
		defer func() {
			stop()
			all.Wait()
			_ = db.Close()
		}()
		all.Go(func() { r.loop.Run(ctx) })
		all.Go(func() { r.consume(ctx) })
		test(t, r)
	})
}

func (r *room) consume(ctx context.Context) {
	t := time.NewTicker(97 * time.Millisecond)
	defer t.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			r.mu.Lock()
			span := now.Sub(last)
			n := int64(r.arrivals * span.Seconds())
			c := []gear.QuotaCount{{Group: "rank", Span: span, Requests: n, Consumed: int64(float64(n) * r.base), Rung: gear.QuotaLive}}
			r.mu.Unlock()
			last = now
			r.meter.Count("sn", "na61", "a", c, now)
			r.meter.Count("thief", "na61", "t", c, now) // not a member: does not count
		}
	}
}

func (r *room) set(change func()) {
	r.mu.Lock()
	change()
	r.mu.Unlock()
}

// sent counts the frames of the next while.
func (r *room) sent(d time.Duration) int {
	r.mu.Lock()
	before := r.frames
	r.mu.Unlock()
	time.Sleep(d)
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.frames - before
}

func (r *room) held() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.base
}

var by = audit.Change{Actor: "ann", Via: "test"}

func (r *room) group() *quota.Group {
	s := quota.DefaultSettings()
	s.Total, s.Min = 100_000, 1
	g, err := r.groups.Create(r.t.Context(), &quota.Group{Name: "rank", Enabled: true, Settings: s, Members: []template.Selector{{Scene: "*", IDC: "*", App: "sn", Point: "rank"}}}, by)
	require.NoError(r.t, err)
	return g
}

func TestLoopHoldsTheBudget(t *testing.T) {
	inRoom(t, func(t *testing.T, r *room) {
		g := r.group()
		time.Sleep(20 * time.Second)
		require.InDelta(t, 100, r.held(), 5)
		require.InDelta(t, 10, r.sent(time.Second), 1, "ten times a second")
		st := r.loop.Status(g.ID)
		require.True(t, st.Heard && st.Leading)
		require.InDelta(t, 100_000, st.Sum, 5000)
		require.InDelta(t, 1000, st.Arrivals, 30)
		require.Equal(t, 1, st.Crew.Agents)

		r.set(func() { r.arrivals = 8000 })
		time.Sleep(500 * time.Millisecond)
		require.InDelta(t, 100.0/8, r.held(), 1, "the feed-forward answers at once")
		time.Sleep(10 * time.Second)
		require.InDelta(t, 100.0/8, r.held(), 0.8)

		// An edit is in force with the next ticks; B goes on from where it is.
		g, err := r.db.GetGroup(t.Context(), "rank")
		require.NoError(t, err)
		g.Settings.Total = 200_000
		g, err = r.groups.Update(t.Context(), g, by)
		require.NoError(t, err)
		time.Sleep(15 * time.Second)
		require.InDelta(t, 25, r.held(), 1.5)

		_, err = r.groups.Create(t.Context(), &quota.Group{Name: "two", Settings: g.Settings, Members: g.Members}, by)
		require.True(t, fault.Is(err, fault.Conflict))
		require.NoError(t, r.groups.Delete(t.Context(), g.ID, g.Version, by))
		time.Sleep(200 * time.Millisecond)
		require.Zero(t, r.sent(time.Second), "silence tells the agents")
	})
}

func TestLoopIsSilentWithoutLeaseOrWindow(t *testing.T) {
	inRoom(t, func(t *testing.T, r *room) {
		g := r.group()
		time.Sleep(10 * time.Second)
		require.Positive(t, r.sent(time.Second))
		r.set(func() { r.leads = false })
		time.Sleep(200 * time.Millisecond)
		require.Zero(t, r.sent(2*time.Second))
		require.False(t, r.loop.Status(g.ID).Heard)

		// Meanwhile agents fell back to less; the base is taken over from there.
		r.set(func() { r.leads, r.base = true, 30 })
		time.Sleep(100 * time.Millisecond)
		r.set(func() { r.base = 30 })
		time.Sleep(200 * time.Millisecond)
		time.Sleep(15 * time.Second)
		require.InDelta(t, 100, r.held(), 6)

		r.window.set(true)
		time.Sleep(200 * time.Millisecond)
		require.Zero(t, r.sent(2*time.Second))
		require.Contains(t, r.loop.Status(g.ID).Trouble, "does not answer")
		r.set(func() { r.base = 40 })
		time.Sleep(2 * time.Second)
		r.window.set(false)
		time.Sleep(400 * time.Millisecond)
		require.InDelta(t, 40, r.held(), 15, "no leap: the base begins at what is consumed")
		time.Sleep(15 * time.Second)
		require.InDelta(t, 100, r.held(), 6)
		require.Empty(t, r.loop.Status(g.ID).Trouble)
	})
}

func TestLoopKeepsHistory(t *testing.T) {
	inRoom(t, func(t *testing.T, r *room) {
		g := r.group()
		began := time.Now()
		time.Sleep(3*time.Minute + 5*time.Second)
		recent := r.loop.Recent(g.ID)
		require.InDelta(t, 183, len(recent), 4)
		require.InDelta(t, 1000, recent[len(recent)-1].Arrivals, 30)
		ms, err := r.db.QuotaMinutes(t.Context(), g.ID, began.Add(-time.Minute), time.Now())
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(ms), 2)
		m := ms[1]
		require.EqualValues(t, 600, m.Ticks)
		require.InDelta(t, 6_000_000, m.Consumed, 300_000)
		require.InDelta(t, 1, m.Sum, 0.05)
		require.InDelta(t, 0.4, m.CPU, 1e-9)
		require.Equal(t, 3, m.Machines)
		rs := quota.Readings(ms, recent, 3, "sn@1")
		require.Greater(t, len(rs), 30)
	})
}

// A group of dcaf settings sends quotas by bucket of value.
func TestLoopSendsChoices(t *testing.T) {
	inRoom(t, func(t *testing.T, r *room) {
		g := r.group()
		g.Settings.Law = quota.LawDCAF
		for i, v := range []float64{1, 3} {
			g.Settings.Curves = append(g.Settings.Curves, quota.Curve{From: float64(i), Value: v, Points: []quota.Gain{{Quota: 20, Gain: 10}, {Quota: 100, Gain: 20}, {Quota: 400, Gain: 26}}})
		}
		_, err := r.groups.Update(t.Context(), g, by)
		require.NoError(t, err)
		time.Sleep(10 * time.Second)
		r.mu.Lock()
		defer r.mu.Unlock()
		choices := r.last.Quotas[0].Terms.Choices
		require.Len(t, choices, 2)
		require.LessOrEqual(t, choices[0].Quota, choices[1].Quota)
	})
}
