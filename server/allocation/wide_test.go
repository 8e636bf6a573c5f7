package allocation_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/allocation"
)

// A wide part that is neither series nor parallel is built all the same, and the
// table keeps its promises: searching it for nodes to fix would take hours.
func TestAWidePartIsBuilt(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const layers, width = 20, 10
	in := random(r, shape{points: layers * width, levels: 3, maxMS: 5, series: true})
	in.To, in.Graph.Edges = 200, nil
	for i := width; i < layers*width; i++ {
		from := i - i%width - width
		for _, j := range r.Perm(width)[:3] {
			in.Graph.Edges = append(in.Graph.Edges, allocation.Edge{From: from + j, To: i})
		}
	}
	table, problems := allocation.Build(in)
	require.Empty(t, problems)
	require.NotEmpty(t, table.Rows)
	before := 0.0
	for i := range table.Rows {
		row := &table.Rows[i]
		require.GreaterOrEqual(t, row.Effect, before-1e-9, "more time is not worth less")
		before = row.Effect
	}
	require.Greater(t, table.Rows[len(table.Rows)-1].Effect, table.Rows[0].Effect)
}
