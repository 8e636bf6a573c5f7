package demo

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/lab"
	"github.com/allspark/allspark/server/profile"
	"github.com/allspark/allspark/server/scene"
)

func TestTheScenesHaveATable(t *testing.T) {
	ps, err := Profiles(Config{Seed: 1}, time.Unix(1_700_000_000, 0))
	require.NoError(t, err)
	for _, p := range ps {
		require.Empty(t, p.Check(), p.Key.String())
	}
	for _, s := range Scenes() {
		require.Empty(t, s.Check(nil))
		in, missing, problems := s.Input(func(at scene.Place) *profile.Profile {
			return profile.Best(ps, at.App, at.Point, s.Name, "", time.Unix(1_700_000_000, 0))
		}, nil)
		require.Empty(t, missing)
		require.Empty(t, problems)
		table, problems := allocation.Build(in)
		require.Empty(t, problems)
		require.LessOrEqual(t, table.First, 130)
		for i := 1; i < len(table.Rows); i++ {
			require.GreaterOrEqual(t, table.Rows[i].Effect, table.Rows[i-1].Effect)
		}
		row, clamped := table.Row(160)
		require.False(t, clamped)
		require.InDelta(t, 160, row.RT, 2)
		require.Equal(t, []string{"sn/creative_edge"}, table.Calls)
		require.Less(t, row.Timeouts[0], 700.0)
	}
}

func TestTheGraphIsTheModelsOwn(t *testing.T) {
	g := Graph(lab.Standard(1))
	var edges []string
	for _, e := range g.Edges {
		edges = append(edges, e.From+" > "+e.To)
	}
	require.Equal(t, []string{
		"sn/recall > sn/prerank", "sn/prerank > feature/fetch", "sn/prerank > sn/creative_edge",
		"feature/fetch > sn/rank", "sn/creative_edge > sn/rank", "sn/rank > model/score", "model/score > merger/merge",
	}, edges)
	require.Equal(t, "sn/creative_edge", g.Nodes[g.Node("creative/select")].Within)
	require.Equal(t, "sn/prerank", g.Nodes[g.Node("sn/rank")].FedBy)
}
