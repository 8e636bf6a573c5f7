package template

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/fleet"
)

// Resolution is which template version serves a place, and what lost to it.
type Resolution struct {
	Place      Selector
	Binding    *Binding   // nil: nothing serves the place
	Candidates []*Binding // every binding that covers it, the winner first
	Template   *Template
	Number     int // the version in force; 0 when the template was never published
}

// Move is a place whose template would change.
type Move struct {
	Place    Selector
	Machines int
	From, To *Binding // nil for none
}

func (s *Service) bindChange(c audit.Change, verb string, b *Binding) audit.Change {
	c.Verb, c.Kind, c.Object, c.Name = verb, "binding", b.ID, b.Selector.String()
	c.App, c.IDC = scoped(b.Selector.App), scoped(b.Selector.IDC)
	return c
}

func scoped(name string) string {
	if name == gear.Any {
		return ""
	}
	return name
}

// Bind makes a binding. The template is named by TemplateID.
func (s *Service) Bind(ctx context.Context, b *Binding, force bool, c audit.Change) (*Binding, error) {
	id, err := newID()
	if err != nil {
		return nil, err
	}
	n := &Binding{ID: id, Selector: b.Selector, TemplateID: b.TemplateID, Pin: b.Pin, CreatedBy: c.Actor, UpdatedBy: c.Actor}
	if c, err = s.checkBinding(ctx, n, force, c); err != nil {
		return nil, err
	}
	if err := s.store.CreateBinding(ctx, n, s.bindChange(c, "create", n)); err != nil {
		return nil, fmt.Errorf("bind %s: %w", n.Selector, err)
	}
	s.nudge()
	return n, nil
}

// Rebind changes a binding's selector, template or pin, if its Version stands.
func (s *Service) Rebind(ctx context.Context, b *Binding, force bool, c audit.Change) (*Binding, error) {
	old, err := s.store.GetBinding(ctx, b.ID)
	if err != nil {
		return nil, err
	}
	if old.Version != b.Version {
		e := fault.New(fault.Stale, "binding %s was changed by %s meanwhile (version %d, yours %d)", old.Selector, gear.Shown(old.UpdatedBy), old.Version, b.Version)
		e.Detail = map[string]*Binding{"mine": b, "theirs": old}
		return nil, e
	}
	n := *old
	n.Selector, n.TemplateID, n.Pin, n.UpdatedBy = b.Selector, b.TemplateID, b.Pin, c.Actor
	if c, err = s.checkBinding(ctx, &n, force, c); err != nil {
		return nil, err
	}
	if err := s.store.UpdateBinding(ctx, &n, s.bindChange(c, "update", &n)); err != nil {
		return nil, fmt.Errorf("rebind %s: %w", n.Selector, err)
	}
	s.nudge()
	return &n, nil
}

// Unbind removes a binding, if version stands.
func (s *Service) Unbind(ctx context.Context, id string, version int64, c audit.Change) error {
	b, err := s.store.GetBinding(ctx, id)
	if err != nil {
		return err
	}
	if err := s.store.DeleteBinding(ctx, id, version, s.bindChange(c, "delete", b)); err != nil {
		return fmt.Errorf("unbind %s: %w", b.Selector, err)
	}
	s.nudge()
	return nil
}

// checkBinding refuses bad selectors, ties, templates that cannot serve, and
// what builds would refuse.
func (s *Service) checkBinding(ctx context.Context, b *Binding, force bool, c audit.Change) (audit.Change, error) {
	if problems := b.Selector.Check(); len(problems) > 0 {
		return c, fault.WithProblems(problems, "the binding is not valid")
	}
	if b.Pin < 0 {
		return c, fault.WithProblems(gear.Problems{{Path: "pin", Code: gear.CodeRange, Message: fmt.Sprintf("pin wants int 0.., got %d", b.Pin)}}, "the binding is not valid")
	}
	t, err := s.store.GetTemplate(ctx, b.TemplateID)
	if err != nil {
		return c, err
	}
	b.Template = t.Name
	all, err := s.store.ListBindings(ctx)
	if err != nil {
		return c, err
	}
	if o := Clash(all, b); o != nil {
		return c, fault.New(fault.Conflict, "binding %s of template %q and binding %s of template %q are equally specific and can match the same place; make one more specific",
			b.Selector, t.Name, o.Selector, o.Template)
	}
	number := b.Pin
	if number == 0 {
		number = t.Latest
	}
	if number == 0 {
		return c, fault.New(fault.Conflict, "template %q has no published version to serve; publish it first", t.Name)
	}
	v, err := s.store.GetVersion(ctx, t.ID, number)
	if err != nil {
		return c, err
	}
	table, err := Expand(&v.Spec)
	if err != nil {
		return c, err
	}
	all = withBinding(all, b)
	refusals := foresee(table, s.declared.Declared(scoped(b.Selector.App)), func(d fleet.Declared) bool { return servedBy(all, b, d) })
	switch {
	case len(refusals) == 0:
	case !force:
		return c, refused("registered builds would refuse it", refusals)
	default:
		c.Reason += " [forced: " + refusals[0].Message() + "]"
	}
	return c, nil
}

func withBinding(all []*Binding, b *Binding) []*Binding {
	out := slices.DeleteFunc(slices.Clone(all), func(o *Binding) bool { return o.ID == b.ID })
	return append(out, b)
}

// ResolvePlace tells what serves a place now; a scene of Any asks for the default.
func (s *Service) ResolvePlace(ctx context.Context, place Selector) (*Resolution, error) {
	if problems := place.Check(); len(problems) > 0 {
		return nil, fault.WithProblems(problems, "the place is not valid")
	}
	all, err := s.store.ListBindings(ctx)
	if err != nil {
		return nil, err
	}
	r := &Resolution{Place: place, Candidates: Candidates(all, place)}
	if len(r.Candidates) == 0 {
		return r, nil
	}
	r.Binding = r.Candidates[0]
	if r.Template, err = s.store.GetTemplate(ctx, r.Binding.TemplateID); err != nil {
		return nil, err
	}
	if r.Number = r.Binding.Pin; r.Number == 0 {
		r.Number = r.Template.Latest
	}
	return r, nil
}

// Preview tells which declared places would move if b were saved (or, with
// remove, taken away). Scenes are Any and every one that a binding names.
func (s *Service) Preview(ctx context.Context, b *Binding, remove bool) ([]Move, error) {
	if problems := b.Selector.Check(); len(problems) > 0 {
		return nil, fault.WithProblems(problems, "the binding is not valid")
	}
	before, err := s.store.ListBindings(ctx)
	if err != nil {
		return nil, err
	}
	after := withBinding(before, b)
	if remove {
		after = slices.DeleteFunc(slices.Clone(before), func(o *Binding) bool { return o.ID == b.ID })
	}
	scenes := map[string]bool{gear.Any: true}
	for _, o := range append(slices.Clone(before), b) {
		scenes[o.Selector.Scene] = true
	}
	machines := map[Selector]int{}
	for _, d := range s.declared.Declared("") {
		for scene := range scenes {
			machines[Selector{Scene: scene, IDC: d.IDC, App: d.App, Point: d.Point}] += d.Machines
		}
	}
	var out []Move
	for place, n := range machines {
		from, to := Resolve(before, place), Resolve(after, place)
		if from == nil && to == nil || from != nil && to != nil && from.TemplateID == to.TemplateID && from.Pin == to.Pin {
			continue
		}
		out = append(out, Move{Place: place, Machines: n, From: from, To: to})
	}
	slices.SortFunc(out, func(x, y Move) int { return strings.Compare(x.Place.String(), y.Place.String()) })
	return out, nil
}
