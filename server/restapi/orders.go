package restapi

import (
	"context"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/template"
)

// latestFor is how long the newest shifts and claims are reused: pages of points
// are read by many consoles at once, and events push what changed meanwhile.
const latestFor = 500 * time.Millisecond

// latest gives the newest shift of every app x IDC.
func (s *Server) latest(ctx context.Context) ([]*control.Shift, error) {
	return s.shiftsMemo.get(ctx, time.Now(), s.deps.Control.LatestShifts)
}

// standing gives the claims that count now.
func (s *Server) standing(ctx context.Context) ([]*control.Claim, error) {
	return s.claimsMemo.get(ctx, time.Now(), func(ctx context.Context) ([]*control.Claim, error) {
		now, err := s.deps.Control.Now(ctx)
		if err != nil {
			return nil, err
		}
		return s.deps.Control.ClaimsAt(ctx, now)
	})
}

// shiftOf finds a shift by revision alone. Versions order by epoch first and
// revisions rise with them, so the epoch is found by bisection.
func (s *Server) shiftOf(ctx context.Context, revision int64) (*control.Shift, error) {
	none := fault.New(fault.NotFound, "there is no revision %d", revision)
	latest, err := s.deps.Control.LatestShifts(ctx)
	if err != nil {
		return nil, err
	}
	top := int64(0)
	for _, x := range latest {
		if x.Version.Revision == revision {
			return x, nil
		}
		top = max(top, x.Version.Epoch)
	}
	first := func(epoch, after int64) (*control.Shift, error) {
		found, err := s.deps.Control.ShiftsSince(ctx, gear.Version{Epoch: epoch, Revision: after}, 1)
		if err != nil || len(found) == 0 {
			return nil, err
		}
		return found[0], nil
	}
	low, high := int64(0), top // the epoch of revision is the highest whose first revision is not above it
	for low < high {
		mid := (low + high + 1) / 2
		x, err := first(mid, 0)
		if err != nil {
			return nil, err
		}
		if x != nil && x.Version.Revision <= revision {
			low = mid
		} else {
			high = mid - 1
		}
	}
	x, err := first(low, revision-1)
	if err == nil && (x == nil || x.Version.Revision != revision) {
		err = none
	}
	return x, err
}

func toOrder(o gear.Order, tables []gear.LevelTable) api.Order {
	out := api.Order{
		Scene: o.Scene, Point: o.Point, Bucket: o.Bucket, Level: o.Level, MinLevel: o.MinLevel, MaxLevel: o.MaxLevel,
		Strategy: string(o.Strategy), AvailableRTMS: ms(o.AvailableRT), TimeoutMS: ms(o.Timeout), Pinned: o.Pinned,
		Template: o.Template, TemplateVersion: o.TemplateVersion, Table: o.Table, Parameters: []api.ParameterSetting{},
	}
	i := slices.IndexFunc(tables, func(t gear.LevelTable) bool { return t.Hash == o.Table })
	if i < 0 || o.Level < 1 || o.Level > len(tables[i].Rows) {
		return out
	}
	t := &tables[i]
	for j, p := range t.Params {
		out.Parameters = append(out.Parameters, api.ParameterSetting{Name: p.Name, Type: p.Kind.String(), Value: template.ValueJSON(t.Rows[o.Level-1][j])})
	}
	if o.Level <= len(t.Work) {
		out.Work = t.Work[o.Level-1]
	}
	return out
}

func toExplanation(k api.PointKey, e *control.Explanation, tables []gear.LevelTable) api.Explanation {
	version := toGearVersion(e.Version)
	out := api.Explanation{
		PointKey: k, At: e.At, Version: &version, ShiftAt: timePtr(e.ShiftAt), Cause: e.Cause, Replays: e.Reproduced, Pending: e.Pending,
		Template: e.Why.Template, TemplateVersion: e.Why.TemplateVersion, Steps: []api.ExplainRow{},
	}
	if e.Why.Binding != nil {
		b := toBinding(e.Why.Binding)
		out.Binding = &b
	}
	if e.Order != nil {
		o := toOrder(*e.Order, tables)
		out.Order = &o
	}
	for _, f := range e.Why.Fields {
		if f.Field == control.FieldLevel {
			out.Summary = summary(f)
		}
		for _, c := range f.Considered {
			row := api.ExplainRow{
				Field: string(f.Field), Won: c.Outcome == control.Won, Outcome: string(c.Outcome), Source: c.Source.String(), Value: c.Value,
				Reason: c.Reason.String(), ReasonCode: c.Reason.Code, ReasonArgs: c.Reason.Args, Limited: f.Limited,
			}
			if c.Claim != nil {
				row.ClaimID, row.Scope, row.Author, row.ClaimReason, row.End = c.Claim.ID, toScope(c.Claim.Scope), c.Claim.Author, c.Claim.Reason, timePtr(c.Claim.End)
			}
			out.Steps = append(out.Steps, row)
		}
	}
	if out.Summary == "" {
		out.Summary = "nothing serves this point: the defaults declared by the app answer"
	}
	return out
}

// summary says in one sentence how the level came to be.
func summary(f control.FieldWhy) string {
	s := f.Value + ": "
	for _, c := range f.Considered {
		if c.Outcome != control.Won {
			continue
		}
		if c.Claim == nil {
			s += "the template's own"
		} else {
			s += c.Source.String() + " claim of " + gear.Shown(c.Claim.Author)
			if !c.Claim.End.IsZero() {
				s += " until " + c.Claim.End.UTC().Format("2006-01-02 15:04:05Z")
			}
			if c.Claim.Reason != "" {
				s += " (" + gear.Shown(c.Claim.Reason) + ")"
			}
		}
	}
	if f.Limited != "" {
		s += "; " + f.Limited
	}
	return s
}
