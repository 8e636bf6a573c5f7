package store

import (
	"context"
	"math"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/lease"
)

type journalHead struct {
	ID       int64 `gorm:"primaryKey"`
	Epoch    int64
	Revision int64
	At       micros
}

func (journalHead) TableName() string { return "journal_head" }

type shiftRecord struct {
	Revision int64 `gorm:"primaryKey;autoIncrement:false"`
	Epoch    int64
	App      string
	IDC      string `gorm:"column:idc"`
	At       micros
	Hash     string
	Cause    string
	Causes   doc[[]causeDoc]
	Claims   doc[[]string]
	Orders   doc[[]orderDoc]
	Basis    doc[*basisDoc]
	Decided  micros `gorm:"column:decided_at"`
}

type causeDoc struct {
	Code string   `json:"c"`
	Args []string `json:"a,omitempty"`
}

func toCauseDoc(c control.Cause) causeDoc { return causeDoc(c) }

func (d causeDoc) cause() control.Cause { return control.Cause(d) }

func (shiftRecord) TableName() string { return "shifts" }

type tableRecord struct {
	Hash string `gorm:"primaryKey"`
	Body doc[tableDoc]
	Used micros `gorm:"column:used_at"` // at most usedGrain before the newest shift that names it
}

func (tableRecord) TableName() string { return "level_tables" }

func toShiftRecord(s *control.Shift) *shiftRecord {
	return &shiftRecord{
		Revision: s.Version.Revision, Epoch: s.Version.Epoch, App: s.App, IDC: s.IDC, At: at(s.At), Hash: s.Hash,
		Cause: s.Cause, Causes: docOf(each(s.Causes, toCauseDoc)), Claims: docOf(s.Claims), Orders: docOf(each(s.Set.Orders, toOrderDoc)),
		Basis: docOf(toBasisDoc(&s.Basis)), Decided: at(s.Set.Decided),
	}
}

func fromShiftRecord(r *shiftRecord) *control.Shift {
	s := &control.Shift{
		Version: gear.Version{Epoch: r.Epoch, Revision: r.Revision}, App: r.App, IDC: r.IDC, At: r.At.time(),
		Hash: r.Hash, Cause: r.Cause, Causes: each(r.Causes.v, causeDoc.cause), Claims: r.Claims.v,
		Set: gear.OrderSet{
			App: r.App, IDC: r.IDC, Epoch: r.Epoch, Revision: r.Revision, Hash: r.Hash,
			Orders: each(r.Orders.v, orderDoc.order), Decided: r.Decided.time(),
		},
	}
	if r.Basis.v != nil {
		s.Basis = r.Basis.v.basis()
	}
	return s
}

// AppendShift implements control.Store.
//
// Lock order: the lease's row, then the journal's head. The head is held until
// the commit, so revisions become visible in their order and a follower that has
// seen r has seen everything below it.
func (d *DB) AppendShift(ctx context.Context, s *control.Shift, fence int64) error {
	n := *s
	err := d.write(ctx, "append to the journal", func(tx *gorm.DB) error {
		if err := d.checkFence(tx, fence); err != nil {
			return err
		}
		var head journalHead
		if err := d.locked(tx).Take(&head, 1).Error; err != nil {
			return err
		}
		now, err := d.now(tx)
		if err != nil {
			return err
		}
		// INVARIANT: epoch, revision and time of the journal never fall.
		n.Version = gear.Version{Epoch: max(fence, head.Epoch), Revision: head.Revision + 1}
		if n.At = now; now.Before(head.At.time()) {
			n.At = head.At.time()
		}
		n.Set.App, n.Set.IDC, n.Set.Epoch, n.Set.Revision = n.App, n.IDC, n.Version.Epoch, n.Version.Revision
		if n.Hash == "" {
			n.Hash = n.Set.Hash
		}
		n.Set.Hash = n.Hash
		if err := saveTables(tx, &n); err != nil {
			return err
		}
		if err := tx.Create(toShiftRecord(&n)).Error; err != nil {
			return err
		}
		return tx.Model(&journalHead{}).Where("id = 1").Updates(map[string]any{
			"epoch": n.Version.Epoch, "revision": n.Version.Revision, "at": at(n.At),
		}).Error
	})
	if err != nil {
		return err
	}
	*s = n
	return nil
}

func (d *DB) checkFence(tx *gorm.DB, fence int64) error {
	var l leaseRecord
	q := tx
	if d.dialect == postgresDialect {
		q = q.Clauses(clause.Locking{Strength: "SHARE"})
	}
	if err := q.Take(&l, "name = ?", lease.Controller).Error; err != nil && !missing(err) {
		return err
	}
	if l.Epoch != fence || l.Holder == "" {
		f := fault.New(fault.Stale, "the lease of epoch %d no longer stands: %q holds epoch %d", fence, l.Holder, l.Epoch)
		f.Detail = l.lease()
		return f
	}
	return nil
}

// usedGrain is how much a table's used_at may lag: a set that is journalled every
// minute need not touch its tables each time.
const usedGrain = time.Hour

// saveTables keeps the tables that are new, and notes for all that the set names
// that they are in use. The journal's head is locked, so no pruning comes between.
func saveTables(tx *gorm.DB, s *control.Shift) error {
	for i := range s.Tables {
		r := tableRecord{Hash: s.Tables[i].Hash, Body: docOf(toTableDoc(&s.Tables[i])), Used: at(s.At)}
		// A hash names its content: a second writer has the same to say.
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&r).Error; err != nil {
			return err
		}
	}
	var named []string
	for i := range s.Set.Orders {
		if h := s.Set.Orders[i].Table; h != "" {
			named = append(named, h)
		}
	}
	slices.Sort(named)
	for batch := range slices.Chunk(slices.Compact(named), 500) {
		err := tx.Model(&tableRecord{}).Where("hash IN ? AND used_at < ?", batch, at(s.At.Add(-usedGrain))).Update("used_at", at(s.At)).Error
		if err != nil {
			return err
		}
	}
	return nil
}

// ShiftsSince implements control.Store. Each shift carries every table its set
// refers to: a superset of those new in it, so that no follower can lack one.
func (d *DB) ShiftsSince(ctx context.Context, v gear.Version, limit int) ([]*control.Shift, error) {
	return d.shifts(ctx, func(tx *gorm.DB) *gorm.DB {
		return tx.Omit("basis").Where("(epoch, revision) > (?, ?)", v.Epoch, v.Revision).Order("epoch, revision").Limit(pageSize(limit))
	})
}

// LatestShifts implements control.Store.
func (d *DB) LatestShifts(ctx context.Context) ([]*control.Shift, error) {
	return d.shifts(ctx, func(tx *gorm.DB) *gorm.DB {
		return tx.Omit("basis").Where("revision IN (SELECT max(revision) FROM shifts GROUP BY app, idc)").Order("revision")
	})
}

// ShiftAt implements control.Store.
func (d *DB) ShiftAt(ctx context.Context, app, idc string, t time.Time) (*control.Shift, error) {
	ss, err := d.shifts(ctx, func(tx *gorm.DB) *gorm.DB {
		return tx.Where("app = ? AND idc = ? AND at <= ?", app, idc, at(t)).Order("at DESC, revision DESC").Limit(1)
	})
	if err != nil {
		return nil, err
	}
	if len(ss) == 0 {
		return nil, fault.New(fault.NotFound, "nothing was ordered for %s in %s by then", app, idc)
	}
	return ss[0], nil
}

// ListShifts implements control.Store. The basis is left out; ShiftAt has it.
func (d *DB) ListShifts(ctx context.Context, app, idc string, from, to time.Time, limit int) ([]*control.Shift, error) {
	return d.shifts(ctx, func(tx *gorm.DB) *gorm.DB {
		tx = tx.Omit("basis").Where("app = ? AND idc = ?", app, idc)
		if !from.IsZero() {
			tx = tx.Where("at >= ?", at(from))
		}
		if !to.IsZero() {
			tx = tx.Where("at < ?", at(to))
		}
		return tx.Order("at DESC, revision DESC").Limit(pageSize(limit))
	})
}

// PageShifts implements control.Store. Revisions and times of the journal rise
// together, so pages are cut at a pair of both and an index on it serves them.
func (d *DB) PageShifts(ctx context.Context, f control.ShiftFilter) ([]*control.Shift, int64, error) {
	q := d.read(ctx).Omit("orders", "basis")
	if f.App != "" {
		q = q.Where("app = ?", f.App)
	}
	if f.IDC != "" {
		q = q.Where("idc = ?", f.IDC)
	}
	if f.Within != nil {
		any := d.r.Where("1 = 0")
		for _, p := range f.Within {
			one := d.r.Where("1 = 1")
			if p.App != gear.Any {
				one = one.Where("app = ?", p.App)
			}
			if p.IDC != gear.Any {
				one = one.Where("idc = ?", p.IDC)
			}
			any = any.Or(one)
		}
		q = q.Where(any)
	}
	if !f.From.IsZero() {
		q = q.Where("at >= ?", at(f.From))
	}
	if !f.To.IsZero() {
		q = q.Where("at < ?", at(f.To))
	}
	if f.Below > 0 {
		// The time narrows the index where the line that ended the page is still there.
		q = q.Where("revision < ?", f.Below).
			Where("at <= coalesce((SELECT at FROM shifts WHERE revision = ?), ?)", f.Below, int64(math.MaxInt64))
	}
	n := pageSize(f.Limit)
	var rs []shiftRecord
	if err := q.Order("at DESC, revision DESC").Limit(n + 1).Find(&rs).Error; err != nil {
		return nil, 0, opaque(err, "list the journal")
	}
	next := int64(0)
	if len(rs) > n {
		rs = rs[:n]
		next = rs[n-1].Revision
	}
	return each(rs, func(r shiftRecord) *control.Shift { return fromShiftRecord(&r) }), next, nil
}

// shifts reads shifts and the tables they refer to, each table once.
func (d *DB) shifts(ctx context.Context, where func(*gorm.DB) *gorm.DB) ([]*control.Shift, error) {
	var out []*control.Shift
	err := func() error {
		var rs []shiftRecord
		if err := where(d.read(ctx)).Find(&rs).Error; err != nil {
			return err
		}
		out = each(rs, func(r shiftRecord) *control.Shift { return fromShiftRecord(&r) })
		return d.attachTables(d.read(ctx), out)
	}()
	return out, opaque(err, "read the journal")
}

func (d *DB) attachTables(tx *gorm.DB, shifts []*control.Shift) error {
	found := map[string]*gear.LevelTable{}
	var want []string
	for _, s := range shifts {
		for i := range s.Set.Orders {
			h := s.Set.Orders[i].Table
			if _, seen := found[h]; h != "" && !seen {
				found[h] = nil
				want = append(want, h)
			}
		}
	}
	for len(want) > 0 {
		n := min(len(want), 500) // SQLite bounds the parameters of a statement
		var rs []tableRecord
		if err := tx.Where("hash IN ?", want[:n]).Find(&rs).Error; err != nil {
			return err
		}
		for i := range rs {
			t := rs[i].Body.v.table(rs[i].Hash)
			found[rs[i].Hash] = &t
		}
		want = want[n:]
	}
	for _, s := range shifts {
		once := map[string]bool{}
		for i := range s.Set.Orders {
			h := s.Set.Orders[i].Table
			if t := found[h]; t != nil && !once[h] {
				once[h] = true
				s.Tables = append(s.Tables, *t)
			}
		}
	}
	return nil
}

// RaiseEpoch implements control.Store.
func (d *DB) RaiseEpoch(ctx context.Context, e int64) (int64, error) {
	err := d.write(ctx, "raise the epoch", func(tx *gorm.DB) error {
		var head journalHead
		if err := d.locked(tx).Take(&head, 1).Error; err != nil {
			return err
		}
		if e = max(e, head.Epoch); e == head.Epoch {
			return nil
		}
		return tx.Model(&journalHead{}).Where("id = 1").Update("epoch", e).Error
	})
	return e, err
}

var _ control.Store = (*DB)(nil)
