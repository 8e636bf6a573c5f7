package planner

import (
	"context"
	"fmt"
	"time"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/plan"
)

// WarLog writes what happened around a plan as Markdown.
func (s *Service) WarLog(ctx context.Context, id string) (string, error) {
	p, now, err := s.standing(ctx, id, 0)
	if err != nil {
		return "", err
	}
	runs, err := s.cfg.Store.ListRuns(ctx, p.ID, time.Time{})
	if err != nil {
		return "", err
	}
	var lines []plan.Line
	entries, err := s.cfg.Audit.ListAudit(ctx, audit.Filter{Kind: "plan", Object: p.ID, Limit: 500})
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		what := e.Verb + " " + e.Name
		if e.Reason != "" {
			what += ": " + e.Reason
		}
		lines = append(lines, plan.Line{At: e.At, Who: e.Actor, What: what})
	}
	from, to := now, time.Time{}
	for i := range runs {
		if runs[i].Start.Before(from) {
			from = runs[i].Start
		}
		for _, t := range []time.Time{runs[i].Start, runs[i].End} {
			if t.After(to) {
				to = t
			}
		}
	}
	if len(runs) > 0 {
		places, _ := s.places(p, now)
		for _, k := range sortedKeys(places) {
			shifts, err := s.cfg.Control.ListShifts(ctx, k.App, k.IDC, from.Add(-time.Minute), to.Add(time.Minute), 200)
			if err != nil {
				return "", err
			}
			for _, x := range shifts {
				what := fmt.Sprintf("%s in %s, revision %d: %s", k.App, k.IDC, x.Version.Revision, x.Cause)
				lines = append(lines, plan.Line{At: x.At, Who: "control", What: what})
			}
		}
	}
	return plan.WarLog(p, runs, lines), nil
}

// ICal writes the steps of plans as a calendar.
func (s *Service) ICal(ctx context.Context, plans ...*plan.Plan) (string, error) {
	now, err := s.Now(ctx)
	if err != nil {
		return "", err
	}
	var all []plan.Occurrence
	for _, p := range plans {
		ahead := shownAhead
		if p.Repeat == "" {
			ahead = 100 * 366 * 24 * time.Hour
		}
		os, err := p.Occurrences(now.Add(-shownAhead), now.Add(ahead))
		if err != nil {
			return "", err
		}
		all = append(all, os...)
	}
	return plan.ICal(all, now), nil
}
