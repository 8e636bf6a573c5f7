package planner

import (
	"context"
	"fmt"
	"time"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/plan"
)

// Bounds of a war log.
const (
	logEntries = 2000 // of people and loops
	logShifts  = 200  // of each app x IDC
	logBefore  = time.Minute
)

// WarLog puts together what happened around a plan: what people and the planner
// did, from the audit log, and what control ordered meanwhile, from the journal.
func (s *Service) WarLog(ctx context.Context, id string) (*plan.Log, error) {
	p, now, err := s.standing(ctx, id, 0)
	if err != nil {
		return nil, err
	}
	runs, err := s.cfg.Store.ListRuns(ctx, p.ID, time.Time{})
	if err != nil {
		return nil, err
	}
	lines, more, err := s.said(ctx, p)
	if err != nil {
		return nil, err
	}
	rehearsals, err := s.cfg.Store.ListRehearsals(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	for i := range rehearsals {
		r := &rehearsals[i]
		lines = append(lines, plan.Line{At: r.CreatedAt, Who: r.CreatedBy, What: r.line()})
	}
	if from, to, ok := spanOf(runs, now); ok {
		places, _ := s.places(p, now)
		for _, k := range sortedKeys(places) {
			shifts, err := s.cfg.Control.ListShifts(ctx, k.App, k.IDC, from.Add(-logBefore), to.Add(logBefore), logShifts)
			if err != nil {
				return nil, err
			}
			more = more || len(shifts) == logShifts
			for _, x := range shifts {
				lines = append(lines, plan.Line{
					At: x.At, Who: "control", What: fmt.Sprintf("%s in %s, revision %d: %s", k.App, k.IDC, x.Version.Revision, x.Cause),
					App: k.App, IDC: k.IDC, Revision: x.Version.Revision,
				})
			}
		}
	}
	return plan.NewLog(p, runs, lines, more), nil
}

// said gives what the audit log holds of a plan, a page at a time.
func (s *Service) said(ctx context.Context, p *plan.Plan) (lines []plan.Line, more bool, err error) {
	const page = 500
	f := audit.Filter{Kind: "plan", Object: p.ID, Limit: page}
	for {
		entries, err := s.cfg.Audit.ListAudit(ctx, f)
		if err != nil {
			return nil, false, err
		}
		for _, e := range entries {
			what := e.Verb + " " + e.Name
			if e.Reason != "" {
				what += ": " + e.Reason
			}
			lines = append(lines, plan.Line{At: e.At, Who: e.Actor, What: what})
			f.Before = e.Seq
		}
		if len(entries) < page {
			return lines, false, nil
		}
		if len(lines) >= logEntries {
			return lines, true, nil
		}
	}
}

// spanOf is from the first start to the last end of what has begun.
func spanOf(runs []plan.Run, now time.Time) (from, to time.Time, ok bool) {
	for i := range runs {
		if from.IsZero() || runs[i].Start.Before(from) {
			from = runs[i].Start
		}
		for _, t := range []time.Time{runs[i].Start, runs[i].End} {
			if t.After(to) {
				to = t
			}
		}
	}
	if to.After(now) {
		to = now
	}
	return from, to, len(runs) > 0
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
