package planner

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/plan"
	"github.com/allspark/allspark/server/push"
	"github.com/allspark/allspark/server/template"
)

// Agents lists registered agents.
type Agents interface {
	List(f fleet.Filter, now time.Time) (items []fleet.Agent, next string)
}

// Ledger tells how far orders have come.
type Ledger interface {
	Progress(k push.Key) (push.Progress, bool)
}

// ServiceConfig wires a Service.
type ServiceConfig struct {
	Store     Store
	Control   control.Store
	Templates template.Store
	Foreseer  *control.Foreseer
	Stager    *Stager
	Agents    Agents
	Ledger    Ledger
	Audit     audit.Store
	Nudge     func() // wakes loop, stager and control; may be nil
	Profiles  Profiles
	History   History
	Rehearser Rehearser // nil rehearses nothing
	// Go runs what outlives a request, until the controller ends; a plain goroutine
	// when nil.
	Go  func(func(ctx context.Context))
	Log *slog.Logger
}

// Service is what people do with plans.
type Service struct {
	cfg     ServiceConfig
	playing chan struct{} // holds one token while a rehearsal runs
}

// NewService makes the service.
func NewService(cfg ServiceConfig) *Service {
	if cfg.Nudge == nil {
		cfg.Nudge = func() {}
	}
	if cfg.Go == nil {
		cfg.Go = func(f func(context.Context)) { go f(context.Background()) }
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	return &Service{cfg: cfg, playing: make(chan struct{}, 1)}
}

// Now is reference time.
func (s *Service) Now(ctx context.Context) (time.Time, error) { return s.cfg.Control.Now(ctx) }

// Get finds a plan by id or name.
func (s *Service) Get(ctx context.Context, id string) (*plan.Plan, error) {
	return s.cfg.Store.GetPlan(ctx, id)
}

// List gives all plans by name.
func (s *Service) List(ctx context.Context) ([]*plan.Plan, error) { return s.cfg.Store.ListPlans(ctx) }

// resolve checks a plan and gives templates by id: a renamed template stays the
// one that was meant.
func (s *Service) resolve(ctx context.Context, p *plan.Plan) error {
	now, err := s.Now(ctx)
	if err != nil {
		return err
	}
	problems := plan.Check(p, now)
	for i := range p.Steps {
		for k := range p.Steps[i].Sets {
			x := &p.Steps[i].Sets[k]
			if x.Template == "" || x.Version < 1 {
				continue
			}
			t, err := s.cfg.Templates.FindTemplate(ctx, x.Template)
			if fault.Is(err, fault.NotFound) {
				t, err = s.cfg.Templates.GetTemplate(ctx, x.Template)
			}
			if err == nil {
				x.Template = t.ID
				_, err = s.cfg.Templates.GetVersion(ctx, t.ID, x.Version)
			}
			if fault.Is(err, fault.NotFound) {
				problems.Add(fmt.Sprintf("steps[%d].set[%d].template", i, k), gear.CodeUnknown,
					fmt.Sprintf("there is no published version %d of template %q", x.Version, gear.Shown(x.Template)))
			} else if err != nil {
				return err
			}
		}
	}
	if len(problems) > 0 {
		return fault.WithProblems(problems, "plan %q has %d problems", gear.Shown(p.Name), len(problems))
	}
	return nil
}

// Named gives a copy of the plan whose templates stand by name.
func (s *Service) Named(ctx context.Context, p *plan.Plan) *plan.Plan {
	n := *p
	n.Steps = slices.Clone(p.Steps)
	for i := range n.Steps {
		n.Steps[i].Sets = slices.Clone(n.Steps[i].Sets)
		for k := range n.Steps[i].Sets {
			if x := &n.Steps[i].Sets[k]; x.Template != "" {
				if t, err := s.cfg.Templates.GetTemplate(ctx, x.Template); err == nil {
					x.Template = t.Name
				}
			}
		}
	}
	return &n
}

// Create saves a new plan as a draft.
func (s *Service) Create(ctx context.Context, p *plan.Plan, c audit.Change) (*plan.Plan, error) {
	n := *p
	if err := s.resolve(ctx, &n); err != nil {
		return nil, err
	}
	if err := s.cfg.Store.CreatePlan(ctx, &n, c); err != nil {
		return nil, fmt.Errorf("create plan: %w", err)
	}
	return &n, nil
}

// Update saves what an author changed. The plan is a draft again, and what was
// armed or staged of it is withdrawn.
func (s *Service) Update(ctx context.Context, id string, version int64, p *plan.Plan, c audit.Change) (*plan.Plan, error) {
	old, now, err := s.standing(ctx, id, version)
	if err != nil {
		return nil, err
	}
	if err := s.resting(ctx, old, now); err != nil {
		return nil, err
	}
	n := *p
	if err := s.resolve(ctx, &n); err != nil {
		return nil, err
	}
	n.ID, n.Version, n.Epoch, n.State = old.ID, old.Version, old.Epoch+1, plan.Draft
	n.ApprovedBy, n.ApprovedAt, n.Glass = "", time.Time{}, ""
	n.UpdatedBy, n.UpdatedAt = old.UpdatedBy, old.UpdatedAt
	c.Verb = "update"
	return s.move(ctx, &n, Move{DropArmed: true}, c)
}

// Delete removes a plan of which nothing is in force.
func (s *Service) Delete(ctx context.Context, id string, version int64, c audit.Change) error {
	p, now, err := s.standing(ctx, id, version)
	if err != nil {
		return err
	}
	if err := s.resting(ctx, p, now); err != nil {
		return err
	}
	err = s.cfg.Store.DeletePlan(ctx, p.ID, p.Version, c)
	s.cfg.Nudge()
	return err
}

// standing reads a plan; version 0 does not check for a stale write.
func (s *Service) standing(ctx context.Context, id string, version int64) (*plan.Plan, time.Time, error) {
	p, err := s.cfg.Store.GetPlan(ctx, id)
	if err != nil {
		return nil, time.Time{}, err
	}
	now, err := s.Now(ctx)
	if err != nil {
		return nil, now, err
	}
	if version != 0 && version != p.Version {
		e := fault.New(fault.Stale, "the plan was changed meanwhile (version %d, yours %d)", p.Version, version)
		e.Detail = fault.Clash{Theirs: p}
		return nil, now, e
	}
	return p, now, nil
}

// resting refuses while a step is in force: what holds must not lose its plan.
func (s *Service) resting(ctx context.Context, p *plan.Plan, now time.Time) error {
	runs, err := s.cfg.Store.ListRuns(ctx, p.ID, now)
	if err != nil {
		return err
	}
	for i := range runs {
		if runs[i].State == plan.Fired && !runs[i].End.IsZero() {
			return fault.New(fault.Conflict, "step %s is in force until %s: stop the plan first", runs[i].Step, runs[i].End.Format(time.RFC3339))
		}
	}
	return nil
}

func (s *Service) move(ctx context.Context, p *plan.Plan, m Move, c audit.Change) (*plan.Plan, error) {
	if err := s.cfg.Store.UpdatePlan(ctx, p, m, c); err != nil {
		return nil, fmt.Errorf("%s plan: %w", c.Verb, err)
	}
	s.cfg.Nudge()
	return p, nil
}

// Approve lets a draft's steps fire. Who touches a protected scene needs a second
// person: not its author, nor who changed it last.
func (s *Service) Approve(ctx context.Context, id string, version int64, c audit.Change) (*plan.Plan, error) {
	p, now, err := s.standing(ctx, id, version)
	if err != nil {
		return nil, err
	}
	if p.State != plan.Draft {
		return nil, fault.New(fault.Conflict, "the plan is %s, only a draft is approved", p.State)
	}
	if p.Approver != "" && !is(c.Actor, p.Approver) {
		return nil, fault.New(fault.Forbidden, "%s approves this plan, not %s", gear.Shown(p.Approver), gear.Shown(c.Actor))
	}
	scenes, err := s.cfg.Store.ProtectedScenes(ctx)
	if err != nil {
		return nil, err
	}
	for _, scene := range scenes {
		if p.Touches(scene) && (is(c.Actor, p.CreatedBy) || is(c.Actor, p.UpdatedBy)) {
			return nil, fault.New(fault.Forbidden, "the plan touches scene %s, which is protected: somebody else than its author must approve it", scene)
		}
	}
	if next, ok := plan.Next([]*plan.Plan{p}, now); !ok {
		return nil, fault.New(fault.Conflict, "nothing of the plan lies ahead")
	} else if os, err := p.Occurrences(next.Start, next.Start.Add(1)); err == nil && p.Repeat == "" && len(os) > 0 && os[0].Start().Before(now) {
		return nil, fault.New(fault.Conflict, "the plan began at %s: move it, or run its steps from a new plan", os[0].Start().Format(time.RFC3339))
	}
	n := *p
	n.State, n.ApprovedBy, n.ApprovedAt, n.Glass = plan.Approved, c.Actor, now, c.Glass
	c.Verb = "approve"
	return s.move(ctx, &n, Move{}, c)
}

func is(actor, who string) bool { return actor == who || strings.TrimPrefix(actor, "token:") == who }

// Hold keeps further steps from firing. What is in force still ends by itself.
func (s *Service) Hold(ctx context.Context, id string, c audit.Change) (*plan.Plan, error) {
	return s.turn(ctx, id, plan.Held, "hold", Move{DropArmed: true}, c, plan.Approved)
}

// Resume lets a held plan go on; what it was to do meanwhile is missed.
func (s *Service) Resume(ctx context.Context, id string, c audit.Change) (*plan.Plan, error) {
	return s.turn(ctx, id, plan.Approved, "resume", Move{}, c, plan.Held)
}

// Stop ends everything of a plan now: stop all.
func (s *Service) Stop(ctx context.Context, id string, c audit.Change) (*plan.Plan, error) {
	return s.turn(ctx, id, plan.Stopped, "stop", Move{DropArmed: true, EndFired: true}, c, plan.Approved, plan.Held)
}

func (s *Service) turn(ctx context.Context, id string, to plan.State, verb string, m Move, c audit.Change, from ...plan.State) (*plan.Plan, error) {
	c.Verb = verb
	for try := 0; ; try++ {
		p, _, err := s.standing(ctx, id, 0)
		if err != nil {
			return nil, err
		}
		if p.State == to {
			return p, nil
		}
		if !slices.Contains(from, p.State) {
			return nil, fault.New(fault.Conflict, "the plan is %s", p.State)
		}
		n := *p
		n.State, n.Epoch = to, p.Epoch+1
		// Whoever stops a plan means the plan as it is by now.
		if out, err := s.move(ctx, &n, m, c); !fault.Is(err, fault.Stale) || try == 9 {
			return out, err
		}
	}
}

// concerns tells which app x IDCs a plan sets something in.
func concerns(p *plan.Plan) func(app, idc string) bool {
	return func(app, idc string) bool {
		for i := range p.Steps {
			for k := range p.Steps[i].Sets {
				x := &p.Steps[i].Sets[k]
				if plan.Overlapping(control.Scope{App: x.Scope.App, IDC: x.Scope.IDC}, control.Scope{App: app, IDC: idc}) {
					return true
				}
			}
		}
		return false
	}
}

// Unconfirmed names the agents that have not confirmed what is staged now: after
// a cancel, those that may still fire.
func (s *Service) Unconfirmed(p *plan.Plan) Progress {
	return s.cfg.Stager.Progress(concerns(p))
}
