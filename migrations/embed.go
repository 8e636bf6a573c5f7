// Package migrations holds the schema of both databases as numbered steps. A
// number means the same change in both folders; a test compares what they
// build, table by table.
//
// Instants are whole microseconds since 1970 in UTC (BIGINT, 0 = none), because
// SQLite would compare dates as text. Documents are JSON as text, never a binary
// form: the audit log's hash covers them byte by byte.
//
// A step that has been released is never edited; the next one mends it.
package migrations

import "embed"

// Postgres and SQLite hold the steps, each in the folder of its name.
var (
	//go:embed postgres/*.sql
	Postgres embed.FS
	//go:embed sqlite/*.sql
	SQLite embed.FS
)
