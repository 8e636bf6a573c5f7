package restapi

import (
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/scene"
)

// TableBuilder builds allocation tables when it is asked.
type TableBuilder interface {
	Rebuild(ctx context.Context, s *scene.Scene, c audit.Change) (*allocation.Version, error)
	Readiness(scene string) scene.Readiness
}

// AllocationPath names a table of a scene.
type AllocationPath struct {
	ScenePath
	Number int `path:"number" minimum:"0" doc:"Number of the table; 0 for the newest."`
}

func (s *Server) allocationRoutes() {
	const tag = "Allocations"
	handle(s, endpoint{
		method: http.MethodGet, path: "/scenes/{scene}/allocations", id: "list-allocations", tag: tag, verb: auth.Read,
		summary: "List a scene's allocation tables", description: "Newest first, without rows.",
	}, func(ctx context.Context, _ *caller, in *ScenePath) (*plain[api.Page[api.Allocation]], error) {
		x, err := s.deps.Scenes.Get(ctx, in.Scene)
		if err != nil {
			return nil, err
		}
		all, err := s.deps.Tables.ListAllocations(ctx, x.Name, gear.Any, 200)
		if err != nil {
			return nil, err
		}
		return &plain[api.Page[api.Allocation]]{api.Page[api.Allocation]{Items: mapped(all, toAllocation)}}, nil
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/scenes/{scene}/allocations", id: "rebuild-allocation", tag: tag, verb: auth.Set, status: http.StatusCreated,
		summary: "Rebuild the table now", description: "From the newest profiles, whatever the schedule says. 409 with every point that lacks a profile.",
	}, func(ctx context.Context, c *caller, in *struct {
		ScenePath
		Body api.Reason
	},
	) (*plain[api.Allocation], error) {
		x, err := s.deps.Scenes.Get(ctx, in.Scene)
		if err == nil {
			err = c.may(auth.Set, gear.Any, gear.Any)
		}
		if err != nil {
			return nil, err
		}
		v, err := s.deps.Builder.Rebuild(ctx, x, c.change(in.Body.Reason, ""))
		if err != nil {
			return nil, err
		}
		return &plain[api.Allocation]{toAllocation(v.Info)}, nil
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/scenes/{scene}/allocations/{number}", id: "get-allocation", tag: tag, verb: auth.Read,
		summary: "Get an allocation table", description: "All of its rows, or the one of a target: a target outside the table gets the nearest row.",
	}, func(ctx context.Context, _ *caller, in *struct {
		AllocationPath
		Target int `query:"target" minimum:"0" maximum:"60000" doc:"Only the row of this target, ms; 0 for all."`
	},
	) (*plain[api.AllocationTable], error) {
		v, err := s.allocation(ctx, in.Scene, in.Number)
		if err != nil {
			return nil, err
		}
		out := toAllocationTable(v)
		if in.Target > 0 {
			row, _ := v.Table.Row(in.Target)
			out.Rows = []api.AllocationRow{toRow(&row)}
		}
		return &plain[api.AllocationTable]{out}, nil
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/scenes/{scene}/allocations/{number}/export", id: "export-allocation", tag: tag, verb: auth.Read,
		summary: "Export an allocation table", description: "As CSV, a row a target, or as JSON.",
		responses: map[string]*huma.Response{"200": {Description: "The table.", Content: map[string]*huma.MediaType{"text/csv": {Schema: &huma.Schema{Type: "string"}}}}},
	}, func(ctx context.Context, _ *caller, in *struct {
		AllocationPath
		Format string `query:"format" enum:"csv,json" default:"csv" doc:"Form of the document."`
	},
	) (*huma.StreamResponse, error) {
		v, err := s.allocation(ctx, in.Scene, in.Number)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(hc huma.Context) {
			kind, write := "text/csv; charset=utf-8", v.Table.WriteCSV
			if in.Format == "json" {
				kind, write = "application/json", v.Table.WriteJSON
			}
			hc.SetHeader("Content-Type", kind)
			hc.SetHeader("Content-Disposition", fmt.Sprintf(`attachment; filename="allspark-%s-%d.%s"`, v.Scene, v.Number, in.Format))
			_ = write(hc.BodyWriter()) // the client left
		}}, nil
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/scenes/{scene}/allocation-comparison", id: "compare-allocations", tag: tag, verb: auth.Read,
		summary: "Compare two allocation tables", description: "The targets whose rows differ in a level, in being there, or by more than a millionth in effect.",
	}, func(ctx context.Context, _ *caller, in *struct {
		ScenePath
		From int `query:"from" minimum:"0" doc:"Number of a table; 0 for the newest."`
		To   int `query:"to" minimum:"0" doc:"Number of a table; 0 for the newest."`
	},
	) (*plain[api.AllocationComparison], error) {
		a, err := s.allocation(ctx, in.Scene, in.From)
		if err != nil {
			return nil, err
		}
		b, err := s.allocation(ctx, in.Scene, in.To)
		if err != nil {
			return nil, err
		}
		out := api.AllocationComparison{From: toAllocation(a.Info), To: toAllocation(b.Info)}
		out.Items = mapped(allocation.Compare(&a.Table, &b.Table), func(d allocation.Difference) api.AllocationDifference {
			return api.AllocationDifference{
				TargetMS: d.Target, EffectFrom: d.EffectFrom, EffectTo: d.EffectTo, WorkFrom: d.WorkFrom, WorkTo: d.WorkTo,
				Moves: mapped(d.Moves, func(m allocation.Move) api.AllocationMove { return api.AllocationMove(m) }), ClampedFrom: d.ClampedFrom, ClampedTo: d.ClampedTo,
			}
		})
		return &plain[api.AllocationComparison]{out}, nil
	})
}

func (s *Server) allocation(ctx context.Context, name string, number int) (*allocation.Version, error) {
	x, err := s.deps.Scenes.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	return s.deps.Tables.GetAllocation(ctx, x.Name, gear.Any, number)
}

func toAllocation(i allocation.Info) api.Allocation {
	return api.Allocation{
		Number: i.Number, Scene: i.Scene, IDC: i.IDC, SceneVersion: i.SceneVersion, InputHash: i.InputHash, Cause: i.Cause, TookMS: ms(i.Took),
		Oldest: i.Oldest, Learned: i.Learned, By: i.By, At: i.At, FirstMS: i.First, ToMS: i.To, Effect: i.Effect, Gap: i.Gap,
	}
}

func toAllocationTable(v *allocation.Version) api.AllocationTable {
	t := &v.Table
	out := api.AllocationTable{
		Allocation: toAllocation(v.Info), Statistic: t.Statistic.String(), LimitMS: t.Limit, Points: t.Points, Calls: t.Calls,
		Unlinked: t.Unlinked, Bounded: t.Bounded, FastestMS: t.Fastest, SlowestMS: t.Slowest, Rows: make([]api.AllocationRow, len(t.Rows)),
	}
	for _, list := range []*[]string{&out.Points, &out.Calls, &out.Unlinked} {
		if *list == nil {
			*list = []string{}
		}
	}
	for i := range t.Rows {
		out.Rows[i] = toRow(&t.Rows[i])
	}
	return out
}

func toRow(r *allocation.Row) api.AllocationRow {
	out := api.AllocationRow{
		TargetMS: r.Target, RTMS: r.RT, Effect: r.Effect, Work: r.Work, Cut: r.Cut, Idle: r.Idle, PerMS: r.PerMS, PerCoreSecond: r.PerCoreSecond,
		TimeoutsMS: append([]float64{}, r.Timeouts...),
	}
	out.Points = mapped(r.Points, func(p allocation.PointRow) api.AllocationPoint {
		return api.AllocationPoint{Level: p.Level, RTMS: p.RT, SetpointMS: p.Setpoint, Effect: p.Effect, Work: p.Work, Cut: p.Cut, Idle: p.Idle, PerMS: p.PerMS, PerCoreSecond: p.PerCoreSecond}
	})
	if x := r.Isolated; x != nil {
		out.IsolatedEffect, out.IsolatedCutCoreMS, out.IsolatedWorkCoreMS = &x.Effect, &x.Cut, &x.Work
	}
	return out
}
