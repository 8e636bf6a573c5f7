package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/auth"
)

type keyRecord struct {
	ID      string `gorm:"primaryKey"`
	Secret  []byte
	Created micros `gorm:"column:created_at"`
	Retires micros `gorm:"column:retires_at"`
}

func (keyRecord) TableName() string { return "signing_keys" }

type revocationRecord struct {
	JTI     string `gorm:"primaryKey;column:jti"`
	UserID  string
	Expires micros `gorm:"column:expires_at"`
}

func (revocationRecord) TableName() string { return "revocations" }

// RevokeSession implements auth.Store.
func (d *DB) RevokeSession(ctx context.Context, r auth.Revocation, c audit.Change) error {
	return d.access(ctx, c, "session", "revoke", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		describe(ch, r.JTI, r.UserID, nil, nil)
		if err := tx.Delete(&revocationRecord{}, "expires_at <= ?", at(now)).Error; err != nil {
			return err
		}
		rec := revocationRecord{JTI: r.JTI, UserID: r.UserID, Expires: at(r.Expires)}
		return tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&rec).Error
	})
}

// AddKey implements auth.Store. The head's lock makes replicas that rotate at
// the same time take turns.
func (d *DB) AddKey(ctx context.Context, k auth.Key, newest time.Time) (added bool, err error) {
	err = d.write(ctx, "add a signing key", func(tx *gorm.DB) error {
		var head authHead
		if err := d.locked(tx).Take(&head, 1).Error; err != nil {
			return err
		}
		var last micros
		if err := tx.Model(&keyRecord{}).Select("COALESCE(max(created_at), 0)").Scan(&last).Error; err != nil {
			return err
		}
		if last > at(newest) {
			return nil
		}
		if err := tx.Delete(&keyRecord{}, "retires_at < ?", at(k.CreatedAt)).Error; err != nil {
			return err
		}
		r := keyRecord{ID: k.ID, Secret: k.Secret, Created: at(k.CreatedAt), Retires: at(k.Retires)}
		if err := tx.Create(&r).Error; err != nil {
			return taken(err, "the key %q exists already", k.ID)
		}
		added = true
		return raise(tx)
	})
	return added && err == nil, err
}

// AuthCounter implements auth.Store.
func (d *DB) AuthCounter(ctx context.Context) (int64, error) {
	var head authHead
	err := d.read(ctx).Take(&head, 1).Error
	return head.Counter, opaque(err, "read the access counter")
}

// AuthSnapshot implements auth.Store.
func (d *DB) AuthSnapshot(ctx context.Context, when time.Time) (*auth.Snapshot, error) {
	s := &auth.Snapshot{}
	now := at(when)
	err := d.snapshot(ctx, "read users and tokens", func(tx *gorm.DB) error {
		var head authHead
		if err := tx.Take(&head, 1).Error; err != nil {
			return err
		}
		s.Counter = head.Counter
		var err error
		if s.Users, err = allUsers(tx); err != nil {
			return err
		}
		var ts []tokenRecord
		if err := tx.Where("revoked_at = 0 AND expires_at > ?", now).Order("id").Find(&ts).Error; err != nil {
			return err
		}
		s.Tokens = each(ts, func(r tokenRecord) *auth.Token { return fromTokenRecord(&r) })
		var es []enrolRecord
		if err := tx.Where("revoked_at = 0 AND expires_at > ?", now).Order("id").Find(&es).Error; err != nil {
			return err
		}
		s.Enrol = each(es, func(r enrolRecord) *auth.EnrolToken { return fromEnrolRecord(&r) })
		var rs []revocationRecord
		if err := tx.Where("expires_at > ?", now).Order("jti").Find(&rs).Error; err != nil {
			return err
		}
		s.Revocations = each(rs, func(r revocationRecord) auth.Revocation {
			return auth.Revocation{JTI: r.JTI, UserID: r.UserID, Expires: r.Expires.time()}
		})
		var ks []keyRecord
		if err := tx.Where("retires_at > ?", now).Order("created_at, id").Find(&ks).Error; err != nil {
			return err
		}
		s.Keys = each(ks, func(r keyRecord) auth.Key {
			return auth.Key{ID: r.ID, Secret: r.Secret, CreatedAt: r.Created.time(), Retires: r.Retires.time()}
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}
