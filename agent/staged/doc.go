// Package staged is an agent's timeline of plan steps that were sent ahead: what
// to do from each of some instants on, if no controller says better.
//
// # Which entry counts
//
// Due gives the latest entry whose instant has come, by the agent's estimate of
// reference time (its own clock and the offset learnt from the stream; a machine
// five minutes off fires on time). An order set that a controller decided at or
// after that instant already knows the step, so it counts instead. A controller's
// order and a staged fire are therefore one transition, whichever comes first.
//
// # Fallback
//
// An entry at a peak holds until the next one, however long no controller
// speaks: running out of time must not raise work in the middle of a peak. After
// the peak's end the last entry holds as a last good order does, for the TTL.
//
// # On disk
//
// One file beside the snapshot of orders:
//
//	"ASSTAGE", format 1 | clock ahead of reference (int64 ns) | length | staged steps (protobuf) | SHA-256 of all before
//
// The offset is kept because an agent that restarts while every controller is
// down has nobody to ask.
//
// # When things fail
//
// A file that is damaged, foreign or empty is refused as a whole, with a reason.
// Steps that do not fit the app's declarations are refused as a whole and the
// ones held before stay; the controller shows who refused and why.
package staged
