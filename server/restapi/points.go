package restapi

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/telemetry"
)

type PointPath struct {
	Scene string `path:"scene" maxLength:"63" doc:"Scene; * for those without orders of their own." example:"k2"`
	IDC   string `path:"idc" maxLength:"63" doc:"Machine room." example:"ea119"`
	App   string `path:"app" maxLength:"63" doc:"Application." example:"sn"`
	Point string `path:"point" maxLength:"63" doc:"Control point." example:"recall"`
}

func (p PointPath) key() api.PointKey {
	return api.PointKey{Scene: p.Scene, IDC: p.IDC, App: p.App, Point: p.Point}
}

func (s *Server) pointRoutes() {
	const tag = "Points"
	handle(s, endpoint{
		method: http.MethodGet, path: "/points", id: "list-points", tag: tag, verb: auth.Read,
		summary: "List points live", description: "Every declared point with its order in force and what agents measured in the last second and ten seconds.",
	}, s.listPoints)
	handle(s, endpoint{
		method: http.MethodGet, path: "/points/{scene}/{idc}/{app}/{point}", id: "get-point", tag: tag, verb: auth.Read,
		summary: "Get a point live", description: "Order in force, parameters now, live measurements.",
	}, func(ctx context.Context, c *caller, in *PointPath) (*plain[api.PointState], error) {
		p, err := s.point(ctx, c, in.key())
		if err != nil {
			return nil, err
		}
		return &plain[api.PointState]{*p}, nil
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/points/{scene}/{idc}/{app}/{point}/explain", id: "explain-point", tag: tag, verb: auth.Read,
		summary: "Why this gear", description: "The chain of claims that decided, now or at a past second. Deciding again on it must give the order that was journalled.",
	}, s.explainPoint)
	handle(s, endpoint{
		method: http.MethodGet, path: "/points/{scene}/{idc}/{app}/{point}/agents", id: "point-agents", tag: tag, verb: auth.Read,
		summary: "Each agent's share", description: "The last ten seconds by agent; outliers by RT are marked.",
	}, s.pointAgents)
	handle(s, endpoint{
		method: http.MethodGet, path: "/history", id: "get-history", tag: tag, verb: auth.Read,
		summary: "Get history", description: "Series of points over a range, by minute or by hour, with the changes in it. At most 50 series and 10,080 samples each.",
	}, s.getHistory)
}

// points joins what is declared, what is ordered and what is measured.
func (s *Server) points(ctx context.Context, sees func(app, idc string) bool) ([]api.PointState, error) {
	now := time.Now()
	shifts, err := s.latest(ctx)
	if err != nil {
		return nil, err
	}
	rows := map[api.PointKey]*api.PointState{}
	row := func(k api.PointKey) *api.PointState {
		p := rows[k]
		if p == nil {
			p = &api.PointState{PointKey: k}
			rows[k] = p
		}
		return p
	}
	scenes := map[string][]string{} // of each place, besides Any
	for _, x := range shifts {
		for i := range x.Set.Orders {
			if o := &x.Set.Orders[i]; sees(x.App, x.IDC) {
				row(api.PointKey{Scene: o.Scene, IDC: x.IDC, App: x.App, Point: o.Point})
			}
		}
	}
	for _, l := range s.deps.Windows.Points(telemetry.Filter{}, now) {
		if !sees(l.App, l.IDC) {
			continue
		}
		p := row(fromKey(l.Key))
		p.Live, p.Recent = toMetrics(l.Last), toMetrics(l.Recent)
		if l.Recent != nil {
			p.Reporting = l.Recent.Agents
		} else {
			p.StaleSince = timePtr(l.LastHeard)
		}
		scenes[l.App+"/"+l.IDC+"/"+l.Point] = append(scenes[l.App+"/"+l.IDC+"/"+l.Point], l.Scene)
	}
	agents, _ := s.deps.Fleet.List(fleet.Filter{}, now)
	type place struct{ app, idc, point string }
	machines, external := map[place]int{}, map[place]bool{}
	for i := range agents {
		a := &agents[i]
		if a.State != fleet.StateConnected && a.State != fleet.StateStale || !sees(a.App, a.IDC) {
			continue
		}
		for _, d := range a.Points {
			k := place{a.App, a.IDC, d.Name}
			machines[k]++
			external[k] = external[k] || d.External
			if len(scenes[a.App+"/"+a.IDC+"/"+d.Name]) == 0 {
				row(api.PointKey{Scene: gear.Any, IDC: a.IDC, App: a.App, Point: d.Name})
			}
		}
	}
	byPlace := map[[2]string]*control.Shift{}
	for _, x := range shifts {
		byPlace[[2]string{x.App, x.IDC}] = x
	}
	claims, err := s.standing(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]api.PointState, 0, len(rows))
	for k, p := range rows {
		p.Machines, p.External = machines[place{k.App, k.IDC, k.Point}], external[place{k.App, k.IDC, k.Point}]
		if x := byPlace[[2]string{k.App, k.IDC}]; x != nil {
			if o := control.Lookup(&x.Set, k.Scene, k.Point, gear.Any); o != nil {
				order := toOrder(*o, x.Tables)
				p.Order = &order
				p.Source, p.OverrideEnd = levelSource(claims, k)
			}
		}
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b api.PointState) int { return comparePoints(a.PointKey, b.PointKey) })
	return out, nil
}

// levelSource tells which claim sets the level of a point; the template when
// none does.
func levelSource(claims []*control.Claim, k api.PointKey) (source string, end *time.Time) {
	at := control.Scope{Scene: k.Scene, IDC: k.IDC, App: k.App, Point: k.Point, Bucket: gear.Any}
	var best *control.Claim
	for _, c := range claims {
		if c.Field != control.FieldLevel || !c.Scope.Matches(at) {
			continue
		}
		if best == nil || c.Source < best.Source || c.Source == best.Source && c.Scope.Specificity() > best.Scope.Specificity() ||
			c.Source == best.Source && c.Scope.Specificity() == best.Scope.Specificity() && c.CreatedAt.After(best.CreatedAt) {
			best = c
		}
	}
	if best == nil {
		return control.SourceTemplate.String(), nil
	}
	if best.Source == control.SourceManual {
		end = timePtr(best.End)
	}
	return best.Source.String(), end
}

func (s *Server) listPoints(ctx context.Context, c *caller, in *struct {
	Paged
	Scene  string `query:"scene" maxLength:"63" doc:"Only this scene."`
	IDC    string `query:"idc" maxLength:"63" doc:"Only this IDC."`
	App    string `query:"app" maxLength:"63" doc:"Only this app."`
	Search string `query:"search" maxLength:"200" doc:"In scene, IDC, app and point."`
	Source string `query:"source" enum:"emergency,manual,plan,experiment,preset,feedback,template" doc:"Only points whose level comes from here."`
	Sort   string `query:"sort" enum:"name,level,-level,rt,-rt,qps,-qps,timeouts,-timeouts" default:"name" doc:"Order; a minus reverses."`
},
) (*plain[api.Page[api.PointState]], error) {
	all, err := s.points(ctx, func(app, idc string) bool { return c.Can(auth.Read, app, idc) })
	if err != nil {
		return nil, err
	}
	search := strings.ToLower(in.Search)
	all = slices.DeleteFunc(all, func(p api.PointState) bool {
		return in.Scene != "" && p.Scene != in.Scene || in.IDC != "" && p.IDC != in.IDC || in.App != "" && p.App != in.App ||
			in.Source != "" && p.Source != in.Source ||
			search != "" && !strings.Contains(strings.ToLower(p.Scene+" "+p.IDC+" "+p.App+" "+p.Point), search)
	})
	sortPoints(all, in.Sort)
	after, err := cursorKey(in.Cursor)
	if err != nil {
		return nil, err
	}
	if after != "" {
		// The order of live figures moves; a page starts behind the row that the
		// last one ended with, wherever that row is now.
		i := slices.IndexFunc(all, func(p api.PointState) bool { return pointID(p.PointKey) == after })
		all = all[i+1:]
	}
	page := api.Page[api.PointState]{Items: all[:min(len(all), in.Limit)]}
	if len(all) > in.Limit {
		page.NextCursor = cursorOf(pointID(all[in.Limit-1].PointKey))
	}
	return &plain[api.Page[api.PointState]]{page}, nil
}

func pointID(k api.PointKey) string { return k.Scene + "/" + k.IDC + "/" + k.App + "/" + k.Point }

func sortPoints(all []api.PointState, by string) {
	by, reverse := strings.CutPrefix(by, "-")
	figure := func(p *api.PointState) float64 {
		m := p.Recent
		if m == nil {
			m = &api.Metrics{}
		}
		switch by {
		case "level":
			if m.Count == 0 && p.Order != nil {
				return float64(p.Order.Level)
			}
			return m.LevelMean
		case "rt":
			return m.RTMeanMS
		case "qps":
			return m.QPS
		case "timeouts":
			return float64(m.Timeouts)
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b api.PointState) int {
		x := cmp.Compare(figure(&a), figure(&b))
		if reverse {
			return -x
		}
		return x
	})
}

// point finds one point; a foreign one does not exist.
func (s *Server) point(ctx context.Context, c *caller, k api.PointKey) (*api.PointState, error) {
	none := fault.New(fault.NotFound, "there is no such point")
	if !c.Can(auth.Read, k.App, k.IDC) || k.App == gear.Any || k.IDC == gear.Any {
		return nil, none
	}
	all, err := s.points(ctx, func(app, idc string) bool { return app == k.App && idc == k.IDC })
	if err != nil {
		return nil, err
	}
	var served *api.PointState
	for i := range all {
		if all[i].PointKey == k {
			return &all[i], nil
		}
		if all[i].Point == k.Point {
			served = &all[i]
		}
	}
	if served == nil {
		return nil, none
	}
	// A scene without requests yet: the point exists, and the default answers.
	p := &api.PointState{PointKey: k, External: served.External, Machines: served.Machines}
	shift, err := s.deps.Control.ShiftAt(ctx, k.App, k.IDC, time.Now().Add(time.Minute))
	if fault.Is(err, fault.NotFound) {
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	if o := control.Lookup(&shift.Set, k.Scene, k.Point, gear.Any); o != nil {
		order := toOrder(*o, shift.Tables)
		p.Order = &order
	}
	return p, nil
}

func (s *Server) explainPoint(ctx context.Context, c *caller, in *struct {
	PointPath
	At time.Time `query:"at" doc:"A past second; now by default."`
},
) (*plain[api.Explanation], error) {
	k := in.key()
	if !c.Can(auth.Read, k.App, k.IDC) {
		return nil, fault.New(fault.NotFound, "there is no such point")
	}
	e, err := s.deps.Claims.Explain(ctx, control.Scope{Scene: k.Scene, IDC: k.IDC, App: k.App, Point: k.Point}, in.At)
	if err != nil {
		return nil, err
	}
	shift, err := s.deps.Control.ShiftAt(ctx, k.App, k.IDC, e.ShiftAt)
	if err != nil {
		return nil, err
	}
	return &plain[api.Explanation]{toExplanation(k, e, shift.Tables)}, nil
}

func (s *Server) pointAgents(ctx context.Context, c *caller, in *PointPath) (*plain[api.Page[api.PointAgent]], error) {
	p, err := s.point(ctx, c, in.key())
	if err != nil {
		return nil, err
	}
	out := []api.PointAgent{}
	for _, a := range s.deps.Windows.Agents(toKey(p.PointKey), time.Now()) {
		row := api.PointAgent{Instance: a.Instance, Metrics: *toMetrics(&a.Recent), Held: toGearVersion(a.Held), Rung: a.Rung.String(), Outlier: a.Outlier}
		if g, err := s.deps.Fleet.Get(a.Instance, time.Now()); err == nil {
			row.Host = g.Host
		}
		out = append(out, row)
	}
	return &plain[api.Page[api.PointAgent]]{api.Page[api.PointAgent]{Items: out}}, nil
}

// Bounds of one answer of history.
const (
	maxSeries = 50
	maxMarks  = 1000 // changes, the newest
)

func (s *Server) getHistory(ctx context.Context, c *caller, in *struct {
	Scene string    `query:"scene" maxLength:"63" doc:"Only this scene." example:"k2"`
	IDC   string    `query:"idc" maxLength:"63" doc:"Only this IDC; all of them to compare." example:"ea119"`
	App   string    `query:"app" required:"true" maxLength:"63" doc:"Application." example:"sn"`
	Point string    `query:"point" maxLength:"63" doc:"Only this point." example:"recall"`
	From  time.Time `query:"from" doc:"An hour before to by default."`
	To    time.Time `query:"to" doc:"Now by default."`
	Step  string    `query:"step" enum:"auto,minute,hour" default:"auto" doc:"Distance of samples; auto is by minute up to two days."`
},
) (*plain[api.History], error) {
	from, to, err := s.span(ctx, in.From, in.To, time.Hour)
	if err != nil {
		return nil, err
	}
	step := time.Minute
	if in.Step == "hour" || in.Step == "auto" && to.Sub(from) > 48*time.Hour {
		step = time.Hour
	}
	if to.Sub(from)/step > 10_080 {
		return nil, newFailure(http.StatusBadRequest, "", "the range has more than 10,080 samples; take step=hour or a shorter one", "")
	}
	all, err := s.points(ctx, func(app, idc string) bool { return c.Can(auth.Read, app, idc) })
	if err != nil {
		return nil, err
	}
	var keys []api.PointKey
	for _, p := range all {
		if p.App == in.App && (in.Scene == "" || p.Scene == in.Scene) && (in.IDC == "" || p.IDC == in.IDC) && (in.Point == "" || p.Point == in.Point) {
			keys = append(keys, p.PointKey)
		}
	}
	if len(keys) > maxSeries {
		return nil, newFailure(http.StatusBadRequest, "", "more than 50 series match; name a scene, IDC or point", "")
	}
	// What nothing declares any more still has a past, so the filter is asked, not
	// the keys; and no further than the answer may go.
	filter := telemetry.Filter{Scene: in.Scene, IDC: in.IDC, App: in.App, Point: in.Point}
	seen := func(k telemetry.Key) bool { return c.Can(auth.Read, k.App, k.IDC) }
	var found []telemetry.Series
	for x, err := range s.deps.History.Each(ctx, filter, seen, from, to, step) {
		if err != nil {
			return nil, err
		}
		if len(found) == maxSeries {
			return nil, newFailure(http.StatusBadRequest, "", "more than 50 series match; name a scene, IDC or point", "")
		}
		found = append(found, x)
	}
	slices.SortFunc(found, func(a, b telemetry.Series) int { return telemetry.CompareKeys(a.Key, b.Key) })
	out := api.History{From: from, To: to, Series: []api.Series{}, Changes: []api.Change{}}
	for i := range found {
		out.Series = append(out.Series, toSeries(&found[i]))
	}
	shifts, _, err := s.deps.Control.PageShifts(ctx, within(c, control.ShiftFilter{App: in.App, IDC: in.IDC, From: from, To: to, Limit: maxMarks}))
	if err != nil {
		return nil, err
	}
	slices.Reverse(shifts)
	out.Changes = append(out.Changes, mapped(shifts, toChange)...)
	return &plain[api.History]{out}, nil
}
