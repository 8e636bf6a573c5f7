package planner

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/plan"
)

// Freezes, leave to break them, and protected scenes are plain records.

// CreateFreeze begins or plans a freeze.
func (s *Service) CreateFreeze(ctx context.Context, f *plan.Freeze, c audit.Change) (*plan.Freeze, error) {
	n := *f
	var ps gear.Problems
	for _, x := range []struct {
		path string
		name *string
	}{{"app", &n.App}, {"idc", &n.IDC}} {
		if *x.name == "" {
			*x.name = gear.Any
		}
		if *x.name != gear.Any && !gear.PlaceName(*x.name) {
			ps.Add(x.path, gear.CodeName, x.path+" wants a name or *")
		}
	}
	if !n.Until.After(n.From) || n.Until.Sub(n.From) > plan.MaxSpan {
		ps.Add("until", gear.CodeRange, fmt.Sprintf("a freeze ends after it begins and lasts at most %s", plan.MaxSpan))
	}
	if strings.TrimSpace(n.Reason) == "" || len(n.Reason) > control.MaxReason {
		ps.Add("reason", gear.CodeRequired, "a freeze needs a reason of at most 500 bytes")
	}
	if len(ps) > 0 {
		return nil, fault.WithProblems(ps, "the freeze is not valid")
	}
	return &n, s.cfg.Store.CreateFreeze(ctx, &n, c)
}

// DeleteFreeze lifts a freeze.
func (s *Service) DeleteFreeze(ctx context.Context, id string, c audit.Change) error {
	return s.cfg.Store.DeleteFreeze(ctx, id, c)
}

// Freezes gives those that have not ended.
func (s *Service) Freezes(ctx context.Context) ([]plan.Freeze, error) {
	now, err := s.Now(ctx)
	if err != nil {
		return nil, err
	}
	return s.cfg.Store.ListFreezes(ctx, now)
}

// AskGlass asks for leave to change things in a freeze.
func (s *Service) AskGlass(ctx context.Context, reason string, length time.Duration, c audit.Change) (*plan.Glass, error) {
	now, err := s.Now(ctx)
	if err != nil {
		return nil, err
	}
	if length <= 0 || length > plan.MaxGlass {
		return nil, fault.WithProblems(gear.Problems{{Path: "for", Code: gear.CodeRange, Message: fmt.Sprintf("for wants duration 1s..%s", plan.MaxGlass)}}, "the glass is not broken for so long")
	}
	g := &plan.Glass{Reason: reason, Until: now.Add(length)}
	return g, s.cfg.Store.CreateGlass(ctx, g, c)
}

// ApproveGlass is the second person's word.
func (s *Service) ApproveGlass(ctx context.Context, id string, c audit.Change) (*plan.Glass, error) {
	return s.cfg.Store.ApproveGlass(ctx, id, c)
}

// Glasses gives the requests that have not ended.
func (s *Service) Glasses(ctx context.Context) ([]plan.Glass, error) {
	now, err := s.Now(ctx)
	if err != nil {
		return nil, err
	}
	return s.cfg.Store.ListGlass(ctx, now)
}

// Protect makes a scene protected, or no longer so.
func (s *Service) Protect(ctx context.Context, scene string, protect bool, c audit.Change) error {
	if !gear.PlaceName(scene) {
		return fault.WithProblems(gear.Problems{{Path: "scene", Code: gear.CodeName, Message: "scene wants a name"}}, "the scene is not valid")
	}
	return s.cfg.Store.ProtectScene(ctx, scene, protect, c)
}

// Protected lists protected scenes.
func (s *Service) Protected(ctx context.Context) ([]string, error) {
	return s.cfg.Store.ProtectedScenes(ctx)
}
