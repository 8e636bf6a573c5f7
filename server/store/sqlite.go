package store

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/libtnb/sqlite"
)

// Reads beside the writer. They only ever wait for the disk, so a few suffice.
const sqliteReaders = 4

func (d *DB) openSQLite(path string) error {
	path, extra, _ := strings.Cut(path, "?")
	if path == "" || strings.HasPrefix(path, ":memory:") {
		return fmt.Errorf("sqlite wants the path of a file")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	d.dialect, d.path = sqliteDialect, path
	// Without the zone, instants would be written in local time; all of ours are
	// integers, the parameters keep whatever gorm writes by itself right too.
	base := "file:" + (&url.URL{Path: path}).EscapedPath() +
		"?_pragma=busy_timeout(5000)&_pragma=journal_mode(wal)&_pragma=synchronous(normal)" +
		"&_pragma=foreign_keys(1)&_timezone=UTC&_time_format=sqlite"
	if extra != "" {
		base += "&" + extra
	}
	var err error
	// INVARIANT: one write connection, so a writer never meets SQLITE_BUSY from its
	// own process; another process waits busy_timeout for BEGIN IMMEDIATE.
	if d.w, err = d.attach(sqlite.Open(base+"&_txlock=immediate"), 1, 1); err != nil {
		return err
	}
	d.r, err = d.attach(sqlite.Open(base+"&_query_only=1"), sqliteReaders, sqliteReaders)
	return err
}
