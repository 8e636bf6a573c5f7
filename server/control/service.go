package control

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/template"
)

// Service sets, extends and releases claims, and explains what they did.
type Service struct {
	store     Store
	templates template.Store
	nudge     func()
}

// NewService wires the room; nudge wakes the Loop and may be nil.
func NewService(store Store, templates template.Store, nudge func()) *Service {
	if nudge == nil {
		nudge = func() {}
	}
	return &Service{store: store, templates: templates, nudge: nudge}
}

func claimChange(c audit.Change, verb string, x *Claim) audit.Change {
	c.Verb, c.Kind, c.Object, c.Name = verb, "claim", x.ID, x.ValueText()+" for "+x.Scope.String()
	c.App, c.IDC = "", ""
	if x.Scope.App != gear.Any {
		c.App = x.Scope.App
	}
	if x.Scope.IDC != gear.Any {
		c.IDC = x.Scope.IDC
	}
	return c
}

// Set makes a claim count. The id, and the start and creation time at the
// database's clock where they are missing, are filled in; a blank scope field is
// Any.
func (s *Service) Set(ctx context.Context, x *Claim, c audit.Change) (*Claim, error) {
	out, err := s.SetAll(ctx, []*Claim{x}, c)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// SetAll makes several claims count before anything is decided on them. Those that
// were set stay set when a later one fails; they are given with the error.
func (s *Service) SetAll(ctx context.Context, xs []*Claim, c audit.Change) (set []*Claim, err error) {
	now, err := s.store.Now(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if len(set) > 0 {
			s.nudge()
		}
	}()
	for _, x := range xs {
		n, err := s.create(ctx, x, now, c)
		if err != nil {
			return set, err
		}
		set = append(set, n)
	}
	return set, nil
}

func (s *Service) create(ctx context.Context, x *Claim, now time.Time, c audit.Change) (*Claim, error) {
	n := *x
	n.Scope = Scope{Scene: orAny(x.Scope.Scene), IDC: orAny(x.Scope.IDC), App: orAny(x.Scope.App), Point: orAny(x.Scope.Point), Bucket: orAny(x.Scope.Bucket)}
	n.Author, n.Released, n.ReleaseBy, n.Version, n.CreatedAt = c.Actor, time.Time{}, "", 0, now
	if n.Start.IsZero() {
		n.Start = now
	}
	if n.Field == FieldBudget {
		return nil, fault.New(fault.Invalid, "nothing obeys a claim of %s yet", n.Field)
	}
	if problems := CheckClaim(&n, now); len(problems) > 0 {
		return nil, fault.WithProblems(problems, "the claim is not valid")
	}
	if n.Field == FieldBinding {
		if err := s.checkTemplate(ctx, &n); err != nil {
			return nil, err
		}
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err, "no identifier could be made")
	}
	n.ID = id.String()
	if err := s.store.CreateClaim(ctx, &n, claimChange(c, "set", &n)); err != nil {
		return nil, fmt.Errorf("set %s for %s: %w", n.ValueText(), n.Scope, err)
	}
	return &n, nil
}

// checkTemplate lets a binding claim name only what can serve.
func (s *Service) checkTemplate(ctx context.Context, n *Claim) error {
	t, err := s.templates.GetTemplate(ctx, n.Template)
	if err != nil {
		return err
	}
	if n.Pin == 0 && t.Latest == 0 {
		return fault.New(fault.Conflict, "template %q has no published version to serve", t.Name)
	}
	if n.Pin > 0 {
		_, err = s.templates.GetVersion(ctx, t.ID, n.Pin)
	}
	return err
}

// Get gives one claim.
func (s *Service) Get(ctx context.Context, id string) (*Claim, error) {
	return s.store.GetClaim(ctx, id)
}

// List gives claims.
func (s *Service) List(ctx context.Context, f ClaimFilter) ([]*Claim, string, error) {
	return s.store.ListClaims(ctx, f)
}

// Release ends a claim now; version 0 does not check for a stale write.
func (s *Service) Release(ctx context.Context, id string, version int64, c audit.Change) (*Claim, error) {
	x, now, err := s.standing(ctx, id, version)
	if err != nil {
		return nil, err
	}
	x.Released, x.ReleaseBy = now, c.Actor
	return s.update(ctx, x, claimChange(c, "release", x))
}

// Extend moves the end of a claim that still stands.
func (s *Service) Extend(ctx context.Context, id string, version int64, end time.Time, c audit.Change) (*Claim, error) {
	x, now, err := s.standing(ctx, id, version)
	if err != nil {
		return nil, err
	}
	x.End = end
	var problems gear.Problems
	checkEnd(x, now, func(path, code, format string, args ...any) {
		problems.Add(path, code, fmt.Sprintf(format, args...))
	})
	if len(problems) > 0 {
		return nil, fault.WithProblems(problems, "the claim cannot end then")
	}
	return s.update(ctx, x, claimChange(c, "extend", x))
}

func (s *Service) update(ctx context.Context, x *Claim, c audit.Change) (*Claim, error) {
	if err := s.store.UpdateClaim(ctx, x, c); err != nil {
		return nil, fmt.Errorf("%s claim: %w", c.Verb, err)
	}
	s.nudge()
	return x, nil
}

func (s *Service) standing(ctx context.Context, id string, version int64) (*Claim, time.Time, error) {
	x, err := s.store.GetClaim(ctx, id)
	if err != nil {
		return nil, time.Time{}, err
	}
	now, err := s.store.Now(ctx)
	if err != nil {
		return nil, time.Time{}, err
	}
	switch {
	case version != 0 && version != x.Version:
		e := fault.New(fault.Stale, "the claim was changed meanwhile (version %d, yours %d)", x.Version, version)
		e.Detail = map[string]*Claim{"theirs": x}
		return nil, now, e
	case !x.Released.IsZero():
		return nil, now, fault.New(fault.Conflict, "the claim was released by %s at %s", gear.Shown(x.ReleaseBy), stamp(x.Released))
	case !x.End.IsZero() && !now.Before(x.End):
		return nil, now, fault.New(fault.Conflict, "the claim ended at %s", stamp(x.End))
	}
	return x, now, nil
}
