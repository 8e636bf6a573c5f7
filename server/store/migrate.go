package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"golang.org/x/sys/unix"

	"github.com/allspark/allspark/migrations"
	"github.com/allspark/allspark/server/fault"
)

// How often a migrator asks for the lock that another one holds, and for how long.
const (
	migrateRetry = 200 * time.Millisecond
	migrateTries = 300
)

// Migrate brings the schema up to this build's, one replica at a time: the others
// wait for the lock and then find nothing to do.
func (d *DB) Migrate(ctx context.Context) error {
	p, unlock, err := d.provider(ctx)
	if err != nil {
		return opaque(err, "migrate the database")
	}
	defer unlock()
	if _, err := p.Up(ctx); err != nil {
		return opaque(err, "migrate the database")
	}
	return nil
}

// SchemaVersion tells the number of the newest step applied and of the newest known.
func (d *DB) SchemaVersion(ctx context.Context) (applied, known int64, err error) {
	p, unlock, err := d.provider(ctx)
	if err != nil {
		return 0, 0, opaque(err, "read the schema's version")
	}
	defer unlock()
	return p.GetVersions(ctx)
}

// provider holds the file lock of SQLite until unlock; on PostgreSQL goose takes
// a session lock around its own work.
func (d *DB) provider(ctx context.Context) (p *goose.Provider, unlock func(), err error) {
	unlock = func() {}
	if d.dialect == postgresDialect {
		steps, err := fs.Sub(migrations.Postgres, "postgres")
		if err != nil {
			return nil, unlock, err
		}
		locker, err := lock.NewPostgresSessionLocker(
			lock.WithLockTimeout(1, 60), lock.WithUnlockTimeout(1, 10))
		if err != nil {
			return nil, unlock, err
		}
		p, err = goose.NewProvider(goose.DialectPostgres, d.closers[0], steps, goose.WithSessionLocker(locker), goose.WithDisableGlobalRegistry(true), goose.WithAllowOutofOrder(true))
		return p, unlock, err
	}
	steps, err := fs.Sub(migrations.SQLite, "sqlite")
	if err != nil {
		return nil, unlock, err
	}
	if unlock, err = lockFile(ctx, d.path+".migrate"); err != nil {
		return nil, func() {}, err
	}
	p, err = goose.NewProvider(goose.DialectSQLite3, d.closers[0], steps, goose.WithDisableGlobalRegistry(true), goose.WithAllowOutofOrder(true))
	if err != nil {
		unlock()
		return nil, func() {}, err
	}
	return p, unlock, nil
}

// lockFile takes an advisory lock that the kernel drops with the process.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for range migrateTries {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			break
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, ctx.Err()
		case <-time.After(migrateRetry):
		}
	}
	_ = f.Close()
	return nil, fault.Wrap(fault.Unavailable, err, "another process migrates %s", fmt.Sprintf("%q", path))
}
