package restapi

import (
	"context"
	"fmt"
	"slices"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/template"
)

// undoStep is one thing that takes a part of a revision back. may is asked
// before any step is done, so that an undo is not left half done for want of a right.
type undoStep struct {
	will string // for people, before
	id   string // makes the step's idempotency key
	may  func() error
	do   func(ctx context.Context, key string) (did string, made *control.Claim, err error)
}

// undoSteps lists what can still be taken back of a revision. What somebody
// changed since is left alone: that is theirs to undo.
func (s *Server) undoSteps(ctx context.Context, c *caller, shift *control.Shift, reason string) ([]undoStep, error) {
	// Found by revision, a shift may come without its basis.
	full, err := s.deps.Control.ShiftAt(ctx, shift.App, shift.IDC, shift.At)
	if err != nil {
		return nil, err
	}
	if full.Version == shift.Version {
		shift = full
	}
	steps, err := s.undoClaims(ctx, c, shift, reason)
	if err != nil {
		return nil, err
	}
	before, err := s.before(ctx, shift)
	if err != nil || before == nil {
		return steps, err // the first set of a place: there is nothing to go back to
	}
	bindings, err := s.undoBindings(ctx, c, before, shift, reason)
	if err != nil {
		return nil, err
	}
	templates, err := s.undoTemplates(ctx, c, before, shift, reason)
	return slices.Concat(steps, bindings, templates), err
}

const nothingToUndo = "nothing is left to undo: its claims have ended, and its templates and bindings have moved on or did not change"

func (s *Server) undoChange(ctx context.Context, c *caller, in *struct {
	RevisionPath
	Idempotent
	Body api.Reason
},
) (*plain[api.Undone], error) {
	shift, err := s.shift(ctx, c, in.Revision)
	if err != nil {
		return nil, err
	}
	if err := c.may(auth.Set, shift.App, shift.IDC); err != nil {
		return nil, err
	}
	steps, err := s.undoSteps(ctx, c, shift, in.Body.Reason)
	if err != nil {
		return nil, err
	}
	if len(steps) == 0 {
		return nil, fault.New(fault.Conflict, "revision %d: %s", in.Revision, nothingToUndo)
	}
	for _, step := range steps {
		if err := step.may(); err != nil {
			return nil, err
		}
	}
	out := api.Undone{Actions: []string{}, Claims: []api.Claim{}}
	for _, step := range steps {
		did, made, err := step.do(ctx, partKey(in.IdempotencyKey, step.id))
		if fault.Is(err, fault.Duplicate) {
			did, err = step.will, nil
		}
		if err != nil {
			return nil, err
		}
		out.Actions = append(out.Actions, did)
		if made != nil {
			out.Claims = append(out.Claims, toClaim(made))
		}
	}
	return &plain[api.Undone]{out}, nil
}

func (s *Server) undoClaims(ctx context.Context, c *caller, shift *control.Shift, reason string) ([]undoStep, error) {
	now, err := s.deps.Control.Now(ctx)
	if err != nil {
		return nil, err
	}
	var steps []undoStep
	for _, id := range shift.Claims {
		cl, err := s.deps.Control.GetClaim(ctx, id)
		if err != nil {
			return nil, err
		}
		if cl.Source != control.SourceManual {
			continue // loops and plans set theirs again by themselves
		}
		came := !cl.Start.After(shift.At) && (cl.Released.IsZero() || cl.Released.After(shift.At))
		went := !cl.Released.IsZero() && !cl.Released.After(shift.At) && (cl.End.IsZero() || now.Before(cl.End))
		if !(came && cl.Active(now)) && !went {
			continue
		}
		will, past := "release ", "released "
		if went {
			will, past = "set again ", "set again "
		}
		text := cl.ValueText() + " for " + cl.Scope.String()
		steps = append(steps, undoStep{
			will: will + text, id: cl.ID,
			may: func() error { return c.may(auth.Set, cl.Scope.App, cl.Scope.IDC) },
			do: func(ctx context.Context, key string) (string, *control.Claim, error) {
				made, err := s.undoClaim(ctx, c, cl, reason, key)
				if fault.Is(err, fault.Duplicate) {
					made, err = cl, nil
				}
				return past + text, made, err
			},
		})
	}
	return steps, nil
}

// undoBindings takes back bindings that came, went or changed, where they still
// are as this shift saw them.
func (s *Server) undoBindings(ctx context.Context, c *caller, before, shift *control.Shift, reason string) ([]undoStep, error) {
	old := map[string]*template.Binding{}
	for _, b := range before.Basis.Bindings {
		old[b.ID] = b
	}
	may := func(zs ...template.Selector) func() error {
		return func() error {
			for _, z := range zs {
				if err := c.may(auth.Bind, z.App, z.IDC); err != nil {
					return err
				}
			}
			return nil
		}
	}
	var steps []undoStep
	for _, b := range shift.Basis.Bindings {
		was := old[b.ID]
		delete(old, b.ID)
		if was != nil && alike(was, b) {
			continue
		}
		now, err := s.deps.Store.GetBinding(ctx, b.ID)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !alike(now, b) {
			continue
		}
		if was == nil {
			steps = append(steps, undoStep{
				will: fmt.Sprintf("unbind %s from template %s", b.Selector, b.Template), id: b.ID, may: may(b.Selector),
				do: func(ctx context.Context, key string) (string, *control.Claim, error) {
					return fmt.Sprintf("unbound %s from template %s", b.Selector, b.Template), nil,
						s.deps.Templates.Unbind(ctx, b.ID, now.Version, c.change(reason, key))
				},
			})
			continue
		}
		back := *was
		back.Version = now.Version
		steps = append(steps, undoStep{
			will: fmt.Sprintf("bind %s to template %s again", was.Selector, was.Template), id: b.ID, may: may(was.Selector, b.Selector),
			do: func(ctx context.Context, key string) (string, *control.Claim, error) {
				_, err := s.deps.Templates.Rebind(ctx, &back, false, c.change(reason, key))
				return fmt.Sprintf("bound %s to template %s again", was.Selector, was.Template), nil, err
			},
		})
	}
	if len(old) == 0 {
		return steps, nil
	}
	all, err := s.deps.Store.ListBindings(ctx)
	if err != nil {
		return nil, err
	}
	for _, was := range before.Basis.Bindings {
		taken := slices.ContainsFunc(all, func(b *template.Binding) bool { return b.ID == was.ID || b.Selector == was.Selector })
		if old[was.ID] == nil || taken {
			continue
		}
		steps = append(steps, undoStep{
			will: fmt.Sprintf("bind %s to template %s again", was.Selector, was.Template), id: was.ID, may: may(was.Selector),
			do: func(ctx context.Context, key string) (string, *control.Claim, error) {
				_, err := s.deps.Templates.Bind(ctx, was, false, c.change(reason, key))
				return fmt.Sprintf("bound %s to template %s again", was.Selector, was.Template), nil, err
			},
		})
	}
	return steps, nil
}

func alike(a, b *template.Binding) bool {
	return a.Selector == b.Selector && a.TemplateID == b.TemplateID && a.Pin == b.Pin
}

// undoTemplates rolls back every template that was published with this shift and
// not since.
func (s *Server) undoTemplates(ctx context.Context, c *caller, before, shift *control.Shift, reason string) ([]undoStep, error) {
	old := map[string]int{}
	for _, v := range before.Basis.Versions {
		if v.Latest {
			old[v.TemplateID] = v.Number
		}
	}
	var steps []undoStep
	for _, v := range shift.Basis.Versions {
		number, known := old[v.TemplateID]
		if !v.Latest || !known || number == v.Number {
			continue
		}
		t, err := s.template(ctx, v.TemplateID)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if t.Latest != v.Number {
			continue
		}
		steps = append(steps, undoStep{
			will: fmt.Sprintf("roll template %s back to version %d", t.Name, number), id: t.ID,
			may: func() error { return s.mayWrite(ctx, c, auth.Publish, t) },
			do: func(ctx context.Context, key string) (string, *control.Claim, error) {
				made, err := s.deps.Templates.Rollback(ctx, t.ID, t.Version, number, false, c.change(reason, key))
				if err != nil {
					return "", nil, err
				}
				return fmt.Sprintf("rolled template %s back to version %d as version %d", t.Name, number, made.Number), nil, nil
			},
		})
	}
	return steps, nil
}

// undoOf tells what undoing would do, or why it can not be done.
func (s *Server) undoOf(ctx context.Context, c *caller, shift *control.Shift) (*api.Undo, error) {
	steps, err := s.undoSteps(ctx, c, shift, "")
	if err != nil {
		return nil, err
	}
	out := &api.Undo{Actions: []string{}}
	if len(steps) == 0 {
		out.Problem = nothingToUndo
	}
	if err := c.may(auth.Set, shift.App, shift.IDC); err != nil {
		out.Problem = err.Error()
	}
	for _, step := range steps {
		out.Actions = append(out.Actions, step.will)
		if err := step.may(); err != nil && out.Problem == "" {
			out.Problem = err.Error()
		}
	}
	return out, nil
}
