package push_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/push"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var key = push.Key{App: "sn", IDC: "na61"}

// tube is a stream that only notes what it is told.
type tube struct {
	mu    sync.Mutex
	wakes int
	cut   string
}

func (s *tube) Wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wakes++
}

func (s *tube) Cut(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut = reason
}

func (s *tube) reason() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cut
}

func at(revision int64) gear.Version { return gear.Version{Epoch: 1, Revision: revision} }

func state(revision int64, tables ...string) push.State {
	s := push.State{Version: at(revision), Hash: fmt.Sprint("h", revision), Orders: fmt.Sprint("set ", revision), Tables: map[string]any{}}
	for _, t := range tables {
		s.Tables[t] = "table " + t
	}
	return s
}

func held(revision int64) gear.Ack { return gear.Ack{Version: at(revision)} }

func refused(revision int64, message string) gear.Ack {
	return gear.Ack{Version: at(revision), Refused: true, Problems: gear.Problems{{Path: "orders[0]", Code: "range", Message: message}}}
}

func TestLatestWins(t *testing.T) {
	h := push.NewHub(push.Options{})
	h.Publish(key, state(1, "a"))
	s := &tube{}
	o := h.Join(key, "sn-1", push.Held{}, s)
	require.Equal(t, 1, s.wakes)
	require.Equal(t, []any{"table a", "set 1"}, o.Next(nil))
	require.Empty(t, o.Next(nil), "sent once")
	h.Publish(key, state(2, "a", "b"))
	h.Publish(key, state(3, "b", "c"))
	require.ElementsMatch(t, []any{"table b", "table c", "set 3"}, o.Next(nil), "2 was skipped")
	h.Publish(key, state(4, "a"))
	require.Equal(t, []any{"table a", "set 4"}, o.Next(nil), "an agent may have dropped a table that set 3 did not need")
	require.False(t, h.Publish(key, state(4)))
	require.False(t, h.Publish(key, state(3)))
}

func TestSlotsKeepTheNewestFrame(t *testing.T) {
	h := push.NewHub(push.Options{})
	h.Publish(key, state(1))
	o := h.Join(key, "sn-1", push.Held{}, &tube{})
	o.Put(push.SlotQuota, "quota 1")
	o.Put(push.SlotClock, "clock")
	h.Broadcast(key, push.SlotQuota, "quota 2")
	require.Equal(t, []any{"clock", "quota 2", "set 1"}, o.Next(nil))
	require.Empty(t, o.Next(nil))
	o.Leave(true)
	o.Put(push.SlotQuota, "quota 3")
	require.Empty(t, o.Next(nil))
}

func TestAckOfWhatWasNotSent(t *testing.T) {
	h := push.NewHub(push.Options{})
	h.Publish(key, state(1))
	o := h.Join(key, "sn-1", push.Held{}, &tube{})
	ok, _ := o.Ack(held(1))
	require.False(t, ok, "it was not sent yet")
	o.Next(nil)
	ok, newest := o.Ack(held(1))
	require.True(t, ok)
	require.True(t, newest)
	ok, _ = o.Ack(held(9))
	require.False(t, ok)
	p, _ := h.Progress(key)
	require.Equal(t, 1, p.Held)
}

func TestLedger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := push.NewHub(push.Options{})
		var out []*push.Outbox
		for i := range 100 {
			out = append(out, h.Join(key, fmt.Sprintf("sn-%02d", i), push.Held{}, &tube{}))
		}
		changed, stop := h.Watch()
		defer stop()
		h.Publish(key, state(1))
		<-changed
		answer := func(i int, a gear.Ack) {
			out[i].Next(nil)
			ok, _ := out[i].Ack(a)
			require.True(t, ok)
		}
		for i := range 98 {
			time.Sleep(10 * time.Millisecond)
			answer(i, held(1))
		}
		answer(98, refused(1, "tag_count wants int 10..200, got 250 at level 9"))
		out[99].Leave(false)
		p, ok := h.Progress(key)
		require.True(t, ok)
		require.Equal(t, []int{100, 98, 1, 1}, []int{p.Expected, p.Held, p.Refused, p.Away})
		require.Equal(t, 500*time.Millisecond, p.To50)
		require.Zero(t, p.To99)
		require.Equal(t, "sn-98", p.Stragglers[0].Instance)
		require.Equal(t, push.Refused, p.Stragglers[0].Why)
		require.Equal(t, push.Disconnected, p.Stragglers[1].Why)
		require.Equal(t, 1, p.Reasons[0].Count)
		<-changed

		time.Sleep(10 * time.Millisecond)
		back := h.Join(key, "sn-99", push.Held{}, &tube{})
		back.Next(nil)
		back.Ack(held(1))
		p, _ = h.Progress(key)
		require.Equal(t, 990*time.Millisecond, p.To99)
		require.Zero(t, p.To100)
		require.Equal(t, 0, p.Away)

		h.Publish(key, state(2))
		old, ok := h.ProgressOf(key, at(1))
		require.True(t, ok)
		require.True(t, old.Superseded)
		require.Equal(t, 99, old.Held)
		for i := range 99 {
			answer(i, held(2))
		}
		back.Next(nil)
		back.Ack(held(2))
		p, _ = h.Progress(key)
		require.Equal(t, 100, p.Held, "who refused 1 may hold 2")
		require.Positive(t, p.To100)
		require.Empty(t, p.Stragglers)
		require.Len(t, h.All(), 1)
		for i := int64(3); i < 100; i++ {
			h.Publish(key, state(i))
		}
		require.Len(t, h.History(key), 16, "bounded")
		_, ok = h.ProgressOf(key, at(1))
		require.False(t, ok)
	})
}

func TestRefusedIsNotSentAgain(t *testing.T) {
	h := push.NewHub(push.Options{})
	h.Publish(key, state(1, "a"))
	o := h.Join(key, "sn-1", push.Held{}, &tube{})
	o.Next(nil)
	o.Ack(refused(1, "no"))
	o.Leave(false)
	s := &tube{}
	o = h.Join(key, "sn-1", push.Held{Refused: refused(1, "no")}, s)
	require.Zero(t, s.wakes)
	require.Empty(t, o.Next(nil))
	p, _ := h.Progress(key)
	require.Equal(t, 1, p.Refused)
	h.Publish(key, state(2, "a"))
	require.Equal(t, []any{"table a", "set 2"}, o.Next(nil))
}

func TestNewerSessionReplacesAndLateCloseChangesNothing(t *testing.T) {
	h := push.NewHub(push.Options{})
	h.Publish(key, state(1))
	s := &tube{}
	old := h.Join(key, "sn-1", push.Held{}, s)
	fresh := h.Join(key, "sn-1", push.Held{}, &tube{})
	require.Contains(t, s.reason(), "replaced")
	fresh.Next(nil)
	fresh.Ack(held(1))
	old.Ack(refused(1, "from the grave"))
	old.Leave(true)
	p, _ := h.Progress(key)
	require.Equal(t, []int{1, 1, 0}, []int{p.Expected, p.Held, p.Refused})
}

func TestStalledIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		h := push.NewHub(push.Options{StallAfter: 10 * time.Second})
		go h.Run(ctx)
		good, slow, dead := &tube{}, &tube{}, &tube{}
		a, b := h.Join(key, "good", push.Held{}, good), h.Join(key, "slow", push.Held{}, slow)
		h.Join(key, "dead", push.Held{}, dead)
		for r := int64(1); r <= 8; r++ {
			h.Publish(key, state(r))
			a.Next(nil)
			a.Ack(held(r))
			b.Next(nil)
			if r > 1 {
				b.Ack(held(r - 1)) // always one behind, but moving
			}
			time.Sleep(4 * time.Second)
		}
		require.Empty(t, good.reason())
		require.Empty(t, slow.reason(), "progress, however slow")
		require.Equal(t, "no answer for 10s", dead.reason())
		time.Sleep(20 * time.Second)
		require.NotEmpty(t, slow.reason())
		require.Empty(t, good.reason(), "nothing was due")
		cancel()
		synctest.Wait()
	})
}

func TestAwayIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := push.NewHub(push.Options{AwayFor: time.Minute})
		h.Publish(key, state(1))
		h.Join(key, "sn-1", push.Held{}, &tube{}).Leave(false)
		h.Join(key, "sn-2", push.Held{}, &tube{}).Leave(false)
		h.Forget(key, "sn-2")
		h.Sweep(time.Now().Add(59 * time.Second))
		p, _ := h.Progress(key)
		require.Equal(t, 1, p.Expected)
		h.Sweep(time.Now().Add(61 * time.Second))
		p, _ = h.Progress(key)
		require.Zero(t, p.Expected)
	})
}

// TestWhateverHappens plays random histories and checks the invariants: versions
// handed out rise, a set never comes before a table it needs, the ledger counts
// what a plain model counts.
func TestWhateverHappens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := push.NewHub(push.Options{})
		type agent struct {
			out    *push.Outbox
			held   int64
			last   int64
			tables map[string]bool
		}
		agents := map[string]*agent{}
		current := int64(0)
		names := []string{"a", "b", "c"}
		needs := map[int64][]string{}
		t.Repeat(map[string]func(*rapid.T){
			"publish": func(t *rapid.T) {
				current++
				needs[current] = rapid.SliceOfDistinct(rapid.SampledFrom([]string{"t1", "t2", "t3"}), rapid.ID[string]).Draw(t, "tables")
				h.Publish(key, state(current, needs[current]...))
			},
			"join": func(t *rapid.T) {
				name := rapid.SampledFrom(names).Draw(t, "name")
				was := push.Held{}
				a := &agent{tables: map[string]bool{}}
				if old := agents[name]; old != nil && old.held > 0 && rapid.Bool().Draw(t, "kept") {
					a.held, a.last = old.held, old.held
					was = push.Held{Version: at(old.held), Hash: fmt.Sprint("h", old.held)}
				}
				a.out = h.Join(key, name, was, &tube{})
				agents[name] = a
			},
			"next": func(t *rapid.T) {
				a := agents[rapid.SampledFrom(names).Draw(t, "name")]
				if a == nil {
					return
				}
				for _, f := range a.out.Next(nil) {
					var r int64
					if n, _ := fmt.Sscanf(f.(string), "set %d", &r); n == 0 {
						a.tables[f.(string)[len("table "):]] = true
						continue
					}
					require.Equal(t, current, r, "only the newest")
					require.Greater(t, r, a.last)
					for _, x := range needs[r] {
						require.True(t, a.tables[x], "table %s before set %d", x, r)
					}
					a.last = r
				}
			},
			"ack": func(t *rapid.T) {
				a := agents[rapid.SampledFrom(names).Draw(t, "name")]
				if a == nil || a.last == 0 {
					return
				}
				a.out.Ack(held(a.last))
				a.held = a.last
			},
			"": func(t *rapid.T) {
				p, ok := h.Progress(key)
				if !ok {
					return
				}
				n := 0
				for _, a := range agents {
					if a.held == current {
						n++
					}
				}
				require.Equal(t, []int{len(agents), n}, []int{p.Expected, p.Held})
			},
		})
	})
}
