package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/experiment"
	"github.com/allspark/allspark/server/fault"
)

type armDoc struct {
	Name        string        `json:"name"`
	Slices      int           `json:"slices"`
	Strategy    gear.Strategy `json:"strategy,omitempty"`
	Level       int           `json:"level,omitempty"`
	AvailableRT time.Duration `json:"available_rt_ns,omitempty"`
}

type experimentDoc struct {
	Reason    string        `json:"reason"`
	Scope     placeDoc      `json:"scope"`
	App       string        `json:"measure_app"`
	Point     string        `json:"measure_point"`
	Arms      []armDoc      `json:"arms"`
	Duration  time.Duration `json:"duration_ns"`
	StartedBy string        `json:"started_by,omitempty"`
	EndedBy   string        `json:"ended_by,omitempty"`
	Ending    string        `json:"ending,omitempty"`
	Armed     bool          `json:"armed,omitempty"`
}

type experimentRecord struct {
	ID        string             `gorm:"primaryKey" json:"id"`
	Name      string             `json:"name"`
	State     experiment.State   `json:"state"`
	Body      doc[experimentDoc] `json:"-"`
	Doc       experimentDoc      `gorm:"-" json:"experiment"` // for the audit log
	Started   micros             `gorm:"column:started_at" json:"started_at,omitempty"`
	Ends      micros             `gorm:"column:ends_at" json:"ends_at,omitempty"`
	Ended     micros             `gorm:"column:ended_at" json:"ended_at,omitempty"`
	Version   int64              `json:"version"`
	CreatedBy string             `json:"created_by"`
	Created   micros             `gorm:"column:created_at" json:"created_at"`
	Updated   micros             `gorm:"column:updated_at" json:"updated_at"`
}

func (experimentRecord) TableName() string { return "experiments" }

func toExperimentRecord(x *experiment.Experiment) *experimentRecord {
	d := experimentDoc{
		Reason: x.Reason, Scope: placeDoc{x.Scope.Scene, x.Scope.IDC, x.Scope.App, x.Scope.Point}, App: x.Measure.App, Point: x.Measure.Point,
		Arms: each(x.Arms, func(a experiment.Arm) armDoc { return armDoc(a) }), Duration: x.Duration,
		StartedBy: x.StartedBy, EndedBy: x.EndedBy, Ending: x.Ending, Armed: x.Armed,
	}
	return &experimentRecord{
		ID: x.ID, Name: x.Name, State: x.State, Body: docOf(d), Doc: d, Started: at(x.StartedAt), Ends: at(x.EndsAt), Ended: at(x.EndedAt),
		Version: x.Version, CreatedBy: x.CreatedBy, Created: at(x.CreatedAt), Updated: at(x.UpdatedAt),
	}
}

func fromExperimentRecord(r *experimentRecord) *experiment.Experiment {
	d := &r.Body.v
	return &experiment.Experiment{
		ID: r.ID, Name: r.Name, Reason: d.Reason, State: r.State, Duration: d.Duration,
		Scope:   control.Scope{Scene: d.Scope.Scene, IDC: d.Scope.IDC, App: d.Scope.App, Point: d.Scope.Point, Bucket: gear.Any},
		Measure: experiment.Place{App: d.App, Point: d.Point}, Arms: each(d.Arms, func(a armDoc) experiment.Arm { return experiment.Arm(a) }),
		StartedAt: r.Started.time(), StartedBy: d.StartedBy, EndsAt: r.Ends.time(), EndedAt: r.Ended.time(), EndedBy: d.EndedBy,
		Ending: d.Ending, Armed: d.Armed, CreatedBy: r.CreatedBy, CreatedAt: r.Created.time(), UpdatedAt: r.Updated.time(), Version: r.Version,
	}
}

// CreateExperiment implements experiment.Store.
func (d *DB) CreateExperiment(ctx context.Context, x *experiment.Experiment, c audit.Change) error {
	return d.change(ctx, c, "experiment", "create", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		n := *x
		n.ID, n.Version, n.CreatedBy, n.CreatedAt, n.UpdatedAt = newID(x.ID), 1, ch.Actor, now, now
		r := toExperimentRecord(&n)
		if err := tx.Create(r).Error; err != nil {
			return taken(err, "there is an experiment %q already", n.Name)
		}
		describe(ch, n.ID, n.Name, nil, r)
		*x = *fromExperimentRecord(r)
		return nil
	})
}

// SaveExperiment implements experiment.Store. The audit chain's head is locked, so no
// other experiment starts between the check and the write.
func (d *DB) SaveExperiment(ctx context.Context, x *experiment.Experiment, check func([]*experiment.Experiment, time.Time) error, c audit.Change) error {
	return d.change(ctx, c, "experiment", "update", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		old, err := heldExperiment(tx, x.ID, x.Version)
		if err != nil {
			return err
		}
		if check != nil {
			var running []experimentRecord
			if err := tx.Find(&running, "state = ? AND id <> ?", experiment.Running, x.ID).Error; err != nil {
				return err
			}
			if err := check(each(running, func(r experimentRecord) *experiment.Experiment { return fromExperimentRecord(&r) }), now); err != nil {
				return err
			}
		}
		n := *x
		n.Version, n.UpdatedAt = old.Version+1, now
		r := toExperimentRecord(&n)
		if err := tx.Save(r).Error; err != nil {
			return taken(err, "there is an experiment %q already", n.Name)
		}
		describe(ch, n.ID, n.Name, old, r)
		*x = *fromExperimentRecord(r)
		return nil
	})
}

func heldExperiment(tx *gorm.DB, id string, version int64) (*experimentRecord, error) {
	var old experimentRecord
	if err := tx.Take(&old, "id = ?", id).Error; err != nil {
		if missing(err) {
			return nil, notFound("experiment", id)
		}
		return nil, err
	}
	old.Doc = old.Body.v
	if old.Version != version {
		return nil, stale(tx, "experiment", id, version, fromExperimentRecord(&old), func(r *experimentRecord) any {
			r.Body = docOf(r.Doc)
			return fromExperimentRecord(r)
		})
	}
	return &old, nil
}

// DeleteExperiment implements experiment.Store.
func (d *DB) DeleteExperiment(ctx context.Context, id string, version int64, c audit.Change) error {
	return d.change(ctx, c, "experiment", "delete", func(tx *gorm.DB, _ time.Time, ch *audit.Change) error {
		old, err := heldExperiment(tx, id, version)
		if err != nil {
			return err
		}
		if old.State == experiment.Running {
			return fault.New(fault.Conflict, "the experiment runs: stop it first")
		}
		if err := tx.Delete(&spanRecord{}, "experiment_id = ?", id).Error; err != nil {
			return err
		}
		if err := tx.Delete(&experimentRecord{}, "id = ?", id).Error; err != nil {
			return err
		}
		describe(ch, id, old.Name, old, nil)
		return nil
	})
}

// GetExperiment implements experiment.Store.
func (d *DB) GetExperiment(ctx context.Context, id string) (*experiment.Experiment, error) {
	var rs []experimentRecord
	if err := d.read(ctx).Where("id = ? OR name = ?", id, id).Find(&rs).Error; err != nil {
		return nil, opaque(err, "read an experiment")
	}
	for i := range rs { // an id goes before a name that looks like one
		if rs[i].ID == id || len(rs) == 1 {
			return fromExperimentRecord(&rs[i]), nil
		}
	}
	return nil, notFound("experiment", id)
}

// ListExperiments implements experiment.Store.
func (d *DB) ListExperiments(ctx context.Context, state experiment.State, limit int) ([]*experiment.Experiment, error) {
	q := d.read(ctx).Order("created_at DESC, id DESC").Limit(pageSize(limit))
	if state != "" {
		q = q.Where("state = ?", state)
	}
	var rs []experimentRecord
	if err := q.Find(&rs).Error; err != nil {
		return nil, opaque(err, "list experiments")
	}
	return each(rs, func(r experimentRecord) *experiment.Experiment { return fromExperimentRecord(&r) }), nil
}
