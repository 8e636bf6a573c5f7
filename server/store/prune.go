package store

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"

	"github.com/allspark/allspark/server/control"
)

// pruneRows bounds one transaction of a pruning, so that nobody waits for it.
const pruneRows = 500

// PruneShifts drops shifts older than before, but keeps for every app x IDC the
// one that was in force then; "why" cannot look further back.
func (d *DB) PruneShifts(ctx context.Context, before time.Time) (int64, error) {
	return d.pruneInBatches(ctx, "prune the journal", func(tx *gorm.DB) *gorm.DB {
		return tx.Exec(`DELETE FROM shifts WHERE revision IN (
			SELECT revision FROM shifts WHERE at < ? AND revision NOT IN (SELECT max(revision) FROM shifts WHERE at < ? GROUP BY app, idc)
			ORDER BY revision LIMIT ?)`, at(before), at(before), pruneRows)
	})
}

// pruneInBatches repeats a bounded deletion until it finds less than its bound.
func (d *DB) pruneInBatches(ctx context.Context, doing string, drop func(tx *gorm.DB) *gorm.DB) (total int64, err error) {
	for ctx.Err() == nil {
		var n int64
		err := d.write(ctx, doing, func(tx *gorm.DB) error {
			res := drop(tx)
			n = res.RowsAffected
			return res.Error
		})
		if total += n; err != nil || n < pruneRows {
			return total, err
		}
	}
	return total, opaque(ctx.Err(), doing)
}

// PruneTables drops level tables that no order set of the journal from before on
// names, nor one that is older and still there.
func (d *DB) PruneTables(ctx context.Context, before time.Time) (int64, error) {
	const doing = "prune level tables"
	named := map[string]bool{}
	err := d.eachShift(ctx, before, "orders", func(r *shiftRecord) {
		for i := range r.Orders.v {
			named[r.Orders.v[i].Table] = true
		}
	})
	if err != nil {
		return 0, opaque(err, doing)
	}
	unused := at(before.Add(-usedGrain))
	return d.pruneKeys(ctx, doing, "hash", named, func(tx *gorm.DB) *gorm.DB {
		return tx.Model(&tableRecord{}).Where("used_at < ?", unused)
	}, func(tx *gorm.DB, batch []string) (int64, error) {
		// INVARIANT: under the journal's head, as in AppendShift: a table is either
		// noted as used before this looks, or saved again after.
		var head journalHead
		if err := d.locked(tx).Take(&head, 1).Error; err != nil {
			return 0, err
		}
		res := tx.Where("hash IN ? AND used_at < ?", batch, unused).Delete(&tableRecord{})
		return res.RowsAffected, res.Error
	})
}

// claimSlack is how long after its end a claim may first be missed by a shift: the
// controllers may have been down meanwhile.
const claimSlack = 24 * time.Hour

// PruneClaims drops claims that ended before the given time, but for those that an
// old shift still names: undoing it sets them again.
func (d *DB) PruneClaims(ctx context.Context, before time.Time) (int64, error) {
	const doing = "prune claims"
	named := map[string]bool{}
	err := d.eachShift(ctx, before.Add(claimSlack), "claims", func(r *shiftRecord) {
		for _, id := range r.Claims.v {
			named[id] = true
		}
	})
	if err != nil {
		return 0, opaque(err, doing)
	}
	us := at(before)
	ended := func(tx *gorm.DB) *gorm.DB {
		return tx.Model(&claimRecord{}).Where("(end_at > 0 AND end_at < ? OR released_at > 0 AND released_at < ?)", us, us)
	}
	return d.pruneKeys(ctx, doing, "id", named, ended, func(tx *gorm.DB, batch []string) (int64, error) {
		res := ended(tx).Where("id IN ?", batch).Delete(&claimRecord{})
		return res.RowsAffected, res.Error
	})
}

// eachShift reads one column of every shift before an instant, a batch at a time.
func (d *DB) eachShift(ctx context.Context, before time.Time, column string, take func(r *shiftRecord)) error {
	after := int64(0)
	for {
		var rs []shiftRecord
		err := d.read(ctx).Select("revision", column).Where("at < ? AND revision > ?", at(before), after).Order("revision").Limit(pruneRows).Find(&rs).Error
		if err != nil {
			return err
		}
		for i := range rs {
			take(&rs[i])
			after = rs[i].Revision
		}
		if len(rs) < pruneRows {
			return nil
		}
	}
}

// pruneKeys walks the rows that where selects in order of their key, and drops
// those that are not named, a batch in a transaction.
func (d *DB) pruneKeys(ctx context.Context, doing, key string, named map[string]bool,
	where func(tx *gorm.DB) *gorm.DB, drop func(tx *gorm.DB, batch []string) (int64, error),
) (total int64, err error) {
	after := ""
	for {
		var keys []string
		err := where(d.read(ctx)).Where(key+" > ?", after).Order(key).Limit(pruneRows).Pluck(key, &keys).Error
		if err != nil {
			return total, opaque(err, doing)
		}
		if len(keys) == 0 {
			return total, nil
		}
		after = keys[len(keys)-1]
		keys = slices.DeleteFunc(keys, func(k string) bool { return named[k] })
		if len(keys) == 0 {
			continue
		}
		err = d.write(ctx, doing, func(tx *gorm.DB) error {
			n, err := drop(tx, keys)
			total += n
			return err
		})
		if err != nil {
			return total, err
		}
	}
}

var _ control.Pruner = (*DB)(nil)
