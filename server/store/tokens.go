package store

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/auth"
)

type tokenRecord struct {
	ID        string          `gorm:"primaryKey" json:"id"`
	Name      string          `json:"name"`
	Prefix    string          `json:"prefix"`
	Hash      string          `json:"-"`
	Grants    doc[[]grantDoc] `json:"-"`
	GrantDocs []grantDoc      `gorm:"-" json:"grants"`
	Expires   micros          `gorm:"column:expires_at" json:"expires_at"`
	CreatedBy string          `json:"created_by"`
	Created   micros          `gorm:"column:created_at" json:"created_at"`
	Revoked   micros          `gorm:"column:revoked_at" json:"revoked_at,omitempty"`
	RevokedBy string          `json:"revoked_by,omitempty"`
	LastUsed  micros          `json:"-"`
}

func (tokenRecord) TableName() string { return "tokens" }

func toTokenRecord(t *auth.Token) *tokenRecord {
	grants := toGrantDocs(t.Grants)
	return &tokenRecord{
		ID: t.ID, Name: t.Name, Prefix: t.Prefix, Hash: t.Hash, Grants: docOf(grants), GrantDocs: grants,
		Expires: at(t.Expires), CreatedBy: t.CreatedBy, Created: at(t.CreatedAt), Revoked: at(t.Revoked),
		RevokedBy: t.RevokedBy, LastUsed: at(t.LastUsed),
	}
}

func fromTokenRecord(r *tokenRecord) *auth.Token {
	return &auth.Token{
		ID: r.ID, Name: r.Name, Prefix: r.Prefix, Hash: r.Hash, Grants: fromGrantDocs(r.Grants.v),
		Expires: r.Expires.time(), CreatedBy: r.CreatedBy, CreatedAt: r.Created.time(), Revoked: r.Revoked.time(),
		RevokedBy: r.RevokedBy, LastUsed: r.LastUsed.time(),
	}
}

// CreateToken implements auth.Store.
func (d *DB) CreateToken(ctx context.Context, t *auth.Token, c audit.Change) error {
	return d.access(ctx, c, "token", "create", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		n := *t
		n.ID, n.CreatedBy = newID(t.ID), byOr(t.CreatedBy, ch.Actor)
		stamp(&n.CreatedAt, now)
		r := toTokenRecord(&n)
		if err := tx.Create(r).Error; err != nil {
			return taken(err, "the name %q is taken", t.Name)
		}
		describe(ch, n.ID, n.Name, nil, r)
		*t = n
		return nil
	})
}

// RevokeToken implements auth.Store; revoking twice keeps the first instant.
func (d *DB) RevokeToken(ctx context.Context, id string, when time.Time, c audit.Change) error {
	return d.access(ctx, c, "token", "revoke", func(tx *gorm.DB, _ time.Time, ch *audit.Change) error {
		var r tokenRecord
		if err := tx.Take(&r, "id = ?", id).Error; err != nil {
			if missing(err) {
				return notFound("token", id)
			}
			return err
		}
		describe(ch, id, r.Name, nil, nil)
		return revoke(tx.Model(&tokenRecord{}), id, when, ch.Actor)
	})
}

func revoke(model *gorm.DB, id string, when time.Time, by string) error {
	return model.Where("id = ? AND revoked_at = 0", id).Updates(map[string]any{"revoked_at": at(when), "revoked_by": by}).Error
}

// GetToken implements auth.Store.
func (d *DB) GetToken(ctx context.Context, id string) (*auth.Token, error) {
	var r tokenRecord
	if err := d.read(ctx).Take(&r, "id = ?", id).Error; err != nil {
		if missing(err) {
			return nil, notFound("token", id)
		}
		return nil, opaque(err, "read the token")
	}
	return fromTokenRecord(&r), nil
}

// ListTokens implements auth.Store, newest first.
func (d *DB) ListTokens(ctx context.Context) ([]*auth.Token, error) {
	var rs []tokenRecord
	if err := d.read(ctx).Order("created_at DESC, id DESC").Limit(maxPage).Find(&rs).Error; err != nil {
		return nil, opaque(err, "list tokens")
	}
	return each(rs, func(r tokenRecord) *auth.Token { return fromTokenRecord(&r) }), nil
}

// TouchTokens implements auth.Store. In order of id, so that replicas cannot
// deadlock, and never backwards.
func (d *DB) TouchTokens(ctx context.Context, used map[string]time.Time) error {
	ids := make([]string, 0, len(used))
	for id := range used {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	if len(ids) == 0 {
		return nil
	}
	return d.write(ctx, "note the tokens used", func(tx *gorm.DB) error {
		for _, id := range ids {
			us := at(used[id])
			if err := tx.Model(&tokenRecord{}).Where("id = ? AND last_used < ?", id, us).Update("last_used", us).Error; err != nil {
				return err
			}
		}
		return nil
	})
}

type enrolRecord struct {
	ID        string `gorm:"primaryKey" json:"id"`
	Name      string `json:"name"`
	Prefix    string `json:"prefix"`
	Hash      string `json:"-"`
	App       string `json:"app"`
	IDC       string `gorm:"column:idc" json:"idc"`
	Expires   micros `gorm:"column:expires_at" json:"expires_at"`
	CreatedBy string `json:"created_by"`
	Created   micros `gorm:"column:created_at" json:"created_at"`
	Revoked   micros `gorm:"column:revoked_at" json:"revoked_at,omitempty"`
	RevokedBy string `json:"revoked_by,omitempty"`
}

func (enrolRecord) TableName() string { return "enrol_tokens" }

func toEnrolRecord(t *auth.EnrolToken) *enrolRecord {
	return &enrolRecord{
		ID: t.ID, Name: t.Name, Prefix: t.Prefix, Hash: t.Hash, App: t.App, IDC: t.IDC, Expires: at(t.Expires),
		CreatedBy: t.CreatedBy, Created: at(t.CreatedAt), Revoked: at(t.Revoked), RevokedBy: t.RevokedBy,
	}
}

func fromEnrolRecord(r *enrolRecord) *auth.EnrolToken {
	return &auth.EnrolToken{
		ID: r.ID, Name: r.Name, Prefix: r.Prefix, Hash: r.Hash, App: r.App, IDC: r.IDC, Expires: r.Expires.time(),
		CreatedBy: r.CreatedBy, CreatedAt: r.Created.time(), Revoked: r.Revoked.time(), RevokedBy: r.RevokedBy,
	}
}

// CreateEnrolToken implements auth.Store.
func (d *DB) CreateEnrolToken(ctx context.Context, t *auth.EnrolToken, c audit.Change) error {
	return d.access(ctx, c, "enrolment_token", "create", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		n := *t
		n.ID, n.CreatedBy = newID(t.ID), byOr(t.CreatedBy, ch.Actor)
		stamp(&n.CreatedAt, now)
		r := toEnrolRecord(&n)
		if err := tx.Create(r).Error; err != nil {
			return taken(err, "the name %q is taken", t.Name)
		}
		ch.App, ch.IDC = byOr(ch.App, scoped(r.App)), byOr(ch.IDC, scoped(r.IDC))
		describe(ch, n.ID, n.Name, nil, r)
		*t = n
		return nil
	})
}

// RevokeEnrolToken implements auth.Store; revoking twice keeps the first instant.
func (d *DB) RevokeEnrolToken(ctx context.Context, id string, when time.Time, c audit.Change) error {
	return d.access(ctx, c, "enrolment_token", "revoke", func(tx *gorm.DB, _ time.Time, ch *audit.Change) error {
		var r enrolRecord
		if err := tx.Take(&r, "id = ?", id).Error; err != nil {
			if missing(err) {
				return notFound("enrolment token", id)
			}
			return err
		}
		ch.App, ch.IDC = byOr(ch.App, scoped(r.App)), byOr(ch.IDC, scoped(r.IDC))
		describe(ch, id, r.Name, nil, nil)
		return revoke(tx.Model(&enrolRecord{}), id, when, ch.Actor)
	})
}

// GetEnrolToken implements auth.Store.
func (d *DB) GetEnrolToken(ctx context.Context, id string) (*auth.EnrolToken, error) {
	var r enrolRecord
	if err := d.read(ctx).Take(&r, "id = ?", id).Error; err != nil {
		if missing(err) {
			return nil, notFound("enrolment token", id)
		}
		return nil, opaque(err, "read the enrolment token")
	}
	return fromEnrolRecord(&r), nil
}

// ListEnrolTokens implements auth.Store, newest first.
func (d *DB) ListEnrolTokens(ctx context.Context) ([]*auth.EnrolToken, error) {
	var rs []enrolRecord
	if err := d.read(ctx).Order("created_at DESC, id DESC").Limit(maxPage).Find(&rs).Error; err != nil {
		return nil, opaque(err, "list enrolment tokens")
	}
	return each(rs, func(r enrolRecord) *auth.EnrolToken { return fromEnrolRecord(&r) }), nil
}
