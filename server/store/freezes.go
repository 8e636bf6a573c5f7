package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/plan"
)

type freezeRecord struct {
	ID        string `gorm:"primaryKey" json:"id"`
	App       string `json:"app"`
	IDC       string `gorm:"column:idc" json:"idc"`
	From      micros `gorm:"column:from_at" json:"from"`
	Until     micros `gorm:"column:until_at" json:"until"`
	Reason    string `json:"reason"`
	CreatedBy string `json:"created_by"`
	Created   micros `gorm:"column:created_at" json:"created_at"`
}

func (freezeRecord) TableName() string { return "freezes" }

func fromFreezeRecord(r freezeRecord) plan.Freeze {
	return plan.Freeze{ID: r.ID, App: r.App, IDC: r.IDC, From: r.From.time(), Until: r.Until.time(), Reason: r.Reason, CreatedBy: r.CreatedBy, CreatedAt: r.Created.time()}
}

// CreateFreeze implements planner.Store.
func (d *DB) CreateFreeze(ctx context.Context, f *plan.Freeze, c audit.Change) error {
	return d.change(ctx, c, "freeze", "create", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		r := freezeRecord{newID(f.ID), f.App, f.IDC, at(f.From), at(f.Until), f.Reason, ch.Actor, at(now)}
		if err := tx.Create(&r).Error; err != nil {
			return err
		}
		describe(ch, r.ID, "freeze of "+r.App+" in "+r.IDC, nil, &r)
		*f = fromFreezeRecord(r)
		return nil
	})
}

// DeleteFreeze implements planner.Store.
func (d *DB) DeleteFreeze(ctx context.Context, id string, c audit.Change) error {
	return d.change(ctx, c, "freeze", "delete", func(tx *gorm.DB, _ time.Time, ch *audit.Change) error {
		var old freezeRecord
		if err := tx.Take(&old, "id = ?", id).Error; err != nil {
			if missing(err) {
				return notFound("freeze", id)
			}
			return err
		}
		describe(ch, id, "freeze of "+old.App+" in "+old.IDC, &old, nil)
		return tx.Delete(&freezeRecord{}, "id = ?", id).Error
	})
}

// ListFreezes implements planner.Store: those that end after from.
func (d *DB) ListFreezes(ctx context.Context, from time.Time) ([]plan.Freeze, error) {
	var rs []freezeRecord
	if err := d.read(ctx).Where("until_at > ?", at(from)).Order("from_at, id").Find(&rs).Error; err != nil {
		return nil, opaque(err, "list freezes")
	}
	return each(rs, fromFreezeRecord), nil
}

type glassRecord struct {
	ID          string `gorm:"primaryKey" json:"id"`
	RequestedBy string `json:"requested_by"`
	Requested   micros `gorm:"column:requested_at" json:"requested_at"`
	Reason      string `json:"reason"`
	Until       micros `gorm:"column:until_at" json:"until"`
	ApprovedBy  string `json:"approved_by,omitempty"`
	Approved    micros `gorm:"column:approved_at" json:"approved_at,omitempty"`
}

func (glassRecord) TableName() string { return "break_glass" }

func fromGlassRecord(r glassRecord) plan.Glass {
	return plan.Glass{
		ID: r.ID, RequestedBy: r.RequestedBy, RequestedAt: r.Requested.time(), Reason: r.Reason, Until: r.Until.time(),
		ApprovedBy: r.ApprovedBy, ApprovedAt: r.Approved.time(),
	}
}

// CreateGlass implements planner.Store.
func (d *DB) CreateGlass(ctx context.Context, g *plan.Glass, c audit.Change) error {
	return d.change(ctx, c, "break-glass", "request", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		r := glassRecord{ID: newID(""), RequestedBy: ch.Actor, Requested: at(now), Reason: g.Reason, Until: at(g.Until)}
		if err := tx.Create(&r).Error; err != nil {
			return err
		}
		describe(ch, r.ID, "break glass", nil, &r)
		*g = fromGlassRecord(r)
		return nil
	})
}

// ApproveGlass implements planner.Store.
func (d *DB) ApproveGlass(ctx context.Context, id string, c audit.Change) (*plan.Glass, error) {
	var out plan.Glass
	err := d.change(ctx, c, "break-glass", "approve", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		var old glassRecord
		if err := tx.Take(&old, "id = ?", id).Error; err != nil {
			if missing(err) {
				return notFound("break-glass request", id)
			}
			return err
		}
		switch {
		case old.RequestedBy == ch.Actor:
			return fault.New(fault.Forbidden, "a second person must approve this: you asked for it")
		case old.ApprovedBy != "":
			return fault.New(fault.Conflict, "%s approved this already", old.ApprovedBy)
		case old.Until <= at(now):
			return fault.New(fault.Conflict, "the request ended at %s", old.Until.time().Format(time.RFC3339))
		}
		n := old
		n.ApprovedBy, n.Approved = ch.Actor, at(now)
		if err := tx.Save(&n).Error; err != nil {
			return err
		}
		describe(ch, id, "break glass", &old, &n)
		out = fromGlassRecord(n)
		return nil
	})
	return &out, err
}

// ListGlass implements planner.Store: those that end after from.
func (d *DB) ListGlass(ctx context.Context, from time.Time) ([]plan.Glass, error) {
	var rs []glassRecord
	if err := d.read(ctx).Where("until_at > ?", at(from)).Order("requested_at, id").Find(&rs).Error; err != nil {
		return nil, opaque(err, "list break-glass requests")
	}
	return each(rs, fromGlassRecord), nil
}

type protectedRecord struct {
	Scene   string `gorm:"primaryKey" json:"scene"`
	AddedBy string `json:"added_by"`
	Added   micros `gorm:"column:added_at" json:"added_at"`
}

func (protectedRecord) TableName() string { return "protected_scenes" }

// ProtectScene implements planner.Store.
func (d *DB) ProtectScene(ctx context.Context, scene string, protect bool, c audit.Change) error {
	verb := map[bool]string{true: "protect", false: "unprotect"}[protect]
	return d.change(ctx, c, "protected-scene", verb, func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		r := protectedRecord{scene, ch.Actor, at(now)}
		describe(ch, scene, scene, nil, &r)
		if protect {
			return tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&r).Error
		}
		return tx.Delete(&protectedRecord{}, "scene = ?", scene).Error
	})
}

// ProtectedScenes implements planner.Store.
func (d *DB) ProtectedScenes(ctx context.Context) ([]string, error) {
	var rs []protectedRecord
	if err := d.read(ctx).Order("scene").Find(&rs).Error; err != nil {
		return nil, opaque(err, "list protected scenes")
	}
	return each(rs, func(r protectedRecord) string { return r.Scene }), nil
}

// thaw refuses a change that a freeze forbids, unless it is made with leave that
// a second person gave; then it is flagged in its reason.
func thaw(tx *gorm.DB, now time.Time, ch *audit.Change) error {
	var rs []freezeRecord
	if err := tx.Find(&rs, "from_at <= ? AND until_at > ?", at(now), at(now)).Error; err != nil || len(rs) == 0 {
		return err
	}
	f := plan.Frozen(each(rs, fromFreezeRecord), ch, now)
	if f == nil {
		return nil
	}
	if ch.Glass == "" {
		return fault.New(fault.Frozen, "frozen until %s: %s", f.Until.Format(time.RFC3339), f.Reason)
	}
	var r glassRecord
	if err := tx.Take(&r, "id = ?", ch.Glass).Error; err != nil && !missing(err) {
		return err
	}
	if g := fromGlassRecord(r); !g.Stands(now) || g.RequestedBy != ch.Actor && g.ApprovedBy != ch.Actor {
		return fault.New(fault.Frozen, "frozen until %s: %s; the glass is broken only by a request of yours that a second person approved", f.Until.Format(time.RFC3339), f.Reason)
	}
	ch.Reason = "BREAK GLASS (asked by " + r.RequestedBy + ", approved by " + r.ApprovedBy + ": " + r.Reason + ") " + ch.Reason
	return nil
}
