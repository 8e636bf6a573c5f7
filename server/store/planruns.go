package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/plan"
)

type runRecord struct {
	PlanID     string        `gorm:"primaryKey" json:"plan_id"`
	Occurrence string        `gorm:"primaryKey" json:"occurrence"`
	Step       string        `gorm:"primaryKey" json:"step"`
	Epoch      int64         `json:"epoch"`
	State      plan.RunState `json:"state"`
	Start      micros        `gorm:"column:start_at" json:"start_at"`
	End        micros        `gorm:"column:end_at" json:"end_at,omitempty"`
	Fired      micros        `gorm:"column:fired_at" json:"fired_at,omitempty"`
	Staged     bool          `json:"staged"`
	Reason     string        `json:"reason,omitempty"`
	Claims     doc[[]string] `json:"-"`
	Updated    micros        `gorm:"column:updated_at" json:"updated_at"`
}

func (runRecord) TableName() string { return "plan_runs" }

func fromRunRecord(r *runRecord) plan.Run {
	return plan.Run{Key: plan.Key{Plan: r.PlanID, Occurrence: r.Occurrence, Step: r.Step}, Epoch: r.Epoch, State: r.State, Start: r.Start.time(),
		End: r.End.time(), FiredAt: r.Fired.time(), Staged: r.Staged, Reason: r.Reason, Claims: r.Claims.v, Updated: r.Updated.time()}
}

// ListRuns implements planner.Store.
func (d *DB) ListRuns(ctx context.Context, planID string, since time.Time) ([]plan.Run, error) {
	q := d.read(ctx).Where("end_at > ? OR end_at = 0 AND start_at > ?", at(since), at(since))
	if planID != "" {
		q = q.Where("plan_id = ?", planID)
	}
	var rs []runRecord
	if err := q.Order("start_at, step").Find(&rs).Error; err != nil {
		return nil, opaque(err, "list plan runs")
	}
	return each(rs, func(r runRecord) plan.Run { return fromRunRecord(&r) }), nil
}

// standing checks that the plan is approved under the epoch.
func standing(tx *gorm.DB, id string, epoch int64) (*planRecord, error) {
	var p planRecord
	if err := tx.Take(&p, "id = ?", id).Error; err != nil {
		if missing(err) {
			return nil, notFound("plan", id)
		}
		return nil, err
	}
	if p.State != plan.Approved || p.Epoch != epoch {
		return nil, fault.New(fault.Stale, "plan %s is %s under epoch %d, not approved under epoch %d", p.Name, p.State, p.Epoch, epoch)
	}
	return &p, nil
}

func planName(tx *gorm.DB, id string) string {
	var p planRecord
	if tx.Take(&p, "id = ?", id).Error != nil {
		return id
	}
	return p.Name
}

// RecordRun implements planner.Store.
func (d *DB) RecordRun(ctx context.Context, r *plan.Run, claims []*control.Claim, c audit.Change) error {
	return d.change(ctx, c, "plan", "arm", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		p, err := standing(tx, r.Plan, r.Epoch)
		if err != nil {
			return err
		}
		n := runRecord{PlanID: r.Plan, Occurrence: r.Occurrence, Step: r.Step, Epoch: r.Epoch, State: r.State, Start: at(r.Start), End: at(r.End),
			Fired: at(r.FiredAt), Staged: r.Staged, Reason: r.Reason, Updated: at(now)}
		if r.State == plan.Fired && r.FiredAt.IsZero() {
			n.Fired = at(now)
		}
		var ids []string
		for _, x := range claims {
			k := *x
			k.Version = 1
			if err := tx.Create(toClaimRecord(&k)).Error; err != nil {
				return taken(err, "the claim %q exists already", k.ID)
			}
			ids = append(ids, k.ID)
		}
		n.Claims = docOf(ids)
		if err := tx.Create(&n).Error; err != nil {
			return taken(err, "step %s of %s has its record already", r.Step, r.Occurrence)
		}
		describe(ch, r.Plan, p.Name+"/"+r.Step, nil, &n)
		*r = fromRunRecord(&n)
		return nil
	})
}

// take finds a run in one of the states.
func takeRun(tx *gorm.DB, k plan.Key, states ...plan.RunState) (*runRecord, error) {
	var r runRecord
	if err := tx.Take(&r, "plan_id = ? AND occurrence = ? AND step = ?", k.Plan, k.Occurrence, k.Step).Error; err != nil {
		if missing(err) {
			return nil, fault.New(fault.NotFound, "step %s of %s has not begun", k.Step, k.Occurrence)
		}
		return nil, err
	}
	for _, s := range states {
		if r.State == s {
			return &r, nil
		}
	}
	return nil, fault.New(fault.Conflict, "step %s of %s is %s", k.Step, k.Occurrence, r.State)
}

func saveRun(tx *gorm.DB, n *runRecord) error {
	return tx.Model(&runRecord{}).Where("plan_id = ? AND occurrence = ? AND step = ?", n.PlanID, n.Occurrence, n.Step).
		Updates(map[string]any{"state": n.State, "end_at": n.End, "fired_at": n.Fired, "staged": n.Staged, "reason": n.Reason, "updated_at": n.Updated}).Error
}

// FireRun implements planner.Store. It and a cancel lock the same head row, so
// they have one outcome.
func (d *DB) FireRun(ctx context.Context, k plan.Key, epoch int64, reason string, c audit.Change) error {
	return d.change(ctx, c, "plan", "fire", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		p, err := standing(tx, k.Plan, epoch)
		if err != nil {
			return err
		}
		old, err := takeRun(tx, k, plan.Armed)
		if err != nil {
			return err
		}
		n := *old
		n.State, n.Fired, n.Reason, n.Updated = plan.Fired, at(now), reason, at(now)
		if err := saveRun(tx, &n); err != nil {
			return err
		}
		describe(ch, k.Plan, p.Name+"/"+k.Step, old, &n)
		return moveEnds(tx, n.Claims.v, n.End)
	})
}

func moveEnds(tx *gorm.DB, ids []string, end micros) error {
	if len(ids) == 0 {
		return nil
	}
	return tx.Model(&claimRecord{}).Where("id IN ? AND end_at <> ? AND released_at = 0", ids, end).
		Updates(map[string]any{"end_at": end, "version": gorm.Expr("version + 1")}).Error
}

func release(tx *gorm.DB, ids []string, now time.Time, by string) error {
	if len(ids) == 0 {
		return nil
	}
	return tx.Model(&claimRecord{}).Where("id IN ? AND released_at = 0", ids).
		Updates(map[string]any{"released_at": at(now), "release_by": by, "version": gorm.Expr("version + 1")}).Error
}

// EndRun implements planner.Store.
func (d *DB) EndRun(ctx context.Context, k plan.Key, to plan.RunState, reason string, c audit.Change) error {
	return d.change(ctx, c, "plan", string(to), func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		old, err := takeRun(tx, k, plan.Armed, plan.Fired)
		if err != nil {
			return err
		}
		if old.State == plan.Fired && to != plan.Ended {
			return fault.New(fault.Conflict, "step %s of %s fired already", k.Step, k.Occurrence)
		}
		n := *old
		n.State, n.Reason, n.Updated = to, reason, at(now)
		if n.End == 0 || n.End > at(now) {
			n.End = at(now)
		}
		if err := saveRun(tx, &n); err != nil {
			return err
		}
		describe(ch, k.Plan, planName(tx, k.Plan)+"/"+k.Step, old, &n)
		return release(tx, n.Claims.v, now, ch.Actor)
	})
}

// ExtendRun implements planner.Store.
func (d *DB) ExtendRun(ctx context.Context, k plan.Key, end time.Time, c audit.Change) error {
	return d.change(ctx, c, "plan", "extend", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		old, err := takeRun(tx, k, plan.Fired)
		if err != nil {
			return err
		}
		if old.End == 0 || old.End <= at(now) {
			return fault.New(fault.Conflict, "step %s of %s has ended", k.Step, k.Occurrence)
		}
		n := *old
		n.End, n.Updated = at(end), at(now)
		if err := saveRun(tx, &n); err != nil {
			return err
		}
		describe(ch, k.Plan, planName(tx, k.Plan)+"/"+k.Step, old, &n)
		return moveEnds(tx, n.Claims.v, n.End)
	})
}

// dropRuns forgets armed runs: they may be armed again under a later epoch.
func dropRuns(tx *gorm.DB, id string, now time.Time, by string) error {
	var rs []runRecord
	if err := tx.Find(&rs, "plan_id = ? AND state = ?", id, plan.Armed).Error; err != nil {
		return err
	}
	for i := range rs {
		if err := release(tx, rs[i].Claims.v, now, by); err != nil {
			return err
		}
	}
	return tx.Delete(&runRecord{}, "plan_id = ? AND state = ?", id, plan.Armed).Error
}

func endFired(tx *gorm.DB, id string, now time.Time, by, reason string) error {
	var rs []runRecord
	if err := tx.Find(&rs, "plan_id = ? AND state = ? AND end_at > ?", id, plan.Fired, at(now)).Error; err != nil {
		return err
	}
	for i := range rs {
		n := rs[i]
		n.State, n.End, n.Reason, n.Updated = plan.Ended, at(now), reason, at(now)
		if err := errors.Join(saveRun(tx, &n), release(tx, n.Claims.v, now, by)); err != nil {
			return err
		}
	}
	return nil
}

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
	return plan.Glass{ID: r.ID, RequestedBy: r.RequestedBy, RequestedAt: r.Requested.time(), Reason: r.Reason, Until: r.Until.time(),
		ApprovedBy: r.ApprovedBy, ApprovedAt: r.Approved.time()}
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
