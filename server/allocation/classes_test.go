package allocation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/allocation"
)

// Crowds run the heavy lower, so that these hand on less, and what works on it waits
// less for them.
func TestTheHeavyHandOnLessUnderCrowds(t *testing.T) {
	in := users(true, []float64{10, 20, 30}, []float64{30, 60, 90})
	rank := allocation.Point{Name: "sn/rank", Feeder: 0}
	for l := range 3 {
		x := float64(l + 1)
		rank.Levels = append(rank.Levels, allocation.Level{
			RT: []allocation.Dist{allocation.Fixed(10 * x), allocation.Fixed(30 * x)}, Work: 10 * x, Effect: x, Cap: 100 * x, Output: x,
		})
	}
	in.Points = append(in.Points, rank)
	in.Graph.Nodes = append(in.Graph.Nodes, allocation.Node{Name: "sn/rank", Point: 1, Parent: allocation.None})
	in.Graph.Edges = []allocation.Edge{{From: 0, To: 1}}
	in.To = 200
	table, problems := allocation.Build(in)
	require.Empty(t, problems)
	// Recall's cap of 3 holds everybody at 60 ms: the light at level 3 with 300 results,
	// the heavy at 2 with 200, who therefore do not wait for rank's third level.
	row, _ := table.Row(200)
	require.Equal(t, 3, row.Points[0].Level)
	require.Equal(t, 3, row.Points[1].Level)
	require.InDelta(t, (30+60)/2.0, row.Points[0].RT, 0.01)
	require.InDelta(t, (30+60)/2.0, row.Points[1].RT, 0.01)
	require.InDelta(t, 90, row.RT, 0.5)

	for i := range in.Points {
		in.Points[i].Crowds = false
	}
	whole, problems := allocation.Build(in)
	require.Empty(t, problems)
	row, _ = whole.Row(200)
	require.InDelta(t, 120, row.RT, 0.5, "where all run alike")
}
