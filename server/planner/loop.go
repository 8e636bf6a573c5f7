package planner

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/lease"
	"github.com/allspark/allspark/server/plan"
)

// LeaseName is the lease of the one replica that turns plans into claims.
const LeaseName = "planner"

// actor writes what happens by itself.
const actor = "system:planner"

// lookBack is how old an occurrence may be that is still looked at: a step that
// nobody looked at for longer is history.
const lookBack = 26 * time.Hour

// Clock is reference time.
type Clock interface {
	Now(ctx context.Context) (time.Time, error)
}

// Alert is something a commander must hear of at once.
type Alert struct {
	At     time.Time
	Plan   string
	Step   string
	Kind   string // missed
	Reason string
}

// LoopConfig wires a Loop.
type LoopConfig struct {
	Holder string
	Store  Store
	Clock  Clock
	Lease  lease.Store
	TTL    time.Duration    // of the lease; 5 s when zero
	Tick   time.Duration    // 1 s when zero
	Wall   func() time.Time // of the lease; may be nil
	Nudge  func()           // wakes control; may be nil
	Alert  func(Alert)      // may be nil: the record of the missed step is the alert
	Log    *slog.Logger
}

// Loop arms and fires steps while it holds the lease. It owns no rule.
type Loop struct {
	cfg    LoopConfig
	keeper *lease.Keeper
	nudges chan struct{}

	mu      sync.Mutex
	trouble string
}

// NewLoop makes a loop; Run starts it.
func NewLoop(cfg LoopConfig) *Loop {
	if cfg.Tick <= 0 {
		cfg.Tick = time.Second
	}
	if cfg.TTL <= 0 {
		cfg.TTL = 5 * time.Second
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	if cfg.Nudge == nil {
		cfg.Nudge = func() {}
	}
	l := &Loop{cfg: cfg, nudges: make(chan struct{}, 1)}
	l.keeper = lease.New(lease.Config{Store: cfg.Lease, Clock: cfg.Clock, Name: LeaseName, Holder: cfg.Holder, TTL: cfg.TTL, Wall: cfg.Wall, Lead: l.lead, Log: cfg.Log})
	return l
}

// Run leads whenever it holds the lease, until ctx ends.
func (l *Loop) Run(ctx context.Context) { l.keeper.Run(ctx) }

// Nudge asks for a look now; it never blocks.
func (l *Loop) Nudge() {
	select {
	case l.nudges <- struct{}{}:
	default:
	}
}

func (l *Loop) lead(ctx context.Context, _ lease.Lease) {
	for ctx.Err() == nil {
		wait, err := l.Look(ctx)
		l.say(err, ctx.Err() != nil)
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-l.nudges:
		}
		timer.Stop()
	}
}

func (l *Loop) say(err error, ending bool) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if text != l.trouble && !ending {
		if l.trouble = text; err != nil {
			l.cfg.Log.Error("plans are held up", "error", err)
		} else {
			l.cfg.Log.Info("plans go on")
		}
	}
}

// Look does what is due, once, and says how long nothing can be.
func (l *Loop) Look(ctx context.Context) (wait time.Duration, err error) {
	wait = l.cfg.Tick
	now, err := l.cfg.Clock.Now(ctx)
	if err != nil {
		return wait, err
	}
	plans, err := l.cfg.Store.ListPlans(ctx)
	if err != nil {
		return wait, err
	}
	var runs map[plan.Key]*plan.Run
	var staged map[StagedKey]bool
	for _, p := range plans {
		if p.State != plan.Approved {
			continue
		}
		if runs == nil { // plans are rare: an idle second reads one table
			if runs, err = l.runs(ctx, now); err != nil {
				return wait, err
			}
			if staged, err = l.cfg.Store.StagedRuns(ctx); err != nil {
				return wait, err
			}
		}
		next, err := l.plan(ctx, p, runs, staged, now)
		if err != nil {
			return wait, fmt.Errorf("plan %s: %w", p.Name, err)
		}
		wait = min(wait, next)
	}
	return max(wait, time.Millisecond), nil
}

func (l *Loop) runs(ctx context.Context, now time.Time) (map[plan.Key]*plan.Run, error) {
	list, err := l.cfg.Store.ListRuns(ctx, "", now.Add(-lookBack-plan.MaxSpan))
	if err != nil {
		return nil, err
	}
	out := make(map[plan.Key]*plan.Run, len(list))
	for i := range list {
		out[list[i].Key] = &list[i]
	}
	return out, nil
}

// plan looks at every step of one plan.
func (l *Loop) plan(ctx context.Context, p *plan.Plan, runs map[plan.Key]*plan.Run, staged map[StagedKey]bool, now time.Time) (time.Duration, error) {
	wait := l.cfg.Tick
	os, err := p.Occurrences(now.Add(-lookBack), now.Add(plan.Ahead+time.Minute))
	if err != nil {
		return wait, err
	}
	for i := range os {
		for k := range os[i].Steps {
			in := &os[i].Steps[k]
			run := runs[in.Key]
			// What began before it was approved is no concern of a repeating plan.
			if run == nil && in.Start.Before(p.ApprovedAt.Add(-plan.Grace)) {
				continue
			}
			if err := l.step(ctx, in, run, staged[StagedKey{in.Key, p.Epoch}], now); err != nil && !lost(err) {
				return wait, err
			}
			for _, at := range []time.Time{in.Start.Add(-plan.Ahead), in.Start} {
				if d := at.Sub(now); d > 0 {
					wait = min(wait, d)
				}
			}
		}
	}
	return wait, l.finish(ctx, p, runs, now)
}

// lost tells that somebody else came first, which is what records are for.
func lost(err error) bool { return fault.Is(err, fault.Conflict) || fault.Is(err, fault.Stale) }

func (l *Loop) step(ctx context.Context, in *plan.Instance, run *plan.Run, staged bool, now time.Time) error {
	fate := plan.Decide(in, run, staged, now)
	switch fate {
	case plan.FateArm, plan.FateFire:
		if run == nil {
			var err error
			if run, err = Arm(ctx, l.cfg.Store, in, staged, audit.Change{Actor: actor, Via: "plan", Reason: in.Plan.Purpose}); err != nil {
				return err
			}
			l.cfg.Nudge()
		}
		if fate == plan.FateArm {
			return nil
		}
		reason := ""
		if late := now.Sub(run.Start); late > time.Second {
			reason = "controllers were away; " + late.Round(time.Second).String() + " late here"
			if staged || run.Staged {
				reason += ", on time on the machines that held it"
			}
		}
		if err := l.cfg.Store.FireRun(ctx, in.Key, run.Epoch, reason, audit.Change{Actor: actor, Via: "plan", Reason: in.Plan.Purpose}); err != nil {
			return err
		}
		l.cfg.Log.Info("plan step fired", "plan", in.Plan.Name, "step", in.Step.Name, "occurrence", in.Occurrence, "late", now.Sub(run.Start))
		l.cfg.Nudge()
	case plan.FateMiss:
		return l.miss(ctx, in, run, now)
	}
	return nil
}

func (l *Loop) miss(ctx context.Context, in *plan.Instance, run *plan.Run, now time.Time) error {
	reason := fmt.Sprintf("controllers were away from before %s until %s, more than %s; no machine held it", in.Start.Format(time.RFC3339), now.Format(time.RFC3339), plan.Grace)
	c := audit.Change{Actor: actor, Via: "plan", Verb: "miss", Reason: reason}
	var err error
	if run == nil {
		err = l.cfg.Store.RecordRun(ctx, &plan.Run{Key: in.Key, Epoch: in.Plan.Epoch, State: plan.Missed, Start: in.Start, End: in.End, Reason: reason}, nil, c)
	} else {
		err = l.cfg.Store.EndRun(ctx, in.Key, plan.Missed, reason, c)
	}
	if err != nil {
		return err
	}
	l.cfg.Log.Error("plan step MISSED", "plan", in.Plan.Name, "step", in.Step.Name, "occurrence", in.Occurrence, "reason", reason)
	if l.cfg.Alert != nil {
		l.cfg.Alert(Alert{At: now, Plan: in.Plan.Name, Step: in.Step.Name, Kind: "missed", Reason: reason})
	}
	return nil
}

// Arm writes a step's record and claims. Until it has fired they end with the
// grace, so that they never begin to count later.
func Arm(ctx context.Context, s Store, in *plan.Instance, staged bool, c audit.Change) (*plan.Run, error) {
	claims := plan.Claims(in, actor)
	for _, x := range claims {
		if grace := x.Start.Add(plan.Grace); grace.Before(x.End) {
			x.End = grace
		}
	}
	r := &plan.Run{Key: in.Key, Epoch: in.Plan.Epoch, State: plan.Armed, Start: in.Start, End: in.End, Staged: staged}
	c.Verb = "arm"
	return r, s.RecordRun(ctx, r, claims, c)
}

// finish closes a plan that happens once when nothing of it is left.
func (l *Loop) finish(ctx context.Context, p *plan.Plan, runs map[plan.Key]*plan.Run, now time.Time) error {
	if p.Repeat != "" {
		return nil
	}
	os, err := p.Occurrences(time.Time{}, now.Add(100*366*24*time.Hour))
	if err != nil || len(os) == 0 || now.Before(os[0].End()) {
		return err
	}
	for _, in := range os[0].Steps {
		if r := runs[in.Key]; r != nil && r.Holds(now) && !r.End.IsZero() {
			return nil // it was extended
		}
	}
	done := *p
	done.State = plan.Done
	if err := l.cfg.Store.UpdatePlan(ctx, &done, Move{}, audit.Change{Actor: actor, Via: "plan", Verb: "finish", Reason: "its last step ended"}); err != nil && !lost(err) {
		return err
	}
	return nil
}

var _ Clock = control.Store(nil)
