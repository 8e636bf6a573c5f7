package experiment

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
)

// Door is control's.
type Door interface {
	SetAll(ctx context.Context, cs []*control.Claim, ch audit.Change) ([]*control.Claim, error)
	Release(ctx context.Context, id string, version int64, ch audit.Change) (*control.Claim, error)
}

// Service is what people do with experiments.
type Service struct {
	store Store
	door  Door
	// standing gives the claims that are active.
	standing func(ctx context.Context) ([]*control.Claim, error)
}

// NewService makes a service.
func NewService(store Store, door Door, standing func(ctx context.Context) ([]*control.Claim, error)) *Service {
	return &Service{store, door, standing}
}

// Get finds one by name or id.
func (s *Service) Get(ctx context.Context, id string) (*Experiment, error) {
	return s.store.GetExperiment(ctx, id)
}

// List gives those in a state, all when it is "", newest first.
func (s *Service) List(ctx context.Context, state State) ([]*Experiment, error) {
	return s.store.ListExperiments(ctx, state, 1000)
}

// Result judges what was measured so far.
func (s *Service) Result(ctx context.Context, x *Experiment) (Result, error) {
	spans, err := s.store.Spans(ctx, x.ID)
	if err != nil {
		return Result{}, err
	}
	return Judge(x, spans), nil
}

// Overrides gives the claims that stand above an experiment's where its arms act:
// while there are any, an arm is not what it says.
func (s *Service) Overrides(ctx context.Context, x *Experiment) ([]*control.Claim, error) {
	all, err := s.standing(ctx)
	if err != nil {
		return nil, err
	}
	var out []*control.Claim
	for _, c := range all {
		above := c.Source == control.SourceManual || c.Source == control.SourcePlan || c.Source == control.SourceEmergency
		if above && c.Scope.Meets(x.Scope) && speaks(x, c.Field) {
			out = append(out, c)
		}
	}
	return out, nil
}

// speaks tells whether an arm sets the field, or is another thing under it.
func speaks(x *Experiment, f control.Field) bool {
	return f == control.FieldLevel || f == control.FieldStrategy || f == control.FieldAvailableRT || f == control.FieldBinding
}

func fill(x *Experiment) {
	for _, f := range []*string{&x.Scope.Scene, &x.Scope.IDC, &x.Scope.App, &x.Scope.Point, &x.Scope.Bucket} {
		if *f == "" {
			*f = gear.Any
		}
	}
}

func check(x *Experiment) error {
	fill(x)
	if ps := Check(x); len(ps) > 0 {
		return fault.WithProblems(ps, "the experiment is not valid")
	}
	return nil
}

func (x *Experiment) change(c audit.Change, verb string) audit.Change {
	c.Verb, c.Kind, c.Object, c.Name = verb, "experiment", x.ID, x.Name
	c.App, c.IDC = "", ""
	if x.Scope.App != gear.Any {
		c.App = x.Scope.App
	}
	if x.Scope.IDC != gear.Any {
		c.IDC = x.Scope.IDC
	}
	return c
}

// Create keeps a draft.
func (s *Service) Create(ctx context.Context, x *Experiment, c audit.Change) (*Experiment, error) {
	n := *x
	if err := check(&n); err != nil {
		return nil, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err, "no identifier could be made")
	}
	n.ID, n.State = id.String(), Draft
	if err := s.store.CreateExperiment(ctx, &n, n.change(c, "create")); err != nil {
		return nil, fmt.Errorf("create experiment %q: %w", n.Name, err)
	}
	return &n, nil
}

// Update changes a draft; what runs, or ran, stays what it was.
func (s *Service) Update(ctx context.Context, x *Experiment, c audit.Change) (*Experiment, error) {
	old, err := s.store.GetExperiment(ctx, x.ID)
	if err != nil {
		return nil, err
	}
	if old.State != Draft {
		return nil, fault.New(fault.Conflict, "the experiment was started: what it compares cannot change any more")
	}
	n := *old
	n.Name, n.Reason, n.Scope, n.Measure, n.Arms, n.Duration, n.Version = x.Name, x.Reason, x.Scope, x.Measure, x.Arms, x.Duration, x.Version
	if err := check(&n); err != nil {
		return nil, err
	}
	return &n, s.store.SaveExperiment(ctx, &n, nil, n.change(c, "update"))
}

// Delete forgets one that does not run.
func (s *Service) Delete(ctx context.Context, id string, version int64, c audit.Change) error {
	x, err := s.store.GetExperiment(ctx, id)
	if err != nil {
		return err
	}
	if x.State == Running {
		return fault.New(fault.Conflict, "the experiment runs: stop it first")
	}
	return s.store.DeleteExperiment(ctx, x.ID, version, x.change(c, "delete"))
}

// Start sets the arms' claims, until the end. Two experiments that meet never run
// at once.
func (s *Service) Start(ctx context.Context, id string, c audit.Change) (*Experiment, error) {
	x, err := s.store.GetExperiment(ctx, id)
	if err != nil {
		return nil, err
	}
	if x.State != Draft {
		return nil, fault.New(fault.Conflict, "the experiment is %s: a new one is started instead", x.State)
	}
	err = s.store.SaveExperiment(ctx, x, func(running []*Experiment, now time.Time) error {
		for _, o := range running {
			if Meet(x, o) {
				return fault.New(fault.Conflict, "experiment %s runs on the same requests until %s", gear.Shown(o.Name), o.EndsAt.Format(time.RFC3339))
			}
		}
		x.State, x.StartedAt, x.StartedBy, x.EndsAt = Running, now, c.Actor, now.Add(x.Duration)
		return nil
	}, x.change(c, "start"))
	if err != nil {
		return nil, fmt.Errorf("start experiment %q: %w", x.Name, err)
	}
	c.IdempotencyKey = "" // it is the experiment's
	set, err := s.door.SetAll(ctx, Claims(x, time.Time{}, x.EndsAt), c)
	if err == nil {
		x.Armed = true
		err = s.store.SaveExperiment(ctx, x, nil, x.change(system("its claims are set"), "arm"))
	}
	if err != nil {
		s.disarm(ctx, x, set, err)
		return nil, fmt.Errorf("start experiment %q: %w", x.Name, err)
	}
	return x, nil
}

// disarm takes a start back. What it cannot do, whoever leads does.
func (s *Service) disarm(ctx context.Context, x *Experiment, set []*control.Claim, why error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	c := system("the experiment could not be started")
	for _, claim := range set {
		_, _ = s.door.Release(ctx, claim.ID, 0, c)
	}
	x.State, x.StartedAt, x.StartedBy, x.EndsAt, x.Armed = Draft, time.Time{}, "", time.Time{}, false
	c.Reason = "could not be started: " + gear.Shown(why.Error())
	_ = s.store.SaveExperiment(ctx, x, nil, x.change(c, "disarm"))
}

// Stop ends a running experiment now, and releases its claims.
func (s *Service) Stop(ctx context.Context, id, reason string, c audit.Change) (*Experiment, error) {
	x, err := s.store.GetExperiment(ctx, id)
	if err != nil {
		return nil, err
	}
	if x.State != Running {
		return nil, fault.New(fault.Conflict, "the experiment is %s", x.State)
	}
	if err := s.end(ctx, x, reason, c); err != nil {
		return nil, fmt.Errorf("stop experiment %q: %w", x.Name, err)
	}
	return x, nil
}

// end notes the end first, so that whoever leads releases what this cannot.
func (s *Service) end(ctx context.Context, x *Experiment, ending string, c audit.Change) error {
	err := s.store.SaveExperiment(ctx, x, func(_ []*Experiment, now time.Time) error {
		x.State, x.EndedAt, x.EndedBy, x.Ending = Ended, now, c.Actor, ending
		if now.After(x.EndsAt) {
			x.EndedAt = x.EndsAt // its claims ended then
		}
		return nil
	}, x.change(c, "stop"))
	if err != nil {
		return err
	}
	return s.release(ctx, func(id string) bool { return id == x.ID }, "experiment "+x.Name+" ended")
}

// release releases the claims of experiments that match. It is the system that does:
// claims of an experiment that ended are not held back by a freeze.
func (s *Service) release(ctx context.Context, match func(id string) bool, reason string) error {
	all, err := s.standing(ctx)
	if err != nil {
		return err
	}
	var first error
	for _, c := range all {
		if id := OfClaim(c); id != "" && match(id) {
			if _, err := s.door.Release(ctx, c.ID, 0, system(reason)); err != nil && !fault.Is(err, fault.Conflict) && first == nil {
				first = err
			}
		}
	}
	return first
}

// Actor signs what the system does.
const Actor = "system:experiment"

func system(reason string) audit.Change {
	return audit.Change{Actor: Actor, Via: "loop", Reason: reason}
}
