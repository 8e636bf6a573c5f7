package planner

import (
	"context"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/plan"
	"github.com/allspark/allspark/server/push"
)

// keepPast is how long an entry of the past is staged on after the last hold
// ended: an agent that was away learns what it should have gone back to.
const keepPast = 10 * time.Minute

// hold is a step with the instants that count: those of its record, or of the
// calendar while there is none.
type hold struct {
	in         plan.Instance
	epoch      int64
	start, end time.Time
	claims     []*control.Claim
}

func (h *hold) touches(app, idc string) bool {
	for _, c := range h.claims {
		if plan.Overlapping(control.Scope{App: c.Scope.App, IDC: c.Scope.IDC}, control.Scope{App: app, IDC: idc}) {
			return true
		}
	}
	return false
}

// holds lists the steps that are in force or due within the horizon.
func holds(plans []*plan.Plan, runs []plan.Run, now time.Time) ([]hold, error) {
	known := map[plan.Key]*plan.Run{}
	for i := range runs {
		known[runs[i].Key] = &runs[i]
	}
	var out []hold
	for _, p := range plans {
		if p.State == plan.Draft {
			continue
		}
		os, err := p.Occurrences(now.Add(-lookBack-plan.MaxCycle), now.Add(plan.Horizon))
		if err != nil {
			return nil, err
		}
		for i := range os {
			for _, in := range os[i].Steps {
				if h, ok := holdOf(in, known[in.Key], now); ok {
					out = append(out, h)
				}
			}
		}
	}
	return out, nil
}

func holdOf(in plan.Instance, run *plan.Run, now time.Time) (hold, bool) {
	h := hold{in: in, epoch: in.Plan.Epoch, start: in.Start, end: in.End}
	switch {
	case run != nil:
		if run.State != plan.Armed && run.State != plan.Fired && run.State != plan.Ended {
			return h, false
		}
		h.epoch, h.start, h.end = run.Epoch, run.Start, run.End
	case in.Plan.State != plan.Approved || in.Start.Before(in.Plan.ApprovedAt.Add(-plan.Grace)):
		return h, false
	}
	if in.Step.Do.Terminal() {
		return h, false // its instant is the end of what it ends
	}
	if !h.end.After(h.start) || h.start.After(now.Add(plan.Horizon)) || h.end.Before(now.Add(-keepPast)) {
		return h, false
	}
	// The claims as they are stored: of the epoch they were armed under, to the
	// end that counts.
	p := *in.Plan
	p.Epoch = h.epoch
	in.Plan, in.Start, in.End = &p, h.start, h.end
	h.in, h.claims = in, plan.Claims(&in, actor)
	return h, true
}

// timeline is what one app x IDC is to hold beforehand.
type timeline struct {
	staged gear.Staged
	tables []gear.LevelTable
	steps  []StagedKey // that start in it
}

// foresee works out the timelines of all app x IDCs that the holds touch.
func foresee(ctx context.Context, f *control.Foreseer, hs []hold, now time.Time) (map[push.Key]*timeline, error) {
	instants := instantsOf(hs, now)
	var all []*control.Claim
	mine := map[string]bool{}
	for i := range hs {
		all = append(all, hs[i].claims...)
		for _, c := range hs[i].claims {
			mine[c.ID] = true
		}
	}
	out := map[push.Key]*timeline{}
	for _, at := range instants {
		// Stored claims of steps are left out: the holds say better how long.
		ds, err := f.At(ctx, at, all, func(c *control.Claim) bool { return mine[c.ID] })
		if err != nil {
			return nil, err
		}
		for i := range ds {
			d := &ds[i]
			e, steps, ok := entry(d, hs, at)
			if !ok {
				continue
			}
			k := push.Key{App: d.Set.App, IDC: d.Set.IDC}
			t := out[k]
			if t == nil {
				t = &timeline{staged: gear.Staged{App: k.App, IDC: k.IDC, AsOf: now}}
				out[k] = t
			}
			if len(t.staged.Entries) == gear.MaxStaged {
				continue // the nearest are staged; the rest follows in time
			}
			t.staged.Entries = append(t.staged.Entries, e)
			t.steps = append(t.steps, steps...)
			for _, table := range d.Tables {
				if !slices.ContainsFunc(t.tables, func(x gear.LevelTable) bool { return x.Hash == table.Hash }) {
					t.tables = append(t.tables, table)
				}
			}
		}
	}
	for _, t := range out {
		t.staged.Hash = t.staged.ComputeHash()
	}
	return out, nil
}

// entry makes the entry of an instant, if a hold that touches the app x IDC
// starts or ends then.
func entry(d *control.Decision, hs []hold, at time.Time) (e gear.StagedEntry, starts []StagedKey, ok bool) {
	e = gear.StagedEntry{At: at, Set: d.Set}
	for i := range hs {
		h := &hs[i]
		if !h.touches(d.Set.App, d.Set.IDC) {
			continue
		}
		x := gear.StagedStep{Plan: h.in.Plan.Name, Step: h.in.Step.Name, Epoch: h.epoch}
		switch {
		case h.start.Equal(at):
			starts = append(starts, StagedKey{h.in.Key, h.epoch})
			e.Steps = append(e.Steps, x)
		case h.end.Equal(at):
			x.Ends = true
			e.Steps = append(e.Steps, x)
		}
		e.Peak = e.Peak || !at.Before(h.start) && at.Before(h.end)
	}
	return e, starts, len(e.Steps) > 0
}

// instantsOf lists the starts and ends, rising; of those past only what is still
// in force counts.
func instantsOf(hs []hold, now time.Time) []time.Time {
	var all []time.Time
	for i := range hs {
		all = append(all, hs[i].start, hs[i].end)
	}
	slices.SortFunc(all, time.Time.Compare)
	all = slices.CompactFunc(all, time.Time.Equal)
	return all
}
