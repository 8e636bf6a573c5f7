// Package servertest tests the whole: real processes, real agents, real streams,
// and nothing replaced. Program builds the binary once and starts it on a free
// port with a data directory of its own; its command line speaks to it as an
// operator would.
//
// When a test fails, what the process wrote is in the test's log.
package servertest
