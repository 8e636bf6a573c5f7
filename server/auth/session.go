package auth

import (
	"context"
	"strings"
	"time"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
)

// Session is a signed-in user.
type Session struct {
	Identity *Identity
	Token    string // JWT
}

// errLogin never says which of the two was wrong.
func errLogin() error { return fault.New(fault.Unauthorized, "name or password is wrong") }

// Login checks a password and opens a session for the audience. The address
// limits guessing together with the account.
func (s *Service) Login(ctx context.Context, name, password, audience, address string, c audit.Change) (*Session, error) {
	now := time.Now()
	if wait, ok := s.address.take(address, now); !ok {
		return nil, limited(wait)
	}
	if wait, ok := s.account.take(name, now); !ok {
		return nil, limited(wait)
	}
	if len(password) > maxPassword || len(name) > maxPassword {
		return nil, errLogin()
	}
	u, err := s.store.FindUser(ctx, name)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	phc := s.dummy
	if err == nil {
		phc = u.PasswordHash
	}
	ok, verr := s.hasher.verify(ctx, phc, password)
	if verr != nil {
		return nil, verr
	}
	if err != nil || !ok || u.Disabled {
		s.log.Info("auth: sign-in refused", "user", name, "address", address, "request_id", c.RequestID)
		return nil, errLogin()
	}
	s.account.forget(name)
	v, err := s.current(now)
	if err != nil {
		return nil, err
	}
	key, ok := signer(v.Keys, now)
	if !ok {
		return nil, fault.New(fault.Unavailable, "there is no signing key yet")
	}
	cl := &claims{RegisteredClaims: registered(audience, u.ID, newID(), now, SessionLife), Epoch: u.Epoch}
	raw, err := sign(key, cl)
	if err != nil {
		return nil, err
	}
	c.Actor, c.Verb, c.Kind, c.Object, c.Name = u.Name, "login", "session", u.ID, u.Name
	if err := s.store.TouchLogin(ctx, u.ID, now, c); err != nil {
		return nil, err
	}
	return &Session{Identity: identityOf(u, cl, audience), Token: raw}, nil
}

func limited(wait time.Duration) error {
	e := fault.New(fault.RateLimited, "too many sign-ins, try again in %v", wait.Round(time.Second)+time.Second)
	e.Detail = wait
	return e
}

func identityOf(u *User, c *claims, audience string) *Identity {
	return &Identity{
		Kind: KindUser, ID: u.ID, Name: u.Name, Display: u.Display, Grants: u.Grants,
		Expires: c.ExpiresAt.Time, Audience: audience, jti: c.ID, epoch: c.Epoch,
	}
}

// Authenticate tells who presents the credential: an API token, or a session of
// the given audience. It asks memory only.
func (s *Service) Authenticate(credential, audience string) (*Identity, error) {
	now := time.Now()
	v, err := s.current(now)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(credential, tokenPrefix) && audience != AudienceConsole {
		t, ok := v.tokens[hashSecret(credential)]
		if !ok || !now.Before(t.Expires) {
			return nil, fault.New(fault.Unauthorized, "the token is unknown, revoked or expired")
		}
		s.usedMu.Lock()
		s.used[t.ID] = now
		s.usedMu.Unlock()
		return &Identity{Kind: KindToken, ID: t.ID, Name: t.Name, Grants: t.Grants, Expires: t.Expires, jti: t.Hash}, nil
	}
	c, err := parse(credential, v.Keys, now, audience)
	if err != nil {
		return nil, err
	}
	u, ok := v.users[c.Subject]
	if !ok || u.Disabled || u.Epoch != c.Epoch || v.revoked[c.ID] || c.ID == "" {
		return nil, errCut()
	}
	return identityOf(u, c, audience), nil
}

func errCut() error {
	return fault.New(fault.Unauthorized, "the session has ended, sign in again")
}

// Current reports an error when the identity no longer stands: signed out, role
// changed, expired, revoked. Streams ask at least once a second.
func (s *Service) Current(i *Identity) error {
	now := time.Now()
	v, err := s.current(now)
	if err != nil {
		return err
	}
	if !now.Before(i.Expires) {
		return errCut()
	}
	if i.Kind == KindToken {
		if _, ok := v.tokens[i.jti]; !ok {
			return errCut()
		}
		return nil
	}
	u, ok := v.users[i.ID]
	if !ok || u.Disabled || u.Epoch != i.epoch || v.revoked[i.jti] {
		return errCut()
	}
	return nil
}

// Logout ends the session everywhere.
func (s *Service) Logout(ctx context.Context, i *Identity, c audit.Change) error {
	if i.Kind != KindUser {
		return fault.New(fault.Invalid, "an API token has no session; revoke the token instead")
	}
	c.Verb, c.Kind, c.Object, c.Name = "logout", "session", i.ID, i.Name
	if err := s.store.RevokeSession(ctx, Revocation{JTI: i.jti, UserID: i.ID, Expires: i.Expires}, c); err != nil {
		return err
	}
	s.wrote(ctx)
	return nil
}
