package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/settings"
)

type settingsDoc struct {
	RetentionMinutes time.Duration `json:"retention_minutes_ns"`
	RetentionHours   time.Duration `json:"retention_hours_ns"`
	StaleAfter       time.Duration `json:"stale_after_ns"`
	ForgetAfter      time.Duration `json:"forget_after_ns"`
}

type settingsRecord struct {
	ID        int64            `gorm:"primaryKey;autoIncrement:false" json:"-"`
	Body      doc[settingsDoc] `json:"-"`
	Doc       settingsDoc      `gorm:"-" json:"settings"` // for the audit log
	Version   int64            `json:"version"`
	UpdatedBy string           `json:"updated_by"`
	Updated   micros           `gorm:"column:updated_at" json:"updated_at"`
}

func (settingsRecord) TableName() string { return "settings" }

func toSettingsRecord(s *settings.Settings) *settingsRecord {
	d := settingsDoc{s.RetentionMinutes, s.RetentionHours, s.StaleAfter, s.ForgetAfter}
	return &settingsRecord{ID: 1, Body: docOf(d), Doc: d, Version: s.Version, UpdatedBy: s.UpdatedBy, Updated: at(s.UpdatedAt)}
}

func fromSettingsRecord(r *settingsRecord) *settings.Settings {
	return &settings.Settings{
		RetentionMinutes: r.Doc.RetentionMinutes, RetentionHours: r.Doc.RetentionHours,
		StaleAfter: r.Doc.StaleAfter, ForgetAfter: r.Doc.ForgetAfter,
		Version: r.Version, UpdatedBy: r.UpdatedBy, UpdatedAt: r.Updated.time(),
	}
}

func storedSettings(tx *gorm.DB) (*settingsRecord, error) {
	var rs []settingsRecord
	if err := tx.Where("id = 1").Find(&rs).Error; err != nil || len(rs) == 0 {
		return nil, err
	}
	rs[0].Doc = rs[0].Body.v
	return &rs[0], nil
}

// GetSettings implements settings.Store.
func (d *DB) GetSettings(ctx context.Context) (*settings.Settings, error) {
	r, err := storedSettings(d.read(ctx))
	if err != nil || r == nil {
		return nil, opaque(err, "read the settings")
	}
	return fromSettingsRecord(r), nil
}

// PutSettings implements settings.Store.
func (d *DB) PutSettings(ctx context.Context, s *settings.Settings, c audit.Change) error {
	return d.change(ctx, c, "settings", "update", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		old, err := storedSettings(tx)
		if err != nil {
			return err
		}
		n := *s
		n.UpdatedBy, n.UpdatedAt = ch.Actor, now
		if old == nil {
			if s.Version != 0 {
				return fault.New(fault.Stale, "no settings are stored")
			}
			n.Version = 1
			r := toSettingsRecord(&n)
			describe(ch, "settings", "settings", nil, r)
			if err := tx.Create(r).Error; err != nil {
				return err
			}
			*s = n
			return nil
		}
		if old.Version != s.Version {
			return stale(tx, "settings", "settings", s.Version, fromSettingsRecord(old), func(r *settingsRecord) any { return fromSettingsRecord(r) })
		}
		n.Version = old.Version + 1
		r := toSettingsRecord(&n)
		res := tx.Model(r).Where("version = ?", old.Version).Select("*").Updates(r)
		if res.Error != nil {
			return res.Error
		}
		if res.RowsAffected != 1 {
			return fault.New(fault.Stale, "the settings changed meanwhile")
		}
		describe(ch, "settings", "settings", old, r)
		*s = n
		return nil
	})
}

var _ settings.Store = (*DB)(nil)
