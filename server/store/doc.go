// Package store keeps everything that must survive a restart, in SQLite (one
// machine) or PostgreSQL (replicas). One DB implements the Store interface of
// every room: template, control, lease, fleet, audit, auth and telemetry.
//
// # Records
//
// A file an aggregate: the gorm record, toRecord and fromRecord beside it, then
// the methods. Domain types carry no tags. Instants are microseconds since 1970
// (0 = the zero time), documents are JSON text written by the *Doc types here,
// so that a renamed field in a room cannot silently change what is on disk.
//
// # Writing
//
// An exported method owns its transaction. A change that people answer for goes
// through change: it locks the head of the audit chain first, so audited writers
// are serialised on both databases, checks what must hold across rows (unique
// names, bindings that could both match, templates still bound), and appends the
// entry before it commits. Either both are there or neither.
//
//	lock head -> key seen? -> Duplicate
//	          -> write, UPDATE … WHERE version = ? -> no row: NotFound or Stale
//	          -> append entry: hash = ChainHash(head.hash, entry) -> commit
//
// The journal and the lease have rows of their own: AppendShift locks the lease
// row, then the journal's head. A holder whose epoch no longer stands gets
// fault.Stale and wrote nothing.
//
// # SQLite
//
// One connection writes (BEGIN IMMEDIATE), others read beside it from the WAL.
// synchronous=NORMAL: a commit survives the death of the process; a power cut may
// lose the last commits, never the file's consistency. Whoever cannot accept that
// runs PostgreSQL, or adds synchronous=full to the DSN.
//
// # Reference time
//
// Now is the database's clock: PostgreSQL's clock_timestamp, or for SQLite (the
// same machine) the process's. WithClock injects another; SQLite's own functions
// are not used, because they would look past a test's virtual time.
//
// # When things fail
//
// A database that is away gives fault.Unavailable; nothing is retried here, and a
// caller that retries with its idempotency key cannot double the change: if the
// commit had arrived before the connection died, it gets fault.Duplicate with the
// first entry as Detail. A stale version gives fault.Stale with a fault.Clash.
package store
