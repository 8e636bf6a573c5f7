package planner

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/plan"
	"github.com/allspark/allspark/server/profile"
	"github.com/allspark/allspark/server/push"
)

// shownAhead is how far ahead a plan's steps are listed.
const shownAhead = 31 * 24 * time.Hour

// StepView is a step of one occurrence and what became of it.
type StepView struct {
	plan.Instance
	Run  *plan.Run
	Acks []AckView // while it is in force: who holds the orders, by app x IDC
}

// AckView is how far the newest orders of an app x IDC have come.
type AckView struct {
	App, IDC       string
	Expected, Held int
}

// Restore is one line of the restore checklist.
type Restore struct {
	App, IDC string
	Restored bool
	Left     string // what is left, "" when restored
}

// Detail is everything one looks at before, during and after a peak.
type Detail struct {
	Plan      *plan.Plan
	Now       time.Time
	Steps     []StepView // from a day ago on
	Next      *plan.Instance
	Conflicts []plan.Conflict
	Ready     []plan.Ready
	Staging   Progress
	Restore   []Restore
}

// Detail gathers it.
func (s *Service) Detail(ctx context.Context, id string) (*Detail, error) {
	p, now, err := s.standing(ctx, id, 0)
	if err != nil {
		return nil, err
	}
	d := &Detail{Plan: p, Now: now, Staging: s.Unconfirmed(p)}
	ahead := shownAhead
	if p.Repeat == "" {
		ahead = 100 * 366 * 24 * time.Hour
	}
	os, err := p.Occurrences(now.Add(-lookBack-plan.MaxSpan), now.Add(ahead))
	if err != nil {
		return nil, err
	}
	runs, err := s.cfg.Store.ListRuns(ctx, p.ID, now.Add(-lookBack-plan.MaxSpan))
	if err != nil {
		return nil, err
	}
	facts := plan.Facts{State: p.State, Approver: p.Approver}
	for i := range os {
		for _, in := range os[i].Steps {
			v := StepView{Instance: in}
			for r := range runs {
				if runs[r].Key == in.Key {
					v.Run = &runs[r]
				}
			}
			if v.Run != nil && v.Run.State == plan.Missed {
				facts.Missed++
			}
			if v.Run != nil && v.Run.State == plan.Fired && now.Before(v.Run.End) {
				v.Acks = s.acks(p)
			}
			if in.Start.After(now) && d.Next == nil {
				next := in
				d.Next = &next
			}
			d.Steps = append(d.Steps, v)
		}
		if d.Conflicts == nil && now.Before(os[i].End()) {
			if d.Conflicts, err = s.conflicts(ctx, p, &os[i], now); err != nil {
				return nil, err
			}
		}
	}
	if err := s.facts(ctx, p, d, &facts); err != nil {
		return nil, err
	}
	if facts.StaleFor, err = s.staleProfile(ctx, p, now); err != nil {
		return nil, err
	}
	if d.Restore, err = s.restore(ctx, p, runs, now); err != nil {
		return nil, err
	}
	for _, r := range d.Restore {
		if !r.Restored {
			facts.Unrestored++
		}
	}
	facts.Conflicts = len(d.Conflicts)
	d.Ready = plan.Readiness(facts)
	return d, nil
}

// Conflicts finds where the next occurrence of a plan, saved or not, meets other
// plans and standing manual claims.
func (s *Service) Conflicts(ctx context.Context, p *plan.Plan) ([]plan.Conflict, error) {
	now, err := s.Now(ctx)
	if err != nil {
		return nil, err
	}
	next, ok := plan.Next([]*plan.Plan{p}, now)
	if !ok {
		return nil, nil
	}
	os, err := p.Occurrences(next.Start, next.Start.Add(1))
	if err != nil {
		return nil, err
	}
	for i := range os {
		if os[i].Name == next.Occurrence {
			return s.conflicts(ctx, p, &os[i], now)
		}
	}
	return nil, nil
}

func (s *Service) conflicts(ctx context.Context, p *plan.Plan, o *plan.Occurrence, now time.Time) ([]plan.Conflict, error) {
	plans, err := s.cfg.Store.ListPlans(ctx)
	if err != nil {
		return nil, err
	}
	var others []plan.Occurrence
	for _, x := range plans {
		if x.ID == p.ID || x.Name == p.Name || x.State == plan.Stopped || x.State == plan.Done {
			continue
		}
		more, err := x.Occurrences(o.Start(), o.End())
		if err != nil {
			return nil, err
		}
		others = append(others, more...)
	}
	claims, err := s.cfg.Control.ClaimsAt(ctx, now)
	if err != nil {
		return nil, err
	}
	out := plan.Conflicts(o, others, claims)
	if out == nil {
		out = []plan.Conflict{}
	}
	return out, nil
}

// places lists the app x IDCs that agents declare or orders exist for, and that
// the plan concerns.
func (s *Service) places(p *plan.Plan, now time.Time) (map[push.Key][]fleet.Agent, int) {
	in := concerns(p)
	agents, _ := s.cfg.Agents.List(fleet.Filter{}, now)
	out := map[push.Key][]fleet.Agent{}
	connected := 0
	for _, a := range agents {
		if a.Banned != "" || !in(a.App, a.IDC) {
			continue
		}
		k := push.Key{App: a.App, IDC: a.IDC}
		out[k] = append(out[k], a)
		if a.Session != "" {
			connected++
		}
	}
	return out, connected
}

func (s *Service) acks(p *plan.Plan) []AckView {
	places, _ := s.places(p, time.Time{})
	var out []AckView
	for _, k := range sortedKeys(places) {
		if g, ok := s.cfg.Ledger.Progress(k); ok {
			out = append(out, AckView{k.App, k.IDC, g.Expected, g.Held})
		}
	}
	return out
}

func sortedKeys[V any](m map[push.Key]V) []push.Key {
	var out []push.Key
	for k := range m {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b push.Key) int {
		if a.App != b.App {
			return map[bool]int{true: -1, false: 1}[a.App < b.App]
		}
		return map[bool]int{true: -1, false: 1}[a.IDC < b.IDC]
	})
	return out
}

func (s *Service) facts(ctx context.Context, p *plan.Plan, d *Detail, f *plan.Facts) error {
	places, connected := s.places(p, d.Now)
	for _, as := range places {
		f.Expected += len(as)
	}
	f.Connected = connected
	f.Within = p.State == plan.Approved && d.Next != nil && d.Next.Start.Before(d.Now.Add(plan.Horizon))
	f.Staged = d.Staging.Held
	seen := map[string]bool{}
	for i := range p.Steps {
		for _, x := range p.Steps[i].Sets {
			if x.Level > 0 && x.Template == "" && !seen[p.Steps[i].Name] {
				seen[p.Steps[i].Name] = true
				f.Unpinned = append(f.Unpinned, p.Steps[i].Name)
			}
			if x.Template == "" {
				continue
			}
			v, err := s.cfg.Templates.GetVersion(ctx, x.Template, x.Version)
			if err != nil {
				return err
			}
			f.Refusals = append(f.Refusals, refusals(v, &x, places)...)
		}
	}
	f.Refusals = slices.Compact(slices.Sorted(slices.Values(f.Refusals)))
	freezes, err := s.cfg.Store.ListFreezes(ctx, d.Now)
	if err != nil {
		return err
	}
	if d.Next != nil {
		for _, x := range freezes {
			if !d.Next.Start.Before(x.From) && d.Next.Start.Before(x.Until) {
				f.FrozenBy = x.Reason
			}
		}
	}
	return nil
}

// Profiles tells how old what the levels cost is.
type Profiles interface {
	ListProfiles(ctx context.Context, f profile.Filter) (items []*profile.Profile, next string, err error)
}

// staleProfile gives the age of the oldest profile that the plan's points stand on
// and that is too old, "" when there is a fresh one for each of them.
func (s *Service) staleProfile(ctx context.Context, p *plan.Plan, now time.Time) (string, error) {
	if s.cfg.Profiles == nil {
		return "", nil
	}
	best := map[profile.Key]time.Duration{} // 0: fresh
	for f := (profile.Filter{}); ; {
		page, next, err := s.cfg.Profiles.ListProfiles(ctx, f)
		if err != nil {
			return "", err
		}
		for _, x := range page {
			age := max(x.Age(now), 1)
			if stale, _ := x.Stale("", now); !stale {
				age = 0
			}
			if old, ok := best[x.Key]; !ok || age < old {
				best[x.Key] = age
			}
		}
		if f.After = next; next == "" {
			break
		}
	}
	var oldest time.Duration
	for k, age := range best {
		used := slices.ContainsFunc(p.Steps, func(st plan.Step) bool {
			return slices.ContainsFunc(st.Sets, func(set plan.Set) bool {
				return plan.Overlapping(set.Scope, control.Scope{Scene: k.Scene, App: k.App, Point: k.Point})
			})
		})
		if used {
			oldest = max(oldest, age)
		}
	}
	if oldest == 0 {
		return "", nil
	}
	return oldest.Round(time.Hour).String(), nil
}

// restore looks at every app x IDC after the last hold: nothing of the plan may
// stand, and every agent must hold the newest orders.
func (s *Service) restore(ctx context.Context, p *plan.Plan, runs []plan.Run, now time.Time) ([]Restore, error) {
	mine := map[string]bool{}
	began := false
	for i := range runs {
		if r := &runs[i]; r.State == plan.Fired || r.State == plan.Ended {
			began = began || !r.Start.After(now)
			for _, c := range r.Claims {
				mine[c] = true
			}
		}
	}
	if !began {
		return []Restore{}, nil
	}
	claims, err := s.cfg.Control.ClaimsAt(ctx, now)
	if err != nil {
		return nil, err
	}
	places, _ := s.places(p, now)
	out := []Restore{}
	for _, k := range sortedKeys(places) {
		r := Restore{App: k.App, IDC: k.IDC}
		standing := 0
		for _, c := range claims {
			if mine[c.ID] && plan.Overlapping(control.Scope{App: c.Scope.App, IDC: c.Scope.IDC}, control.Scope{App: k.App, IDC: k.IDC}) {
				standing++
			}
		}
		g, ok := s.cfg.Ledger.Progress(k)
		switch {
		case standing > 0:
			r.Left = fmt.Sprintf("%d claims of the plan are in force", standing)
		case ok && g.Held < g.Expected:
			r.Left = fmt.Sprintf("%d of %d agents do not hold the newest orders", g.Expected-g.Held, g.Expected)
		default:
			r.Restored = true
		}
		out = append(out, r)
	}
	return out, nil
}

// refusals says which connected builds would refuse a pinned version.
func refusals(v templateVersion, x *plan.Set, places map[push.Key][]fleet.Agent) []string {
	t, err := expand(v)
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	for k, as := range places {
		if !plan.Overlapping(control.Scope{App: x.Scope.App, IDC: x.Scope.IDC}, control.Scope{App: k.App, IDC: k.IDC}) {
			continue
		}
		for i := range as {
			for _, d := range as[i].Points {
				if !plan.Overlapping(control.Scope{Point: x.Scope.Point}, control.Scope{Point: d.Name}) {
					continue
				}
				if bad := gear.CheckTable(d.Params, t); len(bad) > 0 {
					out = append(out, fmt.Sprintf("build %s of %s in %s refuses %s: %s", as[i].Build, k.App, k.IDC, d.Name, bad[0].Message))
				}
			}
		}
	}
	return out
}
