package restapi

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/alert"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/plan"
)

type AlertPath struct {
	Alert string `path:"alert" maxLength:"36" doc:"Alert id."`
}

type alertQuery struct {
	Paged
	State  string    `query:"state" enum:"open,all" default:"all" doc:"open: those that stand."`
	Kind   string    `query:"kind" maxLength:"40" doc:"Kind of alert."`
	App    string    `query:"app" maxLength:"63" doc:"Application."`
	IDC    string    `query:"idc" maxLength:"63" doc:"Machine room."`
	Scene  string    `query:"scene" maxLength:"63" doc:"Scene."`
	Point  string    `query:"point" maxLength:"63" doc:"Control point."`
	Search string    `query:"search" maxLength:"100" doc:"Part of what it says."`
	From   time.Time `query:"from" doc:"Raised from then on."`
	To     time.Time `query:"to" doc:"Raised before then."`
}

func (s *Server) alertRoutes() {
	const tag = "Alerts"
	handle(s, endpoint{
		method: http.MethodGet, path: "/alerts", id: "list-alerts", tag: tag, verb: auth.Read,
		summary: "List alerts", description: "Those of the caller's apps and IDCs, newest first.",
	}, s.listAlerts)
	handle(s, endpoint{
		method: http.MethodGet, path: "/alerts/{alert}", id: "get-alert", tag: tag, verb: auth.Read,
		summary: "Get an alert", description: "With who was told, and the plans that were prepared for its scope.",
	}, s.getAlert)
	handle(s, endpoint{
		method: http.MethodPost, path: "/alerts/{alert}/ack", id: "ack-alert", tag: tag, verb: auth.Set,
		summary: "Acknowledge an alert", description: "Says who looks after it. It stands until what is wrong is right.",
	}, func(ctx context.Context, c *caller, in *struct {
		AlertPath
		Idempotent
		Body api.AlertAckInput
	},
	) (*plain[api.Alert], error) {
		a, err := s.alert(ctx, c, in.Alert)
		if err == nil {
			err = c.may(auth.Set, wide(a.Scope.App), wide(a.Scope.IDC))
		}
		if err != nil {
			return nil, err
		}
		if _, done, err := s.once(ctx, c, in.IdempotencyKey, "alert"); err != nil {
			return nil, err
		} else if !done {
			if a, err = s.deps.Alerts.Ack(ctx, a.ID, in.Body.Note, c.change(in.Body.Note, in.IdempotencyKey)); err != nil {
				return nil, err
			}
		}
		return &plain[api.Alert]{toAlert(a, nil, time.Now())}, nil
	})
	s.silenceRoutes(tag)
}

// wide is a scope as grants are asked for it: what concerns no app, concerns all.
func wide(name string) string { return cmp.Or(name, gear.Any) }

func (s *Server) alert(ctx context.Context, c *caller, id string) (*alert.Alert, error) {
	a, err := s.deps.Alerts.Get(ctx, id)
	if err == nil && !c.sees(a.Scope.App, a.Scope.IDC) {
		err = fault.New(fault.NotFound, "there is no such alert")
	}
	return a, err
}

// listAlerts looks on until a page of what the caller may see is full.
func (s *Server) listAlerts(ctx context.Context, c *caller, in *alertQuery) (*plain[api.Page[api.Alert]], error) {
	f := alert.Filter{
		Kind: alert.Kind(in.Kind), Open: in.State == "open", App: in.App, IDC: in.IDC, Scene: in.Scene, Point: in.Point,
		Search: in.Search, From: in.From, To: in.To, Limit: in.Limit + 1,
	}
	key, err := cursorKey(in.Cursor)
	if err != nil {
		return nil, err
	}
	if key != "" {
		at, id, _ := strings.Cut(key, "/")
		n, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return nil, newFailure(400, "", "cursor wants a next_cursor as it was sent", "")
		}
		f.Before, f.BeforeID = time.UnixMicro(n), id
	}
	now := time.Now()
	silences, err := s.deps.Alerts.Silences(ctx, now)
	if err != nil {
		return nil, err
	}
	out := api.Page[api.Alert]{Items: []api.Alert{}}
	for {
		batch, err := s.deps.Alerts.List(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, a := range batch {
			if !c.sees(a.Scope.App, a.Scope.IDC) {
				continue
			}
			if len(out.Items) == in.Limit {
				last := out.Items[in.Limit-1]
				out.NextCursor = cursorOf(strconv.FormatInt(last.FiredAt.UnixMicro(), 10) + "/" + last.ID)
				return &plain[api.Page[api.Alert]]{out}, nil
			}
			out.Items = append(out.Items, toAlert(a, silences, now))
		}
		if len(batch) < f.Limit {
			return &plain[api.Page[api.Alert]]{out}, nil
		}
		last := batch[len(batch)-1]
		f.Before, f.BeforeID = last.FiredAt, last.ID
	}
}

func (s *Server) getAlert(ctx context.Context, c *caller, in *AlertPath) (*plain[api.AlertDetail], error) {
	a, err := s.alert(ctx, c, in.Alert)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	silences, err := s.deps.Alerts.Silences(ctx, now)
	if err != nil {
		return nil, err
	}
	out := api.AlertDetail{Alert: toAlert(a, silences, now), Deliveries: []api.AlertDelivery{}}
	// Sinks are the administrators'; that somebody was told, everybody may know.
	if c.CanSomewhere(auth.Read) {
		ds, err := s.deps.Alerts.Deliveries(ctx, a.ID)
		if err != nil {
			return nil, err
		}
		names, err := s.sinkNames(ctx)
		if err != nil {
			return nil, err
		}
		for _, d := range ds {
			out.Deliveries = append(out.Deliveries, toDelivery(names[d.Sink])(d))
		}
	}
	if out.Plans, err = s.preparedPlans(ctx, c, a, now); err != nil {
		return nil, err
	}
	return &plain[api.AlertDetail]{out}, nil
}

func (s *Server) sinkNames(ctx context.Context) (map[string]string, error) {
	sinks, err := s.deps.Alerts.Sinks(ctx)
	names := map[string]string{}
	for _, x := range sinks {
		names[x.ID] = x.Name
	}
	return names, err
}

// preparedPlans finds the plans with a step that sets something where the alert
// is, those that the caller may see: in a peak one chooses among them and composes
// nothing.
func (s *Server) preparedPlans(ctx context.Context, c *caller, a *alert.Alert, now time.Time) ([]api.AlertPlan, error) {
	all, err := s.deps.Plans.List(ctx)
	if err != nil {
		return nil, err
	}
	here := control.Scope{Scene: wide(a.Scope.Scene), IDC: wide(a.Scope.IDC), App: wide(a.Scope.App), Point: wide(a.Scope.Point), Bucket: gear.Any}
	if a.Kind == alert.Capacity || a.Kind == alert.InputShift {
		here.Point, here.Scene = gear.Any, gear.Any // the whole place is short, not one point
	}
	out := []api.AlertPlan{}
	for _, p := range all {
		if p.State == plan.Done || p.State == plan.Stopped || !seesPlan(c, p) {
			continue
		}
		x := api.AlertPlan{ID: p.ID, Name: p.Name, State: string(p.State), Purpose: p.Purpose}
		for i := range p.Steps {
			for k := range p.Steps[i].Sets {
				if plan.Overlapping(p.Steps[i].Sets[k].Scope, here) {
					x.Steps = append(x.Steps, p.Steps[i].Name)
					break
				}
			}
		}
		if len(x.Steps) == 0 {
			continue
		}
		if in, ok := plan.Next([]*plan.Plan{p}, now); ok {
			x.Next = timePtr(in.Start)
		}
		out = append(out, x)
	}
	return out, nil
}

func (s *Server) silenceRoutes(tag string) {
	handle(s, endpoint{
		method: http.MethodGet, path: "/alert-silences", id: "list-silences", tag: tag, verb: auth.Read,
		summary: "List silences", description: "Those that have not ended, newest first.",
	}, func(ctx context.Context, c *caller, _ *struct{}) (*plain[api.Page[api.AlertSilence]], error) {
		now := time.Now()
		all, err := s.deps.Alerts.Silences(ctx, now)
		if err != nil {
			return nil, err
		}
		out := api.Page[api.AlertSilence]{Items: []api.AlertSilence{}}
		for _, x := range all {
			if c.sees(x.Scope.App, x.Scope.IDC) {
				out.Items = append(out.Items, toSilence(now)(x))
			}
		}
		return &plain[api.Page[api.AlertSilence]]{out}, nil
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/alert-silences", id: "create-silence", tag: tag, verb: auth.Set, status: http.StatusCreated,
		summary: "Silence alerts", description: "They are raised and shown, and nobody is told until the end; what still stands then is told.",
	}, s.createSilence)
	handle(s, endpoint{
		method: http.MethodPost, path: "/alert-silences/{silence}/end", id: "end-silence", tag: tag, verb: auth.Set,
		summary: "End a silence", description: "Now.",
	}, func(ctx context.Context, c *caller, in *struct {
		Silence string `path:"silence" maxLength:"36" doc:"Silence id."`
		Idempotent
		Body api.Reason
	},
	) (*plain[api.AlertSilence], error) {
		now := time.Now()
		all, err := s.deps.Alerts.Silences(ctx, now)
		if err != nil {
			return nil, err
		}
		for i := range all {
			x := &all[i]
			if x.ID != in.Silence || !c.sees(x.Scope.App, x.Scope.IDC) {
				continue
			}
			if err := c.may(auth.Set, wide(x.Scope.App), wide(x.Scope.IDC)); err != nil {
				return nil, err
			}
			out, err := s.deps.Alerts.EndSilence(ctx, x.ID, c.change(in.Body.Reason, in.IdempotencyKey))
			if err != nil {
				return nil, err
			}
			return &plain[api.AlertSilence]{toSilence(time.Now())(*out)}, nil
		}
		return nil, fault.New(fault.NotFound, "there is no such silence in force")
	})
}

func (s *Server) createSilence(ctx context.Context, c *caller, in *struct {
	Idempotent
	Body api.AlertSilenceInput
},
) (*plain[api.AlertSilence], error) {
	b := &in.Body
	if err := c.may(auth.Set, wide(b.Scope.App), wide(b.Scope.IDC)); err != nil {
		return nil, err
	}
	x := &alert.Silence{Kind: alert.Kind(b.Kind), Scope: alert.Scope(b.Scope), Reason: b.Reason}
	if b.Start != nil {
		x.Start = *b.Start
	}
	switch {
	case b.For != "" && b.End != nil:
		return nil, fault.WithProblems(problem("for", "duplicate", "give an end or a length, not both"), "the silence is not valid")
	case b.For != "":
		d, ok := gear.ParseDuration(b.For)
		if !ok {
			return nil, fault.WithProblems(problem("for", "type", `for wants a duration like "2h"`), "the silence is not valid")
		}
		start := time.Now()
		if x.Start.After(start) {
			start = x.Start
		}
		x.End = start.Add(d)
	case b.End != nil:
		x.End = *b.End
	}
	if id, done, err := s.once(ctx, c, in.IdempotencyKey, "alert-silence"); err != nil {
		return nil, err
	} else if done {
		all, err := s.deps.Alerts.Silences(ctx, time.Time{})
		for _, y := range all {
			if y.ID == id {
				return &plain[api.AlertSilence]{toSilence(time.Now())(y)}, nil
			}
		}
		return nil, err
	}
	out, err := s.deps.Alerts.Silence(ctx, x, c.change(b.Reason, in.IdempotencyKey))
	if err != nil {
		return nil, err
	}
	return &plain[api.AlertSilence]{toSilence(time.Now())(*out)}, nil
}
