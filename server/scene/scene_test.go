package scene_test

import (
	"errors"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/profile"
	"github.com/allspark/allspark/server/scene"
	"github.com/allspark/allspark/server/store"
)

func at(app, point string) scene.Place { return scene.Place{App: app, Point: point} }

// engine is merger, which calls sn: recall, prerank, feature beside creative, rank.
func engine() scene.Spec {
	node := func(id, app string) scene.Node { return scene.Node{ID: id, Place: at(app, id), Within: "call_sn"} }
	prerank, rank := node("prerank", "sn"), node("rank", "sn")
	prerank.FedBy, rank.FedBy = "recall", "prerank"
	creative := node("creative", "sn")
	creative.External, creative.Network = true, time.Millisecond
	return scene.Spec{
		Name: "k2", Target: 300 * time.Millisecond, Statistic: scene.Statistic{Quantile: 0.99}, Timeout: 400 * time.Millisecond,
		Ladder: []time.Duration{240 * time.Millisecond, 160 * time.Millisecond},
		Graph: scene.Graph{
			Nodes: []scene.Node{
				{ID: "merge", Place: at("merger", "merge")},
				{ID: "call_sn", Place: at("merger", "call_sn"), External: true, Network: 2 * time.Millisecond},
				node("recall", "sn"), prerank, node("feature", "sn"), creative, rank,
			},
			Edges: []scene.Edge{
				{From: "call_sn", To: "merge"},
				{From: "recall", To: "prerank"},
				{From: "prerank", To: "feature"},
				{From: "prerank", To: "creative"},
				{From: "feature", To: "rank"},
				{From: "creative", To: "rank"},
			},
		},
	}
}

func TestSoundScene(t *testing.T) {
	s := engine()
	require.Empty(t, s.Check(nil))
	require.Empty(t, s.Warnings())
	for n, want := range map[int]time.Duration{1: 300, 2: 240, 3: 160} {
		got, clamped := s.Step(n)
		require.Equal(t, want*time.Millisecond, got)
		require.False(t, clamped)
	}
	got, clamped := s.Step(9)
	require.Equal(t, 160*time.Millisecond, got)
	require.True(t, clamped)
	require.Equal(t, 3, s.Steps())
	s.Ladder = append(s.Ladder, 20*time.Millisecond)
	require.Contains(t, s.Warnings().Error(), "20ms lies outside the table's targets 50..500 ms")
}

func TestBadScenes(t *testing.T) {
	for says, spoil := range map[string]func(*scene.Spec){
		"not a scene's name":          func(s *scene.Spec) { s.Name = "a b" },
		"the target wants":            func(s *scene.Spec) { s.Target = 0 },
		"before the target":           func(s *scene.Spec) { s.Timeout = 200 * time.Millisecond },
		"does not lie below":          func(s *scene.Spec) { s.Ladder[1] = 250 * time.Millisecond },
		"circle":                      func(s *scene.Spec) { s.Graph.Edges = append(s.Graph.Edges, scene.Edge{From: "rank", To: "recall"}) },
		"names a node that is not":    func(s *scene.Spec) { s.Graph.Edges[0].To = "nobody" },
		"no registered build":         func(s *scene.Spec) { s.Graph.Nodes[4].Place.Point = "strange" },
		"twice":                       func(s *scene.Spec) { s.Graph.Nodes[4].ID = "rank" },
		"sn/rank stands":              func(s *scene.Spec) { s.Graph.Nodes[4].Place = at("sn", "rank") },
		"no external edge":            func(s *scene.Spec) { s.Graph.Nodes[2].Within = "merge" },
		"is no external edge and has": func(s *scene.Spec) { s.Graph.Nodes[2].Timeout = 1 },
		"runs within itself":          func(s *scene.Spec) { s.Graph.Nodes[1].Within, s.Graph.Nodes[5].Within = "creative", "call_sn" },
		"which is not there":          func(s *scene.Spec) { s.Graph.Nodes[6].FedBy = "nobody" },
		"not over before it begins":   func(s *scene.Spec) { s.Graph.Nodes[2].FedBy = "feature" },
		"not a number":                func(s *scene.Spec) { s.Graph.Nodes[2].X = math.NaN() },
		"quantile":                    func(s *scene.Spec) { s.Statistic.Quantile = math.NaN() },
	} {
		s := engine()
		spoil(&s)
		require.ErrorContains(t, s.Check(func(p scene.Place) bool { return p.Point != "strange" }).Err(), says)
	}
}

func TestTimeoutsAreRefusedWithTheSum(t *testing.T) {
	s := engine()
	s.Graph.Nodes[5].Timeout = 30 * time.Millisecond
	s.Graph.Nodes[5].Retries = 1
	s.Graph.Nodes[1].Timeout = 50 * time.Millisecond
	require.ErrorContains(t, s.Check(nil).Err(), "call_sn has a timeout of 50ms, and what runs within it may take 60ms + 2ms of network = 62ms")
	s.Graph.Nodes[1].Timeout = 62 * time.Millisecond
	require.Empty(t, s.Check(nil))
	own := func(p scene.Place) time.Duration { return 5 * time.Millisecond }
	require.ErrorContains(t, s.Graph.CheckTimeouts(own).Err(), "75ms + 2ms of network = 77ms")
}

func prof(p scene.Place) *profile.Profile {
	out := &profile.Profile{Key: profile.Key{App: p.App, Point: p.Point, Scene: "*"}, Source: profile.Uploaded, Classes: []allocation.Class{{Name: "all", Share: 1}}}
	for l := range 5 {
		x := float64(l + 1)
		out.Levels = append(out.Levels, profile.Level{Work: x, Effect: math.Sqrt(x), Output: 100 * x, RT: [][]allocation.Quantile{{{Q: 0.5, MS: 4 * x}, {Q: 0.99, MS: 12 * x}}}})
	}
	return out
}

func TestInput(t *testing.T) {
	s := engine()
	in, missing, problems := s.Input(prof, func(p scene.Place) scene.Level {
		if p.Point == "recall" {
			return scene.Level{Min: 2, Max: 4, Crowds: true}
		}
		return scene.Level{}
	})
	require.Empty(t, missing)
	require.Empty(t, problems)
	table, problems := allocation.Build(in)
	require.Empty(t, problems)
	require.Equal(t, []string{"merger/call_sn", "sn/creative"}, table.Calls)
	require.Empty(t, table.Unlinked)
	recall := table.Point("sn/recall")
	for _, target := range []int{100, 160, 300} {
		row, clamped := table.Row(target)
		require.False(t, clamped)
		require.LessOrEqual(t, row.RT, float64(target))
		require.GreaterOrEqual(t, row.Points[recall].Level, 2)
		require.LessOrEqual(t, row.Points[recall].Level, 4)
		require.Greater(t, row.Timeouts[0], row.Timeouts[1])
		require.NotNil(t, row.Isolated)
	}

	in, missing, _ = s.Input(func(p scene.Place) *profile.Profile {
		if p.Point == "rank" {
			return nil
		}
		return prof(p)
	}, nil)
	require.Nil(t, in)
	require.Equal(t, "rank", missing[0].Node)
	require.Contains(t, missing[0].Reason, "no profile")
	_, missing, _ = s.Input(prof, func(scene.Place) scene.Level { return scene.Level{Min: 1, Max: 9} })
	require.Contains(t, missing[0].Reason, "allows 1..9")

	// A cross-link from within one call to another is still exact.
	s.Graph.Edges = append(s.Graph.Edges, scene.Edge{From: "recall", To: "after"})
	s.Graph.Nodes = append(s.Graph.Nodes, scene.Node{ID: "after", Place: at("merger", "after")})
	require.Empty(t, s.Check(nil))
	in, _, problems = s.Input(prof, nil)
	require.Empty(t, problems)
	table, problems = allocation.Build(in)
	require.Empty(t, problems)
	require.False(t, table.Bounded)
}

func TestDraft(t *testing.T) {
	see := func(p scene.Place, external bool, caller, after scene.Place) scene.Sighting {
		return scene.Sighting{Place: p, External: external, Caller: caller, After: after, Count: 100}
	}
	none, call := scene.Place{}, at("merger", "call_sn")
	seen := []scene.Sighting{
		see(at("merger", "merge"), false, none, none), see(at("merger", "merge"), false, none, call), see(call, true, none, none),
		see(at("sn", "recall"), false, call, none), see(at("sn", "prerank"), false, call, none), see(at("sn", "rank"), false, call, none),
		see(at("sn", "creative"), true, call, none), see(at("sn", "feature"), false, call, none),
		see(at("sn", "prerank"), false, call, at("sn", "recall")), see(at("sn", "feature"), false, call, at("sn", "recall")),
		see(at("sn", "feature"), false, call, at("sn", "prerank")), see(at("sn", "creative"), true, call, at("sn", "prerank")),
		see(at("sn", "creative"), true, call, at("sn", "recall")), see(at("sn", "rank"), false, call, at("sn", "recall")),
		see(at("sn", "rank"), false, call, at("sn", "prerank")), see(at("sn", "rank"), false, call, at("sn", "feature")),
		see(at("sn", "rank"), false, call, at("sn", "creative")),
	}
	seen = append(seen, scene.Sighting{Place: at("sn", "feature"), Caller: call, After: at("sn", "creative"), Count: 40}) // side by side: now one, now the other
	d := scene.NewDraft(seen, func(p scene.Place) (takes, gives bool) {
		return p == at("sn", "prerank") || p == at("sn", "rank"), p == at("sn", "prerank") || p == at("sn", "recall")
	})
	g := d.Graph
	spec := engine()
	spec.Graph = g
	require.Empty(t, spec.Check(nil))
	require.Len(t, g.Nodes, 7)
	require.Equal(t, "merger/call_sn", g.Nodes[g.Find(at("sn", "rank"))].Within)
	require.Equal(t, "", g.Nodes[g.Find(at("merger", "merge"))].Within)
	require.ElementsMatch(t, []scene.Edge{
		{From: "merger/call_sn", To: "merger/merge"},
		{From: "sn/recall", To: "sn/prerank"},
		{From: "sn/prerank", To: "sn/feature"},
		{From: "sn/prerank", To: "sn/creative"},
		{From: "sn/feature", To: "sn/rank"},
		{From: "sn/creative", To: "sn/rank"},
	}, g.Edges, "implied edges are left out")
	require.Equal(t, "sn/recall", g.Nodes[g.Find(at("sn", "prerank"))].FedBy)
	require.Equal(t, "sn/prerank", g.Nodes[g.Find(at("sn", "rank"))].FedBy, "feature and creative stand between and hand on nothing")
	require.Equal(t, scene.EdgeEvidence{Edge: g.Edges[0], Seen: 100, Of: 100}, d.Edges[0])
	require.Empty(t, scene.NewDraft(nil, nil).Graph.Nodes)
}

type declared map[scene.Place]bool

func (d declared) Declares(app, point string) bool { return d[at(app, point)] }

func TestService(t *testing.T) {
	ctx := t.Context()
	db, err := store.Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "a.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.Migrate(ctx))
	nudges := 0
	spec := engine()
	known := declared{}
	for _, n := range spec.Graph.Nodes {
		known[n.Place] = true
	}
	s := scene.NewService(db, known, nil, func() { nudges++ })
	x, err := s.Create(ctx, &spec, audit.Change{Actor: "ann"})
	require.NoError(t, err)
	require.EqualValues(t, 1, x.Version)
	y, err := s.SetTarget(ctx, x.ID, 1, 160*time.Millisecond, audit.Change{Actor: "bob", Reason: "peak"})
	require.NoError(t, err)
	require.EqualValues(t, 2, y.Version)
	require.Empty(t, y.Ladder, "steps that lie not below the target are gone")
	_, err = s.Save(ctx, x.ID, 1, &spec, audit.Change{Actor: "ann"})
	require.Equal(t, fault.Stale, fault.CodeOf(err))
	f, _ := errors.AsType[*fault.Error](err)
	clash := f.Detail.(fault.Clash)
	require.Equal(t, 300*time.Millisecond, clash.Base.(*scene.Scene).Target)
	require.Equal(t, 160*time.Millisecond, clash.Theirs.(*scene.Scene).Target)
	z, err := s.Restore(ctx, x.ID, 2, 1, audit.Change{Actor: "ann"})
	require.NoError(t, err)
	require.Equal(t, 300*time.Millisecond, z.Target)
	require.EqualValues(t, 3, z.Version)
	byName, err := s.Get(ctx, "k2")
	require.NoError(t, err)
	require.Equal(t, z, byName)
	renamed := spec
	renamed.Name = "k3"
	_, err = s.Save(ctx, x.ID, 3, &renamed, audit.Change{})
	require.Equal(t, fault.Invalid, fault.CodeOf(err))
	spec.Graph.Nodes[0].Place.Point = "strange"
	_, err = s.Save(ctx, x.ID, 3, &spec, audit.Change{})
	require.ErrorContains(t, err, "no registered build declares the point merger/strange")
	vs, err := s.Versions(ctx, x.ID, 0)
	require.NoError(t, err)
	require.Len(t, vs, 3)
	require.NoError(t, s.Delete(ctx, x.ID, 3, audit.Change{Actor: "ann"}))
	require.Equal(t, 4, nudges)
	entries, err := db.ListAudit(ctx, audit.Filter{Kind: "scene"})
	require.NoError(t, err)
	require.Equal(t, []string{"delete", "rollback", "set_target", "create"}, []string{entries[0].Verb, entries[1].Verb, entries[2].Verb, entries[3].Verb})
}
