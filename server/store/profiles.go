package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/profile"
)

type profileDoc struct {
	Classes []classDoc `json:"classes"`
	Levels  []levelDoc `json:"levels"`
}

type classDoc struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"`
}

type levelDoc struct {
	RT      [][][2]float64 `json:"rt"` // by class: quantile, ms
	Work    float64        `json:"work"`
	Effect  float64        `json:"effect"`
	Output  float64        `json:"output,omitempty"`
	Cap     float64        `json:"cap,omitempty"`
	Samples int64          `json:"samples,omitempty"`
}

type profileRecord struct {
	ID              string          `gorm:"primaryKey" json:"id"`
	App             string          `json:"app"`
	Point           string          `json:"point"`
	Scene           string          `json:"scene"`
	LevelTable      string          `json:"level_table,omitempty"`
	Source          string          `json:"source"`
	Template        string          `json:"template,omitempty"`
	TemplateVersion int             `json:"template_version,omitempty"`
	Body            doc[profileDoc] `json:"-"`
	Doc             *profileDoc     `gorm:"-" json:"profile,omitempty"` // for the audit log
	Measured        micros          `gorm:"column:measured_at" json:"measured_at"`
	Version         int64           `json:"version"`
	CreatedBy       string          `json:"created_by"`
	Created         micros          `gorm:"column:created_at" json:"created_at"`
	UpdatedBy       string          `json:"updated_by"`
	Updated         micros          `gorm:"column:updated_at" json:"updated_at"`
}

func (profileRecord) TableName() string { return "profiles" }

func toProfileRecord(p *profile.Profile) *profileRecord {
	d := profileDoc{
		Classes: each(p.Classes, func(c allocation.Class) classDoc { return classDoc(c) }),
		Levels: each(p.Levels, func(l profile.Level) levelDoc {
			return levelDoc{RT: each(l.RT, func(qs []allocation.Quantile) [][2]float64 {
				return each(qs, func(q allocation.Quantile) [2]float64 { return [2]float64{q.Q, q.MS} })
			}), Work: l.Work, Effect: l.Effect, Output: l.Output, Cap: l.Cap, Samples: l.Samples}
		}),
	}
	r := &profileRecord{
		ID: p.ID, App: p.App, Point: p.Point, Scene: p.Scene, LevelTable: p.Table, Source: string(p.Source),
		Template: p.Template, TemplateVersion: p.TemplateVersion, Body: docOf(d), Measured: at(p.MeasuredAt), Version: p.Version,
		CreatedBy: p.CreatedBy, Created: at(p.CreatedAt), UpdatedBy: p.UpdatedBy, Updated: at(p.UpdatedAt),
	}
	return r.told()
}

// told decides what the audit log keeps: an upload as a whole, because somebody
// answers for it; what was learnt without its figures, or an hour of learning
// would fill the log.
func (r *profileRecord) told() *profileRecord {
	if r.Source == string(profile.Uploaded) {
		r.Doc = &r.Body.v
	}
	return r
}

func fromProfileRecord(r *profileRecord) *profile.Profile {
	b := r.Body.v
	return &profile.Profile{
		ID: r.ID, Key: profile.Key{App: r.App, Point: r.Point, Scene: r.Scene, Table: r.LevelTable}, Source: profile.Source(r.Source),
		Template: r.Template, TemplateVersion: r.TemplateVersion, MeasuredAt: r.Measured.time(), Version: r.Version,
		CreatedBy: r.CreatedBy, CreatedAt: r.Created.time(), UpdatedBy: r.UpdatedBy, UpdatedAt: r.Updated.time(),
		Classes: each(b.Classes, func(c classDoc) allocation.Class { return allocation.Class(c) }),
		Levels: each(b.Levels, func(l levelDoc) profile.Level {
			return profile.Level{RT: each(l.RT, func(qs [][2]float64) []allocation.Quantile {
				return each(qs, func(q [2]float64) allocation.Quantile { return allocation.Quantile{Q: q[0], MS: q[1]} })
			}), Work: l.Work, Effect: l.Effect, Output: l.Output, Cap: l.Cap, Samples: l.Samples}
		}),
	}
}

// PutProfile implements profile.Store.
func (d *DB) PutProfile(ctx context.Context, p *profile.Profile, c audit.Change) error {
	return d.change(ctx, c, "profile", "update", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		n := *p
		ch.App = byOr(ch.App, scoped(p.App))
		n.UpdatedBy, n.UpdatedAt = ch.Actor, now
		if p.Version == 0 {
			n.ID, n.Version = newID(p.ID), 1
			n.CreatedBy = byOr(n.CreatedBy, ch.Actor)
			stamp(&n.CreatedAt, now)
			r := toProfileRecord(&n)
			if err := tx.Create(r).Error; err != nil {
				return taken(err, "there is a %s profile of %s already", p.Source, p.Key)
			}
			describe(ch, n.ID, n.Key.String(), nil, r)
			*p = n
			return nil
		}
		old, err := d.heldProfile(tx, p.ID, p.Version)
		if err != nil {
			return err
		}
		n.Version, n.CreatedBy, n.CreatedAt = old.Version+1, old.CreatedBy, old.Created.time()
		r := toProfileRecord(&n)
		res := tx.Model(r).Where("version = ?", old.Version).Select("*").Updates(r)
		if res.Error != nil {
			return taken(res.Error, "there is a %s profile of %s already", p.Source, p.Key)
		}
		if res.RowsAffected != 1 {
			return fault.New(fault.Stale, "the profile of %s changed meanwhile", p.Key)
		}
		describe(ch, n.ID, n.Key.String(), old, r)
		*p = n
		return nil
	})
}

func (d *DB) heldProfile(tx *gorm.DB, id string, version int64) (*profileRecord, error) {
	var r profileRecord
	if err := tx.Take(&r, "id = ?", id).Error; err != nil {
		if missing(err) {
			return nil, notFound("profile", id)
		}
		return nil, err
	}
	r.told()
	if r.Version == version {
		return &r, nil
	}
	return nil, stale(tx, "profile", id, version, fromProfileRecord(&r), func(old *profileRecord) any {
		if old.Doc == nil {
			return nil
		}
		old.Body = docOf(*old.Doc)
		return fromProfileRecord(old)
	})
}

// DeleteProfile implements profile.Store.
func (d *DB) DeleteProfile(ctx context.Context, id string, version int64, c audit.Change) error {
	return d.change(ctx, c, "profile", "delete", func(tx *gorm.DB, _ time.Time, ch *audit.Change) error {
		old, err := d.heldProfile(tx, id, version)
		if err != nil {
			return err
		}
		if err := tx.Delete(&profileRecord{}, "id = ? AND version = ?", id, version).Error; err != nil {
			return err
		}
		ch.App = byOr(ch.App, scoped(old.App))
		describe(ch, id, fromProfileRecord(old).Key.String(), old, nil)
		return nil
	})
}

// GetProfile implements profile.Store.
func (d *DB) GetProfile(ctx context.Context, id string) (*profile.Profile, error) {
	var r profileRecord
	if err := d.read(ctx).Take(&r, "id = ?", id).Error; err != nil {
		if missing(err) {
			return nil, notFound("profile", id)
		}
		return nil, opaque(err, "read the profile")
	}
	return fromProfileRecord(&r), nil
}

// FindProfile implements profile.Store.
func (d *DB) FindProfile(ctx context.Context, k profile.Key, s profile.Source) (*profile.Profile, error) {
	var rs []profileRecord
	err := d.read(ctx).Where("app = ? AND point = ? AND scene = ? AND level_table = ? AND source = ?", k.App, k.Point, k.Scene, k.Table, string(s)).Find(&rs).Error
	if err != nil || len(rs) == 0 {
		return nil, opaque(err, "find the profile")
	}
	return fromProfileRecord(&rs[0]), nil
}

// ListProfiles implements profile.Store, by ID: in the order they were made.
func (d *DB) ListProfiles(ctx context.Context, f profile.Filter) ([]*profile.Profile, string, error) {
	q := d.read(ctx)
	for _, x := range [...]struct{ column, v string }{{"app", f.App}, {"point", f.Point}, {"scene", f.Scene}, {"source", string(f.Source)}} {
		if x.v != "" {
			q = q.Where(x.column+" = ?", x.v)
		}
	}
	c, ok, err := parseCursor(f.After, "id")
	if err != nil {
		return nil, "", err
	}
	if ok {
		q = q.Where("id > ?", c.ID)
	}
	n := pageSize(f.Limit)
	var rs []profileRecord
	if err := q.Order("id").Limit(n + 1).Find(&rs).Error; err != nil {
		return nil, "", opaque(err, "list profiles")
	}
	next := ""
	if len(rs) > n {
		rs = rs[:n]
		next = cursor{Sort: "id", ID: rs[n-1].ID}.encode()
	}
	return each(rs, func(r profileRecord) *profile.Profile { return fromProfileRecord(&r) }), next, nil
}

var _ profile.Store = (*DB)(nil)
