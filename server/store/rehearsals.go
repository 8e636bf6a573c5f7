package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/planner"
)

type markDoc struct {
	At   micros `json:"at"`
	Step string `json:"step"`
	Ends bool   `json:"ends,omitempty"`
}

type rehearsalDoc struct {
	PlanName   string          `json:"plan"`
	Epoch      int64           `json:"epoch"`
	Problem    string          `json:"problem,omitempty"`
	Occurrence string          `json:"occurrence"`
	Day        planner.DayKind `json:"day"`
	Peak       float64         `json:"peak"`
	PeakAt     micros          `json:"peak_at"`
	Seed       int64           `json:"seed"`
	Machines   int             `json:"machines"`
	From       micros          `json:"from"`
	To         micros          `json:"to"`
	Step       time.Duration   `json:"step_ns"`
	Marks      []markDoc       `json:"marks,omitempty"`
	Reason     string          `json:"reason,omitempty"`
	Took       time.Duration   `json:"took_ns,omitempty"`
	With       planner.Totals  `json:"with"`
	Without    planner.Totals  `json:"without"`
	NotPlayed  []string        `json:"not_played,omitempty"`
}

// rehearsalRecord keeps the series apart from what lists show.
type rehearsalRecord struct {
	ID        string                 `gorm:"primaryKey" json:"id"`
	PlanID    string                 `json:"plan_id"`
	State     planner.RehearsalState `json:"state"`
	Head      doc[rehearsalDoc]      `json:"-"`
	Doc       rehearsalDoc           `gorm:"-" json:"rehearsal"` // for the audit log
	Body      doc[*planner.Played]   `json:"-"`
	CreatedBy string                 `json:"created_by"`
	Created   micros                 `gorm:"column:created_at" json:"created_at"`
}

func (rehearsalRecord) TableName() string { return "rehearsals" }

func toRehearsalRecord(r *planner.Rehearsal) *rehearsalRecord {
	d := rehearsalDoc{
		PlanName: r.PlanName, Epoch: r.Epoch, Problem: r.Problem, Occurrence: r.Occurrence, Day: r.Day.Kind, Peak: r.Day.Peak,
		PeakAt: at(r.Day.PeakAt), Seed: r.Day.Seed, Machines: r.Machines, From: at(r.From), To: at(r.To), Step: r.Step,
		Marks:  each(r.Marks, func(m planner.Mark) markDoc { return markDoc{at(m.At), m.Step, m.Ends} }),
		Reason: r.Reason, Took: r.Took, With: r.With, Without: r.Without, NotPlayed: r.NotPlayed,
	}
	return &rehearsalRecord{ID: r.ID, PlanID: r.PlanID, State: r.State, Head: docOf(d), Doc: d, Body: docOf(r.Played), CreatedBy: r.CreatedBy, Created: at(r.CreatedAt)}
}

func fromRehearsalRecord(r *rehearsalRecord) planner.Rehearsal {
	d := &r.Head.v
	return planner.Rehearsal{
		ID: r.ID, PlanID: r.PlanID, PlanName: d.PlanName, Epoch: d.Epoch, State: r.State, Problem: d.Problem, Occurrence: d.Occurrence,
		Day:      planner.Day{Kind: d.Day, Peak: d.Peak, PeakAt: d.PeakAt.time(), Seed: d.Seed},
		Machines: d.Machines, From: d.From.time(), To: d.To.time(), Step: d.Step,
		Marks:  each(d.Marks, func(m markDoc) planner.Mark { return planner.Mark{At: m.At.time(), Step: m.Step, Ends: m.Ends} }),
		Reason: d.Reason, Took: d.Took, With: d.With, Without: d.Without, NotPlayed: d.NotPlayed,
		CreatedBy: r.CreatedBy, CreatedAt: r.Created.time(), Played: r.Body.v,
	}
}

// CreateRehearsal implements planner.Store.
func (d *DB) CreateRehearsal(ctx context.Context, r *planner.Rehearsal, keep int, c audit.Change) error {
	return d.change(ctx, c, "rehearsal", "rehearse", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		n := toRehearsalRecord(r)
		n.ID, n.CreatedBy, n.Created = newID(r.ID), ch.Actor, at(now)
		if err := tx.Create(n).Error; err != nil {
			return err
		}
		var old []string
		if err := tx.Model(&rehearsalRecord{}).Where("plan_id = ?", r.PlanID).Order("created_at DESC, id DESC").Offset(keep).Limit(1000).Pluck("id", &old).Error; err != nil {
			return err
		}
		if len(old) > 0 {
			if err := tx.Delete(&rehearsalRecord{}, "id IN ?", old).Error; err != nil {
				return err
			}
		}
		describe(ch, n.ID, r.PlanName, nil, n)
		*r = fromRehearsalRecord(n)
		return nil
	})
}

// FinishRehearsal implements planner.Store. What a model foretells is no change
// of anything, so the log does not hear of it.
func (d *DB) FinishRehearsal(ctx context.Context, r *planner.Rehearsal) error {
	return d.write(ctx, "finish rehearsal", func(tx *gorm.DB) error {
		n := toRehearsalRecord(r)
		res := tx.Model(&rehearsalRecord{}).Where("id = ?", r.ID).Updates(map[string]any{"state": n.State, "head": n.Head, "body": n.Body})
		if res.Error == nil && res.RowsAffected == 0 {
			return notFound("rehearsal", r.ID)
		}
		return res.Error
	})
}

// ListRehearsals implements planner.Store.
func (d *DB) ListRehearsals(ctx context.Context, planID string) ([]planner.Rehearsal, error) {
	var rs []rehearsalRecord
	q := d.read(ctx).Select("id", "plan_id", "state", "head", "created_by", "created_at")
	if err := q.Where("plan_id = ?", planID).Order("created_at DESC, id DESC").Find(&rs).Error; err != nil {
		return nil, opaque(err, "list rehearsals")
	}
	return each(rs, func(r rehearsalRecord) planner.Rehearsal { return fromRehearsalRecord(&r) }), nil
}

// GetRehearsal implements planner.Store.
func (d *DB) GetRehearsal(ctx context.Context, id string) (*planner.Rehearsal, error) {
	var n rehearsalRecord
	if err := d.read(ctx).Take(&n, "id = ?", id).Error; err != nil {
		if missing(err) {
			return nil, notFound("rehearsal", id)
		}
		return nil, opaque(err, "read rehearsal")
	}
	r := fromRehearsalRecord(&n)
	return &r, nil
}
