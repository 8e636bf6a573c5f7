package control_test

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
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/template"
)

// board is a publisher that keeps what it was given.
type board struct {
	mu     sync.Mutex
	shifts []*control.Shift
	fail   bool
}

func (b *board) Publish(_ context.Context, s *control.Shift) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fail {
		return errors.New("hub is full")
	}
	b.shifts = append(b.shifts, s)
	return nil
}

func (b *board) last(t *testing.T) *control.Shift {
	b.mu.Lock()
	defer b.mu.Unlock()
	require.NotEmpty(t, b.shifts)
	return b.shifts[len(b.shifts)-1]
}

func (b *board) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.shifts)
}

type places []fleet.Declared

func (p places) Declared(string) []fleet.Declared { return p }

func recallDeclared() places {
	return places{{
		App: "sn", IDC: "na61", Build: "1.2", Point: "recall", Machines: 3,
		Params: []gear.Param{{Name: "tag_count", Kind: gear.KindInt, Min: gear.Int(10), Max: gear.Int(200), Default: gear.Int(100)}},
	}}
}

var alice = audit.Change{Actor: "alice", Via: "test", Reason: "test"}

// house is a real store with the rooms on it, and a template bound to sn/recall.
type house struct {
	db        *store.DB
	templates *template.Service
	claims    *control.Service
	loop      *control.Loop
	board     *board
	template  *template.Template
}

func newHouse(t *testing.T, declared places) *house {
	db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "c.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.Migrate(t.Context()))
	h := &house{db: db}
	h.board, h.loop = replica(db, "one", declared)
	h.templates = template.NewService(db, declared, h.loop.Nudge)
	h.claims = control.NewService(db, db, h.loop.Nudge)
	h.template, err = h.templates.Create(t.Context(), &template.Document{Name: "recall", Spec: crowdSpec()}, alice)
	require.NoError(t, err)
	_, err = h.templates.Publish(t.Context(), h.template.ID, h.template.Version, false, alice)
	require.NoError(t, err)
	_, err = h.templates.Bind(t.Context(), &template.Binding{
		TemplateID: h.template.ID,
		Selector:   template.Selector{Scene: "*", IDC: "*", App: "sn", Point: "*"},
	}, false, alice)
	require.NoError(t, err)
	return h
}

func replica(db *store.DB, holder string, declared places) (*board, *control.Loop) {
	b := &board{}
	return b, control.NewLoop(control.Config{
		Holder: holder, Store: db, Templates: db, Lease: db, Places: declared,
		Publisher: b, LeaseTTL: 6 * time.Second, Log: slog.New(slog.DiscardHandler),
	})
}

func run(t *testing.T, l *control.Loop) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); l.Run(ctx) }()
	var once sync.Once
	stop = func() { once.Do(func() { cancel(); <-done }) }
	t.Cleanup(stop)
	return stop
}

func pause(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (h *house) hold(t *testing.T, level int, d time.Duration) *control.Claim {
	now, err := h.db.Now(t.Context())
	require.NoError(t, err)
	c, err := h.claims.Set(t.Context(), &control.Claim{
		Field: control.FieldLevel, Level: level, Source: control.SourceManual,
		Scope: control.Scope{Scene: "k2", App: "sn"}, Reason: "RT above target", End: now.Add(d),
	}, alice)
	require.NoError(t, err)
	return c
}

func levelOf(s *control.Shift, scene string) int {
	return control.Lookup(&s.Set, scene, "recall", gear.Any).Level
}

func TestAClaimBecomesAnOrderAndEndsOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, recallDeclared())
		run(t, h.loop)
		pause(100 * time.Millisecond)
		require.Equal(t, 1, h.board.count())
		first := h.board.last(t)
		require.Equal(t, "*/*/sn/* bound to template recall; declared points changed", first.Cause)
		require.Len(t, first.Tables, 1)
		require.Equal(t, 8, levelOf(first, "k2"))
		require.Equal(t, first.Version, first.Set.Version())

		pause(10 * time.Second)
		require.Equal(t, 1, h.board.count(), "nothing changed, nothing is journalled")

		h.hold(t, 4, 2500*time.Millisecond)
		pause(50 * time.Millisecond)
		second := h.board.last(t)
		require.Equal(t, 4, levelOf(second, "k2"))
		require.Equal(t, 8, levelOf(second, "home"))
		require.True(t, first.Version.Less(second.Version))
		require.Equal(t, `alice (manual) set level 4 for k2/*/sn/*: RT above target`, second.Cause)
		require.Len(t, second.Claims, 1)
		require.Len(t, second.Tables, 1, "publishing carries every table")

		pause(2440 * time.Millisecond)
		require.Equal(t, 2, h.board.count(), "10 ms before its end it stands")
		pause(20 * time.Millisecond)
		require.Equal(t, 8, levelOf(h.board.last(t), "k2"), "its end is a timer, not the next tick")
		require.Contains(t, h.board.last(t).Cause, "ended")

		s := h.loop.Status()
		require.True(t, s.Leading)
		require.Equal(t, "one", s.Holder)
		require.Empty(t, s.Trouble)
		require.Equal(t, h.board.last(t).Version, s.Newest)
	})
}

func TestAClaimStartsOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, recallDeclared())
		run(t, h.loop)
		pause(time.Second)
		now, err := h.db.Now(t.Context())
		require.NoError(t, err)
		_, err = h.claims.Set(t.Context(), &control.Claim{
			Field: control.FieldLevel, Level: 5, Source: control.SourcePlan,
			Scope: control.Scope{App: "sn"}, Start: now.Add(3333 * time.Millisecond),
		}, alice)
		require.NoError(t, err)
		pause(3320 * time.Millisecond)
		require.Equal(t, 8, levelOf(h.board.last(t), "k2"))
		pause(20 * time.Millisecond)
		require.Equal(t, 5, levelOf(h.board.last(t), "k2"))
	})
}

func TestOneLeadsTheOtherFollowsAndTakesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, recallDeclared())
		stop := run(t, h.loop)
		pause(100 * time.Millisecond)
		otherBoard, other := replica(h.db, "two", recallDeclared())
		run(t, other)
		pause(3 * time.Second)
		s := other.Status()
		require.False(t, s.Leading)
		require.Equal(t, "one", s.Holder)
		require.Contains(t, s.Waiting, "one")
		require.Equal(t, h.board.last(t).Hash, otherBoard.last(t).Hash)

		h.hold(t, 3, time.Hour)
		pause(1100 * time.Millisecond)
		require.Equal(t, h.board.last(t).Version, otherBoard.last(t).Version)
		require.Equal(t, 3, levelOf(otherBoard.last(t), "k2"))
		require.Equal(t, h.board.last(t).Set, otherBoard.last(t).Set, "what the journal gives is what was decided")
		before := h.loop.Status().Epoch

		stop()
		pause(7 * time.Second)
		s = other.Status()
		require.True(t, s.Leading)
		require.Greater(t, s.Epoch, before)
		require.Equal(t, h.board.last(t).Version, otherBoard.last(t).Version, "a new leader journals nothing that did not change")
		held := otherBoard.last(t).Version
		h.hold(t, 2, time.Hour)
		pause(1100 * time.Millisecond)
		require.Equal(t, 2, levelOf(otherBoard.last(t), "k2"))
		require.True(t, held.Less(otherBoard.last(t).Version))
		require.Greater(t, otherBoard.last(t).Version.Epoch, held.Epoch)
	})
}

func TestPublishingIsTriedAgainWithTheNewest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, recallDeclared())
		h.board.fail = true
		run(t, h.loop)
		pause(time.Second)
		h.hold(t, 3, time.Hour)
		pause(2 * time.Second)
		require.Zero(t, h.board.count())
		h.board.mu.Lock()
		h.board.fail = false
		h.board.mu.Unlock()
		pause(1100 * time.Millisecond)
		require.Equal(t, 1, h.board.count())
		require.Equal(t, 3, levelOf(h.board.last(t), "k2"))
	})
}

func TestAnUnfitSetIsNeverJournalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		declared := recallDeclared()
		h := newHouse(t, append(declared, fleet.Declared{App: "sn", IDC: "ea119", Point: "no name!", Machines: 1, Params: declared[0].Params}))
		run(t, h.loop)
		pause(3 * time.Second)
		require.Equal(t, 1, h.board.count())
		_, err := h.db.ShiftAt(t.Context(), "sn", "ea119", time.Now())
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	})
}

func TestExplainReproducesTheJournalAtEverySecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, recallDeclared())
		run(t, h.loop)
		pause(time.Second)
		place := control.Scope{Scene: "k2", IDC: "na61", App: "sn", Point: "recall"}
		c := h.hold(t, 4, time.Hour)
		pause(3 * time.Second)
		h.hold(t, 6, time.Hour)
		pause(3 * time.Second)
		_, err := h.claims.Release(t.Context(), c.ID, c.Version, alice)
		require.NoError(t, err)
		pause(3 * time.Second)
		// The template moves on; what was decided before does not.
		got, err := h.db.GetTemplate(t.Context(), h.template.ID)
		require.NoError(t, err)
		spec := crowdSpec()
		spec.Max = 5
		spec.Default = 5
		got, err = h.templates.SaveDraft(t.Context(), got.ID, got.Version, &template.Document{Name: "recall", Spec: spec}, false, alice)
		require.NoError(t, err)
		_, err = h.templates.Publish(t.Context(), got.ID, got.Version, false, alice)
		require.NoError(t, err)
		pause(3 * time.Second)

		now, err := h.db.Now(t.Context())
		require.NoError(t, err)
		levels := map[int]bool{}
		for back := time.Duration(0); back < 13*time.Second; back += 100 * time.Millisecond {
			e, err := h.claims.Explain(t.Context(), place, now.Add(-back))
			if fault.Is(err, fault.NotFound) {
				break
			}
			require.NoError(t, err)
			require.True(t, e.Reproduced, "%s back", back)
			require.NotNil(t, e.Order)
			f, ok := e.Why.Field(control.FieldLevel)
			require.True(t, ok)
			require.Equal(t, "level "+string(rune('0'+e.Order.Level)), f.Value)
			levels[e.Order.Level] = true
		}
		require.Equal(t, map[int]bool{8: true, 4: true, 6: true, 5: true}, levels)

		e, err := h.claims.Explain(t.Context(), place, time.Time{})
		require.NoError(t, err)
		require.False(t, e.Pending)
		require.Contains(t, e.Cause, "template recall version 2 published")
		_, err = h.claims.Explain(t.Context(), control.Scope{Scene: "k2", IDC: "nowhere", App: "sn", Point: "recall"}, time.Time{})
		require.True(t, fault.Is(err, fault.NotFound))
		_, err = h.claims.Explain(t.Context(), control.Scope{Scene: "k2", IDC: "*", App: "sn", Point: "recall"}, time.Time{})
		require.True(t, fault.Is(err, fault.Invalid))
	})
}

func TestClaimsAreReleasedExtendedAndGuarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, recallDeclared())
		c := h.hold(t, 4, time.Minute)
		require.Equal(t, control.Scope{Scene: "k2", IDC: "*", App: "sn", Point: "*", Bucket: "*"}, c.Scope)
		now, err := h.db.Now(t.Context())
		require.NoError(t, err)

		_, err = h.claims.Extend(t.Context(), c.ID, c.Version, now.Add(-time.Second), alice)
		require.True(t, fault.Is(err, fault.Invalid), "%v", err)
		longer, err := h.claims.Extend(t.Context(), c.ID, c.Version, now.Add(time.Hour), alice)
		require.NoError(t, err)
		_, err = h.claims.Release(t.Context(), c.ID, longer.Version-1, alice)
		require.True(t, fault.Is(err, fault.Stale), "%v", err)
		time.Sleep(time.Second)
		released, err := h.claims.Release(t.Context(), c.ID, 0, alice)
		require.NoError(t, err)
		require.Equal(t, "alice", released.ReleaseBy)
		_, err = h.claims.Release(t.Context(), c.ID, 0, alice)
		require.True(t, fault.Is(err, fault.Conflict), "%v", err)
		_, err = h.claims.Extend(t.Context(), c.ID, 0, now.Add(time.Hour), alice)
		require.True(t, fault.Is(err, fault.Conflict), "%v", err)

		_, err = h.claims.Set(t.Context(), &control.Claim{Field: control.FieldLevel, Level: 300, Source: control.SourceManual}, alice)
		require.True(t, fault.Is(err, fault.Invalid))
		_, err = h.claims.Set(t.Context(), &control.Claim{
			Field: control.FieldBinding, Template: "019b0000-0000-7000-8000-000000000000",
			Source: control.SourceManual, Reason: "x", End: now.Add(time.Hour),
		}, alice)
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	})
}
