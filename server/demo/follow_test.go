package demo

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent/agenttest"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/lab"
	"github.com/allspark/allspark/server/profile"
	"github.com/allspark/allspark/server/scene"
)

// What the agents report of the calls they propagate is the graph of figure 6.
func TestTheDraftFromTrafficIsTheModelsOwnGraph(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{Seed: 1, Machines: 4, Rate: 13})
		for point, rows := range map[string][]agenttest.Row{
			"recall": {{"tag_count": 60}, {"tag_count": 100}}, "prerank": {{"candidates": 300}, {"candidates": 500}}, "rank": {{"candidates": 100, "model": gear.Enum("base")}, {"candidates": 150, "model": gear.Enum("base")}},
			"fetch": {{"fetch_docs": 100}, {"fetch_docs": 160}}, "score": {{"layers": 8}, {"layers": 12}},
		} {
			w.controller.Levels(point, rows...)
			w.controller.SetLevel("*", point, 2)
		}
		time.Sleep(4 * time.Minute) // a part of the requests is kept by level
		w.stop()
		learner := profile.NewLearner()
		seen := scene.NewSightings(time.Now, func(p scene.Place) (bool, bool) { return learner.Results(p.App, p.Point) })
		for _, r := range w.controller.Reports() {
			for i := range r.Levels {
				learnFrom(learner, w.model, &r.Levels[i])
			}
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
			for i := range want.Nodes {
				k := d.Graph.Find(want.Nodes[i].Place)
				require.GreaterOrEqual(t, k, 0, want.Nodes[i].ID)
				require.Equal(t, want.Nodes[i].FedBy, d.Graph.Nodes[k].FedBy, "whose results %s works on", want.Nodes[i].ID)
			}
			fresh, gone := d.Graph.Keep(&want) // network, which no report tells
			require.Empty(t, fresh, name)
			require.Empty(t, gone, name)
			require.ElementsMatch(t, want.Nodes, d.Graph.Nodes, name)
			require.ElementsMatch(t, want.Edges, d.Graph.Edges, name)
			require.Equal(t, scene.Place{App: "frontend", Point: "entry"}, d.Front)
			for _, e := range d.Edges {
				require.Greater(t, e.Seen, int64(20), "%s > %s", e.From, e.To)
			}
		}
		testLearnt(t, learner, w.model)
	})
}

func learnFrom(l *profile.Learner, m *lab.Model, x *gear.LevelReport) {
	for i := range m.Points {
		if p := &m.Points[i]; p.Name == x.Point {
			l.Observe(profile.Observation{
				Key: profile.Key{App: m.Apps[p.App].Name, Point: x.Point, Scene: x.Scene}, Class: x.Class, Level: x.Level, Of: 2,
				Count: x.Count, RT: x.RT, Value: x.Value, Worked: x.Worked, Work: x.CPU, Effect: x.Effect,
				Taken: float64(x.Taken), TakenMax: float64(x.TakenMax), Output: float64(x.Output), At: time.Now(),
			})
		}
	}
}

// What agents report of a level is what the model does there.
func testLearnt(t *testing.T, l *profile.Learner, m *lab.Model) {
	got, ok := l.Profile(profile.Key{App: "sn", Point: "recall", Scene: "k2"}, nil)
	require.True(t, ok)
	recall := &m.Points[lab.Recall]
	top := &got.Levels[1]
	require.InEpsilon(t, ms(recall.Fixed)+m.Scenes[0].Load*(ms(recall.PerLoad)+ms(recall.Slope)*100), top.Work, 0.1, "core-ms at 100 tags")
	require.InEpsilon(t, 100*recall.Output, top.Output, 0.01)
	require.Positive(t, top.Effect)
	require.Greater(t, got.MeanRT(1), top.Work, "I/O and waiting come on top")
	rank, ok := l.Profile(profile.Key{App: "sn", Point: "rank", Scene: "k2"}, nil)
	require.True(t, ok)
	require.InEpsilon(t, 150, rank.Levels[1].Cap, 0.01)
}
