package servertest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/server/api"
)

// Of the scene that machines play: a caller waits for recall, whose time follows how
// many tags it looks up. Times are told to the agents, not slept, so a busy machine
// changes none of them.
const (
	sceneName    = "k2"
	perTag       = 4 * time.Millisecond
	frontOwn     = 20 * time.Millisecond
	linkEvery    = 10 * time.Millisecond
	recallLevels = 46
)

// CrowdRecall is Recall with crowds, and levels two tags apart.
func CrowdRecall(name string) *api.TemplateDocument {
	d := Recall(name, 100)
	d.Strategy = api.Strategy{Kind: "crowd_rt", Settings: map[string]json.RawMessage{"available_rt": json.RawMessage(`"400ms"`)}}
	d.Levels = api.Levels{Count: recallLevels, Default: recallLevels, Min: 1, Max: recallLevels}
	d.Gears[1].Level = recallLevels
	d.Parameters[0].Cost = true
	return d
}

// Scene makes the scene with its template, its profile and its first table.
func (c *Client) Scene(target string) *api.Scene {
	c.t.Helper()
	c.Publish(CrowdRecall("recall-crowds"))
	c.Bind("recall-crowds", "sn", "recall")
	var doc strings.Builder
	doc.WriteString("level,work,effect,p50,p99\n")
	for l := 1; l <= recallLevels; l++ {
		ms := float64(tagsAt(l)) * float64(perTag) / float64(time.Millisecond)
		fmt.Fprintf(&doc, "%d,%d,%g,%g,%g\n", l, tagsAt(l), float64(l)/(float64(l)+20), ms, 1.1*ms)
	}
	c.Do(http.MethodPost, "/profiles", api.ProfileUpload{App: "sn", Point: "recall", Format: "csv", Document: doc.String(), Reason: "test"}, nil)
	var s api.Scene
	c.Do(http.MethodPost, "/scenes", api.SceneInput{Reason: "test", SceneDocument: api.SceneDocument{
		Name: sceneName, Target: target, Front: api.ScenePlace{App: "frontend", Point: "entry"},
		Graph: api.SceneGraph{Nodes: []api.SceneNode{{ID: "recall", Place: api.ScenePlace{App: "sn", Point: "recall"}}}, Edges: []api.SceneEdge{}},
	}}, &s)
	c.Do(http.MethodPost, "/scenes/"+sceneName+"/allocations", api.Reason{Reason: "test"}, nil)
	return &s
}

func tagsAt(level int) int { return 10 + 2*(level-1) }

// Target saves a new target of the scene.
func (c *Client) Target(s *api.Scene, target string) {
	c.t.Helper()
	a := c.Do(http.MethodPut, "/scenes/"+sceneName+"/target", api.SceneTarget{Target: target, Reason: "test"}, s, "If-Match", fmt.Sprintf("%q", fmt.Sprint(s.Version)))
	require.NotEmpty(c.t, a.ETag)
}

// Row is the level that the scene's table gives recall at a target.
func (c *Client) Row(target int) int {
	c.t.Helper()
	var x api.AllocationTable
	c.Do(http.MethodGet, fmt.Sprintf("/scenes/%s/allocations/0?target=%d", sceneName, target), nil, &x)
	require.Len(c.t, x.Rows, 1)
	return x.Rows[0].Points[0].Level
}

// Links tells how the scene stands, an entry an IDC.
func (c *Client) Links() []api.SceneLink {
	c.t.Helper()
	var x api.SceneLive
	c.Do(http.MethodGet, "/scenes/"+sceneName+"/live", nil, &x)
	return x.Links
}

// Traffic passes requests through recall machines, each with the caller in front of
// it that waits for the answer, until the test ends.
func (ms Machines) Traffic(t testing.TB, fronts Machines) {
	t.Helper()
	require.Len(t, fronts, len(ms))
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		rng := rand.New(rand.NewPCG(1, 2))
		tick := time.NewTicker(linkEvery)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			for i, m := range ms {
				d := m.point.Begin(m.scene, agent.Request{Load: 1})
				took := time.Duration((0.9 + 0.2*rng.Float64()) * float64(m.tags.Get(&d)) * float64(perTag))
				d.End(agent.Result{Elapsed: took, Outcome: agent.OK})
				fronts[i].Serve(took + frontOwn)
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-done })
}
