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
// What happens when things fail: a value that does not fit its parameter is a
// Problem with a path and one fixed wording, the same in Go and in the browser
// (testdata/typecheck.json is the golden file of both). Nothing is clamped
// silently.
package gear
