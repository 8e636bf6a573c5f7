package template

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/fault"
)

// Content gives a content by word: "draft", "latest", a number, or "" for the
// newest.
func (s *Service) Content(ctx context.Context, id, which string) (*Document, error) {
	t, err := s.store.GetTemplate(ctx, id)
	if err != nil {
		return nil, err
	}
	spec, err := s.content(ctx, t, which)
	if err != nil {
		return nil, err
	}
	return documentOf(t, spec), nil
}

func (s *Service) content(ctx context.Context, t *Template, which string) (*Spec, error) {
	if which == "" {
		which = "latest"
		if t.Draft != nil {
			which = "draft"
		}
	}
	switch which {
	case "draft":
		if t.Draft == nil {
			return nil, fault.New(fault.NotFound, "template %q has no draft", t.Name)
		}
		return t.Draft, nil
	case "latest":
		if t.Latest == 0 {
			return nil, fault.New(fault.NotFound, "template %q has no published version", t.Name)
		}
		which = strconv.Itoa(t.Latest)
	}
	number, err := strconv.Atoi(which)
	if err != nil || number < 1 {
		return nil, fault.New(fault.Invalid, "a content is draft, latest or a version number, not %q", gear.Shown(which))
	}
	v, err := s.store.GetVersion(ctx, t.ID, number)
	if err != nil {
		return nil, err
	}
	return &v.Spec, nil
}

// Compare gives what differs between two contents of a template, in the document
// and level by level.
func (s *Service) Compare(ctx context.Context, id, from, to string) (document, levels []Difference, err error) {
	a, err := s.Content(ctx, id, from)
	if err != nil {
		return nil, nil, err
	}
	b, err := s.Content(ctx, id, to)
	if err != nil {
		return nil, nil, err
	}
	levels, err = DiffLevels(&a.Spec, &b.Spec)
	return Diff(&a.Spec, &b.Spec), levels, err
}

func (s *Service) current(ctx context.Context, id string, version int64) (*Template, error) {
	t, err := s.store.GetTemplate(ctx, id)
	if err != nil {
		return nil, err
	}
	if t.Version != version {
		return nil, s.stale(ctx, t, version, nil)
	}
	return t, nil
}

// lost turns a write that the store refused as stale into one that shows all
// three contents; other errors pass.
func (s *Service) lost(ctx context.Context, err error, id string, version int64, mine *Document) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Code != fault.Stale {
		return fmt.Errorf("save template: %w", err)
	}
	theirs, again := s.store.GetTemplate(ctx, id)
	if again != nil {
		return err
	}
	out := s.stale(ctx, theirs, version, mine)
	if clash, ok := f.Detail.(fault.Clash); ok {
		if base, ok := clash.Base.(*Template); ok {
			detail := out.Detail.(StaleDetail) // stale always gives one
			if d, err := s.DocumentOf(ctx, base); err == nil {
				detail.Base = d
			}
			out.Detail = detail
		}
	}
	return out
}

func (s *Service) stale(ctx context.Context, theirs *Template, version int64, mine *Document) *fault.Error {
	e := fault.New(fault.Stale, "template %q was changed by %s meanwhile (version %d, yours %d)", theirs.Name, gear.Shown(theirs.UpdatedBy), theirs.Version, version)
	detail := StaleDetail{Mine: mine, TheirsVersion: theirs.Version, TheirsBy: theirs.UpdatedBy}
	if d, err := s.DocumentOf(ctx, theirs); err == nil {
		detail.Theirs = d
	}
	e.Detail = detail
	return e
}
