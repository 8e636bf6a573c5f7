package store

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/allspark/allspark/server/audit"
)

// auditHead is the one row that every audited change locks.
type auditHead struct {
	ID   int64 `gorm:"primaryKey"`
	Seq  int64
	Hash string
	At   micros
}

func (auditHead) TableName() string { return "audit_head" }

type auditRecord struct {
	Seq            int64 `gorm:"primaryKey;autoIncrement:false"`
	At             micros
	Actor          string
	Via            string
	Verb           string
	Kind           string
	Object         string
	Name           string
	App            string
	IDC            string `gorm:"column:idc"`
	Reason         string
	RequestID      string
	Address        string
	IdempotencyKey string
	BeforeDoc      string
	AfterDoc       string
	PrevHash       string
	Hash           string
}

func (auditRecord) TableName() string { return "audit_entries" }

func toAuditRecord(e *audit.Entry) auditRecord {
	return auditRecord{
		Seq: e.Seq, At: at(e.At), Actor: e.Actor, Via: e.Via, Verb: e.Verb, Kind: e.Kind, Object: e.Object,
		Name: e.Name, App: e.App, IDC: e.IDC, Reason: e.Reason, RequestID: e.RequestID, Address: e.Address,
		IdempotencyKey: e.IdempotencyKey, BeforeDoc: string(e.Before), AfterDoc: string(e.After),
		PrevHash: e.PrevHash, Hash: e.Hash,
	}
}

func (r *auditRecord) entry() audit.Entry {
	raw := func(s string) json.RawMessage {
		if s == "" {
			return nil
		}
		return json.RawMessage(s)
	}
	return audit.Entry{
		Seq: r.Seq, At: r.At.time(), PrevHash: r.PrevHash, Hash: r.Hash,
		Change: audit.Change{
			Actor: r.Actor, Via: r.Via, Verb: r.Verb, Kind: r.Kind, Object: r.Object, Name: r.Name, App: r.App,
			IDC: r.IDC, Reason: r.Reason, RequestID: r.RequestID, Address: r.Address,
			IdempotencyKey: r.IdempotencyKey, Before: raw(r.BeforeDoc), After: raw(r.AfterDoc),
		},
	}
}

// appendEntry links ch behind head. The caller holds head's lock.
func appendEntry(tx *gorm.DB, head *auditHead, now time.Time, ch audit.Change) error {
	// PostgreSQL's text cannot hold NUL, and the hash must cover what is stored.
	clean(&ch.Actor, &ch.Via, &ch.Verb, &ch.Kind, &ch.Object, &ch.Name, &ch.App, &ch.IDC, &ch.Reason,
		&ch.RequestID, &ch.Address, &ch.IdempotencyKey)
	e := audit.Entry{Seq: head.Seq + 1, At: now, Change: ch, PrevHash: head.Hash}
	e.Hash = audit.ChainHash(head.Hash, &e)
	r := toAuditRecord(&e)
	if err := tx.Create(&r).Error; err != nil {
		return err
	}
	return tx.Model(&auditHead{}).Where("id = 1").
		Updates(map[string]any{"seq": e.Seq, "hash": e.Hash, "at": at(now)}).Error
}

func clean(fields ...*string) {
	for _, f := range fields {
		*f = strings.ToValidUTF8(strings.ReplaceAll(*f, "\x00", "�"), "�")
	}
}

// ListAudit implements audit.Store.
func (d *DB) ListAudit(ctx context.Context, f audit.Filter) ([]audit.Entry, error) {
	q := d.read(ctx).Model(&auditRecord{})
	for col, v := range map[string]string{
		"actor": f.Actor, "verb": f.Verb, "kind": f.Kind, "object": f.Object, "app": f.App, "idc": f.IDC,
	} {
		if v != "" {
			q = q.Where(col+" = ?", v)
		}
	}
	if f.People { // worded as the index audit_people is
		q = q.Where("substr(actor, 1, 7) <> 'system:'")
	}
	if f.Search != "" {
		like := contains(f.Search)
		q = q.Where("(lower(name) LIKE ? ESCAPE '!' OR lower(reason) LIKE ? ESCAPE '!' OR lower(object) LIKE ? ESCAPE '!' OR lower(actor) LIKE ? ESCAPE '!')", like, like, like, like)
	}
	if !f.From.IsZero() {
		q = q.Where("at >= ?", at(f.From))
	}
	if !f.To.IsZero() {
		q = q.Where("at < ?", at(f.To))
	}
	if f.Before > 0 {
		q = q.Where("seq < ?", f.Before)
	}
	var rs []auditRecord
	if err := q.Order("seq DESC").Limit(pageSize(f.Limit)).Find(&rs).Error; err != nil {
		return nil, opaque(err, "list the audit log")
	}
	out := make([]audit.Entry, len(rs))
	for i := range rs {
		out[i] = rs[i].entry()
	}
	return out, nil
}

// WalkAudit implements audit.Store. It reads in batches, so that fn may take its
// time without holding a transaction open; the log only ever grows at its end.
func (d *DB) WalkAudit(ctx context.Context, fn func(audit.Entry) error) error {
	const batch = 500
	for last := int64(0); ; {
		var rs []auditRecord
		if err := d.read(ctx).Where("seq > ?", last).Order("seq").Limit(batch).Find(&rs).Error; err != nil {
			return opaque(err, "walk the audit log")
		}
		for i := range rs {
			if err := fn(rs[i].entry()); err != nil {
				return err
			}
			last = rs[i].Seq
		}
		if len(rs) < batch {
			return nil
		}
	}
}

// AuditHead tells the newest entry's number and hash as the head row has them: a
// log whose end was cut off no longer agrees with it.
func (d *DB) AuditHead(ctx context.Context) (seq int64, hash string, err error) {
	var h auditHead
	err = d.read(ctx).Take(&h, 1).Error
	return h.Seq, h.Hash, opaque(err, "read the audit log's head")
}

// FindIdempotent implements audit.Store.
func (d *DB) FindIdempotent(ctx context.Context, actor, key string) (audit.Entry, bool, error) {
	e, ok, err := findIdempotent(d.read(ctx), actor, key)
	return e, ok, opaque(err, "look up the idempotency key")
}

func findIdempotent(tx *gorm.DB, actor, key string) (audit.Entry, bool, error) {
	if key == "" {
		return audit.Entry{}, false, nil
	}
	clean(&actor, &key)
	var rs []auditRecord
	// The filter repeats the partial index's condition, or it is not used.
	err := tx.Where("actor = ? AND idempotency_key = ? AND idempotency_key <> ''", actor, key).Limit(1).Find(&rs).Error
	if err != nil || len(rs) == 0 {
		return audit.Entry{}, false, err
	}
	return rs[0].entry(), true, nil
}
