package auth

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
)

// public is what the audit log keeps of a user: never the hash.
type public struct {
	Name     string  `json:"name"`
	Display  string  `json:"display,omitempty"`
	Grants   []Grant `json:"grants"`
	Disabled bool    `json:"disabled"`
	Password string  `json:"password,omitempty"` // "changed" or absent
}

func describe(u *User, password bool) json.RawMessage {
	p := public{Name: u.Name, Display: u.Display, Grants: u.Grants, Disabled: u.Disabled}
	if password {
		p.Password = "changed"
	}
	b, _ := json.Marshal(p) // strings and bools cannot fail
	return b
}

func userChange(c audit.Change, verb string, u *User) audit.Change {
	c.Verb, c.Kind, c.Object, c.Name = verb, "user", u.ID, u.Name
	return c
}

// CreateUser makes a user. Without a password one is generated and returned.
func (s *Service) CreateUser(ctx context.Context, by *Identity, u *User, password string, c audit.Change) (generated string, err error) {
	if !ValidName(u.Name) {
		return "", fault.WithProblems(problem("name", "pattern", "name wants [a-z0-9][a-z0-9._-]{0,62}, got %q", u.Name), "the user's name is not valid")
	}
	if err := checkGrants(by, u.Grants); err != nil {
		return "", err
	}
	if password == "" {
		password = newPassword()
		generated = password
	} else if err := checkPassword(password, u.Name); err != nil {
		return "", err
	}
	if u.PasswordHash, err = s.hasher.hash(ctx, password); err != nil {
		return "", err
	}
	now := time.Now().UTC()
	u.ID, u.Epoch, u.Version = newID(), 1, 1
	u.CreatedBy, u.UpdatedBy, u.CreatedAt, u.UpdatedAt = c.Actor, c.Actor, now, now
	c = userChange(c, "create", u)
	c.After = describe(u, false)
	if err := s.store.CreateUser(ctx, u, c); err != nil {
		return "", err
	}
	s.wrote(ctx)
	return generated, nil
}

// checkGrants refuses grants that make no sense or exceed the giver's. by is nil
// where the system itself gives.
func checkGrants(by *Identity, grants []Grant) error {
	if ps := CheckGrants(grants); len(ps) > 0 {
		return fault.WithProblems(ps, "the grants are not valid")
	}
	if by != nil && !by.Covers(grants) {
		return fault.New(fault.Forbidden, "nobody can grant more than they hold themselves")
	}
	return nil
}

// UpdateUser replaces display name, grants and state; sessions are cut when what
// the user may do changed. version is the one edited.
func (s *Service) UpdateUser(ctx context.Context, by *Identity, id string, version int64, display string, grants []Grant, disabled bool, c audit.Change) (*User, error) {
	u, err := s.store.GetUser(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := checkGrants(by, grants); err != nil {
		return nil, err
	}
	if by != nil && !by.Covers(u.Grants) {
		return nil, fault.New(fault.Forbidden, "%s holds more than you do", u.Name)
	}
	if admin(u) && (disabled || !admin(&User{Grants: grants})) {
		if err := s.otherAdmin(ctx, u.ID); err != nil {
			return nil, err
		}
	}
	c = userChange(c, "update", u)
	c.Before = describe(u, false)
	if disabled != u.Disabled || !slices.Equal(grants, u.Grants) {
		u.Epoch++
	}
	u.Display, u.Grants, u.Disabled = display, grants, disabled
	c.After = describe(u, false)
	return u, s.put(ctx, u, version, c)
}

func (s *Service) put(ctx context.Context, u *User, version int64, c audit.Change) error {
	u.Version, u.UpdatedBy, u.UpdatedAt = version, c.Actor, time.Now().UTC()
	if err := s.store.UpdateUser(ctx, u, c); err != nil {
		return err
	}
	s.wrote(ctx)
	return nil
}

func admin(u *User) bool {
	i := Identity{Grants: u.Grants}
	return !u.Disabled && i.Can(Access, gear.Any, gear.Any)
}

// otherAdmin refuses to lock everybody out.
func (s *Service) otherAdmin(ctx context.Context, id string) error {
	users, err := s.store.ListUsers(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(users, func(u *User) bool { return u.ID != id && admin(u) }) {
		return fault.New(fault.Conflict, "this is the last administrator")
	}
	return nil
}

// DeleteUser removes a user and cuts their sessions.
func (s *Service) DeleteUser(ctx context.Context, by *Identity, id string, version int64, c audit.Change) error {
	u, err := s.store.GetUser(ctx, id)
	if err != nil {
		return err
	}
	if !by.Covers(u.Grants) {
		return fault.New(fault.Forbidden, "%s holds more than you do", u.Name)
	}
	if admin(u) {
		if err := s.otherAdmin(ctx, u.ID); err != nil {
			return err
		}
	}
	c = userChange(c, "delete", u)
	c.Before = describe(u, false)
	if err := s.store.DeleteUser(ctx, id, version, c); err != nil {
		return err
	}
	s.wrote(ctx)
	return nil
}

// ResetPassword generates a new password for somebody else and cuts their sessions.
func (s *Service) ResetPassword(ctx context.Context, by *Identity, id string, c audit.Change) (*User, string, error) {
	u, err := s.store.GetUser(ctx, id)
	if err != nil {
		return nil, "", err
	}
	if !by.Covers(u.Grants) {
		return nil, "", fault.New(fault.Forbidden, "%s holds more than you do", u.Name)
	}
	password := newPassword()
	return u, password, s.setPassword(ctx, u, password, "reset-password", c)
}

// ChangePassword changes the caller's own password and cuts their sessions,
// this one too: whoever stole the cookie is out.
func (s *Service) ChangePassword(ctx context.Context, by *Identity, current, next, address string, c audit.Change) error {
	if by.Kind != KindUser {
		return fault.New(fault.Invalid, "an API token has no password")
	}
	u, err := s.store.GetUser(ctx, by.ID)
	if err != nil {
		return err
	}
	now := time.Now()
	if wait, ok := s.address.take(address, now); !ok {
		return limited(wait)
	}
	if wait, ok := s.account.take(u.Name, now); !ok {
		return limited(wait)
	}
	if ok, err := s.hasher.verify(ctx, u.PasswordHash, current); err != nil {
		return err
	} else if !ok {
		return fault.WithProblems(problem("current", "wrong", "this is not your current password"), "the password was not changed")
	}
	if err := checkPassword(next, u.Name); err != nil {
		return err
	}
	return s.setPassword(ctx, u, next, "change-password", c)
}

func (s *Service) setPassword(ctx context.Context, u *User, password, verb string, c audit.Change) (err error) {
	if u.PasswordHash, err = s.hasher.hash(ctx, password); err != nil {
		return err
	}
	u.Epoch++
	c = userChange(c, verb, u)
	c.After = describe(u, true)
	return s.put(ctx, u, u.Version, c)
}

// SignOut cuts every session of a user.
func (s *Service) SignOut(ctx context.Context, id string, c audit.Change) error {
	u, err := s.store.GetUser(ctx, id)
	if err != nil {
		return err
	}
	u.Epoch++
	return s.put(ctx, u, u.Version, userChange(c, "sign-out", u))
}

// User finds a user by id or name.
func (s *Service) User(ctx context.Context, idOrName string) (*User, error) {
	u, err := s.store.FindUser(ctx, idOrName)
	if fault.Is(err, fault.NotFound) {
		return s.store.GetUser(ctx, idOrName)
	}
	return u, err
}

// Users lists every user.
func (s *Service) Users(ctx context.Context) ([]*User, error) { return s.store.ListUsers(ctx) }
