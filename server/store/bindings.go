package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/template"
)

type bindingRecord struct {
	ID         string `gorm:"primaryKey" json:"id"`
	Scene      string `json:"scene"`
	IDC        string `gorm:"column:idc" json:"idc"`
	App        string `json:"app"`
	Point      string `json:"point"`
	TemplateID string `json:"template_id"`
	Template   string `gorm:"->;-:migration" json:"template"` // joined
	Pin        int    `json:"pin"`
	Version    int64  `json:"version"`
	CreatedBy  string `json:"created_by"`
	Created    micros `gorm:"column:created_at" json:"created_at"`
	UpdatedBy  string `json:"updated_by"`
	Updated    micros `gorm:"column:updated_at" json:"updated_at"`
}

func (bindingRecord) TableName() string { return "bindings" }

func toBindingRecord(b *template.Binding) *bindingRecord {
	return &bindingRecord{
		ID: b.ID, Scene: b.Selector.Scene, IDC: b.Selector.IDC, App: b.Selector.App, Point: b.Selector.Point,
		TemplateID: b.TemplateID, Template: b.Template, Pin: b.Pin, Version: b.Version,
		CreatedBy: b.CreatedBy, Created: at(b.CreatedAt), UpdatedBy: b.UpdatedBy, Updated: at(b.UpdatedAt),
	}
}

func fromBindingRecord(r *bindingRecord) *template.Binding {
	return &template.Binding{
		ID: r.ID, Selector: template.Selector{Scene: r.Scene, IDC: r.IDC, App: r.App, Point: r.Point},
		TemplateID: r.TemplateID, Template: r.Template, Pin: r.Pin, Version: r.Version,
		CreatedBy: r.CreatedBy, CreatedAt: r.Created.time(), UpdatedBy: r.UpdatedBy, UpdatedAt: r.Updated.time(),
	}
}

func joinedBindings(tx *gorm.DB) *gorm.DB {
	return tx.Model(&bindingRecord{}).
		Select("bindings.*, COALESCE(templates.name, '') AS template").
		Joins("LEFT JOIN templates ON templates.id = bindings.template_id")
}

// CreateBinding implements template.Store.
func (d *DB) CreateBinding(ctx context.Context, b *template.Binding, c audit.Change) error {
	return d.change(ctx, c, "binding", "create", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		n := *b
		n.ID, n.Version = newID(b.ID), 1
		n.CreatedBy, n.UpdatedBy = byOr(n.CreatedBy, ch.Actor), byOr(n.UpdatedBy, ch.Actor)
		stamp(&n.CreatedAt, now)
		n.UpdatedAt = now
		if err := checkBinding(tx, &n); err != nil {
			return err
		}
		r := toBindingRecord(&n)
		if err := tx.Create(r).Error; err != nil {
			return taken(err, "the selector is bound already")
		}
		describeBinding(ch, r, nil, r)
		*b = n
		return nil
	})
}

// UpdateBinding implements template.Store.
func (d *DB) UpdateBinding(ctx context.Context, b *template.Binding, c audit.Change) error {
	return d.change(ctx, c, "binding", "update", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		old, err := heldBinding(tx, b.ID, b.Version)
		if err != nil {
			return err
		}
		n := *b
		n.Version = old.Version + 1
		n.CreatedBy, n.CreatedAt = old.CreatedBy, old.Created.time()
		n.UpdatedBy, n.UpdatedAt = ch.Actor, now
		if err := checkBinding(tx, &n); err != nil {
			return err
		}
		r := toBindingRecord(&n)
		res := tx.Model(r).Where("version = ?", old.Version).Select("*").Updates(r)
		if res.Error != nil {
			return taken(res.Error, "the selector is bound already")
		}
		if res.RowsAffected != 1 {
			return fault.New(fault.Stale, "the binding changed meanwhile")
		}
		describeBinding(ch, r, old, r)
		*b = n
		return nil
	})
}

// DeleteBinding implements template.Store.
func (d *DB) DeleteBinding(ctx context.Context, id string, version int64, c audit.Change) error {
	return d.change(ctx, c, "binding", "delete", func(tx *gorm.DB, _ time.Time, ch *audit.Change) error {
		old, err := heldBinding(tx, id, version)
		if err != nil {
			return err
		}
		if err := tx.Delete(&bindingRecord{}, "id = ? AND version = ?", id, version).Error; err != nil {
			return err
		}
		describeBinding(ch, old, old, nil)
		return nil
	})
}

// checkBinding fills in the template's name and checks what depends on other
// rows; the audit head's lock keeps them from changing before the commit.
func checkBinding(tx *gorm.DB, b *template.Binding) error {
	var t templateRecord
	if err := tx.Select("id", "name", "latest").Take(&t, "id = ?", b.TemplateID).Error; err != nil {
		if missing(err) {
			return fault.WithProblems(gear.Problems{{Path: "template", Code: "unknown", Message: "there is no such template"}}, "the binding cannot be saved")
		}
		return err
	}
	if b.Pin < 0 || b.Pin > t.Latest {
		return fault.WithProblems(gear.Problems{{Path: "version", Code: "unknown", Message: "the template has no such version"}}, "the binding cannot be saved")
	}
	b.Template = t.Name
	var rs []bindingRecord
	if err := joinedBindings(tx).Where("bindings.id <> ?", b.ID).Find(&rs).Error; err != nil {
		return err
	}
	others := each(rs, func(r bindingRecord) *template.Binding { return fromBindingRecord(&r) })
	if o := template.Clash(others, b); o != nil {
		f := fault.New(fault.Conflict, "the selector is as specific as the binding of %q to %s and both can match", o.Template, o.Selector)
		f.Detail = o
		return f
	}
	return nil
}

func describeBinding(ch *audit.Change, r *bindingRecord, before, after any) {
	ch.App, ch.IDC = byOr(ch.App, scoped(r.App)), byOr(ch.IDC, scoped(r.IDC))
	if b, ok := before.(*bindingRecord); ok && b == nil {
		before = nil
	}
	describe(ch, r.ID, r.Template+" on "+template.Selector{Scene: r.Scene, IDC: r.IDC, App: r.App, Point: r.Point}.String(), before, after)
}

// scoped is how the audit log says "everywhere".
func scoped(s string) string {
	if s == gear.Any {
		return ""
	}
	return s
}

func heldBinding(tx *gorm.DB, id string, version int64) (*bindingRecord, error) {
	var rs []bindingRecord
	if err := joinedBindings(tx).Where("bindings.id = ?", id).Find(&rs).Error; err != nil {
		return nil, err
	}
	if len(rs) == 0 {
		return nil, notFound("binding", id)
	}
	if rs[0].Version == version {
		return &rs[0], nil
	}
	return nil, stale(tx, "binding", id, version, fromBindingRecord(&rs[0]), func(r *bindingRecord) any { return fromBindingRecord(r) })
}

// GetBinding implements template.Store.
func (d *DB) GetBinding(ctx context.Context, id string) (*template.Binding, error) {
	var rs []bindingRecord
	if err := joinedBindings(d.read(ctx)).Where("bindings.id = ?", id).Find(&rs).Error; err != nil {
		return nil, opaque(err, "read the binding")
	}
	if len(rs) == 0 {
		return nil, notFound("binding", id)
	}
	return fromBindingRecord(&rs[0]), nil
}

// ListBindings implements template.Store.
func (d *DB) ListBindings(ctx context.Context) ([]*template.Binding, error) {
	var rs []bindingRecord
	if err := joinedBindings(d.read(ctx)).Order("bindings.app, bindings.point, bindings.scene, bindings.idc").Find(&rs).Error; err != nil {
		return nil, opaque(err, "list bindings")
	}
	return each(rs, func(r bindingRecord) *template.Binding { return fromBindingRecord(&r) }), nil
}
