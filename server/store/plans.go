package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/plan"
	"github.com/allspark/allspark/server/planner"
)

type planSetDoc struct {
	Scope       scopeDoc      `json:"scope"`
	Level       int           `json:"level,omitempty"`
	Strategy    string        `json:"strategy,omitempty"`
	AvailableRT time.Duration `json:"available_rt_ns,omitempty"`
	Timeout     time.Duration `json:"timeout_ns,omitempty"`
	Target      time.Duration `json:"target_ns,omitempty"`
	Budget      float64       `json:"budget,omitempty"`
	Template    string        `json:"template,omitempty"`
	Version     int           `json:"version,omitempty"`
}

type scopeDoc struct {
	Scene  string `json:"scene"`
	IDC    string `json:"idc"`
	App    string `json:"app"`
	Point  string `json:"point"`
	Bucket string `json:"bucket"`
}

type planStepDoc struct {
	Name         string        `json:"name"`
	Do           plan.Kind     `json:"do"`
	At           string        `json:"at,omitempty"`
	Overlap      plan.Overlap  `json:"overlap,omitempty"`
	After        string        `json:"after,omitempty"`
	Offset       time.Duration `json:"offset_ns,omitempty"`
	Until        string        `json:"until,omitempty"`
	UntilAt      string        `json:"until_at,omitempty"`
	UntilOverlap plan.Overlap  `json:"until_overlap,omitempty"`
	For          time.Duration `json:"for_ns,omitempty"`
	Sets         []planSetDoc  `json:"sets,omitempty"`
}

type planDoc struct {
	Zone     string        `json:"zone"`
	Owner    string        `json:"owner"`
	Executor string        `json:"executor"`
	Approver string        `json:"approver,omitempty"`
	Purpose  string        `json:"purpose,omitempty"`
	Repeat   string        `json:"repeat,omitempty"`
	Gap      plan.Gap      `json:"gap,omitempty"`
	Overlap  plan.Overlap  `json:"overlap,omitempty"`
	Glass    string        `json:"glass,omitempty"`
	Steps    []planStepDoc `json:"steps"`
}

type planRecord struct {
	ID         string       `gorm:"primaryKey" json:"id"`
	Name       string       `json:"name"`
	State      plan.State   `json:"state"`
	Epoch      int64        `json:"epoch"`
	Body       doc[planDoc] `json:"-"`
	Doc        planDoc      `gorm:"-" json:"plan"` // for the audit log
	Version    int64        `json:"version"`
	CreatedBy  string       `json:"created_by"`
	Created    micros       `gorm:"column:created_at" json:"created_at"`
	UpdatedBy  string       `json:"updated_by"`
	Updated    micros       `gorm:"column:updated_at" json:"updated_at"`
	ApprovedBy string       `json:"approved_by,omitempty"`
	Approved   micros       `gorm:"column:approved_at" json:"approved_at,omitempty"`
}

func (planRecord) TableName() string { return "plans" }

func toPlanRecord(p *plan.Plan) *planRecord {
	d := planDoc{
		Zone: p.Zone, Owner: p.Owner, Executor: p.Executor, Approver: p.Approver, Purpose: p.Purpose,
		Repeat: p.Repeat, Gap: p.Gap, Overlap: p.Overlap, Glass: p.Glass,
		Steps: each(p.Steps, func(s plan.Step) planStepDoc {
			return planStepDoc{
				s.Name, s.Do, s.At, s.Overlap, s.After, s.Offset, s.Until, s.UntilAt, s.UntilOverlap, s.For,
				each(s.Sets, func(x plan.Set) planSetDoc {
					return planSetDoc{scopeDoc(x.Scope), x.Level, string(x.Strategy), x.AvailableRT, x.Timeout, x.Target, x.Budget, x.Template, x.Version}
				}),
			}
		}),
	}
	return &planRecord{
		ID: p.ID, Name: p.Name, State: p.State, Epoch: p.Epoch, Body: docOf(d), Doc: d, Version: p.Version,
		CreatedBy: p.CreatedBy, Created: at(p.CreatedAt), UpdatedBy: p.UpdatedBy, Updated: at(p.UpdatedAt),
		ApprovedBy: p.ApprovedBy, Approved: at(p.ApprovedAt),
	}
}

func fromPlanRecord(r *planRecord) *plan.Plan {
	d := &r.Body.v
	return &plan.Plan{
		ID: r.ID, Name: r.Name, Zone: d.Zone, Owner: d.Owner, Executor: d.Executor, Approver: d.Approver, Purpose: d.Purpose,
		Repeat: d.Repeat, Gap: d.Gap, Overlap: d.Overlap, Glass: d.Glass, State: r.State, Epoch: r.Epoch, Version: r.Version,
		CreatedBy: r.CreatedBy, CreatedAt: r.Created.time(), UpdatedBy: r.UpdatedBy, UpdatedAt: r.Updated.time(),
		ApprovedBy: r.ApprovedBy, ApprovedAt: r.Approved.time(),
		Steps: each(d.Steps, func(s planStepDoc) plan.Step {
			return plan.Step{
				Name: s.Name, Do: s.Do, At: s.At, Overlap: s.Overlap, After: s.After, Offset: s.Offset,
				Until: s.Until, UntilAt: s.UntilAt, UntilOverlap: s.UntilOverlap, For: s.For,
				Sets: each(s.Sets, func(x planSetDoc) plan.Set {
					return plan.Set{
						Scope: control.Scope(x.Scope), Level: x.Level, Strategy: gear.Strategy(x.Strategy), AvailableRT: x.AvailableRT,
						Timeout: x.Timeout, Target: x.Target, Budget: x.Budget, Template: x.Template, Version: x.Version,
					}
				}),
			}
		}),
	}
}

func heldPlan(tx *gorm.DB, id string, version int64) (*planRecord, error) {
	var old planRecord
	if err := tx.Take(&old, "id = ?", id).Error; err != nil {
		if missing(err) {
			return nil, notFound("plan", id)
		}
		return nil, err
	}
	if old.Version != version {
		return nil, stale(tx, "plan", id, version, fromPlanRecord(&old), func(r *planRecord) any {
			r.Body = docOf(r.Doc) // the audit log keeps the document, not the column
			return fromPlanRecord(r)
		})
	}
	old.Doc = old.Body.v
	return &old, nil
}

// CreatePlan implements planner.Store.
func (d *DB) CreatePlan(ctx context.Context, p *plan.Plan, c audit.Change) error {
	return d.change(ctx, c, "plan", "create", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		n := *p
		n.ID, n.Version, n.Epoch, n.State = newID(p.ID), 1, 1, plan.Draft
		n.CreatedBy, n.UpdatedBy, n.CreatedAt, n.UpdatedAt = ch.Actor, ch.Actor, now, now
		r := toPlanRecord(&n)
		if err := tx.Create(r).Error; err != nil {
			return taken(err, "there is a plan %q already", n.Name)
		}
		describe(ch, n.ID, n.Name, nil, r)
		*p = *fromPlanRecord(r)
		return nil
	})
}

// UpdatePlan implements planner.Store.
func (d *DB) UpdatePlan(ctx context.Context, p *plan.Plan, m planner.Move, c audit.Change) error {
	return d.change(ctx, c, "plan", "update", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		old, err := heldPlan(tx, p.ID, p.Version)
		if err != nil {
			return err
		}
		n := *p
		n.Version, n.CreatedBy, n.CreatedAt = old.Version+1, old.CreatedBy, old.Created.time()
		if ch.Verb == "update" {
			n.UpdatedBy, n.UpdatedAt = ch.Actor, now
		}
		if ch.Verb == "approve" {
			n.ApprovedBy, n.ApprovedAt = ch.Actor, now
		}
		if m.DropArmed {
			if err := dropRuns(tx, p.ID, now, ch.Actor); err != nil {
				return err
			}
		}
		if m.EndFired {
			if err := endFired(tx, p.ID, now, ch.Actor, ch.Reason); err != nil {
				return err
			}
		}
		r := toPlanRecord(&n)
		res := tx.Model(r).Where("version = ?", old.Version).Select("*").Updates(r)
		if res.Error != nil {
			return taken(res.Error, "there is a plan %q already", n.Name)
		}
		if res.RowsAffected != 1 {
			return fault.New(fault.Stale, "the plan changed meanwhile")
		}
		describe(ch, n.ID, n.Name, old, r)
		*p = *fromPlanRecord(r)
		return nil
	})
}

// DeletePlan implements planner.Store. What became of its steps stays.
func (d *DB) DeletePlan(ctx context.Context, id string, version int64, c audit.Change) error {
	return d.change(ctx, c, "plan", "delete", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		old, err := heldPlan(tx, id, version)
		if err != nil {
			return err
		}
		var holding int64
		if err := tx.Model(&runRecord{}).Where("plan_id = ? AND state IN ? AND end_at > ?", id, []plan.RunState{plan.Fired, plan.Armed}, at(now)).Count(&holding).Error; err != nil {
			return err
		}
		if holding > 0 {
			return fault.New(fault.Conflict, "%d steps of the plan are in force: stop it first", holding)
		}
		describe(ch, id, old.Name, old, nil)
		if err := tx.Delete(&rehearsalRecord{}, "plan_id = ?", id).Error; err != nil {
			return err
		}
		return tx.Delete(&planRecord{}, "id = ?", id).Error
	})
}

// GetPlan implements planner.Store.
func (d *DB) GetPlan(ctx context.Context, id string) (*plan.Plan, error) {
	var rs []planRecord
	if err := d.read(ctx).Where("id = ? OR name = ?", id, id).Find(&rs).Error; err != nil {
		return nil, opaque(err, "read a plan")
	}
	for i := range rs { // an id goes before a name that looks like one
		if rs[i].ID == id || len(rs) == 1 {
			return fromPlanRecord(&rs[i]), nil
		}
	}
	return nil, notFound("plan", id)
}

// ListPlans implements planner.Store.
func (d *DB) ListPlans(ctx context.Context) ([]*plan.Plan, error) {
	var rs []planRecord
	if err := d.read(ctx).Order("name").Find(&rs).Error; err != nil {
		return nil, opaque(err, "list plans")
	}
	return each(rs, func(r planRecord) *plan.Plan { return fromPlanRecord(&r) }), nil
}

type stagedRecord struct {
	PlanID     string `gorm:"primaryKey"`
	Occurrence string `gorm:"primaryKey"`
	Step       string `gorm:"primaryKey"`
	Epoch      int64  `gorm:"primaryKey;autoIncrement:false"`
}

func (stagedRecord) TableName() string { return "plan_staged" }

// MarkStaged implements planner.Store.
func (d *DB) MarkStaged(ctx context.Context, k plan.Key, epoch int64) error {
	return d.write(ctx, "note a staged step", func(tx *gorm.DB) error {
		r := stagedRecord{k.Plan, k.Occurrence, k.Step, epoch}
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&r).Error; err != nil {
			return err
		}
		return tx.Model(&runRecord{}).Where("plan_id = ? AND occurrence = ? AND step = ? AND epoch = ?", k.Plan, k.Occurrence, k.Step, epoch).
			Update("staged", true).Error
	})
}

// StagedRuns implements planner.Store.
func (d *DB) StagedRuns(ctx context.Context) (map[planner.StagedKey]bool, error) {
	var rs []stagedRecord
	if err := d.read(ctx).Find(&rs).Error; err != nil {
		return nil, opaque(err, "list staged steps")
	}
	out := make(map[planner.StagedKey]bool, len(rs))
	for _, r := range rs {
		out[planner.StagedKey{Key: plan.Key{Plan: r.PlanID, Occurrence: r.Occurrence, Step: r.Step}, Epoch: r.Epoch}] = true
	}
	return out, nil
}

var _ planner.Store = (*DB)(nil)
