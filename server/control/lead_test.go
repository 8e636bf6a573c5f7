package control_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/template"
)

// faulty is a store that fails what concerns one IDC or one template.
type faulty struct {
	*store.DB

	mu                     sync.Mutex
	append, read, template string
}

var errDamaged = errors.New("damaged")

func (f *faulty) fails(which *string, name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return *which == name
}

func (f *faulty) set(which *string, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	*which = name
}

func (f *faulty) AppendShift(ctx context.Context, s *control.Shift, fence int64) error {
	if f.fails(&f.append, s.IDC) {
		return errDamaged
	}
	return f.DB.AppendShift(ctx, s, fence)
}

func (f *faulty) ShiftAt(ctx context.Context, app, idc string, t time.Time) (*control.Shift, error) {
	if f.fails(&f.read, idc) {
		return nil, errDamaged
	}
	return f.DB.ShiftAt(ctx, app, idc, t)
}

func (f *faulty) GetVersion(ctx context.Context, id string, number int) (*template.Version, error) {
	if f.fails(&f.template, id) {
		return nil, errDamaged
	}
	return f.DB.GetVersion(ctx, id, number)
}

// One place that cannot be decided, journalled or read keeps no other from being
// decided; it stays as it was, and catches up when the fault is gone.
func TestABadPlaceHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		declared := recallDeclared()
		for _, idc := range []string{"aa1", "zz9"} {
			declared = append(declared, fleet.Declared{App: "sn", IDC: idc, Point: "recall", Machines: 1, Params: declared[0].Params})
		}
		h := newHouse(t, declared)
		f := &faulty{DB: h.db}
		begin := func(holder string) (*control.Loop, func()) {
			l := control.NewLoop(control.Config{
				Holder: holder, Store: f, Templates: f, Lease: h.db, Places: declared, Publisher: &board{}, LeaseTTL: 6 * time.Second, Log: slog.New(slog.DiscardHandler),
			})
			return l, run(t, l)
		}
		level := func(idc string) int {
			s, err := h.db.ShiftAt(t.Context(), "sn", idc, time.Now())
			if err != nil {
				return 0
			}
			return control.Lookup(&s.Set, "k2", "recall", gear.Any).Level
		}
		levels := func() [3]int { return [3]int{level("aa1"), level("na61"), level("zz9")} }

		f.set(&f.append, "aa1")
		loop, stop := begin("one")
		pause(3 * time.Second)
		require.Equal(t, [3]int{0, 8, 8}, levels())
		require.Contains(t, loop.Status().Trouble, "journal sn in aa1: damaged")
		f.set(&f.append, "")
		pause(1100 * time.Millisecond)
		require.Equal(t, [3]int{8, 8, 8}, levels())
		require.Empty(t, loop.Status().Trouble)

		// A term that begins cannot read what is in force of one place.
		stop()
		f.set(&f.read, "aa1")
		loop, stop = begin("two")
		h.hold(t, 3, time.Hour)
		pause(8 * time.Second)
		require.Contains(t, loop.Status().Trouble, "read what is in force of sn in aa1")
		require.Equal(t, [3]int{8, 3, 3}, levels())
		f.set(&f.read, "")
		pause(1100 * time.Millisecond)
		require.Equal(t, [3]int{3, 3, 3}, levels())
		before, err := h.db.ShiftAt(t.Context(), "sn", "aa1", time.Now())
		require.NoError(t, err)
		pause(3 * time.Second)
		after, err := h.db.ShiftAt(t.Context(), "sn", "aa1", time.Now())
		require.NoError(t, err)
		require.Equal(t, before.Version, after.Version, "nothing changed, nothing is journalled")
		stop()

		// A template that cannot be read leaves alone what it concerns.
		other, err := h.templates.Create(t.Context(), &template.Document{Name: "other", Spec: crowdSpec()}, alice)
		require.NoError(t, err)
		_, err = h.templates.Publish(t.Context(), other.ID, other.Version, false, alice)
		require.NoError(t, err)
		_, err = h.templates.Bind(t.Context(), &template.Binding{TemplateID: other.ID, Selector: template.Selector{Scene: "*", IDC: "aa1", App: "sn", Point: "*"}}, false, alice)
		require.NoError(t, err)
		f.set(&f.template, other.ID)
		loop, _ = begin("three")
		h.hold(t, 2, time.Hour)
		pause(8 * time.Second)
		require.Contains(t, loop.Status().Trouble, "template other")
		require.Equal(t, [3]int{3, 2, 2}, levels())
		f.set(&f.template, "")
		pause(1100 * time.Millisecond)
		require.Equal(t, [3]int{2, 2, 2}, levels())
	})
}
