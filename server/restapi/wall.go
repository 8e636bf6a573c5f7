package restapi

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/allspark/allspark/server/alert"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/feedback"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/plan"
	"github.com/allspark/allspark/server/push"
	"github.com/allspark/allspark/server/scene"
)

// A screen on a wall stands signed in for weeks where anybody can touch it. Its
// token is a viewer's narrowed to the verb wall: this one route and nothing else.
func (s *Server) wallRoutes() {
	handle(s, endpoint{
		method: http.MethodGet, path: "/wall", id: "get-wall", tag: "Status", verb: auth.Wall,
		summary: "What a screen on the wall shows", description: "Per scene and IDC target, actual, RT gear, timeouts and CPU; agents; plan steps that are in force or come next. A token whose grants name the verb wall may read this and nothing else.",
	}, func(ctx context.Context, c *caller, _ *struct{}) (*plain[api.Wall], error) {
		out, err := s.wall(ctx, c)
		if err != nil {
			return nil, err
		}
		return &plain[api.Wall]{*out}, nil
	})
}

func (s *Server) wall(ctx context.Context, c *caller) (*api.Wall, error) {
	now, err := s.deps.Control.Now(ctx)
	if err != nil {
		return nil, err
	}
	out := &api.Wall{At: now.UTC(), Decides: s.deps.Loop().Holder, Scenes: []api.WallScene{}, Next: []api.WallStep{}}
	out.Agents = s.wallAgents(c)
	if err := s.wallScenes(ctx, c, now, out); err != nil {
		return nil, err
	}
	if err := s.wallAlerts(ctx, c, out); err != nil {
		return nil, err
	}
	return out, s.wallSteps(ctx, c, now, out)
}

// wallAlerts counts what stands; a number beyond wallMany says the same to a room.
func (s *Server) wallAlerts(ctx context.Context, c *caller, out *api.Wall) error {
	const wallMany, wallTitles = 200, 3
	out.Alerts.Titles = []string{}
	open, err := s.deps.Alerts.List(ctx, alert.Filter{Open: true, Limit: wallMany})
	if err != nil {
		return err
	}
	for _, a := range open {
		if !seesScope(c.Identity, auth.Wall, a.Scope.App, a.Scope.IDC) {
			continue
		}
		out.Alerts.Open++
		if a.AckedBy != "" {
			continue
		}
		if out.Alerts.Unacked++; len(out.Alerts.Titles) < wallTitles {
			out.Alerts.Titles = append(out.Alerts.Titles, a.Title())
		}
	}
	return nil
}

func (s *Server) wallAgents(c *caller) (n api.WallAgents) {
	agents, _ := s.deps.Fleet.List(fleet.Filter{}, time.Now())
	for i := range agents {
		a := &agents[i]
		if !c.Can(auth.Wall, a.App, a.IDC) {
			continue
		}
		switch a.State {
		case fleet.StateConnected:
			n.Connected++
		case fleet.StateStale:
			n.Stale++
		case fleet.StateDisconnected:
			n.Disconnected++
			continue
		default:
			continue
		}
		if _, _, ok := s.deps.Push.Current(push.Key{App: a.App, IDC: a.IDC}); !ok {
			continue
		}
		shown := s.toAgent(*a)
		n.Ordered++
		if shown.Current {
			n.Current++
		}
		if shown.LastAck != nil && shown.LastAck.Refused {
			n.Refusing++
		}
	}
	return n
}

func (s *Server) wallScenes(ctx context.Context, c *caller, now time.Time, out *api.Wall) error {
	scenes, err := s.deps.Scenes.List(ctx)
	if err != nil {
		return err
	}
	points, err := s.points(ctx, func(app, idc string) bool { return c.Can(auth.Wall, app, idc) })
	if err != nil {
		return err
	}
	claims, err := s.standing(ctx)
	if err != nil {
		return err
	}
	var status []feedback.LinkStatus
	if s.deps.SceneLoop != nil {
		status = s.deps.SceneLoop.Status()
	}
	out.Regulated = len(status) > 0
	for _, x := range scenes {
		w := api.WallScene{Scene: x.Name, Statistic: statisticText(x.Statistic.Quantile), Links: []api.WallLink{}}
		for _, idc := range idcsOf(x, points) {
			l := s.linkNow(x, idc, claims, status, now)
			w.Links = append(w.Links, wallLink(x, &l, points))
		}
		if len(w.Links) > 0 {
			out.Scenes = append(out.Scenes, w)
		}
	}
	return nil
}

func wallLink(x *scene.Scene, l *api.SceneLink, points []api.PointState) api.WallLink {
	out := api.WallLink{
		IDC: l.IDC, TargetMS: l.TargetMS, EffectiveMS: l.EffectiveMS, ActualMS: -1, Step: l.Step, Steps: l.Steps, Phase: l.Phase, Until: l.Until,
		Timeouts: -1, CPU: -1,
	}
	type load struct{ sum, n float64 }
	busy := map[string]load{} // by app
	for i := range points {
		p := &points[i]
		if p.IDC != l.IDC || p.Recent == nil || p.Recent.Count == 0 {
			continue
		}
		m := p.Recent
		if p.App == x.Front.App && p.Point == x.Front.Point && p.Scene == x.Name {
			out.ActualMS, out.Timeouts, out.QPS = figureOf(m, x.Statistic.Quantile), float64(m.Timeouts)/float64(m.Count), m.QPS
		}
		if !slices.ContainsFunc(x.Graph.Nodes, func(n scene.Node) bool { return n.Place.App == p.App && n.Place.Point == p.Point }) {
			continue
		}
		if m.CPU >= 0 { // the machine's, whatever scene asked
			b := busy[p.App]
			busy[p.App] = load{b.sum + m.CPU*float64(m.Agents), b.n + float64(m.Agents)}
		}
		if p.Scene == x.Name && p.Order != nil && p.Order.MaxLevel > p.Order.MinLevel {
			out.Points++
			if m.LevelMean <= float64(p.Order.MinLevel)+0.05 {
				out.AtFloor++
			}
		}
	}
	for app, b := range busy {
		if v := b.sum / b.n; v > out.CPU || v == out.CPU && app < out.CPUApp {
			out.CPU, out.CPUApp = v, app
		}
	}
	return out
}

// figureOf gives the figure that a scene's target speaks of.
func figureOf(m *api.Metrics, quantile float64) float64 {
	switch {
	case quantile == 0:
		return m.RTMeanMS
	case quantile <= 0.50:
		return m.RTP50MS
	case quantile <= 0.95:
		return m.RTP95MS
	}
	return m.RTP99MS
}

const (
	wallAhead = 48 * time.Hour // steps that lie further ahead say nothing tonight
	wallSteps = 8
)

func (s *Server) wallSteps(ctx context.Context, c *caller, now time.Time, out *api.Wall) error {
	bars, _, _, err := s.deps.Plans.Timeline(ctx, now.Add(-24*time.Hour), now.Add(wallAhead), func(p *plan.Plan) bool {
		return p.State == plan.Approved && slices.ContainsFunc(scopesOf(p), func(x control.Scope) bool { return seesScope(c.Identity, auth.Wall, x.App, x.IDC) })
	})
	if err != nil {
		return err
	}
	for i := range bars {
		b := &bars[i]
		step := toPlanStep(&b.StepView)
		w := api.WallStep{Plan: b.Plan.Name, Step: step.Name, Start: step.Start, End: step.End, State: "coming"}
		if r := step.Run; r != nil {
			if r.State != "armed" && r.State != "fired" {
				continue
			}
			w.Start = r.Start
			if r.End != nil {
				w.End = r.End
			}
		}
		if !w.Start.After(now) {
			if w.End == nil || !w.End.After(now) {
				continue // over, or done in an instant
			}
			w.State = "running"
		}
		if out.Next = append(out.Next, w); len(out.Next) == wallSteps {
			break
		}
	}
	return nil
}
