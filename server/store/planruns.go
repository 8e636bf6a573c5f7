package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

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
	return plan.Run{
		Key: plan.Key{Plan: r.PlanID, Occurrence: r.Occurrence, Step: r.Step}, Epoch: r.Epoch, State: r.State, Start: r.Start.time(),
		End: r.End.time(), FiredAt: r.Fired.time(), Staged: r.Staged, Reason: r.Reason, Claims: r.Claims.v, Updated: r.Updated.time(),
	}
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
		n := runRecord{
			PlanID: r.Plan, Occurrence: r.Occurrence, Step: r.Step, Epoch: r.Epoch, State: r.State, Start: at(r.Start), End: at(r.End),
			Fired: at(r.FiredAt), Staged: r.Staged, Reason: r.Reason, Updated: at(now),
		}
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
