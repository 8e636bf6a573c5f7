package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/allspark/allspark/server/alert"
	"github.com/allspark/allspark/server/audit"
)

type sinkDoc struct {
	Kind     alert.SinkKind `json:"kind"`
	Enabled  bool           `json:"enabled"`
	Resolved bool           `json:"resolved"`
	App      string         `json:"app,omitempty"`
	IDC      string         `json:"idc,omitempty"`
	Kinds    []alert.Kind   `json:"kinds,omitempty"`
	Severity alert.Severity `json:"severity,omitempty"`
	Host     string         `json:"host"` // of the address, for the audit log
}

type sinkRecord struct {
	ID        string       `gorm:"primaryKey" json:"id"`
	Name      string       `json:"name"`
	URL       string       `gorm:"column:url" json:"-"` // a secret
	Secret    string       `json:"-"`
	Body      doc[sinkDoc] `json:"-"`
	Doc       sinkDoc      `gorm:"-" json:"sink"` // for the audit log
	Version   int64        `json:"version"`
	CreatedBy string       `json:"created_by"`
	Created   micros       `gorm:"column:created_at" json:"created_at"`
	UpdatedBy string       `json:"updated_by"`
	Updated   micros       `gorm:"column:updated_at" json:"updated_at"`
}

func (sinkRecord) TableName() string { return "alert_sinks" }

func toSinkRecord(s *alert.Sink) *sinkRecord {
	d := sinkDoc{s.Kind, s.Enabled, s.Resolved, s.Filter.App, s.Filter.IDC, s.Filter.Kinds, s.Filter.Severity, s.ShownURL()}
	return &sinkRecord{
		ID: s.ID, Name: s.Name, URL: s.URL, Secret: s.Secret, Body: docOf(d), Doc: d, Version: s.Version,
		CreatedBy: s.CreatedBy, Created: at(s.CreatedAt), UpdatedBy: s.UpdatedBy, Updated: at(s.UpdatedAt),
	}
}

func fromSinkRecord(r *sinkRecord) *alert.Sink {
	d := &r.Body.v
	return &alert.Sink{
		ID: r.ID, Name: r.Name, Kind: d.Kind, URL: r.URL, Secret: r.Secret, Enabled: d.Enabled, Resolved: d.Resolved,
		Filter:  alert.SinkFilter{App: d.App, IDC: d.IDC, Kinds: d.Kinds, Severity: d.Severity},
		Version: r.Version, CreatedBy: r.CreatedBy, CreatedAt: r.Created.time(), UpdatedBy: r.UpdatedBy, UpdatedAt: r.Updated.time(),
	}
}

// CreateSink implements alert.Store.
func (d *DB) CreateSink(ctx context.Context, s *alert.Sink, c audit.Change) error {
	return d.change(ctx, c, "alert-sink", "create", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		n := *s
		n.ID, n.Version, n.CreatedBy, n.UpdatedBy, n.CreatedAt, n.UpdatedAt = newID(s.ID), 1, ch.Actor, ch.Actor, now, now
		r := toSinkRecord(&n)
		if err := tx.Create(r).Error; err != nil {
			return taken(err, "there is a sink %q already", n.Name)
		}
		describe(ch, n.ID, n.Name, nil, r)
		*s = *fromSinkRecord(r)
		return nil
	})
}

func heldSink(tx *gorm.DB, id string, version int64) (*sinkRecord, error) {
	var old sinkRecord
	if err := tx.Take(&old, "id = ?", id).Error; err != nil {
		if missing(err) {
			return nil, notFound("sink", id)
		}
		return nil, err
	}
	old.Doc = old.Body.v
	if old.Version != version {
		return nil, stale(tx, "alert-sink", id, version, fromSinkRecord(&old), func(r *sinkRecord) any {
			r.Body = docOf(r.Doc)
			return fromSinkRecord(r)
		})
	}
	return &old, nil
}

// UpdateSink implements alert.Store.
func (d *DB) UpdateSink(ctx context.Context, s *alert.Sink, c audit.Change) error {
	return d.change(ctx, c, "alert-sink", "update", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		old, err := heldSink(tx, s.ID, s.Version)
		if err != nil {
			return err
		}
		n := *s
		n.Version, n.CreatedBy, n.CreatedAt = old.Version+1, old.CreatedBy, old.Created.time()
		n.UpdatedBy, n.UpdatedAt = ch.Actor, now
		r := toSinkRecord(&n)
		if err := tx.Save(r).Error; err != nil {
			return taken(err, "there is a sink %q already", n.Name)
		}
		describe(ch, n.ID, n.Name, old, r)
		*s = *fromSinkRecord(r)
		return nil
	})
}

// DeleteSink implements alert.Store.
func (d *DB) DeleteSink(ctx context.Context, id string, version int64, c audit.Change) error {
	return d.change(ctx, c, "alert-sink", "delete", func(tx *gorm.DB, _ time.Time, ch *audit.Change) error {
		old, err := heldSink(tx, id, version)
		if err != nil {
			return err
		}
		describe(ch, id, old.Name, old, nil)
		if err := tx.Delete(&deliveryRecord{}, "sink_id = ?", id).Error; err != nil {
			return err
		}
		return tx.Delete(&sinkRecord{}, "id = ?", id).Error
	})
}

// GetSink implements alert.Store.
func (d *DB) GetSink(ctx context.Context, id string) (*alert.Sink, error) {
	var rs []sinkRecord
	if err := d.read(ctx).Where("id = ? OR name = ?", id, id).Find(&rs).Error; err != nil {
		return nil, opaque(err, "read a sink")
	}
	for i := range rs { // an id goes before a name that looks like one
		if rs[i].ID == id || len(rs) == 1 {
			return fromSinkRecord(&rs[i]), nil
		}
	}
	return nil, notFound("sink", id)
}

// ListSinks implements alert.Store.
func (d *DB) ListSinks(ctx context.Context) ([]*alert.Sink, error) {
	var rs []sinkRecord
	if err := d.read(ctx).Order("name").Find(&rs).Error; err != nil {
		return nil, opaque(err, "list sinks")
	}
	return each(rs, func(r sinkRecord) *alert.Sink { return fromSinkRecord(&r) }), nil
}
