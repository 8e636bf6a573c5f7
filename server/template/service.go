package template

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
)

// Service is the one way to change templates and bindings: it checks, then lets
// the store write the object and its audit entry in one transaction, then nudges
// control. The store fills in times and rises Version.
type Service struct {
	store    Store
	declared Declarations
	nudge    func()
}

// NewService wires the room. nudge is called after every change that may move
// an order; nil does nothing.
func NewService(store Store, declared Declarations, nudge func()) *Service {
	if nudge == nil {
		nudge = func() {}
	}
	return &Service{store: store, declared: declared, nudge: nudge}
}

// StaleDetail is the Detail of a fault.Stale: the three contents an operator
// needs to merge. Base is nil when it is not known any more.
type StaleDetail struct {
	Base, Mine, Theirs *Document
	TheirsVersion      int64
	TheirsBy           string
}

// Verdict is what can be said about a document without saving it.
type Verdict struct {
	Problems gear.Problems
	Warnings gear.Problems
	Refusals []Refusal
}

// Judge checks a document as if it were to be published as template id ("" for a
// new one).
func (s *Service) Judge(ctx context.Context, id string, d *Document) (Verdict, error) {
	v := Verdict{Problems: d.Locate(Check(d))}
	if len(v.Problems) > 0 {
		return v, nil
	}
	v.Warnings = d.Locate(Warnings(&d.Spec))
	if id == "" {
		return v, nil
	}
	t, err := Expand(&d.Spec)
	if err != nil {
		return v, err
	}
	all, err := s.store.ListBindings(ctx)
	if err != nil {
		return v, err
	}
	v.Refusals = s.refusalsOf(all, id, t)
	return v, nil
}

func sound(d *Document) error {
	if problems := d.Locate(Check(d)); len(problems) > 0 {
		return fault.WithProblems(problems, "template %q is not valid", gear.Shown(d.Name))
	}
	return nil
}

// DocumentOf gives the content being edited, else the newest published one; nil
// when the template is still empty.
func (s *Service) DocumentOf(ctx context.Context, t *Template) (*Document, error) {
	if t.Draft != nil {
		return documentOf(t, t.Draft), nil
	}
	if t.Latest == 0 {
		return nil, nil
	}
	v, err := s.store.GetVersion(ctx, t.ID, t.Latest)
	if err != nil {
		return nil, err
	}
	return documentOf(t, &v.Spec), nil
}

func documentOf(t *Template, s *Spec) *Document {
	return &Document{Name: t.Name, Description: t.Description, Tags: t.Tags, Spec: *s}
}

func change(c audit.Change, verb string, t *Template) audit.Change {
	c.Verb, c.Kind, c.Object, c.Name = verb, "template", t.ID, t.Name
	return c
}

func newID() (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", fault.Wrap(fault.Internal, err, "no identifier could be made")
	}
	return id.String(), nil
}

// Create makes a template with a draft.
func (s *Service) Create(ctx context.Context, d *Document, c audit.Change) (*Template, error) {
	if err := sound(d); err != nil {
		return nil, err
	}
	id, err := newID()
	if err != nil {
		return nil, err
	}
	t := &Template{
		ID: id, Name: d.Name, Description: d.Description, Tags: slices.Clone(d.Tags), Draft: d.Spec.Clone(),
		CreatedBy: c.Actor, UpdatedBy: c.Actor,
	}
	if err := s.store.CreateTemplate(ctx, t, change(c, "create", t)); err != nil {
		return nil, fmt.Errorf("create template %q: %w", d.Name, err)
	}
	return t, nil
}

// SaveDraft replaces head and draft, if version still is the newest. Its check is
// Validate's; builds that would refuse stop it too, unless force is set: a type
// error is told where it is made.
func (s *Service) SaveDraft(ctx context.Context, id string, version int64, d *Document, force bool, c audit.Change) (*Template, error) {
	if err := sound(d); err != nil {
		return nil, err
	}
	t, err := s.store.GetTemplate(ctx, id)
	if err != nil {
		return nil, err
	}
	if t.Version == version {
		if c, err = s.foreseen(ctx, id, &d.Spec, force, c); err != nil {
			return nil, err
		}
	}
	// An outdated version goes to the store all the same: it refuses, and knows the base.
	t.Version = version
	t.Name, t.Description, t.Tags, t.Draft, t.UpdatedBy = d.Name, d.Description, slices.Clone(d.Tags), d.Spec.Clone(), c.Actor
	if err := s.store.UpdateTemplate(ctx, t, change(c, "update", t)); err != nil {
		return nil, s.lost(ctx, err, id, version, d)
	}
	return t, nil
}

// DiscardDraft drops what is being edited; a template never published keeps it.
func (s *Service) DiscardDraft(ctx context.Context, id string, version int64, c audit.Change) (*Template, error) {
	t, err := s.current(ctx, id, version)
	if err != nil {
		return nil, err
	}
	if t.Draft == nil || t.Latest == 0 {
		return nil, fault.New(fault.Conflict, "template %q has no draft beside a published version", t.Name)
	}
	t.Draft, t.UpdatedBy = nil, c.Actor
	if err := s.store.UpdateTemplate(ctx, t, change(c, "discard", t)); err != nil {
		return nil, s.lost(ctx, err, id, version, nil)
	}
	return t, nil
}

// Publish makes the draft the next version. Builds that would refuse it stop it
// unless force is set.
func (s *Service) Publish(ctx context.Context, id string, version int64, force bool, c audit.Change) (*Version, error) {
	t, err := s.current(ctx, id, version)
	if err != nil {
		return nil, err
	}
	if t.Draft == nil {
		return nil, fault.New(fault.Conflict, "template %q has no draft to publish", t.Name)
	}
	return s.publish(ctx, t, t.Draft, 0, force, change(c, "publish", t))
}

// Rollback publishes the content of version number again, as a new version. A
// draft being edited is kept.
func (s *Service) Rollback(ctx context.Context, id string, version int64, number int, force bool, c audit.Change) (*Version, error) {
	t, err := s.current(ctx, id, version)
	if err != nil {
		return nil, err
	}
	old, err := s.store.GetVersion(ctx, id, number)
	if err != nil {
		return nil, err
	}
	if number == t.Latest {
		return nil, fault.New(fault.Conflict, "version %d of template %q is in force already", number, t.Name)
	}
	return s.publish(ctx, t, &old.Spec, number, force, change(c, "rollback", t))
}

func (s *Service) publish(ctx context.Context, t *Template, spec *Spec, rolledBack int, force bool, c audit.Change) (*Version, error) {
	table, err := Expand(spec)
	if err != nil {
		if problems, ok := err.(gear.Problems); ok {
			return nil, fault.WithProblems(problems, "template %q is not valid", t.Name)
		}
		return nil, err
	}
	if c, err = s.foreseen(ctx, t.ID, spec, force, c); err != nil {
		return nil, err
	}
	base := t.Version
	v := &Version{TemplateID: t.ID, Number: t.Latest + 1, Spec: *spec.Clone(), Hash: table.Hash, Author: c.Actor, Reason: c.Reason, RolledBack: rolledBack}
	t.UpdatedBy = c.Actor
	if err := s.store.PublishTemplate(ctx, t, v, c); err != nil {
		return nil, s.lost(ctx, err, t.ID, base, documentOf(t, spec))
	}
	s.nudge()
	return v, nil
}

// foreseen refuses what builds would refuse; when forced it notes so in the reason.
func (s *Service) foreseen(ctx context.Context, id string, spec *Spec, force bool, c audit.Change) (audit.Change, error) {
	table, err := Expand(spec)
	if err != nil {
		return c, err
	}
	all, err := s.store.ListBindings(ctx)
	if err != nil {
		return c, err
	}
	refusals := s.refusalsOf(all, id, table)
	if len(refusals) == 0 {
		return c, nil
	}
	if !force {
		return c, refused("registered builds would refuse it", refusals)
	}
	c.Reason += " [forced: " + refusals[0].Message() + "]"
	return c, nil
}

// Copy makes a new template from the draft, the latest or a numbered version of
// another; from "" takes the newest content.
func (s *Service) Copy(ctx context.Context, id, from, name string, c audit.Change) (*Template, error) {
	t, err := s.store.GetTemplate(ctx, id)
	if err != nil {
		return nil, err
	}
	spec, err := s.content(ctx, t, from)
	if err != nil {
		return nil, err
	}
	d := documentOf(t, spec)
	d.Name = name
	if err := sound(d); err != nil {
		return nil, err
	}
	newer := &Template{
		Name: name, Description: t.Description, Tags: slices.Clone(t.Tags), Draft: spec.Clone(), CopiedFrom: t.ID,
		CreatedBy: c.Actor, UpdatedBy: c.Actor,
	}
	if newer.ID, err = newID(); err != nil {
		return nil, err
	}
	if err := s.store.CreateTemplate(ctx, newer, change(c, "copy", newer)); err != nil {
		return nil, fmt.Errorf("copy template %q as %q: %w", t.Name, name, err)
	}
	return newer, nil
}

// EditDraft applies a pure edit (CopyGear, InterpolateRange) to the draft, or to
// a draft made of the latest version.
func (s *Service) EditDraft(ctx context.Context, id string, version int64, edit func(*Spec) (*Spec, gear.Problems), c audit.Change) (*Template, error) {
	t, err := s.current(ctx, id, version)
	if err != nil {
		return nil, err
	}
	spec, err := s.content(ctx, t, "")
	if err != nil {
		return nil, err
	}
	edited, problems := edit(spec)
	if len(problems) > 0 {
		return nil, fault.WithProblems(problems, "template %q cannot be edited so", t.Name)
	}
	return s.SaveDraft(ctx, id, version, documentOf(t, edited), false, c)
}

// Delete removes a template that no binding uses.
func (s *Service) Delete(ctx context.Context, id string, version int64, c audit.Change) error {
	t, err := s.current(ctx, id, version)
	if err != nil {
		return err
	}
	used, err := s.WhereUsed(ctx, id)
	if err != nil {
		return err
	}
	if len(used) > 0 {
		return fault.New(fault.Conflict, "template %q serves %d bindings, first %s; unbind it first", t.Name, len(used), used[0].Selector)
	}
	return s.store.DeleteTemplate(ctx, id, version, change(c, "delete", t))
}

// WhereUsed lists the bindings that name the template.
func (s *Service) WhereUsed(ctx context.Context, id string) ([]*Binding, error) {
	all, err := s.store.ListBindings(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(all), func(b *Binding) bool { return b.TemplateID != id }), nil
}
