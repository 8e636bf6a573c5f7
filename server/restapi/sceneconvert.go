package restapi

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/scene"
)

func toScene(x *scene.Scene) api.Scene {
	return api.Scene{
		ID: x.ID, SceneDocument: toSceneDocument(&x.Spec), Version: x.Version, Warnings: problemErrors(x.Warnings()),
		CreatedBy: x.CreatedBy, CreatedAt: x.CreatedAt, UpdatedBy: x.UpdatedBy, UpdatedAt: x.UpdatedAt, Reason: x.Reason,
	}
}

// span writes a duration as documents do; none is "".
func span(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return gear.Duration(d).Format()
}

func toSceneDocument(x *scene.Spec) api.SceneDocument {
	out := api.SceneDocument{
		Name: x.Name, Description: x.Description, Target: span(x.Target), Statistic: statisticText(x.Statistic.Quantile), Timeout: span(x.Timeout),
		MaxTimeouts: x.MaxTimeouts, From: span(x.From), To: span(x.To), Front: api.ScenePlace(x.Front), FeedbackAlone: x.FeedbackAlone,
		Graph: api.SceneGraph{Edges: mapped(x.Graph.Edges, func(e scene.Edge) api.SceneEdge { return api.SceneEdge(e) })},
	}
	for _, d := range x.Ladder {
		out.Ladder = append(out.Ladder, span(d))
	}
	out.Graph.Nodes = mapped(x.Graph.Nodes, func(n scene.Node) api.SceneNode {
		return api.SceneNode{
			ID: n.ID, Place: api.ScenePlace(n.Place), External: n.External, Within: n.Within, Network: span(n.Network),
			Retries: n.Retries, Timeout: span(n.Timeout), FedBy: n.FedBy, X: n.X, Y: n.Y,
		}
	})
	return out
}

func statisticText(q float64) string {
	if q == 0 {
		return "mean"
	}
	return "p" + strconv.FormatFloat(q*100, 'g', 5, 64)
}

// fromScene reads durations and the statistic; the room checks what they mean.
func fromScene(in *api.SceneDocument) (*scene.Spec, gear.Problems) {
	var ps gear.Problems
	duration := func(path, text string) time.Duration {
		if text == "" {
			return 0
		}
		d, ok := gear.ParseDuration(text)
		if !ok {
			ps.Add(path, gear.CodeType, fmt.Sprintf(`%s wants a duration like "160ms", got %q`, path, gear.Shown(text)))
		}
		return d
	}
	x := &scene.Spec{
		Name: in.Name, Description: in.Description, Target: duration("target", in.Target), Timeout: duration("timeout", in.Timeout),
		MaxTimeouts: in.MaxTimeouts, From: duration("from", in.From), To: duration("to", in.To), Front: scene.Place(in.Front), FeedbackAlone: in.FeedbackAlone,
	}
	if q, ok := strings.CutPrefix(in.Statistic, "p"); ok {
		v, err := strconv.ParseFloat(q, 64)
		if err != nil || v <= 0 || v >= 100 {
			ps.Add("statistic", gear.CodeRange, fmt.Sprintf("the statistic wants mean or p1 to p99.999, got %q", gear.Shown(in.Statistic)))
		}
		x.Statistic.Quantile = v / 100
	}
	for i, t := range in.Ladder {
		x.Ladder = append(x.Ladder, duration(fmt.Sprintf("ladder[%d]", i), t))
	}
	for i := range in.Graph.Nodes {
		n := &in.Graph.Nodes[i]
		path := fmt.Sprintf("graph.nodes[%d]", i)
		x.Graph.Nodes = append(x.Graph.Nodes, scene.Node{
			ID: n.ID, Place: scene.Place(n.Place), External: n.External, Within: n.Within,
			Network: duration(path+".network", n.Network), Retries: n.Retries, Timeout: duration(path+".timeout", n.Timeout), FedBy: n.FedBy, X: n.X, Y: n.Y,
		})
	}
	for _, e := range in.Graph.Edges {
		x.Graph.Edges = append(x.Graph.Edges, scene.Edge(e))
	}
	return x, ps
}
