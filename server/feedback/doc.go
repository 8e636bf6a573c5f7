// Package feedback moves what the controller decides on measurements: the level
// of points under the strategy central, one level for the whole point.
//
// # Units
//
// Response times are microseconds, time is time.Duration, levels are integers
// within the template's [min, max].
//
// # The central rule
//
// Once an interval, with mean RT over every machine of the point and its
// available RT T:
//
//	mean > T            down StepDown levels for each Band that ln(mean/T) spans, at most maxStride times
//	mean < T(1-Band)    up StepUp levels for each Band of margin beyond the first, at most maxStride/2 times
//	between             hold
//
// A move ends early where work, which RT follows at most proportionally, has
// reached work·T/mean: coarse tables would swing around T otherwise.
//
// It is the older way of the seed design: the whole point has one mean, so every
// request of it pays for its slowest ones. What it is worth beside crowds is
// measured in server/lab.
//
// # Claims of the central loop
//
// Loop judges each central point once an interval, on the replica that holds the
// lease "feedback" and on what that replica's agents reported in the last ten
// seconds. It writes only when the level moves: a new claim, then the release of
// the old one, so that the level never falls back in between. A claim ends an hour
// later unless it is renewed, which happens when a third of that is left: a point
// that holds its level costs less than two rows of the audit log an hour, and a
// claim whose loop died does not stand for ever. Claims end at once when the
// strategy or the binding goes. While somebody holds the level by hand the loop
// waits; while a plan holds it the loop's own claim follows, so that automatic
// gears go on from the plan's level, at the rule's pace. It remembers nothing: the level is in the order, and its claims carry
// Origin, so a successor goes on where it was.
//
// # When things fail
//
// A window without requests, with too few of them, or with numbers that are no
// numbers moves nothing and says so; so does a window that was measured under a
// level that has since changed. The level never leaves the template's limits,
// whatever state a restart brings back.
package feedback
