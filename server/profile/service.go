package profile

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
)

// Service is the one way to change profiles.
type Service struct {
	store Store
	now   func() time.Time
	nudge func()
}

// NewService wires the room. now is reference time; nudge is called after every
// change; nil does nothing.
func NewService(store Store, now func() time.Time, nudge func()) *Service {
	if nudge == nil {
		nudge = func() {}
	}
	return &Service{store: store, now: now, nudge: nudge}
}

// Format of an upload.
type Format string

// The formats.
const (
	CSV  Format = "csv"
	JSON Format = "json"
)

// Upload says what an uploaded document is of.
type Upload struct {
	Key
	Template        string
	TemplateVersion int
	Format          Format
	MeasuredAt      time.Time // zero: now
	Version         int64     // of the profile it replaces; 0 for a new one
}

// Judge reads an upload without saving it.
func (s *Service) Judge(u Upload, body io.Reader) (p *Profile, problems, warnings gear.Problems) {
	p = &Profile{Key: u.Key, Template: u.Template, TemplateVersion: u.TemplateVersion, Source: Uploaded, MeasuredAt: u.MeasuredAt, Version: u.Version}
	if p.Scene == "" {
		p.Scene = gear.Any
	}
	if p.MeasuredAt.IsZero() {
		p.MeasuredAt = s.now()
	}
	switch u.Format {
	case CSV:
		p.Classes, p.Levels, problems = ParseCSV(body)
	case JSON:
		p.Classes, p.Levels, problems = ParseJSON(body)
	default:
		problems.Add("format", gear.CodeEnum, "format wants csv or json")
	}
	if len(problems) == 0 {
		problems = p.Check()
	}
	if len(problems) > 0 {
		return p, problems, nil
	}
	return p, nil, p.Warnings()
}

// Upload saves an uploaded document, and gives what is allowed but odd.
func (s *Service) Upload(ctx context.Context, u Upload, body io.Reader, c audit.Change) (*Profile, gear.Problems, error) {
	p, problems, warnings := s.Judge(u, body)
	if len(problems) > 0 {
		return nil, nil, fault.WithProblems(problems, "the profile of %s is not valid", p.Key)
	}
	return p, warnings, s.put(ctx, p, c)
}

// Learn saves what a learner made, over the one learnt before.
func (s *Service) Learn(ctx context.Context, p *Profile, c audit.Change) error {
	if problems := p.Check(); len(problems) > 0 {
		return fault.WithProblems(problems, "the profile learnt of %s is not valid", p.Key)
	}
	old, err := s.store.FindProfile(ctx, p.Key, Learned)
	if err != nil {
		return err
	}
	if old != nil {
		p.ID, p.Version = old.ID, old.Version
	}
	return s.put(ctx, p, c)
}

func (s *Service) put(ctx context.Context, p *Profile, c audit.Change) error {
	verb := "update"
	if p.Version == 0 {
		verb = "create"
		id, err := uuid.NewV7()
		if err != nil {
			return fault.Wrap(fault.Internal, err, "no identifier could be made")
		}
		p.ID, p.CreatedBy = id.String(), c.Actor
	} else if p.ID == "" {
		old, err := s.store.FindProfile(ctx, p.Key, p.Source)
		if err != nil {
			return err
		}
		if old == nil {
			return fault.New(fault.NotFound, "there is no %s profile of %s", p.Source, p.Key)
		}
		p.ID = old.ID
	}
	p.UpdatedBy = c.Actor
	c.Verb, c.Kind, c.Object, c.Name, c.App = verb, "profile", p.ID, p.Key.String(), p.App
	if err := s.store.PutProfile(ctx, p, c); err != nil {
		return fmt.Errorf("save the profile of %s: %w", p.Key, err)
	}
	s.nudge()
	return nil
}

// Get gives a profile.
func (s *Service) Get(ctx context.Context, id string) (*Profile, error) {
	return s.store.GetProfile(ctx, id)
}

// List gives profiles by app, point, scene and source.
func (s *Service) List(ctx context.Context, f Filter) ([]*Profile, string, error) {
	return s.store.ListProfiles(ctx, f)
}

// Delete removes a profile, if version stands.
func (s *Service) Delete(ctx context.Context, id string, version int64, c audit.Change) error {
	p, err := s.store.GetProfile(ctx, id)
	if err != nil {
		return err
	}
	c.Verb, c.Kind, c.Object, c.Name, c.App = "delete", "profile", p.ID, p.Key.String(), p.App
	if err := s.store.DeleteProfile(ctx, id, version, c); err != nil {
		return fmt.Errorf("delete the profile of %s: %w", p.Key, err)
	}
	s.nudge()
	return nil
}

// All reads every page of what f selects.
func All(ctx context.Context, s Store, f Filter) (all []*Profile, err error) {
	for f.Limit = 200; ; {
		page, next, err := s.ListProfiles(ctx, f)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if f.After = next; next == "" {
			return all, nil
		}
	}
}

// Best chooses what serves a point in a scene with a level table ("" when nobody
// knows): of the right table before others, of the scene before all scenes,
// fresh before stale, uploaded before learnt, newest first. nil without any.
func Best(ps []*Profile, app, point, scene, table string, now time.Time) *Profile {
	var best *Profile
	for _, p := range ps {
		if p.App != app || p.Point != point || p.Scene != scene && p.Scene != gear.Any {
			continue
		}
		if best == nil || better(p, best, table, now) {
			best = p
		}
	}
	return best
}

func better(p, q *Profile, table string, now time.Time) bool {
	rank := func(p *Profile) (n int) {
		if table == "" || p.Table == table || p.Table == "" {
			n += 8
		}
		if p.Scene != gear.Any {
			n += 4
		}
		if stale, _ := p.Stale(table, now); !stale {
			n += 2
		}
		if p.Source == Uploaded {
			n++
		}
		return n
	}
	if a, b := rank(p), rank(q); a != b {
		return a > b
	}
	return p.MeasuredAt.After(q.MeasuredAt)
}

func compareKeys(a, b Key) int {
	return cmp.Or(strings.Compare(a.App, b.App), strings.Compare(a.Point, b.Point), strings.Compare(a.Scene, b.Scene), strings.Compare(a.Table, b.Table))
}
