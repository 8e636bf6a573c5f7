package store

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"gorm.io/gorm"

	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
)

type allocationRecord struct {
	ID           string  `gorm:"primaryKey" json:"id"`
	Scene        string  `json:"scene"`
	IDC          string  `gorm:"column:idc" json:"idc"`
	Number       int     `json:"number"`
	SceneVersion int64   `json:"scene_version"`
	InputHash    string  `json:"input_hash"`
	Cause        string  `json:"cause"`
	Took         int64   `json:"took_ns"`
	Oldest       micros  `json:"oldest_profile"`
	Learned      int     `json:"learned"`
	FirstMS      int     `gorm:"column:first_ms" json:"first_ms"`
	ToMS         int     `gorm:"column:to_ms" json:"to_ms"`
	Effect       float64 `json:"effect"`
	Gap          float64 `json:"gap,omitempty"`
	MadeBy       string  `json:"made_by"`
	At           micros  `json:"at"`
	Body         []byte  `json:"-"` // allocation.Document, gzip: 451 rows of 30 points are half a megabyte of JSON
}

func (allocationRecord) TableName() string { return "allocations" }

// maxTable bounds what a stored table may unpack to.
const maxTable = 64 << 20

func toAllocationRecord(v *allocation.Version) (*allocationRecord, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := v.Table.WriteJSON(z); err != nil {
		return nil, fmt.Errorf("encode the allocation table: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("encode the allocation table: %w", err)
	}
	return &allocationRecord{
		ID: v.ID, Scene: v.Scene, IDC: v.IDC, Number: v.Number, SceneVersion: v.SceneVersion, InputHash: v.InputHash, Cause: v.Cause,
		Took: int64(v.Took), Oldest: at(v.Oldest), Learned: v.Learned, FirstMS: v.First, ToMS: v.To, Effect: v.Effect, Gap: v.Gap,
		MadeBy: v.By, At: at(v.At), Body: b.Bytes(),
	}, nil
}

func (r *allocationRecord) info() allocation.Info {
	return allocation.Info{
		ID: r.ID, Scene: r.Scene, IDC: r.IDC, Number: r.Number, SceneVersion: r.SceneVersion, InputHash: r.InputHash, Cause: r.Cause,
		Took: time.Duration(r.Took), Oldest: r.Oldest.time(), Learned: r.Learned, First: r.FirstMS, To: r.ToMS, Effect: r.Effect, Gap: r.Gap,
		By: r.MadeBy, At: r.At.time(),
	}
}

func fromAllocationRecord(r *allocationRecord) (*allocation.Version, error) {
	z, err := gzip.NewReader(bytes.NewReader(r.Body))
	if err == nil {
		var d allocation.Document
		if err = json.NewDecoder(io.LimitReader(z, maxTable)).Decode(&d); err == nil {
			return &allocation.Version{Info: r.info(), Table: *d.Table()}, nil
		}
	}
	return nil, fault.Wrap(fault.Internal, err, "allocation table %d of %q is damaged", r.Number, r.Scene)
}

// SaveAllocation implements allocation.Store.
func (d *DB) SaveAllocation(ctx context.Context, v *allocation.Version, keep int, c audit.Change) error {
	return d.change(ctx, c, "allocation", "build", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		n := *v
		var last int
		if err := tx.Model(&allocationRecord{}).Where("scene = ? AND idc = ?", n.Scene, n.IDC).Select("COALESCE(max(number), 0)").Scan(&last).Error; err != nil {
			return err
		}
		n.ID, n.Number, n.By = newID(v.ID), last+1, byOr(v.By, ch.Actor)
		stamp(&n.At, now)
		n.Describe()
		r, err := toAllocationRecord(&n)
		if err != nil {
			return err
		}
		if err := tx.Create(r).Error; err != nil {
			return taken(err, "table %d of %q exists already", n.Number, n.Scene)
		}
		if keep > 0 {
			if err := tx.Delete(&allocationRecord{}, "scene = ? AND idc = ? AND number <= ?", n.Scene, n.IDC, n.Number-keep).Error; err != nil {
				return err
			}
		}
		ch.IDC = byOr(ch.IDC, scoped(n.IDC))
		describe(ch, n.ID, fmt.Sprintf("%s, table %d", n.Scene, n.Number), nil, r)
		*v = n
		return nil
	})
}

// GetAllocation implements allocation.Store.
func (d *DB) GetAllocation(ctx context.Context, scene, idc string, number int) (*allocation.Version, error) {
	q := d.read(ctx).Where("scene = ? AND idc = ?", scene, idc)
	if number > 0 {
		q = q.Where("number = ?", number)
	}
	var rs []allocationRecord
	if err := q.Order("number DESC").Limit(1).Find(&rs).Error; err != nil {
		return nil, opaque(err, "read the allocation table")
	}
	if len(rs) == 0 {
		return nil, fault.New(fault.NotFound, "no allocation table %d of scene %q", number, scene)
	}
	return fromAllocationRecord(&rs[0])
}

// ListAllocations implements allocation.Store.
func (d *DB) ListAllocations(ctx context.Context, scene, idc string, limit int) ([]allocation.Info, error) {
	q := d.read(ctx).Omit("body")
	if scene != "" {
		q = q.Where("scene = ?", scene)
	}
	if idc != "" {
		q = q.Where("idc = ?", idc)
	}
	var rs []allocationRecord
	if err := q.Order("at DESC, number DESC, id").Limit(pageSize(limit)).Find(&rs).Error; err != nil {
		return nil, opaque(err, "list allocation tables")
	}
	return each(rs, func(r allocationRecord) allocation.Info { return r.info() }), nil
}

var _ allocation.Store = (*DB)(nil)
