package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/allspark/allspark/server/replica"
)

type replicaRecord struct {
	Name string `gorm:"primaryKey"`
	Boot string
	Seq  int64
	Beat micros `gorm:"column:beat_at"`
}

func (replicaRecord) TableName() string { return "replicas" }

type partRecord struct {
	Replica string `gorm:"primaryKey"`
	Topic   string `gorm:"primaryKey"`
	Name    string `gorm:"primaryKey"`
	Seq     int64
	Body    []byte
}

func (partRecord) TableName() string { return "replica_parts" }

// Publish implements replica.Store. A replica touches no rows but its own, so
// nobody waits for anybody.
func (d *DB) Publish(ctx context.Context, b replica.Beat, whole bool, parts []replica.Part) (known bool, err error) {
	err = d.write(ctx, "tell other controllers", func(tx *gorm.DB) error {
		now, err := d.now(tx)
		if err != nil {
			return err
		}
		if whole {
			r := replicaRecord{Name: b.Name, Boot: b.Boot, Seq: b.Seq, Beat: at(now)}
			if err := tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&r).Error; err != nil {
				return err
			}
			if err := tx.Delete(&partRecord{}, "replica = ?", b.Name).Error; err != nil {
				return err
			}
		} else {
			res := tx.Model(&replicaRecord{}).Where("name = ? AND boot = ?", b.Name, b.Boot).Updates(map[string]any{"seq": b.Seq, "beat_at": at(now)})
			if res.Error != nil || res.RowsAffected == 0 {
				return res.Error
			}
		}
		known = true
		if len(parts) == 0 {
			return nil
		}
		rs := each(parts, func(p replica.Part) partRecord {
			return partRecord{Replica: b.Name, Topic: p.Topic, Name: p.Name, Seq: b.Seq, Body: append([]byte{}, p.Body...)}
		})
		return tx.Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "replica"}, {Name: "topic"}, {Name: "name"}},
			DoUpdates: clause.AssignmentColumns([]string{"seq", "body"}),
		}).CreateInBatches(rs, historyBatch).Error
	})
	return known && err == nil, err
}

// Replicas implements replica.Store.
func (d *DB) Replicas(ctx context.Context) ([]replica.Beat, time.Time, error) {
	var rs []replicaRecord
	if err := d.read(ctx).Order("name").Find(&rs).Error; err != nil {
		return nil, time.Time{}, opaque(err, "read the other controllers")
	}
	now, err := d.Now(ctx)
	return each(rs, func(r replicaRecord) replica.Beat {
		return replica.Beat{Name: r.Name, Boot: r.Boot, Seq: r.Seq, At: r.Beat.time()}
	}), now, err
}

// PartsAfter implements replica.Store.
func (d *DB) PartsAfter(ctx context.Context, name string, seq int64) (parts []replica.Part, newest int64, err error) {
	var rs []partRecord
	if err := d.read(ctx).Where("replica = ? AND seq > ?", name, seq).Order("topic, name").Find(&rs).Error; err != nil {
		return nil, 0, opaque(err, "read what another controller told")
	}
	for i := range rs {
		newest = max(newest, rs[i].Seq)
	}
	return each(rs, func(r partRecord) replica.Part { return replica.Part{Topic: r.Topic, Name: r.Name, Body: r.Body} }), newest, nil
}

// ForgetReplicas implements replica.Store.
func (d *DB) ForgetReplicas(ctx context.Context, before time.Time) (n int64, err error) {
	err = d.write(ctx, "forget controllers", func(tx *gorm.DB) error {
		res := tx.Delete(&replicaRecord{}, "beat_at < ?", at(before))
		n = res.RowsAffected
		if res.Error != nil || n == 0 {
			return res.Error
		}
		return tx.Delete(&partRecord{}, "replica NOT IN (SELECT name FROM replicas)").Error
	})
	return n, err
}

var _ replica.Store = (*DB)(nil)
