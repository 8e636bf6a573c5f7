package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/allspark/allspark/server/alert"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
)

type silenceDoc struct {
	Kind     alert.Kind `json:"kind,omitempty"`
	App      string     `json:"app,omitempty"`
	IDC      string     `json:"idc,omitempty"`
	Scene    string     `json:"scene,omitempty"`
	Point    string     `json:"point,omitempty"`
	Instance string     `json:"instance,omitempty"`
	Object   string     `json:"object,omitempty"`
	Reason   string     `json:"reason"`
}

type silenceRecord struct {
	ID        string          `gorm:"primaryKey" json:"id"`
	Body      doc[silenceDoc] `json:"-"`
	Doc       silenceDoc      `gorm:"-" json:"silence"` // for the audit log
	Start     micros          `gorm:"column:start_at" json:"start"`
	End       micros          `gorm:"column:end_at" json:"end"`
	CreatedBy string          `json:"created_by"`
	Created   micros          `gorm:"column:created_at" json:"created_at"`
	Version   int64           `json:"version"`
}

func (silenceRecord) TableName() string { return "alert_silences" }

func fromSilenceRecord(r silenceRecord) alert.Silence {
	d := r.Body.v
	return alert.Silence{
		ID: r.ID, Kind: d.Kind, Scope: alert.Scope{App: d.App, IDC: d.IDC, Scene: d.Scene, Point: d.Point, Instance: d.Instance, Object: d.Object},
		Reason: d.Reason, Start: r.Start.time(), End: r.End.time(), CreatedBy: r.CreatedBy, CreatedAt: r.Created.time(), Version: r.Version,
	}
}

// CreateSilence implements alert.Store.
func (d *DB) CreateSilence(ctx context.Context, s *alert.Silence, c audit.Change) error {
	return d.change(ctx, c, "alert-silence", "create", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		x := silenceDoc{s.Kind, s.Scope.App, s.Scope.IDC, s.Scope.Scene, s.Scope.Point, s.Scope.Instance, s.Scope.Object, s.Reason}
		r := silenceRecord{newID(s.ID), docOf(x), x, at(s.Start), at(s.End), ch.Actor, at(now), 1}
		if err := tx.Create(&r).Error; err != nil {
			return err
		}
		describe(ch, r.ID, "silence", nil, &r)
		*s = fromSilenceRecord(r)
		return nil
	})
}

// EndSilence implements alert.Store.
func (d *DB) EndSilence(ctx context.Context, id string, c audit.Change) (*alert.Silence, error) {
	var out alert.Silence
	err := d.change(ctx, c, "alert-silence", "end", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		var old silenceRecord
		if err := tx.Take(&old, "id = ?", id).Error; err != nil {
			if missing(err) {
				return notFound("silence", id)
			}
			return err
		}
		old.Doc = old.Body.v
		if old.End <= at(now) {
			return fault.New(fault.Conflict, "the silence is over")
		}
		n := old
		n.End, n.Version = at(now), old.Version+1
		if err := tx.Save(&n).Error; err != nil {
			return err
		}
		ch.App, ch.IDC = old.Doc.App, old.Doc.IDC
		describe(ch, id, "silence", &old, &n)
		out = fromSilenceRecord(n)
		return nil
	})
	return &out, err
}

// ListSilences implements alert.Store.
func (d *DB) ListSilences(ctx context.Context, from time.Time) ([]alert.Silence, error) {
	var rs []silenceRecord
	if err := d.read(ctx).Where("end_at > ?", at(from)).Order("start_at DESC, id").Find(&rs).Error; err != nil {
		return nil, opaque(err, "list silences")
	}
	return each(rs, fromSilenceRecord), nil
}

type ruleDoc struct {
	Enabled   bool           `json:"enabled"`
	Severity  alert.Severity `json:"severity"`
	Threshold float64        `json:"threshold"`
	For       time.Duration  `json:"for_ns"`
	Clear     time.Duration  `json:"clear_ns"`
}

type ruleRecord struct {
	Kind      alert.Kind   `gorm:"primaryKey" json:"kind"`
	Body      doc[ruleDoc] `json:"-"`
	Doc       ruleDoc      `gorm:"-" json:"rule"` // for the audit log
	Version   int64        `json:"version"`
	UpdatedBy string       `json:"updated_by"`
	Updated   micros       `gorm:"column:updated_at" json:"updated_at"`
}

func (ruleRecord) TableName() string { return "alert_rules" }

func fromRuleRecord(r ruleRecord) alert.Rule {
	d := r.Body.v
	return alert.Rule{
		Kind: r.Kind, Enabled: d.Enabled, Severity: d.Severity, Threshold: d.Threshold, For: d.For, Clear: d.Clear,
		Version: r.Version, UpdatedBy: r.UpdatedBy, UpdatedAt: r.Updated.time(),
	}
}

// ListRules implements alert.Store.
func (d *DB) ListRules(ctx context.Context) ([]alert.Rule, error) {
	var rs []ruleRecord
	if err := d.read(ctx).Order("kind").Find(&rs).Error; err != nil {
		return nil, opaque(err, "list alert rules")
	}
	return each(rs, fromRuleRecord), nil
}

// PutRule implements alert.Store.
func (d *DB) PutRule(ctx context.Context, s *alert.Rule, c audit.Change) error {
	return d.change(ctx, c, "alert-rule", "update", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		var held []ruleRecord
		if err := tx.Find(&held, "kind = ?", s.Kind).Error; err != nil {
			return err
		}
		x := ruleDoc{s.Enabled, s.Severity, s.Threshold, s.For, s.Clear}
		r := ruleRecord{s.Kind, docOf(x), x, s.Version + 1, ch.Actor, at(now)}
		if len(held) == 0 {
			if s.Version != 0 {
				return fault.New(fault.Stale, "the rule was never saved")
			}
			describe(ch, string(s.Kind), string(s.Kind), nil, &r)
			if err := tx.Create(&r).Error; err != nil {
				return err
			}
			*s = fromRuleRecord(r)
			return nil
		}
		old := held[0]
		old.Doc = old.Body.v
		if old.Version != s.Version {
			theirs := fromRuleRecord(old)
			return stale(tx, "alert-rule", string(s.Kind), s.Version, &theirs, func(o *ruleRecord) any {
				o.Body = docOf(o.Doc)
				b := fromRuleRecord(*o)
				return &b
			})
		}
		if err := tx.Save(&r).Error; err != nil {
			return err
		}
		describe(ch, string(s.Kind), string(s.Kind), &old, &r)
		*s = fromRuleRecord(r)
		return nil
	})
}
