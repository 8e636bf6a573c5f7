package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/fault"
)

type grantDoc struct {
	Role string `json:"role"`
	App  string `json:"app"`
	IDC  string `json:"idc"`
	Verb string `json:"verb,omitempty"`
}

func toGrantDocs(gs []auth.Grant) []grantDoc {
	return each(gs, func(g auth.Grant) grantDoc { return grantDoc{string(g.Role), g.App, g.IDC, string(g.Verb)} })
}

func fromGrantDocs(gs []grantDoc) []auth.Grant {
	return each(gs, func(g grantDoc) auth.Grant {
		return auth.Grant{Role: auth.Role(g.Role), App: g.App, IDC: g.IDC, Verb: auth.Verb(g.Verb)}
	})
}

type authHead struct {
	ID      int64 `gorm:"primaryKey"`
	Counter int64
}

func (authHead) TableName() string { return "auth_head" }

// raise tells every replica that its snapshot is old.
func raise(tx *gorm.DB) error {
	return tx.Model(&authHead{}).Where("id = 1").Update("counter", gorm.Expr("counter + 1")).Error
}

// access is change for what auth's snapshot holds.
func (d *DB) access(ctx context.Context, c audit.Change, kind, verb string,
	fn func(tx *gorm.DB, now time.Time, ch *audit.Change) error,
) error {
	return d.change(ctx, c, kind, verb, func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		if err := fn(tx, now, ch); err != nil {
			return err
		}
		return raise(tx)
	})
}

type userRecord struct {
	ID      string `gorm:"primaryKey" json:"id"`
	Name    string `json:"name"`
	Display string `json:"display,omitempty"`
	// The log says that a password changed, never what it hashes to.
	PasswordHash string          `json:"-"`
	Grants       doc[[]grantDoc] `json:"-"`
	GrantDocs    []grantDoc      `gorm:"-" json:"grants"` // for the audit log
	Disabled     bool            `json:"disabled"`
	Epoch        int64           `json:"epoch"`
	Version      int64           `json:"version"`
	CreatedBy    string          `json:"created_by"`
	Created      micros          `gorm:"column:created_at" json:"created_at"`
	UpdatedBy    string          `json:"updated_by"`
	Updated      micros          `gorm:"column:updated_at" json:"updated_at"`
	LastLogin    micros          `json:"-"`
}

func (userRecord) TableName() string { return "users" }

func toUserRecord(u *auth.User) *userRecord {
	grants := toGrantDocs(u.Grants)
	return &userRecord{
		ID: u.ID, Name: u.Name, Display: u.Display, PasswordHash: u.PasswordHash, Grants: docOf(grants), GrantDocs: grants,
		Disabled: u.Disabled, Epoch: u.Epoch, Version: u.Version, CreatedBy: u.CreatedBy, Created: at(u.CreatedAt),
		UpdatedBy: u.UpdatedBy, Updated: at(u.UpdatedAt), LastLogin: at(u.LastLogin),
	}
}

func fromUserRecord(r *userRecord) *auth.User {
	return &auth.User{
		ID: r.ID, Name: r.Name, Display: r.Display, PasswordHash: r.PasswordHash, Grants: fromGrantDocs(r.Grants.v),
		Disabled: r.Disabled, Epoch: r.Epoch, Version: r.Version, CreatedBy: r.CreatedBy, CreatedAt: r.Created.time(),
		UpdatedBy: r.UpdatedBy, UpdatedAt: r.Updated.time(), LastLogin: r.LastLogin.time(),
	}
}

// CreateUser implements auth.Store.
func (d *DB) CreateUser(ctx context.Context, u *auth.User, c audit.Change) error {
	return d.access(ctx, c, "user", "create", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		n := *u
		n.ID, n.Version = newID(u.ID), 1
		n.CreatedBy, n.UpdatedBy = byOr(n.CreatedBy, ch.Actor), byOr(n.UpdatedBy, ch.Actor)
		stamp(&n.CreatedAt, now)
		n.UpdatedAt = now
		r := toUserRecord(&n)
		if err := tx.Create(r).Error; err != nil {
			return taken(err, "the name %q is taken", u.Name)
		}
		describe(ch, n.ID, n.Name, nil, r)
		*u = n
		return nil
	})
}

// UpdateUser implements auth.Store.
func (d *DB) UpdateUser(ctx context.Context, u *auth.User, c audit.Change) error {
	return d.access(ctx, c, "user", "update", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		old, err := heldUser(tx, u.ID, u.Version)
		if err != nil {
			return err
		}
		n := *u
		n.Version = old.Version + 1
		n.CreatedBy, n.CreatedAt, n.LastLogin = old.CreatedBy, old.Created.time(), old.LastLogin.time()
		n.UpdatedBy, n.UpdatedAt = ch.Actor, now
		r := toUserRecord(&n)
		res := tx.Model(r).Where("version = ?", old.Version).Select("*").Updates(r)
		if res.Error != nil {
			return taken(res.Error, "the name %q is taken", u.Name)
		}
		if res.RowsAffected != 1 {
			return fault.New(fault.Stale, "user %q changed meanwhile", u.Name)
		}
		describe(ch, n.ID, n.Name, old, r)
		*u = n
		return nil
	})
}

// DeleteUser implements auth.Store.
func (d *DB) DeleteUser(ctx context.Context, id string, version int64, c audit.Change) error {
	return d.access(ctx, c, "user", "delete", func(tx *gorm.DB, _ time.Time, ch *audit.Change) error {
		old, err := heldUser(tx, id, version)
		if err != nil {
			return err
		}
		describe(ch, id, old.Name, old, nil)
		return tx.Delete(&userRecord{}, "id = ? AND version = ?", id, version).Error
	})
}

func heldUser(tx *gorm.DB, id string, version int64) (*userRecord, error) {
	var r userRecord
	if err := tx.Take(&r, "id = ?", id).Error; err != nil {
		if missing(err) {
			return nil, notFound("user", id)
		}
		return nil, err
	}
	r.GrantDocs = r.Grants.v
	if r.Version == version {
		return &r, nil
	}
	return nil, stale(tx, "user", id, version, fromUserRecord(&r), func(old *userRecord) any {
		old.Grants = docOf(old.GrantDocs)
		return fromUserRecord(old)
	})
}

// GetUser implements auth.Store.
func (d *DB) GetUser(ctx context.Context, id string) (*auth.User, error) {
	return d.oneUser(ctx, "id", id)
}

// FindUser implements auth.Store.
func (d *DB) FindUser(ctx context.Context, name string) (*auth.User, error) {
	return d.oneUser(ctx, "name", name)
}

func (d *DB) oneUser(ctx context.Context, column, v string) (*auth.User, error) {
	var r userRecord
	if err := d.read(ctx).Take(&r, column+" = ?", v).Error; err != nil {
		if missing(err) {
			return nil, notFound("user", v)
		}
		return nil, opaque(err, "read the user")
	}
	return fromUserRecord(&r), nil
}

// ListUsers implements auth.Store, by name.
func (d *DB) ListUsers(ctx context.Context) ([]*auth.User, error) {
	us, err := allUsers(d.read(ctx))
	return us, opaque(err, "list users")
}

func allUsers(tx *gorm.DB) ([]*auth.User, error) {
	var rs []userRecord
	err := tx.Order("name").Find(&rs).Error
	return each(rs, func(r userRecord) *auth.User { return fromUserRecord(&r) }), err
}

// TouchLogin implements auth.Store.
func (d *DB) TouchLogin(ctx context.Context, userID string, when time.Time, c audit.Change) error {
	return d.change(ctx, c, "user", "login", func(tx *gorm.DB, _ time.Time, ch *audit.Change) error {
		var r userRecord
		if err := tx.Take(&r, "id = ?", userID).Error; err != nil {
			if missing(err) {
				return notFound("user", userID)
			}
			return err
		}
		describe(ch, userID, r.Name, nil, nil)
		return tx.Model(&userRecord{}).Where("id = ?", userID).Update("last_login", at(when)).Error
	})
}

var _ auth.Store = (*DB)(nil)
