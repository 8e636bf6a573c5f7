// Package cli holds the operator's commands. They speak the REST API with the
// DTOs of server/api and nothing else, so they do what the console does and no
// more.
//
// # Where and who
//
// The controller's address and credential come from the first of: --url and
// --token; ALLSPARK_URL and ALLSPARK_TOKEN; the session that `allspark login`
// stored for this user; local.json in the data directory of a controller on this
// machine (--data-dir, ALLSPARK_DATA_DIR, ./data).
//
// # Output
//
// Tables for people; -o json or -o yaml print what the API answered. Errors go to
// stderr with every path that is wrong.
//
// # Exit codes
//
//	0  done
//	1  anything else
//	2  the command line is wrong
//	3  no such object
//	4  not signed in, or not allowed
//	5  invalid, or builds would refuse it
//	6  changed meanwhile, or in the way of something else
//	7  the controller or its database cannot be reached
//
// # When things fail
//
// A write that got no answer may have been done: every POST carries an
// Idempotency-Key, and the client tries once more with the same key before it
// gives up.
package cli
