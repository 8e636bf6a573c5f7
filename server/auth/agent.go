package auth

import (
	"context"
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/fault"
)

// Enroll turns an enrolment token into a credential for one agent. It asks memory
// only, so ten thousand agents that enrol at once do not reach the database.
func (s *Service) Enroll(ctx context.Context, token, app, idc, host, instance string) (credential string, expires time.Time, err error) {
	now := time.Now()
	v, err := s.current(now)
	if err != nil {
		return "", time.Time{}, err
	}
	t, ok := v.enrol[hashSecret(token)]
	if !strings.HasPrefix(token, enrolPrefix) || !ok || !now.Before(t.Expires) {
		s.log.WarnContext(ctx, "auth: enrolment refused", "app", app, "idc", idc, "host", host)
		return "", time.Time{}, fault.New(fault.Unauthorized, "the enrolment token is unknown, revoked or expired")
	}
	if !gear.PlaceName(app) || !gear.PlaceName(idc) {
		return "", time.Time{}, fault.New(fault.Invalid, "app and idc want [A-Za-z0-9][A-Za-z0-9._-]{0,62}, got %q and %q", gear.Shown(app), gear.Shown(idc))
	}
	if t.App != gear.Any && t.App != app || t.IDC != gear.Any && t.IDC != idc {
		return "", time.Time{}, fault.New(fault.Forbidden, "this enrolment token is for app %s in %s, not for %s in %s", t.App, t.IDC, app, idc)
	}
	return s.credential(v, AgentIdentity{App: app, IDC: idc, Instance: instance}, now)
}

func (s *Service) credential(v *view, id AgentIdentity, now time.Time) (string, time.Time, error) {
	key, ok := signer(v.Keys, now)
	if !ok {
		return "", time.Time{}, fault.New(fault.Unavailable, "there is no signing key yet")
	}
	c := &claims{RegisteredClaims: registered(audienceAgent, id.Instance, newID(), now, CredentialLife), App: id.App, IDC: id.IDC}
	raw, err := sign(key, c)
	return raw, c.ExpiresAt.Time, err
}

// Verify tells which agent presents the credential. It works on the keys in
// memory however long the store is away: agents must not be cut off by it.
func (s *Service) Verify(_ context.Context, credential string) (AgentIdentity, error) {
	v := s.view.Load()
	if v == nil {
		return AgentIdentity{}, fault.New(fault.Unavailable, "the controller is still starting")
	}
	c, err := parse(credential, v.Keys, time.Now(), audienceAgent)
	if err != nil {
		return AgentIdentity{}, err
	}
	if c.App == "" || c.IDC == "" {
		return AgentIdentity{}, fault.New(fault.Unauthorized, "the credential names no app and IDC")
	}
	return AgentIdentity{App: c.App, IDC: c.IDC, Instance: c.Subject}, nil
}

// Renew turns a valid credential into a fresh one.
func (s *Service) Renew(ctx context.Context, credential string) (fresh string, expires time.Time, err error) {
	id, err := s.Verify(ctx, credential)
	if err != nil {
		return "", time.Time{}, err
	}
	return s.credential(s.view.Load(), id, time.Now())
}
