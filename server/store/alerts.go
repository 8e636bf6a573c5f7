package store

import (
	"context"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/allspark/allspark/server/alert"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
)

type alertDoc struct {
	Severity alert.Severity `json:"severity"`
	Instance string         `json:"instance,omitempty"`
	Object   string         `json:"object,omitempty"`
	Reason   string         `json:"reason"`
	Value    float64        `json:"value"`
	Limit    float64        `json:"limit"`
	Places   []string       `json:"places,omitempty"`
	Ending   string         `json:"ending,omitempty"`
	Note     string         `json:"note,omitempty"`
}

type alertRecord struct {
	ID          string        `gorm:"primaryKey" json:"id"`
	Fingerprint string        `json:"fingerprint"`
	OpenKey     string        `json:"-"`
	Kind        alert.Kind    `json:"kind"`
	App         string        `json:"app"`
	IDC         string        `gorm:"column:idc" json:"idc"`
	Scene       string        `json:"scene"`
	Point       string        `json:"point"`
	Body        doc[alertDoc] `json:"-"`
	Doc         alertDoc      `gorm:"-" json:"alert"` // for the audit log
	Started     micros        `gorm:"column:started_at" json:"started_at"`
	Fired       micros        `gorm:"column:fired_at" json:"fired_at"`
	Resolved    micros        `gorm:"column:resolved_at" json:"resolved_at"`
	AckedBy     string        `json:"acked_by"`
	Acked       micros        `gorm:"column:acked_at" json:"acked_at"`
	Notified    micros        `gorm:"column:notified_at" json:"-"`
	Version     int64         `json:"version"`
}

func (alertRecord) TableName() string { return "alerts" }

func toAlertRecord(a *alert.Alert) *alertRecord {
	d := alertDoc{
		Severity: a.Severity, Instance: a.Scope.Instance, Object: a.Scope.Object, Reason: a.Reason, Value: a.Value, Limit: a.Limit,
		Places: a.Places, Ending: a.Ending, Note: a.Note,
	}
	r := &alertRecord{
		ID: a.ID, Fingerprint: a.Fingerprint, OpenKey: a.Fingerprint, Kind: a.Kind, App: a.Scope.App, IDC: a.Scope.IDC, Scene: a.Scope.Scene,
		Point: a.Scope.Point, Body: docOf(d), Doc: d, Started: at(a.StartedAt), Fired: at(a.FiredAt), Resolved: at(a.ResolvedAt),
		AckedBy: a.AckedBy, Acked: at(a.AckedAt), Notified: at(a.NotifiedAt), Version: a.Version,
	}
	if !a.Open() {
		r.OpenKey = a.ID
	}
	return r
}

func fromAlertRecord(r *alertRecord) *alert.Alert {
	d := &r.Body.v
	return &alert.Alert{
		ID: r.ID, Fingerprint: r.Fingerprint, Kind: r.Kind, Severity: d.Severity,
		Scope:  alert.Scope{App: r.App, IDC: r.IDC, Scene: r.Scene, Point: r.Point, Instance: d.Instance, Object: d.Object},
		Reason: d.Reason, Value: d.Value, Limit: d.Limit, Places: d.Places, Ending: d.Ending, Note: d.Note,
		StartedAt: r.Started.time(), FiredAt: r.Fired.time(), ResolvedAt: r.Resolved.time(),
		AckedBy: r.AckedBy, AckedAt: r.Acked.time(), NotifiedAt: r.Notified.time(), Version: r.Version,
	}
}

// RaiseAlert implements alert.Store.
func (d *DB) RaiseAlert(ctx context.Context, a *alert.Alert, c audit.Change) error {
	return d.change(ctx, c, "alert", "raise", func(tx *gorm.DB, _ time.Time, ch *audit.Change) error {
		n := *a
		n.ID, n.Version = newID(a.ID), 1
		r := toAlertRecord(&n)
		if err := tx.Create(r).Error; err != nil {
			return taken(err, "this alert stands already")
		}
		describe(ch, n.ID, n.Title(), nil, r)
		*a = *fromAlertRecord(r)
		return nil
	})
}

func heldAlert(tx *gorm.DB, id string) (*alertRecord, error) {
	var r alertRecord
	if err := tx.Take(&r, "id = ?", id).Error; err != nil {
		if missing(err) {
			return nil, notFound("alert", id)
		}
		return nil, err
	}
	r.Doc = r.Body.v
	return &r, nil
}

// ResolveAlert implements alert.Store.
func (d *DB) ResolveAlert(ctx context.Context, a *alert.Alert, ds []alert.Delivery, c audit.Change) error {
	err := d.change(ctx, c, "alert", "resolve", func(tx *gorm.DB, _ time.Time, ch *audit.Change) error {
		old, err := heldAlert(tx, a.ID)
		if err != nil {
			return err
		}
		if old.Resolved != 0 {
			return fault.New(fault.Conflict, "the alert is resolved already")
		}
		n := fromAlertRecord(old)
		n.ResolvedAt, n.Ending, n.Version = a.ResolvedAt, a.Ending, old.Version+1
		n.Value, n.Reason, n.Places = a.Value, a.Reason, a.Places
		r := toAlertRecord(n)
		if err := tx.Save(r).Error; err != nil {
			return err
		}
		describe(ch, n.ID, n.Title(), old, r)
		return createDeliveries(tx, ds)
	})
	if fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) {
		return nil // somebody was first, which is what was wanted
	}
	return err
}

// AckAlert implements alert.Store.
func (d *DB) AckAlert(ctx context.Context, id, note string, c audit.Change) (*alert.Alert, error) {
	var out *alert.Alert
	err := d.change(ctx, c, "alert", "ack", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		old, err := heldAlert(tx, id)
		if err != nil {
			return err
		}
		if old.AckedBy != "" {
			return fault.New(fault.Conflict, "%s looks after it already", old.AckedBy)
		}
		out = fromAlertRecord(old)
		out.AckedBy, out.AckedAt, out.Note, out.Version = ch.Actor, now, note, old.Version+1
		r := toAlertRecord(out)
		if err := tx.Save(r).Error; err != nil {
			return err
		}
		ch.App, ch.IDC = old.App, old.IDC
		describe(ch, id, out.Title(), old, r)
		out = fromAlertRecord(r)
		return nil
	})
	return out, err
}

// GetAlert implements alert.Store.
func (d *DB) GetAlert(ctx context.Context, id string) (*alert.Alert, error) {
	r, err := heldAlert(d.read(ctx), id)
	if err != nil {
		return nil, opaque(err, "read an alert")
	}
	return fromAlertRecord(r), nil
}

// ListAlerts implements alert.Store.
func (d *DB) ListAlerts(ctx context.Context, f alert.Filter) ([]*alert.Alert, error) {
	q := d.read(ctx).Order("fired_at DESC, id DESC")
	if f.Open {
		q = q.Where("resolved_at = 0")
	}
	for column, v := range map[string]string{"kind": string(f.Kind), "scene": f.Scene, "point": f.Point} {
		if v != "" {
			q = q.Where(column+" = ?", v)
		}
	}
	for column, v := range map[string]string{"app": f.App, "idc": f.IDC} { // "*" is several, so all are meant, too
		if v != "" {
			q = q.Where(column+" IN ?", []string{v, "*"})
		}
	}
	if f.Search != "" {
		like := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(strings.ToLower(f.Search)) + "%"
		q = q.Where(`LOWER(fingerprint) LIKE ? ESCAPE '\' OR LOWER(point) LIKE ? ESCAPE '\' OR LOWER(body) LIKE ? ESCAPE '\'`, like, like, like)
	}
	if !f.From.IsZero() {
		q = q.Where("fired_at >= ?", at(f.From))
	}
	if !f.To.IsZero() {
		q = q.Where("fired_at < ?", at(f.To))
	}
	if !f.Before.IsZero() {
		q = q.Where("fired_at < ? OR fired_at = ? AND id < ?", at(f.Before), at(f.Before), f.BeforeID)
	}
	if f.Limit > 0 {
		q = q.Limit(f.Limit)
	}
	var rs []alertRecord
	if err := q.Find(&rs).Error; err != nil {
		return nil, opaque(err, "list alerts")
	}
	out := make([]*alert.Alert, len(rs))
	for i := range rs {
		out[i] = fromAlertRecord(&rs[i])
	}
	return out, nil
}

// PruneAlerts implements alert.Store.
func (d *DB) PruneAlerts(ctx context.Context, before time.Time) (n int64, err error) {
	err = d.write(ctx, "prune alerts", func(tx *gorm.DB) error {
		old := tx.Model(&alertRecord{}).Select("id").Where("resolved_at > 0 AND resolved_at < ?", at(before))
		if err := tx.Where("alert_id IN (?)", old).Delete(&deliveryRecord{}).Error; err != nil {
			return err
		}
		res := tx.Delete(&alertRecord{}, "resolved_at > 0 AND resolved_at < ?", at(before))
		n = res.RowsAffected
		if res.Error != nil {
			return res.Error
		}
		return tx.Delete(&silenceRecord{}, "end_at < ?", at(before)).Error
	})
	return n, err
}

var _ alert.Store = (*DB)(nil)
