package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/lease"
)

type leaseRecord struct {
	Name    string `gorm:"primaryKey"`
	Holder  string
	Epoch   int64
	Expires micros `gorm:"column:expires_at"`
}

func (leaseRecord) TableName() string { return "leases" }

func (r *leaseRecord) lease() lease.Lease {
	return lease.Lease{Name: r.Name, Holder: r.Holder, Epoch: r.Epoch, Expires: r.Expires.time()}
}

// AcquireLease implements lease.Store. A lease that ran out gets a new epoch even
// when its old holder takes it again: what it planned meanwhile must not count.
func (d *DB) AcquireLease(ctx context.Context, name, holder string, ttl time.Duration) (l lease.Lease, ok bool, err error) {
	if holder == "" || ttl <= 0 {
		return l, false, fault.New(fault.Invalid, "a lease wants a holder and a TTL")
	}
	err = d.write(ctx, "acquire the lease", func(tx *gorm.DB) error {
		// The row must exist before it can be locked.
		fresh := leaseRecord{Name: name}
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&fresh).Error; err != nil {
			return err
		}
		var r leaseRecord
		if err := d.locked(tx).Take(&r, "name = ?", name).Error; err != nil {
			return err
		}
		now, err := d.now(tx)
		if err != nil {
			return err
		}
		live := r.Holder != "" && now.Before(r.Expires.time())
		switch {
		case live && r.Holder != holder:
			l = r.lease()
			return nil
		case !live:
			// Above the journal's epoch too, which a restored backup or an agent's
			// hello may have raised past the lease's.
			var head journalHead
			if err := tx.Take(&head, 1).Error; err != nil {
				return err
			}
			r.Holder, r.Epoch = holder, max(r.Epoch, head.Epoch)+1
		}
		r.Expires = at(now.Add(ttl))
		l, ok = r.lease(), true
		return tx.Model(&leaseRecord{}).Where("name = ?", name).
			Updates(map[string]any{"holder": r.Holder, "epoch": r.Epoch, "expires_at": r.Expires}).Error
	})
	if err != nil {
		return lease.Lease{}, false, err
	}
	return l, ok, nil
}

// ReleaseLease implements lease.Store; it does nothing when holder has lost it.
func (d *DB) ReleaseLease(ctx context.Context, name, holder string) error {
	return d.write(ctx, "release the lease", func(tx *gorm.DB) error {
		return tx.Model(&leaseRecord{}).Where("name = ? AND holder = ?", name, holder).
			Updates(map[string]any{"holder": "", "expires_at": 0}).Error
	})
}
