package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/allspark/allspark/server/fault"
)

// DB is an open database. All methods may be called at the same time.
type DB struct {
	w, r    *gorm.DB // the same on PostgreSQL; SQLite writes through one connection
	dialect dialect
	path    string // of the SQLite file, "" otherwise
	clock   func() time.Time
	closers []*sql.DB
	series  sync.Map // telemetry.Key -> number, as they are learnt
}

type dialect uint8

const (
	sqliteDialect dialect = iota + 1
	postgresDialect
)

// Option changes how a database is opened.
type Option func(*DB)

// WithClock replaces the database's clock as reference time.
func WithClock(now func() time.Time) Option { return func(d *DB) { d.clock = now } }

// Open connects to the database that dsn names: "sqlite:PATH" (with further
// parameters after "?"), or a PostgreSQL URL or keyword string. It does not touch
// the schema; call Migrate before anything else.
func Open(ctx context.Context, dsn string, options ...Option) (*DB, error) {
	d := &DB{}
	var err error
	switch {
	case strings.HasPrefix(dsn, "sqlite:"):
		err = d.openSQLite(strings.TrimPrefix(dsn, "sqlite:"))
	case strings.HasPrefix(dsn, "postgres://"), strings.HasPrefix(dsn, "postgresql://"), strings.Contains(dsn, "="):
		err = d.openPostgres(dsn)
	default:
		return nil, fault.New(fault.Invalid, "database wants sqlite:PATH or a PostgreSQL URL")
	}
	if err == nil {
		for _, o := range options {
			o(d)
		}
		for _, c := range d.closers {
			if err = c.PingContext(ctx); err != nil {
				break
			}
		}
	}
	if err != nil {
		_ = d.Close()
		return nil, fault.Wrap(fault.Unavailable, err, "cannot open the database: %v", redact(err, dsn))
	}
	return d, nil
}

// redact keeps a password that a driver echoes out of logs.
func redact(err error, dsn string) string {
	return strings.ReplaceAll(err.Error(), dsn, "(dsn)")
}

// Close waits for running statements and closes all connections.
func (d *DB) Close() error {
	var errs []error
	for _, c := range d.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// Dialect names the database for people: sqlite or postgres.
func (d *DB) Dialect() string {
	if d.dialect == sqliteDialect {
		return "sqlite"
	}
	return "postgres"
}

// SQL gives the connections that write, for pool statistics. Statements of one's
// own do not belong here: every row has a method.
func (d *DB) SQL() *sql.DB { return d.closers[0] }

// Ping reports whether the database answers.
func (d *DB) Ping(ctx context.Context) error {
	for _, c := range d.closers {
		if err := c.PingContext(ctx); err != nil {
			return fault.Wrap(fault.Unavailable, err, "the database does not answer")
		}
	}
	return nil
}

// Now is reference time.
func (d *DB) Now(ctx context.Context) (time.Time, error) {
	t, err := d.now(d.r.WithContext(ctx))
	if err != nil {
		return time.Time{}, opaque(err, "read the reference time")
	}
	return t, nil
}

func (d *DB) now(tx *gorm.DB) (time.Time, error) {
	switch {
	case d.clock != nil:
		return d.clock().UTC().Truncate(time.Microsecond), nil
	case d.dialect == sqliteDialect:
		return time.Now().UTC().Truncate(time.Microsecond), nil
	}
	var us int64
	err := tx.Raw("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint").Scan(&us).Error
	return time.UnixMicro(us).UTC(), err
}

func (d *DB) attach(dial gorm.Dialector, conns, idle int) (*gorm.DB, error) {
	g, err := gorm.Open(dial, &gorm.Config{
		Logger:                   logger.Discard,
		SkipDefaultTransaction:   true,
		TranslateError:           true,
		DisableAutomaticPing:     true,
		DisableNestedTransaction: true,
	})
	if err != nil {
		return nil, err
	}
	c, err := g.DB()
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	c.SetMaxOpenConns(conns)
	c.SetMaxIdleConns(idle)
	d.closers = append(d.closers, c)
	return g, nil
}
