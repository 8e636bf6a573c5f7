package restapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
)

var (
	sceneETag   = match(func(d *desk) int64 { return d.scene.Version })
	profileETag = match(func(d *desk) int64 { return d.profile.Version })
)

func sceneOf(name, target string) string {
	return `{"name":"` + name + `","target":"` + target + `","statistic":"mean","timeout":"700ms","max_timeouts":0.01,"ladder":["120ms","90ms"],"from":"50ms","to":"200ms",` +
		`"front":{"app":"frontend","point":"entry"},"graph":{"nodes":[{"id":"sn/recall","place":{"app":"sn","point":"recall"}}],"edges":[]},"reason":"test"}`
}

func uploadOf(app, point string) string {
	var doc strings.Builder
	doc.WriteString("level,work,effect,p50,p99\n")
	for l := 1; l <= 10; l++ {
		fmt.Fprintf(&doc, "%d,%d,%g,%d,%d\n", l, 2*l, 0.1*float64(l), 10*l, 15*l)
	}
	b, _ := json.Marshal(api.ProfileUpload{App: app, Point: point, Format: "csv", Document: doc.String(), Reason: "test"})
	return string(b)
}

func TestASceneThroughItsLife(t *testing.T) {
	withDesk(t, func(d *desk) {
		var x api.Scene
		d.ok(d.do("admin", "PUT", "/scenes/k2/target", `{"target":"100ms","reason":"peak"}`, "If-Match", etag(d.scene.Version)), 200, &x)
		require.Equal(d.t, []string{"100ms", "90ms", ""}, append(append([]string{x.Target}, x.Ladder...), ""), "120 ms no longer lies below the target")
		w := d.do("admin", "PUT", "/scenes/k2/target", `{"target":"120ms","reason":"mine"}`, "If-Match", etag(d.scene.Version))
		d.refused(w, 409)
		require.Contains(d.t, w.Body.String(), `"theirs"`)

		var table api.AllocationTable
		d.ok(d.do("viewer", "GET", "/scenes/k2/allocations/0?target=100", ""), 200, &table)
		require.Len(d.t, table.Rows, 1)
		require.Equal(d.t, 100, table.Rows[0].TargetMS)
		require.LessOrEqual(d.t, table.Rows[0].RTMS, 100.0)
		require.Equal(d.t, []string{"sn/recall"}, table.Points)
		csv := d.do("viewer", "GET", "/scenes/k2/allocations/1/export?format=csv", "").Body.String()
		require.True(d.t, strings.HasPrefix(csv, "target_ms,rt_ms,effect"), csv)

		var live api.SceneLive
		d.ok(d.do("viewer", "GET", "/scenes/k2/live", ""), 200, &live)
		require.NotEmpty(d.t, live.Links)
		require.WithinDuration(d.t, time.Now(), live.Now, time.Second)
		require.InDelta(d.t, 100, live.Links[0].TargetMS, 1e-9)
		require.Len(d.t, live.Served, 1, "the profile that the table was built from is named")
		require.Equal(d.t, api.ScenePlace{App: "sn", Point: "recall"}, live.Served[0].Place)
		var served api.Profile
		d.ok(d.do("viewer", "GET", "/profiles/"+live.Served[0].Profile, ""), 200, &served)
		require.Equal(d.t, "recall", served.Point)
		d.ok(d.do("admin", "POST", "/claims", `{"field":"target_rt","duration":"80ms","scope":{"scene":"k2","idc":"*","app":"*","point":"*"},"reason":"test"}`), 201, nil)
		time.Sleep(2 * latestFor) // claims are remembered so long
		d.ok(d.do("viewer", "GET", "/scenes/k2/live", ""), 200, &live)
		require.InDelta(d.t, 80, live.Links[0].TargetMS, 1e-9, "a claim goes before the scene's own")
		d.refused(d.do("admin", "POST", "/claims", `{"field":"target_rt","duration":"80ms","scope":{"scene":"k2","idc":"*","app":"sn","point":"*"},"reason":"test"}`), 422)

		d.ok(d.do("admin", "POST", "/scenes/k2/rollback", `{"version":1,"reason":"back"}`, "If-Match", etag(x.Version)), 200, &x)
		require.Equal(d.t, "300ms", x.Target)
		require.NotEmpty(d.t, x.Warnings, "300 ms lies outside the table")
	})
}

func TestADraftIsMadeOfWhatAgentsReported(t *testing.T) {
	withDesk(t, func(d *desk) {
		var x api.SceneDraft
		d.ok(d.do("viewer", "POST", "/scenes/draft", `{"scene":"k3"}`), 200, &x)
		require.Empty(d.t, x.Graph.Nodes)
		require.Nil(d.t, x.Until)
		d.seen.Observe("sn", []gear.CallReport{
			{Scene: "k3", Point: "recall", Count: 40},
			{Scene: "k3", Point: "prerank", Count: 40},
			{Scene: "k3", Point: "prerank", After: "sn/recall", Count: 40},
			{Scene: "k3", Point: "creative", External: true, Count: 40},
			{Scene: "k3", Point: "creative", External: true, After: "sn/prerank", Count: 40},
			{Scene: "k3", Point: "creative", External: true, After: "sn/recall", Count: 40},
			{Scene: "k3", Point: "rare", Count: 3},
			{Scene: "k3", Point: "handler", Count: 40},
			{Scene: "k3", Point: "handler", Span: true, Count: 40},
			{Scene: "k3", Point: "no name", Count: 40},
			{Scene: "k3", Point: "recall", After: "nowhere", Count: 40},
			{Scene: "k3", Point: "recall", Count: -1},
		})
		d.ok(d.do("viewer", "POST", "/scenes/draft", `{"scene":"k3"}`), 200, &x)
		require.Equal(d.t, []api.SceneDraftEdge{{From: "sn/prerank", To: "sn/creative", Seen: 40, Of: 40}, {From: "sn/recall", To: "sn/prerank", Seen: 40, Of: 40}}, x.Edges)
		require.Len(d.t, x.Left, 2)
		require.Equal(d.t, "handler", x.Front.Point)
		require.NotNil(d.t, x.Until)

		// What people wrote of a node stays; a scene made of the draft is a sound one.
		doc := api.SceneInput{SceneDocument: api.SceneDocument{Name: "k3", Target: "160ms", Front: *x.Front, Graph: x.Graph}}
		doc.Graph.Nodes[0].Network, doc.Graph.Nodes[0].Timeout = "600us", "120ms"
		doc.Graph.Nodes = append(doc.Graph.Nodes, api.SceneNode{ID: "gone", Place: api.ScenePlace{App: "sn", Point: "gone"}})
		b, err := json.Marshal(doc)
		require.NoError(d.t, err)
		d.ok(d.do("admin", "POST", "/scenes", string(b)), 201, nil)
		d.ok(d.do("viewer", "POST", "/scenes/draft", `{"scene":"k3"}`), 200, &x)
		require.Equal(d.t, "600µs", x.Graph.Nodes[0].Network)
		require.Equal(d.t, []string{"gone"}, x.Gone)
		require.Empty(d.t, x.New)
		d.refused(d.do("viewer", "POST", "/scenes/draft", `{"scene":""}`), 422)
	})
}

func TestScenesAndProfilesThatAreWrong(t *testing.T) {
	withDesk(t, func(d *desk) {
		node := func(id, more string) string {
			app, point, _ := strings.Cut(id, "/")
			return `{"id":"` + id + `","place":{"app":"` + app + `","point":"` + point + `"}` + more + `}`
		}
		graph := func(nodes, edges string) string {
			return `{"name":"x","target":"100ms","front":{"app":"frontend","point":"entry"},"graph":{"nodes":[` + nodes + `],"edges":[` + edges + `]}}`
		}
		for want, body := range map[string]string{
			"has a circle": graph(node("a/x", "")+","+node("b/y", ""), `{"from":"a/x","to":"b/y"},{"from":"b/y","to":"a/x"}`),
			"not there":    graph(node("a/x", ""), `{"from":"a/x","to":"b/y"}`),
			"may take 90ms + 2ms of network = 92ms": graph(node("a/call", `,"external":true,"network":"2ms","timeout":"50ms"`)+","+
				node("b/deep", `,"external":true,"within":"a/call","timeout":"90ms"`), ""),
			`wants a duration`: strings.Replace(graph(node("a/x", ""), ""), "100ms", "soon", 1),
		} {
			var j api.Judgement
			d.ok(d.do("viewer", "POST", "/scenes/check", body), 200, &j)
			require.NotEmpty(d.t, j.Problems, body)
			require.Contains(d.t, j.Problems[0].Message, want)
			d.refused(d.do("admin", "POST", "/scenes", body), 422)
		}
		upload := func(doc string) string {
			b, _ := json.Marshal(api.ProfileUpload{App: "sn", Point: "prerank", Format: "csv", Document: doc})
			return string(b)
		}
		for doc, at := range map[string][2]int{
			"level,work,effect,p50\n1,1,0.1,-5\n":  {2, 9},
			"level,work,effect,p50\n1,1,0.1,NaN\n": {2, 9},
			"level,work,effect\n1,1,0.1\n":         {2, 1}, // no samples: nothing has no percentile
		} {
			var j api.Judgement
			d.ok(d.do("viewer", "POST", "/profiles/check", upload(doc)), 200, &j)
			require.NotEmpty(d.t, j.Problems, doc)
			if at[1] > 1 {
				require.Equal(d.t, at, [2]int{j.Problems[0].Line, j.Problems[0].Column}, "%q: %+v", doc, j.Problems)
			}
			d.refused(d.do("admin", "POST", "/profiles", upload(doc)), 422)
		}
		var p api.Profile
		d.ok(d.do("operator", "POST", "/profiles", upload("level,work,effect,p50\n1,1,0.5,5\n2,2,0.4,6\n")), 201, &p)
		require.Contains(d.t, p.Warnings[0].Message, "the effect falls")
	})
}
