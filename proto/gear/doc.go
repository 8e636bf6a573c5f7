// Package gear holds the words that controllers and agents share: typed values
// and parameters, level tables, orders, acknowledgements and reports.
//
// It knows neither protobuf nor storage: proto/wire translates it to and from
// the stream, server/store to and from records. Only the standard library is
// imported, so that an engine that embeds the agent pays for nothing else.
//
// Units: durations are time.Duration (nanoseconds); response times on the wire
// are microseconds; levels are integers 1..N and a higher level does more work.
//
// # The type check
//
// A document's value is a token and its source text (Raw), so that no number is
// rounded before it is checked. An int wants an integer literal within int64:
// 3.0 and 1e3 are not ints. A float takes any JSON number that is finite. A
// duration is a string such as 8ms or 1h30m, a whole number of nanoseconds. A
// value lies on a step when (v - min) / step is whole: exactly for ints and
// durations, within 1e-9 of the quotient for floats. Floats are worded as
// ECMAScript words them, durations as Go does without empty tails (1m, not 1m0s).
//
// What happens when things fail: a value that does not fit its parameter is a
// Problem with a path and one fixed wording, the same in Go and in the browser
// (testdata/typecheck.json is the golden file of both). Nothing is clamped
// silently.
package gear
