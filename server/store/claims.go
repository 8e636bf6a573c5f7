package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
)

type claimRecord struct {
	ID        string        `gorm:"primaryKey" json:"id"`
	Field     control.Field `json:"field"`
	Scene     string        `json:"scene"`
	IDC       string        `gorm:"column:idc" json:"idc"`
	App       string        `json:"app"`
	Point     string        `json:"point"`
	Bucket    string        `json:"bucket,omitempty"`
	Level     int           `json:"level,omitempty"`
	Duration  time.Duration `json:"duration_ns,omitempty"`
	Strategy  gear.Strategy `json:"strategy,omitempty"`
	Number    float64       `json:"number,omitempty"`
	Template  string        `json:"template,omitempty"`
	Pin       int           `json:"pin,omitempty"`
	Source    int           `json:"source"`
	Origin    string        `json:"origin,omitempty"`
	Author    string        `json:"author"`
	Reason    string        `json:"reason"`
	StartAt   micros        `json:"start_at"`
	EndAt     micros        `json:"end_at,omitempty"`
	Created   micros        `gorm:"column:created_at" json:"created_at"`
	Released  micros        `gorm:"column:released_at" json:"released_at,omitempty"`
	ReleaseBy string        `json:"release_by,omitempty"`
	Version   int64         `json:"version"`
}

func (claimRecord) TableName() string { return "claims" }

func toClaimRecord(c *control.Claim) *claimRecord {
	return &claimRecord{
		ID: c.ID, Field: c.Field, Scene: c.Scope.Scene, IDC: c.Scope.IDC, App: c.Scope.App, Point: c.Scope.Point,
		Bucket: c.Scope.Bucket, Level: c.Level, Duration: c.Duration, Strategy: c.Strategy, Number: c.Number,
		Template: c.Template, Pin: c.Pin, Source: int(c.Source), Origin: c.Origin, Author: c.Author, Reason: c.Reason,
		StartAt: at(c.Start), EndAt: at(c.End), Created: at(c.CreatedAt), Released: at(c.Released),
		ReleaseBy: c.ReleaseBy, Version: c.Version,
	}
}

func fromClaimRecord(r *claimRecord) *control.Claim {
	return &control.Claim{
		ID: r.ID, Field: r.Field,
		Scope: control.Scope{Scene: r.Scene, IDC: r.IDC, App: r.App, Point: r.Point, Bucket: r.Bucket},
		Level: r.Level, Duration: r.Duration, Strategy: r.Strategy, Number: r.Number, Template: r.Template, Pin: r.Pin,
		Source: control.Source(r.Source), Origin: r.Origin, Author: r.Author, Reason: r.Reason,
		Start: r.StartAt.time(), End: r.EndAt.time(), CreatedAt: r.Created.time(), Released: r.Released.time(),
		ReleaseBy: r.ReleaseBy, Version: r.Version,
	}
}

func claimName(r *claimRecord) string {
	return string(r.Field) + " on " + r.Scene + "/" + r.IDC + "/" + r.App + "/" + r.Point
}

// CreateClaim implements control.Store.
func (d *DB) CreateClaim(ctx context.Context, c *control.Claim, ch audit.Change) error {
	return d.change(ctx, ch, "claim", "set", func(tx *gorm.DB, now time.Time, ch *audit.Change) error {
		n := *c
		n.ID, n.Version, n.CreatedAt = newID(c.ID), 1, now
		n.Author = byOr(n.Author, ch.Actor)
		stamp(&n.Start, now)
		r := toClaimRecord(&n)
		if err := tx.Create(r).Error; err != nil {
			return taken(err, "the claim %q exists already", n.ID)
		}
		ch.App, ch.IDC = byOr(ch.App, scoped(r.App)), byOr(ch.IDC, scoped(r.IDC))
		describe(ch, n.ID, claimName(r), nil, r)
		*c = *fromClaimRecord(r)
		return nil
	})
}

// UpdateClaim implements control.Store.
func (d *DB) UpdateClaim(ctx context.Context, c *control.Claim, ch audit.Change) error {
	return d.change(ctx, ch, "claim", "update", func(tx *gorm.DB, _ time.Time, ch *audit.Change) error {
		var old claimRecord
		if err := tx.Take(&old, "id = ?", c.ID).Error; err != nil {
			if missing(err) {
				return notFound("claim", c.ID)
			}
			return err
		}
		if old.Version != c.Version {
			return stale(tx, "claim", c.ID, c.Version, fromClaimRecord(&old), func(r *claimRecord) any { return fromClaimRecord(r) })
		}
		n := old
		n.EndAt, n.Released, n.ReleaseBy, n.Version = at(c.End), at(c.Released), c.ReleaseBy, old.Version+1
		res := tx.Model(&claimRecord{}).Where("id = ? AND version = ?", c.ID, old.Version).Updates(map[string]any{
			"end_at": n.EndAt, "released_at": n.Released, "release_by": n.ReleaseBy, "version": n.Version,
		})
		if res.Error != nil {
			return res.Error
		}
		if res.RowsAffected != 1 {
			return fault.New(fault.Stale, "the claim changed meanwhile")
		}
		ch.App, ch.IDC = byOr(ch.App, scoped(n.App)), byOr(ch.IDC, scoped(n.IDC))
		describe(ch, n.ID, claimName(&n), &old, &n)
		*c = *fromClaimRecord(&n)
		return nil
	})
}

// GetClaim implements control.Store.
func (d *DB) GetClaim(ctx context.Context, id string) (*control.Claim, error) {
	var r claimRecord
	if err := d.read(ctx).Take(&r, "id = ?", id).Error; err != nil {
		if missing(err) {
			return nil, notFound("claim", id)
		}
		return nil, opaque(err, "read the claim")
	}
	return fromClaimRecord(&r), nil
}

// activeAt selects the claims for which Claim.Active(t) holds.
func activeAt(tx *gorm.DB, t time.Time) *gorm.DB {
	us := at(t)
	return tx.Where("start_at <= ? AND (end_at = 0 OR end_at > ?) AND (released_at = 0 OR released_at > ?)", us, us, us)
}

// ListClaims implements control.Store, newest first.
func (d *DB) ListClaims(ctx context.Context, f control.ClaimFilter) ([]*control.Claim, string, error) {
	q := d.read(ctx)
	for col, v := range map[string]string{
		"scene": f.Scope.Scene, "idc": f.Scope.IDC, "app": f.Scope.App, "point": f.Scope.Point,
		"bucket": f.Scope.Bucket, "field": string(f.Field),
	} {
		if v != "" {
			q = q.Where(col+" = ?", v)
		}
	}
	if !f.Active.IsZero() {
		q = activeAt(q, f.Active)
	}
	if f.Source != 0 {
		q = q.Where("source = ?", int(f.Source))
	}
	if !f.To.IsZero() {
		q = q.Where("start_at < ?", at(f.To))
	}
	if !f.From.IsZero() {
		q = q.Where("(end_at = 0 OR end_at > ?) AND (released_at = 0 OR released_at > ?)", at(f.From), at(f.From))
	}
	const key = "created_at DESC"
	c, ok, err := parseCursor(f.After, key)
	if err != nil {
		return nil, "", err
	}
	if ok {
		q = q.Where("(created_at, id) < (?, ?)", c.Num, c.ID)
	}
	n := pageSize(f.Limit)
	var rs []claimRecord
	if err := q.Order("created_at DESC, id DESC").Limit(n + 1).Find(&rs).Error; err != nil {
		return nil, "", opaque(err, "list claims")
	}
	next := ""
	if len(rs) > n {
		last := rs[n-1]
		rs, next = rs[:n], cursor{Sort: key, Num: int64(last.Created), ID: last.ID}.encode()
	}
	return each(rs, func(r claimRecord) *control.Claim { return fromClaimRecord(&r) }), next, nil
}

// ClaimsAt implements control.Store, oldest first.
func (d *DB) ClaimsAt(ctx context.Context, t time.Time) ([]*control.Claim, error) {
	var rs []claimRecord
	if err := activeAt(d.read(ctx), t).Order("created_at, id").Find(&rs).Error; err != nil {
		return nil, opaque(err, "read the active claims")
	}
	return each(rs, func(r claimRecord) *control.Claim { return fromClaimRecord(&r) }), nil
}
