package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/quota"
	"github.com/allspark/allspark/server/template"
)

type placeDoc struct {
	Scene string `json:"scene"`
	IDC   string `json:"idc"`
	App   string `json:"app"`
	Point string `json:"point"`
}

type gainDoc struct {
	Quota float64 `json:"quota"`
	Gain  float64 `json:"gain"`
}

type curveDoc struct {
	From   float64   `json:"from"`
	Value  float64   `json:"value"`
	Points []gainDoc `json:"points"`
}

type quotaDoc struct {
	Description  string        `json:"description,omitempty"`
	Members      []placeDoc    `json:"members"`
	Enabled      bool          `json:"enabled"`
	Total        float64       `json:"total_quota"`
	Window       time.Duration `json:"window_ns"`
	Delay        time.Duration `json:"delay_ns"`
	Min          float64       `json:"q_min"`
	Max          float64       `json:"q_max"`
	Default      float64       `json:"default_quota"`
	Law          quota.Law     `json:"law"`
	Kp           float64       `json:"kp"`
	Ki           float64       `json:"ki"`
	Kd           float64       `json:"kd"`
	FeedForward  bool          `json:"feed_forward"`
	WeightMin    float64       `json:"weight_min"`
	WeightMax    float64       `json:"weight_max"`
	Normalise    bool          `json:"normalise"`
	Watermark    float64       `json:"watermark"`
	FallbackSlew float64       `json:"fallback_slew"`
	ReturnSlew   float64       `json:"return_slew"`
	Curves       []curveDoc    `json:"curves,omitempty"`
}

type quotaRecord struct {
	ID        string        `gorm:"primaryKey" json:"id"`
	Name      string        `json:"name"`
	Body      doc[quotaDoc] `json:"-"`
	Doc       quotaDoc      `gorm:"-" json:"group"` // for the audit log
	Version   int64         `json:"version"`
	CreatedBy string        `json:"created_by"`
	Created   micros        `gorm:"column:created_at" json:"created_at"`
	UpdatedBy string        `json:"updated_by"`
	Updated   micros        `gorm:"column:updated_at" json:"updated_at"`
}

func (quotaRecord) TableName() string { return "quota_groups" }

func toQuotaRecord(g *quota.Group) *quotaRecord {
	s := &g.Settings
	d := quotaDoc{
		Description: g.Description, Enabled: g.Enabled, Total: s.Total, Window: s.Window, Delay: s.Delay, Min: s.Min, Max: s.Max,
		Default: s.Default, Law: s.Law, Kp: s.Kp, Ki: s.Ki, Kd: s.Kd, FeedForward: s.FeedForward,
		WeightMin: s.WeightMin, WeightMax: s.WeightMax, Normalise: s.Normalise, Watermark: s.Watermark,
		FallbackSlew: s.FallbackSlew, ReturnSlew: s.ReturnSlew,
		Members: each(g.Members, func(m template.Selector) placeDoc { return placeDoc(m) }),
	}
	for _, c := range s.Curves {
		d.Curves = append(d.Curves, curveDoc{c.From, c.Value, each(c.Points, func(p quota.Gain) gainDoc { return gainDoc(p) })})
	}
	return &quotaRecord{
		ID: g.ID, Name: g.Name, Body: docOf(d), Doc: d, Version: g.Version,
		CreatedBy: g.CreatedBy, Created: at(g.CreatedAt), UpdatedBy: g.UpdatedBy, Updated: at(g.UpdatedAt),
	}
}

func fromQuotaRecord(r *quotaRecord) *quota.Group {
	d := &r.Body.v
	g := &quota.Group{
		ID: r.ID, Name: r.Name, Description: d.Description, Enabled: d.Enabled, Version: r.Version,
		Members: each(d.Members, func(m placeDoc) template.Selector { return template.Selector(m) }),
		Settings: quota.Settings{
			Total: d.Total, Window: d.Window, Delay: d.Delay, Min: d.Min, Max: d.Max, Default: d.Default, Law: d.Law,
			Kp: d.Kp, Ki: d.Ki, Kd: d.Kd, FeedForward: d.FeedForward, WeightMin: d.WeightMin, WeightMax: d.WeightMax,
			Normalise: d.Normalise, Watermark: d.Watermark, FallbackSlew: d.FallbackSlew, ReturnSlew: d.ReturnSlew,
		},
		CreatedBy: r.CreatedBy, CreatedAt: r.Created.time(), UpdatedBy: r.UpdatedBy, UpdatedAt: r.Updated.time(),
	}
	for _, c := range d.Curves {
		g.Settings.Curves = append(g.Settings.Curves, quota.Curve{From: c.From, Value: c.Value, Points: each(c.Points, func(p gainDoc) quota.Gain { return quota.Gain(p) })})
	}
	return g
}

func heldGroup(tx *gorm.DB, id string, version int64) (*quotaRecord, error) {
	var old quotaRecord
	if err := tx.Take(&old, "id = ?", id).Error; err != nil {
		if missing(err) {
			return nil, notFound("quota-group", id)
		}
		return nil, err
	}
	if old.Version != version {
		return nil, stale(tx, "quota-group", id, version, fromQuotaRecord(&old), func(r *quotaRecord) any {
			r.Body = docOf(r.Doc) // the audit log keeps the document, not the column
			return fromQuotaRecord(r)
		})
	}
	old.Doc = old.Body.v
	return &old, nil
}

// clashing refuses a place that another group has, inside the transaction.
func clashing(tx *gorm.DB, g *quota.Group) error {
	var rs []quotaRecord
	if err := tx.Find(&rs).Error; err != nil {
		return err
	}
	all := each(rs, func(r quotaRecord) *quota.Group { return fromQuotaRecord(&r) })
	if o, mine, theirs := quota.Clash(all, g); o != nil {
		return fault.New(fault.Conflict, "%s is a place of group %q already (%s)", mine, o.Name, theirs)
	}
	return nil
}

// CreateGroup implements quota.Store.
func (d *DB) CreateGroup(ctx context.Context, g *quota.Group, c audit.Change) error {
	return d.change(ctx, c, "quota-group", "create", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		n := *g
		n.ID, n.Version = newID(g.ID), 1
		n.CreatedBy, n.UpdatedBy = byOr(n.CreatedBy, ch.Actor), byOr(n.UpdatedBy, ch.Actor)
		n.CreatedAt, n.UpdatedAt = now, now
		if err := clashing(tx, &n); err != nil {
			return err
		}
		r := toQuotaRecord(&n)
		if err := tx.Create(r).Error; err != nil {
			return taken(err, "there is a quota group %q already", n.Name)
		}
		describe(ch, n.ID, n.Name, nil, r)
		*g = *fromQuotaRecord(r)
		return nil
	})
}

// UpdateGroup implements quota.Store.
func (d *DB) UpdateGroup(ctx context.Context, g *quota.Group, c audit.Change) error {
	return d.change(ctx, c, "quota-group", "update", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		old, err := heldGroup(tx, g.ID, g.Version)
		if err != nil {
			return err
		}
		n := *g
		n.Version, n.CreatedBy, n.CreatedAt = old.Version+1, old.CreatedBy, old.Created.time()
		n.UpdatedBy, n.UpdatedAt = ch.Actor, now
		if err := clashing(tx, &n); err != nil {
			return err
		}
		r := toQuotaRecord(&n)
		res := tx.Model(r).Where("version = ?", old.Version).Select("*").Updates(r)
		if res.Error != nil {
			return taken(res.Error, "there is a quota group %q already", n.Name)
		}
		if res.RowsAffected != 1 {
			return fault.New(fault.Stale, "the quota group changed meanwhile")
		}
		describe(ch, n.ID, n.Name, old, r)
		*g = *fromQuotaRecord(r)
		return nil
	})
}

// DeleteGroup implements quota.Store.
func (d *DB) DeleteGroup(ctx context.Context, id string, version int64, c audit.Change) error {
	return d.change(ctx, c, "quota-group", "delete", func(tx *gorm.DB, _ time.Time, ch *audit.Change) error {
		old, err := heldGroup(tx, id, version)
		if err != nil {
			return err
		}
		describe(ch, id, old.Name, old, nil)
		if err := tx.Delete(&quotaRecord{}, "id = ?", id).Error; err != nil {
			return err
		}
		return tx.Delete(&quotaMinuteRecord{}, "group_id = ?", id).Error
	})
}

// GetGroup implements quota.Store.
func (d *DB) GetGroup(ctx context.Context, id string) (*quota.Group, error) {
	var rs []quotaRecord
	if err := d.read(ctx).Where("id = ? OR name = ?", id, id).Find(&rs).Error; err != nil {
		return nil, opaque(err, "read a quota group")
	}
	for i := range rs { // an id goes before a name that looks like one
		if rs[i].ID == id || len(rs) == 1 {
			return fromQuotaRecord(&rs[i]), nil
		}
	}
	return nil, notFound("quota-group", id)
}

// ListGroups implements quota.Store.
func (d *DB) ListGroups(ctx context.Context) ([]*quota.Group, error) {
	var rs []quotaRecord
	if err := d.read(ctx).Order("name").Find(&rs).Error; err != nil {
		return nil, opaque(err, "list quota groups")
	}
	return each(rs, func(r quotaRecord) *quota.Group { return fromQuotaRecord(&r) }), nil
}

type quotaMinuteDoc struct {
	Ticks    int64   `json:"ticks"`
	Consumed float64 `json:"consumed"`
	Requests float64 `json:"requests"`
	Sum      float64 `json:"sum"`
	SumMax   float64 `json:"sum_max"`
	Base     float64 `json:"base"`
	BaseMin  float64 `json:"base_min"`
	BaseMax  float64 `json:"base_max"`
	Fallback float64 `json:"fallback"`
	Agents   float64 `json:"agents"`
	CPU      float64 `json:"cpu"`
	Build    string  `json:"build"`
	Machines int     `json:"machines"`
}

type quotaMinuteRecord struct {
	GroupID string `gorm:"primaryKey"`
	Minute  micros `gorm:"primaryKey;autoIncrement:false"`
	Body    doc[quotaMinuteDoc]
}

func (quotaMinuteRecord) TableName() string { return "quota_minutes" }

// SaveQuotaMinutes implements quota.Store.
func (d *DB) SaveQuotaMinutes(ctx context.Context, ms []quota.Minute) error {
	if len(ms) == 0 {
		return nil
	}
	rs := each(ms, func(m quota.Minute) quotaMinuteRecord {
		return quotaMinuteRecord{m.Group, at(m.At), docOf(quotaMinuteDoc{
			m.Ticks, m.Consumed, m.Requests, m.Sum, m.SumMax, m.Base, m.BaseMin, m.BaseMax, m.Fallback, m.Agents, m.CPU, m.Build, m.Machines,
		})}
	})
	return d.write(ctx, "save quota history", func(tx *gorm.DB) error {
		return tx.Clauses(clause.OnConflict{
			Columns: []clause.Column{{Name: "group_id"}, {Name: "minute"}}, DoUpdates: clause.AssignmentColumns([]string{"body"}),
		}).CreateInBatches(&rs, historyBatch).Error
	})
}

// QuotaMinutes implements quota.Store.
func (d *DB) QuotaMinutes(ctx context.Context, group string, from, to time.Time) ([]quota.Minute, error) {
	var rs []quotaMinuteRecord
	err := d.read(ctx).Where("group_id = ? AND minute >= ? AND minute < ?", group, at(from), at(to)).Order("minute").Find(&rs).Error
	if err != nil {
		return nil, opaque(err, "read quota history")
	}
	return each(rs, func(r quotaMinuteRecord) quota.Minute {
		b := r.Body.v
		return quota.Minute{
			Group: r.GroupID, At: r.Minute.time(), Ticks: b.Ticks, Consumed: b.Consumed, Requests: b.Requests, Sum: b.Sum, SumMax: b.SumMax,
			Base: b.Base, BaseMin: b.BaseMin, BaseMax: b.BaseMax, Fallback: b.Fallback, Agents: b.Agents, CPU: b.CPU, Build: b.Build, Machines: b.Machines,
		}
	}), nil
}

// PruneQuotaMinutes implements quota.Store.
func (d *DB) PruneQuotaMinutes(ctx context.Context, before time.Time) (int64, error) {
	res := d.w.WithContext(ctx).Delete(&quotaMinuteRecord{}, "minute < ?", at(before))
	return res.RowsAffected, opaque(res.Error, "prune quota history")
}

var _ quota.Store = (*DB)(nil)
