package quota

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
)

// Service is the door through which groups change.
type Service struct {
	store Store
	nudge func()
}

// NewService makes a service; nudge is told of every change.
func NewService(store Store, nudge func()) *Service { return &Service{store, nudge} }

func change(c audit.Change, verb string, g *Group) audit.Change {
	c.Verb, c.Kind, c.Object, c.Name = verb, "quota-group", g.ID, g.Name
	if len(g.Members) > 0 {
		c.App = g.Members[0].App
	}
	return c
}

// Create makes a group.
func (s *Service) Create(ctx context.Context, g *Group, c audit.Change) (*Group, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err, "no identifier could be made")
	}
	n := *g
	n.ID, n.Version, n.CreatedBy, n.UpdatedBy = id.String(), 0, c.Actor, c.Actor
	if err := s.check(ctx, &n); err != nil {
		return nil, err
	}
	if err := s.store.CreateGroup(ctx, &n, change(c, "create", &n)); err != nil {
		return nil, fmt.Errorf("create quota group %q: %w", n.Name, err)
	}
	s.nudge()
	return &n, nil
}

// Update replaces a group whose newest version is g.Version.
func (s *Service) Update(ctx context.Context, g *Group, c audit.Change) (*Group, error) {
	n := *g
	if err := s.check(ctx, &n); err != nil {
		return nil, err
	}
	if err := s.store.UpdateGroup(ctx, &n, change(c, "update", &n)); err != nil {
		return nil, fmt.Errorf("update quota group %q: %w", n.Name, err)
	}
	s.nudge()
	return &n, nil
}

// Delete removes a group; its agents fall back to their defaults.
func (s *Service) Delete(ctx context.Context, id string, version int64, c audit.Change) error {
	g, err := s.store.GetGroup(ctx, id)
	if err != nil {
		return err
	}
	if err := s.store.DeleteGroup(ctx, g.ID, version, change(c, "delete", g)); err != nil {
		return fmt.Errorf("delete quota group %q: %w", g.Name, err)
	}
	s.nudge()
	return nil
}

func (s *Service) check(ctx context.Context, g *Group) error {
	if ps := g.Check(); len(ps) > 0 {
		return fault.WithProblems(ps, "the quota group is not valid")
	}
	all, err := s.store.ListGroups(ctx)
	if err != nil {
		return err
	}
	if o, mine, theirs := Clash(all, g); o != nil {
		return fault.New(fault.Conflict, "%s is a place of group %q already (%s)", mine, o.Name, theirs)
	}
	return nil
}
