// Package servertest tests the whole: real listeners, real agents, real streams,
// real databases, and nothing replaced.
//
// Program builds the binary once and starts it on free ports with a data
// directory of its own; it can be killed, frozen and interrupted, and its command
// line speaks to it as an operator would. Server is the same controller in this
// process, for tests that need a thousand agents or look for what is left behind.
// Client speaks REST to either.
//
// Machines are SDK agents over TCP. Each keeps a log of (time, version, level,
// parameter, rung) of what its requests would get, a line a change; when a test
// ends, Check reads the logs: versions never fall. Network carries their
// connections and can cut, deaden and move them. Raw is an agent without manners,
// for what no SDK would send.
//
// Tests assert what must hold and give bounds only where a bound is the promise;
// how fast things are is for the benchmarks. Under the race detector the numbers
// are a fifth.
//
// When a test fails, what the controller wrote is in the test's log.
package servertest
