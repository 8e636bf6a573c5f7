package store

import (
	"context"

	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/template"
)

type versionRecord struct {
	TemplateID string `gorm:"primaryKey"`
	Number     int    `gorm:"primaryKey;autoIncrement:false"`
	Spec       doc[*specDoc]
	Hash       string
	Author     string
	Reason     string
	RolledBack int
	At         micros
}

func (versionRecord) TableName() string { return "template_versions" }

// forAudit is what the log shows of a publication.
func (r *versionRecord) forAudit() any {
	return struct {
		Number     int      `json:"number"`
		Hash       string   `json:"hash"`
		RolledBack int      `json:"rolled_back,omitempty"`
		Spec       *specDoc `json:"spec"`
	}{r.Number, r.Hash, r.RolledBack, r.Spec.v}
}

func toVersionRecord(v *template.Version) *versionRecord {
	return &versionRecord{
		TemplateID: v.TemplateID, Number: v.Number, Spec: docOf(toSpecDoc(&v.Spec)), Hash: v.Hash,
		Author: v.Author, Reason: v.Reason, RolledBack: v.RolledBack, At: at(v.At),
	}
}

func fromVersionRecord(r *versionRecord) *template.Version {
	v := &template.Version{
		TemplateID: r.TemplateID, Number: r.Number, Hash: r.Hash, Author: r.Author, Reason: r.Reason,
		RolledBack: r.RolledBack, At: r.At.time(),
	}
	if s := r.Spec.v.spec(); s != nil {
		v.Spec = *s
	}
	return v
}

// GetVersion implements template.Store; number 0 asks for the latest.
func (d *DB) GetVersion(ctx context.Context, templateID string, number int) (*template.Version, error) {
	q := d.read(ctx).Where("template_id = ?", templateID)
	if number > 0 {
		q = q.Where("number = ?", number)
	}
	var rs []versionRecord
	if err := q.Order("number DESC").Limit(1).Find(&rs).Error; err != nil {
		return nil, opaque(err, "read the template's version")
	}
	if len(rs) == 0 {
		return nil, fault.New(fault.NotFound, "no version %d of template %q", number, templateID)
	}
	return fromVersionRecord(&rs[0]), nil
}

// ListVersions implements template.Store, newest first.
func (d *DB) ListVersions(ctx context.Context, templateID string) ([]*template.Version, error) {
	var rs []versionRecord
	if err := d.read(ctx).Where("template_id = ?", templateID).Order("number DESC").Limit(maxPage).Find(&rs).Error; err != nil {
		return nil, opaque(err, "list the template's versions")
	}
	return each(rs, func(r versionRecord) *template.Version { return fromVersionRecord(&r) }), nil
}
