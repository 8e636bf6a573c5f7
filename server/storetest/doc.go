// Package storetest is what every database must do: one conformance suite that
// the tests of package store run on SQLite and on PostgreSQL. It asks only what
// the rooms' Store interfaces promise, so a third database could be held to it
// as it is.
package storetest
