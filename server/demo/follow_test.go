package demo

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/lab"
	"github.com/allspark/allspark/server/scene"
)

// What the agents report of the calls they propagate is the graph of figure 6.
func TestTheDraftFromTrafficIsTheModelsOwnGraph(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{Seed: 1, Machines: 1, Rate: 13})
		time.Sleep(30 * time.Second)
		w.stop()
		seen := scene.NewSightings(time.Now, nil)
		for _, r := range w.controller.Reports() {
			for _, c := range r.Calls {
				for i := range w.model.Points {
					if p := &w.model.Points[i]; p.Name == c.Point { // names are unique in the model
						seen.Observe(w.model.Apps[p.App].Name, []gear.CallReport{c})
					}
				}
			}
		}
		want := Graph(lab.Standard(1))
		for _, name := range []string{"k2", "feeds"} {
			d, _, last := seen.Draft(name)
			require.False(t, last.IsZero())
			fresh, gone := d.Graph.Keep(&want)
			require.Empty(t, fresh, name)
			require.Empty(t, gone, name)
			require.ElementsMatch(t, want.Nodes, d.Graph.Nodes, name)
			require.ElementsMatch(t, want.Edges, d.Graph.Edges, name)
			require.Equal(t, scene.Place{App: "frontend", Point: "entry"}, d.Front)
			for _, e := range d.Edges {
				require.Greater(t, e.Seen, int64(20), "%s > %s", e.From, e.To)
			}
		}
	})
}
