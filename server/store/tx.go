package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
)

// opaque gives an error of the database a code: what has one keeps it, a cancelled
// context stays one, everything else means the database cannot serve now.
func opaque(err error, doing string) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return fault.Wrap(fault.Unavailable, err, "the database could not %s", doing)
}

func (d *DB) read(ctx context.Context) *gorm.DB { return d.r.WithContext(ctx) }

// snapshot runs fn on one consistent view.
func (d *DB) snapshot(ctx context.Context, doing string, fn func(tx *gorm.DB) error) error {
	return opaque(d.r.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if d.dialect == postgresDialect {
			if err := tx.Exec("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY").Error; err != nil {
				return err
			}
		}
		return fn(tx)
	}), doing)
}

// write runs fn in a transaction of its own.
func (d *DB) write(ctx context.Context, doing string, fn func(tx *gorm.DB) error) error {
	return opaque(d.w.WithContext(ctx).Transaction(fn), doing)
}

// locked adds FOR UPDATE where the database has it; SQLite's BEGIN IMMEDIATE has
// locked everything already.
func (d *DB) locked(tx *gorm.DB) *gorm.DB {
	if d.dialect == sqliteDialect {
		return tx
	}
	return tx.Clauses(clause.Locking{Strength: "UPDATE"})
}

// change runs fn and appends ch to the audit chain in one transaction. fn fills
// in what ch does not say yet: the object, its name, before and after.
func (d *DB) change(ctx context.Context, ch audit.Change, kind, verb string,
	fn func(tx *gorm.DB, now time.Time, ch *audit.Change) error,
) error {
	if ch.Kind == "" {
		ch.Kind = kind
	}
	if ch.Verb == "" {
		ch.Verb = verb
	}
	return d.write(ctx, verb+" "+kind, func(tx *gorm.DB) error {
		var head auditHead
		// INVARIANT: the head is locked before anything else is read, so what fn
		// reads is what it changes and two entries never share a predecessor.
		if err := d.locked(tx).Take(&head, 1).Error; err != nil {
			return err
		}
		if err := d.seen(tx, &ch); err != nil {
			return err
		}
		now, err := d.now(tx)
		if err != nil {
			return err
		}
		if at := head.At.time(); now.Before(at) {
			now = at // the log's time never falls, even when a clock is set back
		}
		if err := fn(tx, now, &ch); err != nil {
			return err
		}
		// After fn: only now the object's app and IDC are known.
		if err := thaw(tx, now, &ch); err != nil {
			return err
		}
		return appendEntry(tx, &head, now, ch)
	})
}

// seen answers Duplicate with the first entry when the key was used before.
func (d *DB) seen(tx *gorm.DB, ch *audit.Change) error {
	if ch.IdempotencyKey == "" {
		return nil
	}
	e, ok, err := findIdempotent(tx, ch.Actor, ch.IdempotencyKey)
	if err != nil || !ok {
		return err
	}
	dup := fault.New(fault.Duplicate, "this was done already at %s", e.At.Format(time.RFC3339))
	dup.Detail = e
	return dup
}

func orElse(set json.RawMessage, v any) json.RawMessage {
	if set != nil || v == nil {
		return set
	}
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return b
}

// describe fills in what the caller of a change left open.
func describe(ch *audit.Change, object, name string, before, after any) {
	if ch.Object == "" {
		ch.Object = object
	}
	if ch.Name == "" {
		ch.Name = name
	}
	ch.Before, ch.After = orElse(ch.Before, before), orElse(ch.After, after)
}

func newID(id string) string {
	if id != "" {
		return id
	}
	return uuid.Must(uuid.NewV7()).String()
}

func notFound(kind, id string) error { return fault.New(fault.NotFound, "no %s %q", kind, id) }

// taken turns a unique violation into a Conflict, and leaves other errors alone.
func taken(err error, format string, args ...any) error {
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return fault.Wrap(fault.Conflict, err, format, args...)
	}
	return err
}

func missing(err error) bool { return errors.Is(err, gorm.ErrRecordNotFound) }

func stamp(at *time.Time, now time.Time) {
	if at.IsZero() {
		*at = now
	}
}

func byOr(by, actor string) string {
	if by != "" {
		return by
	}
	return actor
}
