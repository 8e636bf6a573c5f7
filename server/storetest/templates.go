package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/template"
)

func testTemplates(t *testing.T, db *store.DB) {
	ctx := t.Context()
	x := newTemplate(t, db, "recall-tags")
	require.NotEmpty(t, x.ID)
	require.EqualValues(t, 1, x.Version)
	require.Equal(t, "ann", x.CreatedBy)
	require.WithinDuration(t, time.Now(), x.CreatedAt, time.Minute)

	got, err := db.GetTemplate(ctx, x.ID)
	require.NoError(t, err)
	require.Equal(t, x, got, "every field survives, typed values included")
	got, err = db.FindTemplate(ctx, "recall-tags")
	require.NoError(t, err)
	require.Equal(t, x, got)

	requireCode(t, fault.Conflict, db.CreateTemplate(ctx, &template.Template{Name: "recall-tags"}, by("bob")))
	_, err = db.GetTemplate(ctx, "none")
	requireCode(t, fault.NotFound, err)
	_, err = db.FindTemplate(ctx, "none")
	requireCode(t, fault.NotFound, err)

	// An edit keeps who made it and when, and tells the loser what changed.
	mine, theirs := *x, *x
	theirs.Description = "theirs"
	require.NoError(t, db.UpdateTemplate(ctx, &theirs, by("bob")))
	require.EqualValues(t, 2, theirs.Version)
	require.Equal(t, "ann", theirs.CreatedBy)
	require.Equal(t, "bob", theirs.UpdatedBy)
	mine.Description = "mine"
	err = db.UpdateTemplate(ctx, &mine, by("ann"))
	requireCode(t, fault.Stale, err)
	require.EqualValues(t, 1, mine.Version, "a refused write changes nothing")
	c := clash(t, err)
	require.Equal(t, &theirs, c.Theirs)
	base, ok := c.Base.(*template.Template)
	require.True(t, ok)
	require.Equal(t, "about recall-tags", base.Description)
	require.Equal(t, x.Draft, base.Draft)

	other := newTemplate(t, db, "other")
	other.Name = "recall-tags"
	requireCode(t, fault.Conflict, db.UpdateTemplate(ctx, other, by("bob")))
	ghost := theirs
	ghost.ID = "none"
	requireCode(t, fault.NotFound, db.UpdateTemplate(ctx, &ghost, by("bob")))

	requireCode(t, fault.Stale, db.DeleteTemplate(ctx, x.ID, 1, by("bob")))
	require.NoError(t, db.DeleteTemplate(ctx, x.ID, 2, by("bob")))
	_, err = db.GetTemplate(ctx, x.ID)
	requireCode(t, fault.NotFound, err)
	require.NoError(t, verify(ctx, db))
}

func testTemplateRaces(t *testing.T, db *store.DB) {
	x := newTemplate(t, db, "contested")
	for round := range 5 {
		got := race(8, func(i int) error {
			mine := *x
			mine.Description = fmt.Sprintf("writer %d in round %d", i, round)
			return db.UpdateTemplate(t.Context(), &mine, by("w"))
		})
		require.Equal(t, map[fault.Code]int{"": 1, fault.Stale: 7}, got, "exactly one of the writers of a version wins")
		var err error
		x, err = db.GetTemplate(t.Context(), x.ID)
		require.NoError(t, err)
	}
	got := race(6, func(int) error {
		return db.CreateTemplate(t.Context(), &template.Template{Name: "only-one"}, by("w"))
	})
	require.Equal(t, map[fault.Code]int{"": 1, fault.Conflict: 5}, got)
	require.NoError(t, verify(t.Context(), db))
}

func testTemplatePages(t *testing.T, db *store.DB) {
	ctx := t.Context()
	for i := range 7 {
		newTemplate(t, db, fmt.Sprintf("t%d", i))
	}
	special := &template.Template{Name: "special", Description: "100%_SURE", Tags: []string{"re%call", "night"}}
	require.NoError(t, db.CreateTemplate(ctx, special, by("ann")))

	walk := func(f template.Filter, between func()) (names []string) {
		for range 20 {
			items, next, err := db.ListTemplates(ctx, f)
			require.NoError(t, err)
			for _, x := range items {
				names = append(names, x.Name)
			}
			if next == "" {
				return names
			}
			f.After = next
			between()
		}
		t.Fatal("the cursor never ends")
		return nil
	}
	none := func() {}
	require.Equal(t, []string{"special", "t0", "t1", "t2", "t3", "t4", "t5", "t6"}, walk(template.Filter{Limit: 3}, none))
	require.Equal(t, []string{"t6", "t5", "t4", "t3", "t2", "t1", "t0", "special"}, walk(template.Filter{Limit: 2, Sort: "-name"}, none))
	require.Len(t, walk(template.Filter{Limit: 3, Sort: "-updated_at"}, none), 8)
	require.Len(t, walk(template.Filter{Limit: 3, Sort: "updated_at"}, none), 8)
	require.Equal(t, []string{"special"}, walk(template.Filter{Search: "100%_s"}, none), "wildcards are letters, case is not")
	require.Equal(t, []string{"special"}, walk(template.Filter{Tags: []string{"night", "re%call"}}, none))
	require.Empty(t, walk(template.Filter{Tags: []string{"nigh"}}, none), "tags match whole")
	require.Empty(t, walk(template.Filter{Search: "nothing like it"}, none))

	n := 0
	names := walk(template.Filter{Limit: 3}, func() { // rows written before the cursor move nothing
		n++
		newTemplate(t, db, fmt.Sprintf("a%d", n))
	})
	require.Equal(t, []string{"special", "t0", "t1", "t2", "t3", "t4", "t5", "t6"}, names)

	_, _, err := db.ListTemplates(ctx, template.Filter{Sort: "draft"})
	requireCode(t, fault.Invalid, err)
	_, _, err = db.ListTemplates(ctx, template.Filter{After: "x'; DROP TABLE templates"})
	requireCode(t, fault.Invalid, err)
	_, next, err := db.ListTemplates(ctx, template.Filter{Limit: 1})
	require.NoError(t, err)
	_, _, err = db.ListTemplates(ctx, template.Filter{Limit: 1, Sort: "-name", After: next})
	requireCode(t, fault.Invalid, err)
	items, _, err := db.ListTemplates(ctx, template.Filter{Limit: 1e9})
	require.NoError(t, err)
	require.NotEmpty(t, items)
}

func testPublish(t *testing.T, db *store.DB) {
	ctx := t.Context()
	x := newTemplate(t, db, "published")
	_, err := db.GetVersion(ctx, x.ID, 0)
	requireCode(t, fault.NotFound, err)

	v := &template.Version{Spec: *x.Draft, Hash: "h1", Reason: "first"}
	old := *x
	require.NoError(t, db.PublishTemplate(ctx, x, v, by("ann")))
	require.Equal(t, 1, v.Number)
	require.Equal(t, x.ID, v.TemplateID)
	require.Equal(t, "ann", v.Author)
	require.Nil(t, x.Draft)
	require.Equal(t, 1, x.Latest)

	requireCode(t, fault.Stale, db.PublishTemplate(ctx, &old, &template.Version{Spec: *spec(5)}, by("bob")))
	got, err := db.GetVersion(ctx, x.ID, 1)
	require.NoError(t, err)
	require.Equal(t, v, got)

	back := &template.Version{Spec: *spec(20), Hash: "h2", RolledBack: 1}
	require.NoError(t, db.PublishTemplate(ctx, x, back, by("bob")))
	vs, err := db.ListVersions(ctx, x.ID)
	require.NoError(t, err)
	require.Equal(t, []*template.Version{back, v}, vs)
	got, err = db.GetVersion(ctx, x.ID, 0)
	require.NoError(t, err)
	require.Equal(t, 2, got.Number, "0 asks for the latest")
	stored, err := db.GetTemplate(ctx, x.ID)
	require.NoError(t, err)
	require.Equal(t, x, stored)

	edited := *x
	edited.Description = "after publishing"
	require.NoError(t, db.UpdateTemplate(ctx, &edited, by("bob")))
	err = db.UpdateTemplate(ctx, x, by("ann"))
	requireCode(t, fault.Stale, err)
	require.Equal(t, stored, clash(t, err).Base, "a published state is a base too")
	x = &edited

	counts := race(6, func(int) error {
		mine := *x
		return db.PublishTemplate(ctx, &mine, &template.Version{Spec: *spec(3)}, by("w"))
	})
	require.Equal(t, map[fault.Code]int{"": 1, fault.Stale: 5}, counts)

	x, err = db.GetTemplate(ctx, x.ID)
	require.NoError(t, err)
	require.NoError(t, db.DeleteTemplate(ctx, x.ID, x.Version, by("ann")))
	got, err = db.GetVersion(ctx, x.ID, 1)
	require.NoError(t, err, "the journal goes on naming versions of deleted templates")
	require.Equal(t, v, got)
}

func testBindings(t *testing.T, db *store.DB) {
	ctx := t.Context()
	x := newTemplate(t, db, "bound")
	require.NoError(t, db.PublishTemplate(ctx, x, &template.Version{Spec: *spec(10)}, by("ann")))

	b := &template.Binding{Selector: template.Selector{Scene: gear.Any, IDC: gear.Any, App: "sn", Point: "recall"}, TemplateID: x.ID}
	require.NoError(t, db.CreateBinding(ctx, b, by("ann")))
	require.Equal(t, "bound", b.Template)
	got, err := db.GetBinding(ctx, b.ID)
	require.NoError(t, err)
	require.Equal(t, b, got)

	same := &template.Binding{Selector: b.Selector, TemplateID: x.ID}
	requireCode(t, fault.Conflict, db.CreateBinding(ctx, same, by("bob")))
	narrow := &template.Binding{Selector: template.Selector{Scene: "k2", IDC: gear.Any, App: "sn", Point: "recall"}, TemplateID: x.ID, Pin: 1}
	require.NoError(t, db.CreateBinding(ctx, narrow, by("bob")), "a more specific one is fine")
	requireCode(t, fault.Invalid, db.CreateBinding(ctx, &template.Binding{Selector: template.Selector{App: "a"}, TemplateID: "none"}, by("bob")))
	requireCode(t, fault.Invalid, db.CreateBinding(ctx, &template.Binding{Selector: template.Selector{App: "a"}, TemplateID: x.ID, Pin: 9}, by("bob")))

	all, err := db.ListBindings(ctx)
	require.NoError(t, err)
	require.Equal(t, []*template.Binding{b, narrow}, all)

	x, err = db.GetTemplate(ctx, x.ID)
	require.NoError(t, err)
	requireCode(t, fault.Conflict, db.DeleteTemplate(ctx, x.ID, x.Version, by("ann")))

	mine := *b
	b.Pin = 1
	require.NoError(t, db.UpdateBinding(ctx, b, by("bob")))
	require.EqualValues(t, 2, b.Version)
	mine.Pin = 0
	err = db.UpdateBinding(ctx, &mine, by("ann"))
	requireCode(t, fault.Stale, err)
	require.Equal(t, 1, clash(t, err).Theirs.(*template.Binding).Pin)
	require.Equal(t, 0, clash(t, err).Base.(*template.Binding).Pin)

	requireCode(t, fault.Stale, db.DeleteBinding(ctx, b.ID, 1, by("ann")))
	require.NoError(t, db.DeleteBinding(ctx, b.ID, 2, by("ann")))
	require.NoError(t, db.DeleteBinding(ctx, narrow.ID, 1, by("ann")))
	requireCode(t, fault.NotFound, db.DeleteBinding(ctx, b.ID, 2, by("ann")))
	_, err = db.GetBinding(ctx, b.ID)
	requireCode(t, fault.NotFound, err)

	counts := race(6, func(int) error {
		return db.CreateBinding(ctx, &template.Binding{Selector: template.Selector{Scene: "k1", IDC: gear.Any, App: "sn", Point: "rank"}, TemplateID: x.ID}, by("w"))
	})
	require.Equal(t, map[fault.Code]int{"": 1, fault.Conflict: 5}, counts)
	require.NoError(t, verify(ctx, db))
}
