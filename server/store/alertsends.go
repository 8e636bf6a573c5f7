package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/allspark/allspark/server/alert"
)

type deliveryRecord struct {
	AlertID  string      `gorm:"primaryKey"`
	SinkID   string      `gorm:"primaryKey"`
	Event    alert.Event `gorm:"primaryKey"`
	Attempts int
	Next     micros `gorm:"column:next_at"`
	Sent     micros `gorm:"column:sent_at"`
	GivenUp  int64
	Error    string
	Created  micros `gorm:"column:created_at"`
}

func (deliveryRecord) TableName() string { return "alert_deliveries" }

func toDeliveryRecord(x alert.Delivery) deliveryRecord {
	r := deliveryRecord{x.Alert, x.Sink, x.Event, x.Attempts, at(x.NextAt), at(x.SentAt), 0, x.Error, at(x.CreatedAt)}
	if x.GivenUp {
		r.GivenUp = 1
	}
	clean(&r.Error)
	return r
}

func fromDeliveryRecord(r deliveryRecord) alert.Delivery {
	return alert.Delivery{
		Alert: r.AlertID, Sink: r.SinkID, Event: r.Event, Attempts: r.Attempts, NextAt: r.Next.time(), SentAt: r.Sent.time(),
		GivenUp: r.GivenUp == 1, Error: r.Error, CreatedAt: r.Created.time(),
	}
}

// Notify implements alert.Store.
func (d *DB) Notify(ctx context.Context, alertID string, ds []alert.Delivery) error {
	return d.write(ctx, "write deliveries", func(tx *gorm.DB) error {
		now, err := d.now(tx)
		if err != nil {
			return err
		}
		res := tx.Model(&alertRecord{}).Where("id = ? AND notified_at = 0", alertID).Update("notified_at", at(now))
		if res.Error != nil {
			return res.Error
		}
		return createDeliveries(tx, ds)
	})
}

// createDeliveries writes each once, whoever comes first.
func createDeliveries(tx *gorm.DB, ds []alert.Delivery) error {
	if len(ds) == 0 {
		return nil
	}
	rs := each(ds, toDeliveryRecord)
	return tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&rs).Error
}

// DueDeliveries implements alert.Store.
func (d *DB) DueDeliveries(ctx context.Context, sink string, now time.Time, limit int) ([]alert.Delivery, error) {
	var rs []deliveryRecord
	err := d.read(ctx).Where("sink_id = ? AND sent_at = 0 AND given_up = 0 AND next_at <= ?", sink, at(now)).
		Order("created_at, alert_id, event").Limit(limit).Find(&rs).Error
	if err != nil {
		return nil, opaque(err, "read deliveries")
	}
	return each(rs, fromDeliveryRecord), nil
}

// SaveDeliveries implements alert.Store.
func (d *DB) SaveDeliveries(ctx context.Context, ds []alert.Delivery) error {
	return d.write(ctx, "save deliveries", func(tx *gorm.DB) error {
		for _, x := range ds {
			r := toDeliveryRecord(x)
			// sent_at = 0: what another replica marked as sent stays so.
			err := tx.Model(&deliveryRecord{}).Where("alert_id = ? AND sink_id = ? AND event = ? AND sent_at = 0", r.AlertID, r.SinkID, r.Event).
				Select("attempts", "next_at", "sent_at", "given_up", "error").Updates(&r).Error
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Deliveries implements alert.Store.
func (d *DB) Deliveries(ctx context.Context, alertID, sink string, limit int) ([]alert.Delivery, error) {
	q := d.read(ctx).Order("created_at DESC, alert_id DESC, event, sink_id").Limit(limit)
	if alertID != "" {
		q = q.Where("alert_id = ?", alertID)
	}
	if sink != "" {
		q = q.Where("sink_id = ?", sink)
	}
	var rs []deliveryRecord
	if err := q.Find(&rs).Error; err != nil {
		return nil, opaque(err, "read deliveries")
	}
	return each(rs, fromDeliveryRecord), nil
}
