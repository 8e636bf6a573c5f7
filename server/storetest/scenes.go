package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/profile"
	"github.com/allspark/allspark/server/scene"
	"github.com/allspark/allspark/server/store"
)

func sceneSpec(name string) scene.Spec {
	return scene.Spec{
		Name: name, Description: "展示广告 <k2>", Target: 300 * time.Millisecond, Statistic: scene.Statistic{Quantile: 0.99},
		Timeout: 400 * time.Millisecond, MaxTimeouts: 0.01, Ladder: []time.Duration{240 * time.Millisecond, 160 * time.Millisecond},
		From: 50 * time.Millisecond, To: 500 * time.Millisecond, Front: scene.Place{App: "frontend", Point: "page"},
		Graph: scene.Graph{
			Nodes: []scene.Node{
				{ID: "call", Place: scene.Place{App: "merger", Point: "call_sn"}, External: true, Network: 1500 * time.Microsecond, Retries: 1, Timeout: 150 * time.Millisecond, X: 1.5, Y: -2},
				{ID: "recall", Place: scene.Place{App: "sn", Point: "recall"}, Within: "call"},
				{ID: "rank", Place: scene.Place{App: "sn", Point: "rank"}, Within: "call", FedBy: "recall"},
			},
			Edges: []scene.Edge{{From: "recall", To: "rank"}},
		},
	}
}

func testScenes(t *testing.T, db *store.DB) {
	ctx := t.Context()
	x := &scene.Scene{Spec: sceneSpec("k2"), Reason: "first"}
	require.Empty(t, x.Check(nil))
	require.NoError(t, db.CreateScene(ctx, x, by("ann")))
	require.NotEmpty(t, x.ID)
	require.EqualValues(t, 1, x.Version)
	require.Equal(t, "ann", x.CreatedBy)
	require.WithinDuration(t, time.Now(), x.CreatedAt, time.Minute)
	got, err := db.GetScene(ctx, x.ID)
	require.NoError(t, err)
	require.Equal(t, x, got)
	got, err = db.FindScene(ctx, "k2")
	require.NoError(t, err)
	require.Equal(t, x, got)
	requireCode(t, fault.Conflict, db.CreateScene(ctx, &scene.Scene{Spec: sceneSpec("k2")}, by("bob")))
	_, err = db.GetScene(ctx, "none")
	requireCode(t, fault.NotFound, err)

	first, mine := *x, *x
	x.Target, x.Reason = 160*time.Millisecond, "双十一"
	x.Name = "another" // is not an update's to change
	require.NoError(t, db.UpdateScene(ctx, x, by("bob")))
	require.Equal(t, "k2", x.Name)
	require.EqualValues(t, 2, x.Version)
	require.Equal(t, "ann", x.CreatedBy)
	require.Equal(t, "bob", x.UpdatedBy)
	mine.Target = time.Second
	err = db.UpdateScene(ctx, &mine, by("ann"))
	requireCode(t, fault.Stale, err)
	require.Equal(t, x, clash(t, err).Theirs)
	require.Equal(t, &first, clash(t, err).Base)

	old, err := db.GetSceneVersion(ctx, x.ID, 1)
	require.NoError(t, err)
	require.Equal(t, &first, old, "a version never changes")
	vs, err := db.ListSceneVersions(ctx, x.ID, 0)
	require.NoError(t, err)
	require.Equal(t, []*scene.Scene{x, &first}, vs)
	_, err = db.GetSceneVersion(ctx, x.ID, 9)
	requireCode(t, fault.NotFound, err)

	other := &scene.Scene{Spec: sceneSpec("k1")}
	require.NoError(t, db.CreateScene(ctx, other, by("ann")))
	all, err := db.ListScenes(ctx)
	require.NoError(t, err)
	require.Equal(t, []*scene.Scene{other, x}, all)

	for range 3 {
		counts := race(6, func(int) error {
			mine := *other
			mine.Target -= time.Millisecond
			return db.UpdateScene(ctx, &mine, by("w"))
		})
		require.Equal(t, map[fault.Code]int{"": 1, fault.Stale: 5}, counts)
		other, err = db.GetScene(ctx, other.ID)
		require.NoError(t, err)
	}
	requireCode(t, fault.Stale, db.DeleteScene(ctx, x.ID, 1, by("ann")))
	require.NoError(t, db.DeleteScene(ctx, x.ID, 2, by("ann")))
	requireCode(t, fault.NotFound, db.DeleteScene(ctx, x.ID, 2, by("ann")))
	old, err = db.GetSceneVersion(ctx, x.ID, 0)
	require.NoError(t, err)
	require.Equal(t, x, old, "versions outlive their scene, name and all")
	require.NoError(t, verify(ctx, db))
}

func newProfile(point string, source profile.Source) *profile.Profile {
	p := &profile.Profile{
		Key: profile.Key{App: "sn", Point: point, Scene: gear.Any, Table: "abc"}, Source: source, Template: "recall-tags", TemplateVersion: 3,
		Classes: []allocation.Class{{Name: "light", Share: 0.75}, {Name: "heavy", Share: 0.25}}, MeasuredAt: time.UnixMicro(1_700_000_000_000_001).UTC(),
	}
	for l := range 3 {
		x := float64(l + 1)
		p.Levels = append(p.Levels, profile.Level{
			Work: x, Effect: 1 - 1/x, Output: 10 * x, Cap: 20 * x, Samples: int64(100 * l),
			RT: [][]allocation.Quantile{{{Q: 0.5, MS: x}, {Q: 0.99, MS: 3.25 * x}}, {{Q: 0.5, MS: 2 * x}, {Q: 0.99, MS: 9 * x}}},
		})
	}
	return p
}

func testProfiles(t *testing.T, db *store.DB) {
	ctx := t.Context()
	p := newProfile("recall", profile.Uploaded)
	require.Empty(t, p.Check())
	require.NoError(t, db.PutProfile(ctx, p, by("ann")))
	require.EqualValues(t, 1, p.Version)
	got, err := db.GetProfile(ctx, p.ID)
	require.NoError(t, err)
	require.Equal(t, p, got)
	got, err = db.FindProfile(ctx, p.Key, profile.Uploaded)
	require.NoError(t, err)
	require.Equal(t, p, got)
	got, err = db.FindProfile(ctx, p.Key, profile.Learned)
	require.NoError(t, err)
	require.Nil(t, got)
	requireCode(t, fault.Conflict, db.PutProfile(ctx, newProfile("recall", profile.Uploaded), by("bob")))

	base, mine := *p, *p
	p.Levels[0].Effect = 0.5
	base.Levels = newProfile("recall", profile.Uploaded).Levels
	require.NoError(t, db.PutProfile(ctx, p, by("bob")))
	require.EqualValues(t, 2, p.Version)
	require.Equal(t, "ann", p.CreatedBy)
	err = db.PutProfile(ctx, &mine, by("ann"))
	requireCode(t, fault.Stale, err)
	require.Equal(t, p, clash(t, err).Theirs)
	require.Equal(t, &base, clash(t, err).Base)

	var made []*profile.Profile
	for i := range 5 {
		q := newProfile(fmt.Sprint("p", i), profile.Learned)
		require.NoError(t, db.PutProfile(ctx, q, by("system:profile")))
		made = append(made, q)
	}
	var listed []*profile.Profile
	after := ""
	for range 4 {
		page, next, err := db.ListProfiles(ctx, profile.Filter{App: "sn", Source: profile.Learned, Limit: 2, After: after})
		require.NoError(t, err)
		listed = append(listed, page...)
		if after = next; next == "" {
			break
		}
	}
	require.Equal(t, made, listed)
	one, next, err := db.ListProfiles(ctx, profile.Filter{Point: "recall"})
	require.NoError(t, err)
	require.Empty(t, next)
	require.Equal(t, []*profile.Profile{p}, one)
	_, _, err = db.ListProfiles(ctx, profile.Filter{After: "!"})
	requireCode(t, fault.Invalid, err)

	requireCode(t, fault.Stale, db.DeleteProfile(ctx, p.ID, 1, by("ann")))
	require.NoError(t, db.DeleteProfile(ctx, p.ID, 2, by("ann")))
	_, err = db.GetProfile(ctx, p.ID)
	requireCode(t, fault.NotFound, err)
	require.NoError(t, verify(ctx, db))
}

func testAllocations(t *testing.T, db *store.DB) {
	ctx := t.Context()
	_, err := db.GetAllocation(ctx, "k2", gear.Any, 0)
	requireCode(t, fault.NotFound, err)
	in, missing, problems := (&scene.Scene{Spec: sceneSpec("k2")}).Input(func(p scene.Place) *profile.Profile { return newProfile(p.Point, profile.Uploaded) }, nil)
	require.Empty(t, missing)
	require.Empty(t, problems)
	table, problems := allocation.Build(in)
	require.Empty(t, problems)
	require.NotEmpty(t, table.Rows)
	for n := 1; n <= 4; n++ {
		v := &allocation.Version{Info: allocation.Info{
			Scene: "k2", IDC: gear.Any, SceneVersion: int64(n), InputHash: in.Hash(), Cause: "the scene changed",
			Took: 12 * time.Millisecond, Oldest: time.UnixMicro(1_700_000_000_000_000).UTC(), Learned: 1,
		}, Table: *table}
		require.NoError(t, db.SaveAllocation(ctx, v, 3, by("system:allocation")))
		require.Equal(t, n, v.Number)
		require.Equal(t, table.First, v.First)
		got, err := db.GetAllocation(ctx, "k2", gear.Any, 0)
		require.NoError(t, err)
		require.Equal(t, v, got, "every row survives")
	}
	other := &allocation.Version{Info: allocation.Info{Scene: "k2", IDC: "na61"}, Table: *table}
	require.NoError(t, db.SaveAllocation(ctx, other, 3, by("system:allocation")))
	require.Equal(t, 1, other.Number, "each IDC counts for itself")
	_, err = db.GetAllocation(ctx, "k2", gear.Any, 1)
	requireCode(t, fault.NotFound, err)
	infos, err := db.ListAllocations(ctx, "k2", gear.Any, 0)
	require.NoError(t, err)
	require.Len(t, infos, 3)
	require.Equal(t, 4, infos[0].Number)
	got, err := db.GetAllocation(ctx, "k2", gear.Any, 2)
	require.NoError(t, err)
	require.Equal(t, got.Info, infos[2])
	infos, err = db.ListAllocations(ctx, "", "", 0)
	require.NoError(t, err)
	require.Len(t, infos, 4)
	counts := race(4, func(int) error {
		return db.SaveAllocation(ctx, &allocation.Version{Info: allocation.Info{Scene: "k1", IDC: gear.Any}, Table: *table}, 0, by("w"))
	})
	require.Equal(t, map[fault.Code]int{"": 4}, counts, "builders take turns")
	require.NoError(t, verify(ctx, db))
}
