package restapi

import (
	"context"
	"time"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/scene"
)

// Sightings tell what agents reported of a scene's requests; scene.Sightings do.
type Sightings interface {
	Draft(name string) (d scene.Draft, since, last time.Time)
}

func (s *Server) draftScene(ctx context.Context, _ *caller, in *struct{ Body api.SceneDraftInput }) (*plain[api.SceneDraft], error) {
	d, since, last := s.deps.Sightings.Draft(in.Body.Scene)
	have, err := s.deps.Scenes.Get(ctx, in.Body.Scene)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	out := api.SceneDraft{
		Scene: in.Body.Scene,
		Nodes: mapped(d.Nodes, func(n scene.NodeEvidence) api.SceneDraftNode { return api.SceneDraftNode(n) }),
		Edges: mapped(d.Edges, func(e scene.EdgeEvidence) api.SceneDraftEdge {
			return api.SceneDraftEdge{From: e.From, To: e.To, Seen: e.Seen, Of: e.Of}
		}),
		Left: mapped(d.Left, func(l scene.Left) api.SceneReason {
			return api.SceneReason{Place: api.ScenePlace(l.Place), Reason: l.Reason}
		}),
		New: []string{}, Gone: []string{},
	}
	if !last.IsZero() {
		out.Since, out.Until = &since, &last
	}
	if d.Front != (scene.Place{}) {
		front := api.ScenePlace(d.Front)
		out.Front = &front
	}
	if have != nil {
		out.New, out.Gone = d.Graph.Keep(&have.Graph)
	}
	out.Graph = toSceneDocument(&scene.Spec{Graph: d.Graph}).Graph
	return &plain[api.SceneDraft]{out}, nil
}
