// Package app wires the rooms into one controller and runs it. It is the only
// place that knows every room; no rule lives here.
//
// New opens the database, migrates it under its lock, makes the first
// administrator if there is none, and listens. Run serves until its context
// ends. What was opened is closed in reverse order, whatever failed on the way.
//
// The embedded default keeps three files in the data directory: allspark.db,
// local.json (address and token for the command line on this machine, readable
// by its owner alone) and agents/ (the sample engine's last good orders).
//
// When things fail: a database that is away at the start is an error; one that
// goes away later stops decisions and edits but not the agents' streams, which
// are served from memory.
package app
