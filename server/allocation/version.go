package allocation

import (
	"context"
	"time"

	"github.com/allspark/allspark/server/audit"
)

// Info is what there is to say of a stored table without its rows.
type Info struct {
	ID           string
	Scene        string
	IDC          string // gear.Any when one table serves all
	Number       int    // 1, 2, 3 … within scene and IDC
	SceneVersion int64
	InputHash    string
	Cause        string // why it was built
	Took         time.Duration
	Oldest       time.Time // of the profiles it was built from
	Learned      int       // points whose profile was learned, the others were uploaded
	By           string
	At           time.Time

	// Of the table, so that a list needs no rows.
	First, To int
	Effect    float64 // of the last row
	Gap       float64
}

// Version is one stored, immutable table.
type Version struct {
	Info
	Table Table
}

// Describe fills in what Info repeats of the table.
func (v *Version) Describe() {
	v.First, v.To, v.Gap = v.Table.First, v.Table.To, v.Table.Gap
	v.Effect = 0
	if n := len(v.Table.Rows); n > 0 {
		v.Effect = v.Table.Rows[n-1].Effect
	}
}

// Store keeps tables.
type Store interface {
	// SaveAllocation writes v as the next version of its scene and IDC, with its
	// audit entry in the same transaction, and drops the oldest beyond keep.
	SaveAllocation(ctx context.Context, v *Version, keep int, c audit.Change) error
	// GetAllocation gives a version, number 0 the newest; fault.NotFound without.
	GetAllocation(ctx context.Context, scene, idc string, number int) (*Version, error)
	// ListAllocations gives the newest first; an empty scene or IDC is any.
	ListAllocations(ctx context.Context, scene, idc string, limit int) ([]Info, error)
}
