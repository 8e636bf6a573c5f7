package scene

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
)

// Points tells which points registered builds declare.
type Points interface {
	// Declares reports whether some build declares the point; true when no build of
	// the app is registered at all, because nothing is known then.
	Declares(app, point string) bool
}

// Service is the one way to change scenes.
type Service struct {
	store  Store
	points Points
	own    func(Place) time.Duration
	nudge  func()
}

// NewService wires the room. points nil accepts every point; own gives the mean
// time of a point for the check of timeouts, nil takes it as nothing; nudge is
// called after every change, nil does nothing.
func NewService(store Store, points Points, own func(Place) time.Duration, nudge func()) *Service {
	if nudge == nil {
		nudge = func() {}
	}
	return &Service{store: store, points: points, own: own, nudge: nudge}
}

// Judge tells what is wrong or odd with a scene without saving it.
func (s *Service) Judge(spec *Spec) (problems, warnings gear.Problems) {
	var known func(Place) bool
	if s.points != nil {
		known = func(p Place) bool { return s.points.Declares(p.App, p.Point) }
	}
	problems = spec.Check(known)
	if len(problems) == 0 && s.own != nil {
		problems = spec.Graph.CheckTimeouts(s.own)
	}
	return problems, spec.Warnings()
}

func (s *Service) sound(spec *Spec) error {
	if problems, _ := s.Judge(spec); len(problems) > 0 {
		return fault.WithProblems(problems, "scene %q is not valid", gear.Shown(spec.Name))
	}
	return nil
}

func change(c audit.Change, verb string, s *Scene) audit.Change {
	c.Verb, c.Kind, c.Object, c.Name = verb, "scene", s.ID, s.Name
	return c
}

// Create makes a scene, version 1.
func (s *Service) Create(ctx context.Context, spec *Spec, c audit.Change) (*Scene, error) {
	if err := s.sound(spec); err != nil {
		return nil, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err, "no identifier could be made")
	}
	x := &Scene{ID: id.String(), Spec: *spec, CreatedBy: c.Actor, UpdatedBy: c.Actor, Reason: c.Reason}
	if err := s.store.CreateScene(ctx, x, change(c, "create", x)); err != nil {
		return nil, fmt.Errorf("create scene %q: %w", spec.Name, err)
	}
	s.nudge()
	return x, nil
}

// Save makes the next version, if version still is the newest. The name stays:
// requests, claims and tables know the scene by it.
func (s *Service) Save(ctx context.Context, id string, version int64, spec *Spec, c audit.Change) (*Scene, error) {
	return s.save(ctx, id, version, spec, "update", c)
}

func (s *Service) save(ctx context.Context, id string, version int64, spec *Spec, verb string, c audit.Change) (*Scene, error) {
	old, err := s.store.GetScene(ctx, id)
	if err != nil {
		return nil, err
	}
	if spec.Name != old.Name {
		return nil, fault.WithProblems(gear.Problems{{Path: "name", Code: gear.CodeShape, Message: fmt.Sprintf("the scene is called %q; make another one for another name", old.Name)}}, "the scene cannot be renamed")
	}
	mine := &Scene{ID: id, Spec: *spec, Version: version, UpdatedBy: c.Actor, Reason: c.Reason}
	if old.Version != version {
		base, err := s.store.GetSceneVersion(ctx, id, version)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return nil, err
		}
		return nil, stale(mine, old, base)
	}
	if err := s.sound(spec); err != nil {
		return nil, err
	}
	if err := s.store.UpdateScene(ctx, mine, change(c, verb, mine)); err != nil {
		return nil, fmt.Errorf("save scene %q: %w", spec.Name, err)
	}
	s.nudge()
	return mine, nil
}

// SetTarget changes the target alone: what an operator does in a peak. Steps of
// the ladder that do not lie below it any more are left out.
func (s *Service) SetTarget(ctx context.Context, id string, version int64, target time.Duration, c audit.Change) (*Scene, error) {
	old, err := s.store.GetSceneVersion(ctx, id, version)
	if err != nil {
		return nil, err
	}
	spec := old.Spec
	spec.Target, spec.Ladder = target, nil
	for _, t := range old.Ladder {
		if t < target {
			spec.Ladder = append(spec.Ladder, t)
		}
	}
	return s.save(ctx, id, version, &spec, "set_target", c)
}

// Restore makes an old version the newest again, as a new version.
func (s *Service) Restore(ctx context.Context, id string, version, number int64, c audit.Change) (*Scene, error) {
	old, err := s.store.GetSceneVersion(ctx, id, number)
	if err != nil {
		return nil, err
	}
	return s.save(ctx, id, version, &old.Spec, "rollback", c)
}

// Delete removes a scene, if version stands. Its versions stay readable.
func (s *Service) Delete(ctx context.Context, id string, version int64, c audit.Change) error {
	old, err := s.store.GetScene(ctx, id)
	if err != nil {
		return err
	}
	if err := s.store.DeleteScene(ctx, id, version, change(c, "delete", old)); err != nil {
		return fmt.Errorf("delete scene %q: %w", old.Name, err)
	}
	s.nudge()
	return nil
}

// Get gives a scene by its ID, or by its name.
func (s *Service) Get(ctx context.Context, idOrName string) (*Scene, error) {
	x, err := s.store.GetScene(ctx, idOrName)
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == fault.NotFound {
		return s.store.FindScene(ctx, idOrName)
	}
	return x, err
}

// List gives all scenes by name.
func (s *Service) List(ctx context.Context) ([]*Scene, error) { return s.store.ListScenes(ctx) }

// Version gives one version, 0 the newest.
func (s *Service) Version(ctx context.Context, id string, number int64) (*Scene, error) {
	return s.store.GetSceneVersion(ctx, id, number)
}

// Versions gives the newest first.
func (s *Service) Versions(ctx context.Context, id string, limit int) ([]*Scene, error) {
	return s.store.ListSceneVersions(ctx, id, limit)
}
