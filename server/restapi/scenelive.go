package restapi

import (
	"context"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/feedback"
	"github.com/allspark/allspark/server/scene"
)

// SceneLoop is what regulates scenes on this replica, or waits to.
type SceneLoop interface {
	Status() []feedback.LinkStatus
}

func (s *Server) sceneLive(ctx context.Context, c *caller, in *sceneMoment) (*plain[api.SceneLive], error) {
	x, err := s.deps.Scenes.Get(ctx, in.Scene)
	if err != nil {
		return nil, err
	}
	if !in.At.IsZero() {
		return s.scenePast(ctx, c, x, in.At)
	}
	points, err := s.points(ctx, func(app, idc string) bool { return c.sees(app, idc) })
	if err != nil {
		return nil, err
	}
	claims, err := s.standing(ctx)
	if err != nil {
		return nil, err
	}
	now, err := s.deps.Control.Now(ctx)
	if err != nil {
		return nil, err
	}
	out := api.SceneLive{Scene: x.Name, Now: now, Links: []api.SceneLink{}, Missing: []api.SceneReason{}, Stale: []api.SceneReason{}, Served: []api.SceneServed{}}
	if s.deps.Builder != nil {
		r := s.deps.Builder.Readiness(x.Name)
		out.Table = r.Reason
		for _, m := range r.Missing {
			out.Missing = append(out.Missing, api.SceneReason{Place: api.ScenePlace(m.Place), Reason: m.Reason})
		}
		for _, m := range r.Stale {
			out.Stale = append(out.Stale, api.SceneReason{Place: api.ScenePlace(m.Place), Reason: m.Reason})
		}
		for _, m := range r.Served {
			out.Served = append(out.Served, api.SceneServed{Place: api.ScenePlace(m.Place), Profile: m.Profile})
		}
	}
	var status []feedback.LinkStatus
	if s.deps.SceneLoop != nil {
		status = s.deps.SceneLoop.Status()
	}
	out.Regulated = len(status) > 0
	out.Links = s.linksOf(x, points, claims, status, now)
	return &plain[api.SceneLive]{out}, nil
}

// linksOf gives a scene in each of its IDCs, with its nodes.
func (s *Server) linksOf(x *scene.Scene, points []api.PointState, claims []*control.Claim, status []feedback.LinkStatus, now time.Time) []api.SceneLink {
	out := []api.SceneLink{}
	at := map[api.PointKey]*api.PointState{}
	for i := range points {
		at[points[i].PointKey] = &points[i]
	}
	for _, idc := range idcsOf(x, points) {
		l := s.linkNow(x, idc, claims, status, now)
		k := slices.IndexFunc(status, func(y feedback.LinkStatus) bool { return y.Scene == x.Name && y.IDC == idc })
		if p := at[api.PointKey{Scene: x.Name, IDC: idc, App: x.Front.App, Point: x.Front.Point}]; p != nil {
			l.Live, l.Recent = p.Live, p.Recent
		}
		for i := range x.Graph.Nodes {
			n := &x.Graph.Nodes[i]
			o := api.SceneLinkNode{ID: n.ID, Place: api.ScenePlace(n.Place), External: n.External}
			if p := at[api.PointKey{Scene: x.Name, IDC: idc, App: n.Place.App, Point: n.Place.Point}]; p != nil {
				o.Live, o.Recent, o.Source = p.Live, p.Recent, p.Source
				if p.Order != nil {
					o.Strategy, o.Level, o.MaxLevel, o.AvailableRTMS, o.TimeoutMS = p.Order.Strategy, p.Order.Level, p.Order.MaxLevel, p.Order.AvailableRTMS, p.Order.TimeoutMS
				}
			}
			shareOf(&o, status, k, claims, x.Name, idc)
			l.Nodes = append(l.Nodes, o)
		}
		out = append(out, l)
	}
	return out
}

// idcsOf lists where a scene runs, of the points that the caller sees.
func idcsOf(x *scene.Scene, points []api.PointState) (idcs []string) {
	for i := range points {
		p := &points[i]
		if !slices.Contains(idcs, p.IDC) && (x.Front.App == p.App || slices.ContainsFunc(x.Graph.Nodes, func(n scene.Node) bool { return n.Place.App == p.App })) {
			idcs = append(idcs, p.IDC)
		}
	}
	slices.Sort(idcs)
	return idcs
}

// linkNow gives target, RT gear and phase of a scene in an IDC, without its nodes.
func (s *Server) linkNow(x *scene.Scene, idc string, claims []*control.Claim, status []feedback.LinkStatus, now time.Time) api.SceneLink {
	stand := feedback.StandAt(claims, x, idc, now)
	l := api.SceneLink{
		IDC: idc, TargetMS: ms(stand.Target), EffectiveMS: ms(stand.Effective), Step: stand.Step, Steps: stand.Steps,
		Phase: "idle", Nodes: []api.SceneLinkNode{},
	}
	if k := slices.IndexFunc(status, func(y feedback.LinkStatus) bool { return y.Scene == x.Name && y.IDC == idc }); k >= 0 {
		fillLink(&l, &status[k])
	} else {
		phaseOf(&l, x.Name, claims)
	}
	return l
}

func fillLink(l *api.SceneLink, y *feedback.LinkStatus) {
	st := &y.State
	l.Trouble, l.Table, l.RowMS, l.Clamped = y.Trouble, y.Table, y.Row, y.Clamped
	if st.Phase == feedback.PhaseIdle {
		return
	}
	l.EffectiveMS, l.Step, l.Steps, l.Phase, l.Reason = ms(st.Effective), st.Gear.Step, y.Steps, string(st.Phase), st.Reason
	if st.Effective > 0 {
		l.Scale = st.Index / ms(st.Effective)
	}
	l.Since = timePtr(st.Since)
	if st.Phase == feedback.PhasePreset {
		l.Until = timePtr(st.Until)
	}
}

// phaseOf reads the phase out of the claims, on a replica that does not regulate.
func phaseOf(l *api.SceneLink, name string, claims []*control.Claim) {
	for _, c := range claims {
		if c.Origin != feedback.SceneOrigin+name || c.Scope.IDC != l.IDC {
			continue
		}
		switch {
		case c.Source == control.SourcePreset:
			l.Phase, l.Since, l.Until = "preset", timePtr(c.Start), timePtr(c.End)
		case c.Field != control.FieldTarget && l.Phase == "idle":
			l.Phase = "feedback"
		}
	}
}

// shareOf tells what a node has of the target, which an order of a fixed level does
// not say, and who set an external edge's timeout.
func shareOf(o *api.SceneLinkNode, status []feedback.LinkStatus, k int, claims []*control.Claim, name, idc string) {
	if k >= 0 && o.AvailableRTMS == 0 {
		for _, x := range status[k].Shares {
			if x.Place == scene.Place(o.Place) {
				o.AvailableRTMS = ms(x.AvailableRT)
			}
		}
	}
	if !o.External {
		return
	}
	o.Source = control.SourceTemplate.String()
	best := control.SourceTemplate
	for _, c := range claims {
		if c.Field == control.FieldTimeout && c.Source < best && c.Scope.Matches(control.Scope{Scene: name, IDC: idc, App: o.Place.App, Point: o.Place.Point, Bucket: gear.Any}) {
			best = c.Source
		}
	}
	o.Source = best.String()
}
