package restapi

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/push"
	"github.com/allspark/allspark/server/template"
)

type AgentPath struct {
	Instance string `path:"instance" maxLength:"63" doc:"Instance id."`
}

func (s *Server) agentRoutes() {
	const tag = "Agents"
	handle(s, endpoint{
		method: http.MethodGet, path: "/agents", id: "list-agents", tag: tag, verb: auth.Read,
		summary: "List agents", description: "Of the caller's apps and IDCs, by instance.",
	}, s.listAgents)
	handle(s, endpoint{
		method: http.MethodGet, path: "/agents/{instance}", id: "get-agent", tag: tag, verb: auth.Read,
		summary: "Get an agent", description: "With the points it declares and its last answer.",
	}, func(ctx context.Context, c *caller, in *AgentPath) (*plain[api.Agent], error) {
		a, err := s.agent(c, in.Instance)
		if err != nil {
			return nil, err
		}
		out := s.toAgent(*a)
		out.Points = mapped(a.Points, func(p gear.PointDecl) api.DeclaredPoint {
			return api.DeclaredPoint{Name: p.Name, External: p.External, Builds: []string{a.Build}, Parameters: mapped(p.Params, toParam)}
		})
		return &plain[api.Agent]{out}, nil
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/agents/{instance}/ban", id: "ban-agent", tag: tag, verb: auth.Agents,
		summary: "Ban an agent", description: "Its stream is cut and it may not return until it is unbanned. It goes on with its last good set.",
	}, func(ctx context.Context, c *caller, in *agentAction) (*plain[api.Agent], error) {
		return s.onAgent(c, in, func(a *fleet.Agent) error {
			ch := c.change(in.Body.Reason, in.IdempotencyKey)
			ch.Verb, ch.Kind, ch.Object, ch.Name, ch.App, ch.IDC = "ban", "agent", a.Instance, a.Host, a.App, a.IDC
			if _, err := s.deps.Fleet.Ban(ctx, a.Instance, in.Body.Reason, ch, time.Now()); err != nil {
				return err
			}
			s.deps.Push.CutInstance(push.Key{App: a.App, IDC: a.IDC}, a.Instance, "banned: "+in.Body.Reason)
			return nil
		})
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/agents/{instance}/unban", id: "unban-agent", tag: tag, verb: auth.Agents,
		summary: "Let a banned agent return", description: "It reconnects by itself.",
	}, func(ctx context.Context, c *caller, in *agentAction) (*plain[api.Agent], error) {
		return s.onAgent(c, in, func(a *fleet.Agent) error {
			ch := c.change(in.Body.Reason, in.IdempotencyKey)
			ch.Verb, ch.Kind, ch.Object, ch.Name, ch.App, ch.IDC = "unban", "agent", a.Instance, a.Host, a.App, a.IDC
			return s.deps.Fleet.Unban(ctx, a.Instance, ch, time.Now())
		})
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/apps", id: "list-apps", tag: tag, verb: auth.Read,
		summary: "List apps", description: "What registered agents declare: IDCs, builds, points and their typed parameters.",
	}, s.listApps)
}

type agentAction struct {
	AgentPath
	Idempotent
	Body api.Reason
}

func (s *Server) onAgent(c *caller, in *agentAction, do func(*fleet.Agent) error) (*plain[api.Agent], error) {
	a, err := s.agent(c, in.Instance)
	if err == nil {
		err = c.may(auth.Agents, a.App, a.IDC)
	}
	if err == nil {
		err = do(a)
	}
	if err != nil && !fault.Is(err, fault.Duplicate) {
		return nil, err
	}
	if a, err = s.agent(c, in.Instance); err != nil {
		return nil, err
	}
	return &plain[api.Agent]{s.toAgent(*a)}, nil
}

func (s *Server) agent(c *caller, instance string) (*fleet.Agent, error) {
	a, err := s.deps.Fleet.Get(instance, time.Now())
	if err != nil || !c.Can(auth.Read, a.App, a.IDC) {
		return nil, fault.New(fault.NotFound, "there is no such agent")
	}
	return &a, nil
}

func (s *Server) listAgents(_ context.Context, c *caller, in *struct {
	Paged
	App    string `query:"app" maxLength:"63" doc:"Only this app."`
	IDC    string `query:"idc" maxLength:"63" doc:"Only this IDC."`
	State  string `query:"state" enum:"connected,stale,disconnected,banned" doc:"Only this state."`
	Search string `query:"search" maxLength:"200" doc:"In instance, host, build, app, IDC and address."`
},
) (*plain[api.Page[api.Agent]], error) {
	all, _ := s.deps.Fleet.List(fleet.Filter{App: in.App, IDC: in.IDC, State: fleet.State(in.State), Search: in.Search}, time.Now())
	all = slices.DeleteFunc(all, func(a fleet.Agent) bool { return !c.Can(auth.Read, a.App, a.IDC) })
	return pageOf(all, in.Paged, func(a fleet.Agent) string { return a.Instance }, s.toAgent)
}

func (s *Server) listApps(_ context.Context, c *caller, in *Paged) (*plain[api.Page[api.App]], error) {
	apps := map[string]*api.App{}
	for _, d := range s.deps.Fleet.Declared("") {
		if !c.Can(auth.Read, d.App, d.IDC) {
			continue
		}
		a := apps[d.App]
		if a == nil {
			a = &api.App{Name: d.App, IDCs: []string{}, Points: []api.DeclaredPoint{}}
			apps[d.App] = a
		}
		if !slices.Contains(a.IDCs, d.IDC) {
			a.IDCs = append(a.IDCs, d.IDC)
		}
		addDeclared(a, d)
	}
	agents, _ := s.deps.Fleet.List(fleet.Filter{}, time.Now())
	for _, g := range agents {
		a := apps[g.App]
		if a == nil || !c.Can(auth.Read, g.App, g.IDC) {
			continue
		}
		a.Machines++
		for _, p := range g.Points {
			for i := range a.Points {
				a.Points[i].External = a.Points[i].External || p.External && a.Points[i].Name == p.Name
			}
		}
	}
	out := make([]*api.App, 0, len(apps))
	for _, a := range apps {
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b *api.App) int { return cmp.Compare(a.Name, b.Name) })
	return pageOf(out, *in, func(a *api.App) string { return a.Name }, func(a *api.App) api.App { return *a })
}

// addDeclared joins builds that declare the same point with the same parameters.
func addDeclared(a *api.App, d fleet.Declared) {
	params := mapped(d.Params, toParam)
	same := func(p api.DeclaredPoint) bool {
		return p.Name == d.Point && slices.EqualFunc(p.Parameters, params, func(x, y api.Parameter) bool { return string(rawOf(x)) == string(rawOf(y)) })
	}
	if i := slices.IndexFunc(a.Points, same); i >= 0 {
		if !slices.Contains(a.Points[i].Builds, d.Build) {
			a.Points[i].Builds = append(a.Points[i].Builds, d.Build)
		}
		return
	}
	a.Points = append(a.Points, api.DeclaredPoint{Name: d.Point, Builds: []string{d.Build}, Parameters: params})
}

func toParam(p gear.Param) api.Parameter {
	out := api.Parameter{Name: p.Name, Type: p.Kind.String(), Unit: p.Unit, Values: p.Values}
	for _, b := range []struct {
		from gear.Value
		to   *[]byte
	}{{p.Min, (*[]byte)(&out.Min)}, {p.Max, (*[]byte)(&out.Max)}, {p.Step, (*[]byte)(&out.Step)}, {p.Default, (*[]byte)(&out.Default)}} {
		if !b.from.IsZero() {
			*b.to = template.ValueJSON(b.from)
		}
	}
	if p.Monotonic != gear.MonotonicNone {
		out.Monotonic = p.Monotonic.String()
	}
	return out
}

func (s *Server) toAgent(a fleet.Agent) api.Agent {
	out := api.Agent{
		Instance: a.Instance, App: a.App, IDC: a.IDC, Host: a.Host, Build: a.Build, SDK: a.SDK, Address: a.Address, State: string(a.State),
		Replica: a.Replica, Held: toGearVersion(a.Held), Rung: a.Rung.String(), LastAckAt: timePtr(a.LastAckAt), LastReportAt: timePtr(a.LastReportAt),
		ClockOffsetMS: ms(a.ClockOffset), CPU: a.CPU, StartedAt: timePtr(a.StartedAt), ConnectedAt: timePtr(a.ConnectedAt), SeenAt: timePtr(a.SeenAt),
		Banned: a.Banned, Capabilities: append([]string{}, a.Capabilities...),
	}
	if v, _, ok := s.deps.Push.Current(push.Key{App: a.App, IDC: a.IDC}); ok {
		out.Current = a.State == fleet.StateConnected && !a.Held.Less(v)
	}
	if a.LastAck.Version != (gear.Version{}) {
		out.LastAck = &api.Ack{Version: toGearVersion(a.LastAck.Version), Refused: a.LastAck.Refused, Problems: problemErrors(a.LastAck.Problems)}
	}
	return out
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
