// Package console measures the console as its users meet it: in a browser,
// against the built binary with the sample engine. It holds benchmarks only; they
// run the browser's own measurement (web/e2e) and the size check (web/scripts)
// and report what those print.
//
// Units: milliseconds from a key press to the next paint; kilobytes of gzip that
// the first page loads. When the binary, the browser or a script is missing the
// benchmark fails with what it said.
package console
