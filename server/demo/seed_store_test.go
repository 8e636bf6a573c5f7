package demo

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/template"
)

type nobody struct{}

func (nobody) Declared(string) []fleet.Declared { return nil }

func TestSeedHappensOnceInTheLifeOfADatabase(t *testing.T) {
	ctx := context.Background()
	db, err := store.Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "a.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	require.NoError(t, db.Migrate(ctx))
	s := template.NewService(db, nobody{}, nil)

	require.NoError(t, Seed(ctx, s, db))
	all, err := db.ListBindings(ctx)
	require.NoError(t, err)
	require.Len(t, all, len(Bindings()))
	for _, doc := range Templates() {
		found, err := db.FindTemplate(ctx, doc.Name)
		require.NoError(t, err)
		require.Equal(t, 1, found.Latest)
	}

	// An operator unbinds one place and deletes its template; another gets a
	// second version. All of it stands after the next start.
	mine := audit.Change{Actor: "op", Via: "cli"}
	gone, err := db.FindTemplate(ctx, "merge-ads")
	require.NoError(t, err)
	for _, b := range all {
		if b.TemplateID == gone.ID || b.Selector.Point == "score" {
			require.NoError(t, s.Unbind(ctx, b.ID, b.Version, mine))
		}
	}
	require.NoError(t, s.Delete(ctx, gone.ID, gone.Version, mine))
	recall, err := db.FindTemplate(ctx, "recall-tags")
	require.NoError(t, err)
	doc, err := s.Content(ctx, recall.ID, "1")
	require.NoError(t, err)
	doc.Spec.Default = 70
	recall, err = s.SaveDraft(ctx, recall.ID, recall.Version, doc, false, mine)
	require.NoError(t, err)
	_, err = s.Publish(ctx, recall.ID, recall.Version, false, mine)
	require.NoError(t, err)

	require.NoError(t, Seed(ctx, s, db))
	after, err := db.ListBindings(ctx)
	require.NoError(t, err)
	require.Len(t, after, len(all)-2)
	_, err = db.FindTemplate(ctx, "merge-ads")
	require.True(t, fault.Is(err, fault.NotFound))
	recall, err = db.FindTemplate(ctx, "recall-tags")
	require.NoError(t, err)
	require.Equal(t, 2, recall.Latest)
}
