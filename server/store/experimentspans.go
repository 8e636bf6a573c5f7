package store

import (
	"context"
	"fmt"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/experiment"
)

// spanDoc is written every few seconds by each replica. Blocks are by number: a
// build that groups users otherwise is another length, and is not mixed in.
type spanDoc struct {
	Requests int64        `json:"n"`
	Timeouts int64        `json:"timeouts,omitempty"`
	Errors   int64        `json:"errors,omitempty"`
	Shed     int64        `json:"shed,omitempty"`
	RT       float64      `json:"rt_us"`
	Value    float64      `json:"value"`
	Levels   int64        `json:"levels"`
	Blocks   [][5]float64 `json:"blocks"` // requests, answered, timeouts, RT in µs, value
}

type spanRecord struct {
	Experiment string          `gorm:"primaryKey;column:experiment_id"`
	Role       experiment.Role `gorm:"primaryKey"`
	Arm        string          `gorm:"primaryKey"`
	Span       int             `gorm:"primaryKey;autoIncrement:false"`
	Writer     string          `gorm:"primaryKey"`
	Body       doc[spanDoc]
	RT         []byte `gorm:"column:rt"`
}

func (spanRecord) TableName() string { return "experiment_spans" }

func toSpanRecord(s *experiment.Span) spanRecord {
	d := spanDoc{Requests: s.Requests, Timeouts: s.Timeouts, Errors: s.Errors, Shed: s.Shed, RT: s.RT, Value: s.Value, Levels: s.Levels}
	for _, b := range s.Blocks {
		d.Blocks = append(d.Blocks, [5]float64{b.Requests, b.Answered, b.Timeouts, b.RT, b.Value})
	}
	rt := s.Sketch.AppendTo([]byte{})
	return spanRecord{s.Experiment, s.Role, s.Arm, s.Index, s.Writer, docOf(d), rt}
}

func fromSpanRecord(r *spanRecord) (*experiment.Span, error) {
	d := &r.Body.v
	s := &experiment.Span{
		SpanKey:  experiment.SpanKey{Experiment: r.Experiment, Role: r.Role, Arm: r.Arm, Index: r.Span, Writer: r.Writer},
		Requests: d.Requests, Timeouts: d.Timeouts, Errors: d.Errors, Shed: d.Shed, RT: d.RT, Value: d.Value, Levels: d.Levels,
	}
	if len(d.Blocks) != gear.Blocks {
		return nil, fmt.Errorf("a span has %d blocks, wants %d", len(d.Blocks), gear.Blocks)
	}
	for k, b := range d.Blocks {
		s.Blocks[k] = experiment.Block{Requests: b[0], Answered: b[1], Timeouts: b[2], RT: b[3], Value: b[4]}
	}
	return s, s.Sketch.Merge(r.RT)
}

// SaveSpans implements experiment.Store. No two writers share a row. A span of an
// experiment that is gone goes nowhere.
func (d *DB) SaveSpans(ctx context.Context, spans []*experiment.Span) error {
	return d.write(ctx, "save figures of experiments", func(tx *gorm.DB) error {
		var ids, there []string
		for _, s := range spans {
			ids = append(ids, s.Experiment)
		}
		slices.Sort(ids)
		if err := tx.Model(&experimentRecord{}).Where("id IN ?", slices.Compact(ids)).Pluck("id", &there).Error; err != nil {
			return err
		}
		rows := make([]spanRecord, 0, len(spans))
		for _, s := range spans {
			if slices.Contains(there, s.Experiment) {
				rows = append(rows, toSpanRecord(s))
			}
		}
		for batch := range slices.Chunk(rows, historyBatch) {
			err := tx.Clauses(clause.OnConflict{
				Columns:   []clause.Column{{Name: "experiment_id"}, {Name: "role"}, {Name: "arm"}, {Name: "span"}, {Name: "writer"}},
				DoUpdates: clause.AssignmentColumns([]string{"body", "rt"}),
			}).Create(&batch).Error
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// GetSpan implements experiment.Store.
func (d *DB) GetSpan(ctx context.Context, k experiment.SpanKey) (*experiment.Span, error) {
	var rs []spanRecord
	err := d.read(ctx).Limit(1).Find(&rs, "experiment_id = ? AND role = ? AND arm = ? AND span = ? AND writer = ?", k.Experiment, k.Role, k.Arm, k.Index, k.Writer).Error
	if err != nil || len(rs) == 0 {
		return nil, opaque(err, "read figures of an experiment")
	}
	s, err := fromSpanRecord(&rs[0])
	return s, opaque(err, "read figures of an experiment")
}

// Spans implements experiment.Store.
func (d *DB) Spans(ctx context.Context, id string) ([]*experiment.Span, error) {
	var rs []spanRecord
	if err := d.read(ctx).Order("span, arm, role, writer").Find(&rs, "experiment_id = ?", id).Error; err != nil {
		return nil, opaque(err, "read figures of an experiment")
	}
	out := make([]*experiment.Span, 0, len(rs))
	for i := range rs {
		s, err := fromSpanRecord(&rs[i])
		if err != nil {
			return nil, opaque(err, "read figures of an experiment")
		}
		out = append(out, s)
	}
	return out, nil
}
