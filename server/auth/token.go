package auth

import (
	"context"
	"encoding/json"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
)

// How long tokens live.
const (
	MaxTokenLife     = 8760 * time.Hour
	DefaultTokenLife = 720 * time.Hour
	DefaultEnrolLife = 24 * time.Hour
)

func checkToken(name string, life time.Duration) error {
	if !ValidName(name) {
		return fault.WithProblems(problem("name", "pattern", "name wants [a-z0-9][a-z0-9._-]{0,62}, got %q", name), "the token's name is not valid")
	}
	if life <= 0 || life > MaxTokenLife {
		return fault.WithProblems(problem("for", "range", "for wants a duration up to %v, got %v", MaxTokenLife, life), "the token's life is not valid")
	}
	return nil
}

// IssueToken makes an API token; the secret is returned and not kept. by is nil
// where the system itself issues.
func (s *Service) IssueToken(ctx context.Context, by *Identity, name string, grants []Grant, life time.Duration, c audit.Change) (*Token, string, error) {
	if err := checkToken(name, life); err != nil {
		return nil, "", err
	}
	if len(grants) == 0 {
		return nil, "", fault.WithProblems(problem("grants", "required", "a token wants at least one grant"), "the token would be good for nothing")
	}
	if err := checkGrants(by, grants); err != nil {
		return nil, "", err
	}
	secret, shown, hash := newSecret(tokenPrefix)
	now := time.Now().UTC()
	t := &Token{ID: newID(), Name: name, Prefix: shown, Hash: hash, Grants: grants, Expires: now.Add(life), CreatedBy: c.Actor, CreatedAt: now}
	c.Verb, c.Kind, c.Object, c.Name = "create", "token", t.ID, name
	c.After, _ = json.Marshal(map[string]any{"name": name, "grants": grants, "expires": t.Expires}) // cannot fail
	if err := s.store.CreateToken(ctx, t, c); err != nil {
		return nil, "", err
	}
	s.wrote(ctx)
	return t, secret, nil
}

// RevokeToken ends an API token.
func (s *Service) RevokeToken(ctx context.Context, by *Identity, id string, c audit.Change) error {
	t, err := s.store.GetToken(ctx, id)
	if err != nil {
		return err
	}
	if !by.Covers(t.Grants) {
		return fault.New(fault.Forbidden, "token %s holds more than you do", t.Name)
	}
	c.Verb, c.Kind, c.Object, c.Name = "revoke", "token", id, t.Name
	if err := s.store.RevokeToken(ctx, id, time.Now().UTC(), c); err != nil {
		return err
	}
	s.wrote(ctx)
	return nil
}

// Tokens lists every API token.
func (s *Service) Tokens(ctx context.Context) ([]*Token, error) { return s.store.ListTokens(ctx) }

// Token gives one API token.
func (s *Service) Token(ctx context.Context, id string) (*Token, error) {
	return s.store.GetToken(ctx, id)
}

// IssueEnrolToken makes an enrolment token for agents of app x IDC.
func (s *Service) IssueEnrolToken(ctx context.Context, name, app, idc string, life time.Duration, c audit.Change) (*EnrolToken, string, error) {
	if err := checkToken(name, life); err != nil {
		return nil, "", err
	}
	var ps gear.Problems
	for _, f := range []struct{ path, v string }{{"app", app}, {"idc", idc}} {
		if !validScope(f.v) {
			ps = append(ps, problem(f.path, "pattern", "%s is a name or *, got %q", f.path, f.v)...)
		}
	}
	if len(ps) > 0 {
		return nil, "", fault.WithProblems(ps, "the enrolment token's scope is not valid")
	}
	secret, shown, hash := newSecret(enrolPrefix)
	now := time.Now().UTC()
	t := &EnrolToken{ID: newID(), Name: name, Prefix: shown, Hash: hash, App: app, IDC: idc, Expires: now.Add(life), CreatedBy: c.Actor, CreatedAt: now}
	c.Verb, c.Kind, c.Object, c.Name = "create", "enrolment-token", t.ID, name
	c.App, c.IDC = app, idc
	c.After, _ = json.Marshal(map[string]any{"name": name, "app": app, "idc": idc, "expires": t.Expires}) // cannot fail
	if err := s.store.CreateEnrolToken(ctx, t, c); err != nil {
		return nil, "", err
	}
	s.wrote(ctx)
	return t, secret, nil
}

// RevokeEnrolToken ends an enrolment token; agents enrolled with it stay.
func (s *Service) RevokeEnrolToken(ctx context.Context, id string, c audit.Change) error {
	t, err := s.store.GetEnrolToken(ctx, id)
	if err != nil {
		return err
	}
	c.Verb, c.Kind, c.Object, c.Name, c.App, c.IDC = "revoke", "enrolment-token", id, t.Name, t.App, t.IDC
	if err := s.store.RevokeEnrolToken(ctx, id, time.Now().UTC(), c); err != nil {
		return err
	}
	s.wrote(ctx)
	return nil
}

// EnrolTokens lists every enrolment token.
func (s *Service) EnrolTokens(ctx context.Context) ([]*EnrolToken, error) {
	return s.store.ListEnrolTokens(ctx)
}

// EnrolToken gives one enrolment token.
func (s *Service) EnrolToken(ctx context.Context, id string) (*EnrolToken, error) {
	return s.store.GetEnrolToken(ctx, id)
}
