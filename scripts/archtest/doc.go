// Package archtest reads the source tree and holds it to the house's laws
// (server/doc.go draws the house). Each law is a named subtest of TestLaws, and
// testdata has a small tree for each that breaks it, so that a law that cannot
// fail is noticed.
//
// Files are parsed, never compiled: build tags are ignored, and the whole check
// takes well under a second. Imports are followed through the project's own
// packages; what a third-party module imports is its own affair.
//
// Test files are held to fewer laws, since they use real parts wherever those
// are: no server beside an agent, file size and package names.
package archtest
