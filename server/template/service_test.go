package template_test

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/template"
)

type declared []fleet.Declared

func (d declared) Declared(app string) []fleet.Declared {
	var out []fleet.Declared
	for _, x := range d {
		if app == "" || x.App == app {
			out = append(out, x)
		}
	}
	return out
}

var alice = audit.Change{Actor: "alice", Via: "test", Reason: "test"}

func spec() template.Spec {
	return template.Spec{
		Parameters: []template.Parameter{{Param: gear.Param{
			Name: "tag_count", Kind: gear.KindInt, Min: gear.Int(1), Max: gear.Int(1000),
			Monotonic: gear.MonotonicUp,
		}, Interpolation: template.Linear, Cost: true}},
		Levels: 10, Default: 8, Min: 1, Max: 10, Strategy: template.Strategy{Kind: gear.StrategyFixed},
		Anchors: []template.Anchor{
			{Level: 1, Set: map[string]gear.Value{"tag_count": gear.Int(20)}},
			{Level: 10, Set: map[string]gear.Value{"tag_count": gear.Int(200)}},
		},
	}
}

func doc(name string, change func(*template.Spec)) *template.Document {
	s := spec()
	if change != nil {
		change(&s)
	}
	return &template.Document{Name: name, Tags: []string{"k2"}, Spec: s}
}

type room struct {
	*template.Service
	db     *store.DB
	nudges int
}

func newRoom(t *testing.T, who declared) *room {
	db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "t.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.Migrate(t.Context()))
	r := &room{db: db}
	r.Service = template.NewService(db, who, func() { r.nudges++ })
	return r
}

func threeMachines() declared {
	return declared{
		{App: "sn", IDC: "na61", Build: "1.2", Point: "recall", Machines: 3, Params: []gear.Param{{
			Name: "tag_count", Kind: gear.KindInt,
			Min: gear.Int(10), Max: gear.Int(200), Default: gear.Int(100),
		}}},
		{App: "sn", IDC: "na61", Build: "1.2", Point: "fetch", Machines: 3, Params: []gear.Param{{Name: "docs", Kind: gear.KindInt, Default: gear.Int(1)}}},
	}
}

func everyScene(app, point string) template.Selector {
	return template.Selector{Scene: "*", IDC: "*", App: app, Point: point}
}

func TestATemplatesLife(t *testing.T) {
	r := newRoom(t, threeMachines())
	ctx := t.Context()
	tpl, err := r.Create(ctx, doc("recall", nil), alice)
	require.NoError(t, err)
	require.Equal(t, "alice", tpl.CreatedBy)
	_, err = r.Create(ctx, doc("recall", nil), alice)
	require.True(t, fault.Is(err, fault.Conflict), "%v", err)
	_, err = r.Bind(ctx, &template.Binding{TemplateID: tpl.ID, Selector: everyScene("sn", "recall")}, false, alice)
	require.True(t, fault.Is(err, fault.Conflict), "nothing is published: %v", err)

	v1, err := r.Publish(ctx, tpl.ID, tpl.Version, false, alice)
	require.NoError(t, err)
	require.Equal(t, 1, v1.Number)
	b, err := r.Bind(ctx, &template.Binding{TemplateID: tpl.ID, Selector: everyScene("sn", "recall")}, false, alice)
	require.NoError(t, err)
	require.Equal(t, 2, r.nudges)
	used, err := r.WhereUsed(ctx, tpl.ID)
	require.NoError(t, err)
	require.Len(t, used, 1)

	tpl, err = r.db.GetTemplate(ctx, tpl.ID)
	require.NoError(t, err)
	require.Nil(t, tpl.Draft)
	_, err = r.Publish(ctx, tpl.ID, tpl.Version, false, alice)
	require.True(t, fault.Is(err, fault.Conflict), "%v", err)
	require.True(t, fault.Is(r.Delete(ctx, tpl.ID, tpl.Version, alice), fault.Conflict))

	// A content that builds would refuse is refused on save, word for word.
	bad := doc("recall", func(s *template.Spec) {
		s.Anchors = append(s.Anchors[:1:1], template.Anchor{Level: 9, Set: map[string]gear.Value{"tag_count": gear.Int(250)}})
	})
	_, err = r.SaveDraft(ctx, tpl.ID, tpl.Version, bad, false, alice)
	require.True(t, fault.Is(err, fault.Refused), "%v", err)
	require.ErrorContains(t, err, "3 machines of sn build 1.2 would refuse: tag_count wants int 10..200, got 221 at level 8 (and 2 more)")
	verdict, err := r.Judge(ctx, tpl.ID, bad)
	require.NoError(t, err)
	require.Empty(t, verdict.Problems)
	require.Len(t, verdict.Refusals, 1)
	require.Equal(t, "rows[8].tag_count", verdict.Refusals[0].Problems[1].Path)
	require.Equal(t, "tag_count wants int 10..200, got 250 at level 9", verdict.Refusals[0].Problems[1].Message)

	// Forced, it is saved and published, and the reason says so.
	tpl, err = r.SaveDraft(ctx, tpl.ID, tpl.Version, bad, true, alice)
	require.NoError(t, err)
	_, err = r.Publish(ctx, tpl.ID, tpl.Version, false, alice)
	require.True(t, fault.Is(err, fault.Refused))
	v2, err := r.Publish(ctx, tpl.ID, tpl.Version, true, alice)
	require.NoError(t, err)
	require.Contains(t, v2.Reason, "forced: 3 machines of sn build 1.2")

	// Roll back: a new version with the old content.
	tpl, err = r.db.GetTemplate(ctx, tpl.ID)
	require.NoError(t, err)
	_, err = r.Rollback(ctx, tpl.ID, tpl.Version, 2, false, alice)
	require.True(t, fault.Is(err, fault.Conflict))
	v3, err := r.Rollback(ctx, tpl.ID, tpl.Version, 1, false, alice)
	require.NoError(t, err)
	require.Equal(t, 3, v3.Number)
	require.Equal(t, 1, v3.RolledBack)
	require.Equal(t, v1.Hash, v3.Hash)

	document, levels, err := r.Compare(ctx, tpl.ID, "1", "2")
	require.NoError(t, err)
	require.Len(t, levels, 9)
	require.Equal(t, "levels.9.tag_count", levels[7].Path)
	require.JSONEq(t, "180", string(levels[7].From))
	require.JSONEq(t, "250", string(levels[7].To))
	require.Equal(t, []string{"gears.9", "gears.10"}, []string{document[0].Path, document[1].Path})

	// Copy, then delete what nothing uses.
	other, err := r.Copy(ctx, tpl.ID, "1", "recall-night", alice)
	require.NoError(t, err)
	require.Equal(t, tpl.ID, other.CopiedFrom)
	require.Equal(t, spec(), *other.Draft)
	require.NoError(t, r.Delete(ctx, other.ID, other.Version, alice))
	require.NoError(t, r.Unbind(ctx, b.ID, b.Version, alice))
	tpl, err = r.db.GetTemplate(ctx, tpl.ID)
	require.NoError(t, err)
	require.NoError(t, r.Delete(ctx, tpl.ID, tpl.Version, alice))
}

func TestTwoOperatorsTheSecondIsTold(t *testing.T) {
	r := newRoom(t, nil)
	tpl, err := r.Create(t.Context(), doc("recall", nil), alice)
	require.NoError(t, err)
	base := tpl.Version
	bob := alice
	bob.Actor = "bob"
	_, err = r.SaveDraft(t.Context(), tpl.ID, base, doc("recall", func(s *template.Spec) { s.Default = 5 }), false, bob)
	require.NoError(t, err)
	mine := doc("recall", func(s *template.Spec) { s.Default = 3 })
	_, err = r.SaveDraft(t.Context(), tpl.ID, base, mine, false, alice)
	require.True(t, fault.Is(err, fault.Stale), "%v", err)
	require.ErrorContains(t, err, "bob")
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	detail, ok := f.Detail.(template.StaleDetail)
	require.True(t, ok)
	require.Equal(t, 3, detail.Mine.Spec.Default)
	require.Equal(t, 5, detail.Theirs.Spec.Default)
	require.NotNil(t, detail.Base)
	require.Equal(t, 8, detail.Base.Spec.Default)
	_, err = r.Publish(t.Context(), tpl.ID, base, false, alice)
	require.True(t, fault.Is(err, fault.Stale))

	// Many at once: exactly one wins a base.
	got, err := r.db.GetTemplate(t.Context(), tpl.ID)
	require.NoError(t, err)
	var wg sync.WaitGroup
	results := make(chan error, 8)
	for i := range 8 {
		wg.Go(func() {
			_, err := r.SaveDraft(t.Context(), tpl.ID, got.Version, doc("recall", func(s *template.Spec) { s.Default = i + 1 }), false, alice)
			results <- err
		})
	}
	wg.Wait()
	close(results)
	won := 0
	for err := range results {
		if err == nil {
			won++
		} else {
			require.True(t, fault.Is(err, fault.Stale), "%v", err)
		}
	}
	require.Equal(t, 1, won)
}

func TestBindingsMostSpecificWinsAndTiesAreRefused(t *testing.T) {
	r := newRoom(t, threeMachines())
	ctx := t.Context()
	var ids []string
	for _, name := range []string{"a", "b"} {
		tpl, err := r.Create(ctx, doc(name, nil), alice)
		require.NoError(t, err)
		_, err = r.Publish(ctx, tpl.ID, tpl.Version, false, alice)
		require.NoError(t, err)
		ids = append(ids, tpl.ID)
	}
	general, err := r.Bind(ctx, &template.Binding{TemplateID: ids[0], Selector: everyScene("sn", "recall")}, false, alice)
	require.NoError(t, err)
	// Two fields each, and (k2, sn) with any point can meet (sn, recall).
	tie := template.Selector{Scene: "k2", IDC: "*", App: "sn", Point: "*"}
	_, err = r.Bind(ctx, &template.Binding{TemplateID: ids[1], Selector: tie}, false, alice)
	require.True(t, fault.Is(err, fault.Conflict), "%v", err)
	require.ErrorContains(t, err, `binding k2/*/sn/* of template "b" and binding */*/sn/recall of template "a"`)
	special := template.Selector{Scene: "k2", IDC: "*", App: "sn", Point: "recall"}
	moves, err := r.Preview(ctx, &template.Binding{TemplateID: ids[1], Selector: special}, false)
	require.NoError(t, err)
	require.Len(t, moves, 1)
	require.Equal(t, "k2/na61/sn/recall", moves[0].Place.String())
	require.Equal(t, 3, moves[0].Machines)
	_, err = r.Bind(ctx, &template.Binding{TemplateID: ids[1], Selector: special}, false, alice)
	require.NoError(t, err)

	res, err := r.ResolvePlace(ctx, template.Selector{Scene: "k2", IDC: "na61", App: "sn", Point: "recall"})
	require.NoError(t, err)
	require.Equal(t, "b", res.Template.Name)
	require.Len(t, res.Candidates, 2)
	require.Equal(t, 1, res.Number)
	res, err = r.ResolvePlace(ctx, template.Selector{Scene: "home", IDC: "na61", App: "sn", Point: "recall"})
	require.NoError(t, err)
	require.Equal(t, "a", res.Template.Name)
	res, err = r.ResolvePlace(ctx, template.Selector{Scene: "home", IDC: "na61", App: "rank", Point: "recall"})
	require.NoError(t, err)
	require.Nil(t, res.Binding)

	// Binding what the point's builds would refuse is refused too.
	_, err = r.Bind(ctx, &template.Binding{TemplateID: ids[0], Selector: everyScene("sn", "fetch")}, false, alice)
	require.True(t, fault.Is(err, fault.Refused), "%v", err)
	require.ErrorContains(t, err, "docs wants int, got nothing")

	stale := *general
	stale.Version--
	_, err = r.Rebind(ctx, &stale, false, alice)
	require.True(t, fault.Is(err, fault.Stale), "%v", err)
	general.Selector.IDC = "na61"
	moved, err := r.Rebind(ctx, general, false, alice)
	require.True(t, fault.Is(err, fault.Conflict), "three fields against three: %v", err)
	require.Nil(t, moved)
	general.Selector.IDC = "no such/room"
	_, err = r.Rebind(ctx, general, false, alice)
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
}

func TestGearsAreCopiedAndInterpolated(t *testing.T) {
	r := newRoom(t, nil)
	tpl, err := r.Create(t.Context(), doc("recall", nil), alice)
	require.NoError(t, err)
	tpl, err = r.EditDraft(t.Context(), tpl.ID, tpl.Version, func(s *template.Spec) (*template.Spec, gear.Problems) {
		return template.CopyGear(s, 3, []int{4, 5}, nil)
	}, alice)
	require.NoError(t, err)
	row := func(l int) int64 {
		table, err := template.Expand(tpl.Draft)
		require.NoError(t, err)
		return table.Rows[l-1][0].Int()
	}
	require.Equal(t, []int64{40, 60, 60, 60, 120}, []int64{row(2), row(3), row(4), row(5), row(6)})
	tpl, err = r.EditDraft(t.Context(), tpl.ID, tpl.Version, func(s *template.Spec) (*template.Spec, gear.Problems) {
		return template.InterpolateRange(s, 1, 10, nil)
	}, alice)
	require.NoError(t, err)
	require.Equal(t, spec(), *tpl.Draft)
	_, err = r.EditDraft(t.Context(), tpl.ID, tpl.Version, func(s *template.Spec) (*template.Spec, gear.Problems) {
		return template.CopyGear(s, 3, []int{11}, []string{"nope"})
	}, alice)
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
	require.Equal(t, time.UTC, tpl.UpdatedAt.UTC().Location())
}
