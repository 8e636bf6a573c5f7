// Package meter counts what happens at each point for each scene, on the
// request's path, and hands it over once a second as gear.PointReports.
//
// # What one request costs
//
// A Cell belongs to one (point, scene). Recording a request is one atomic add
// into the cell of its level and outcome, one into the RT sketch, and one each
// for load and value when the app gives them. There is no lock, no allocation
// after the first request at a level, no clock and no I/O.
//
// Count and RT sum share a word, so that they are one add and always agree:
//
//	bits 0..23   requests             up to 16.7 million a level, outcome and window
//	bits 24..63  sum of RT in µs      up to 2^40 µs, 305 hours of RT a window
//
// Mean, least and highest level, the outcomes and the count all fall out of
// these words at the drain; nothing is kept twice. Load and value are summed in
// units of 2^-20, so that a sum is an integer add.
//
// # Levels
//
// The first request of a level in a window and every 32nd after it are also kept
// by level and class of load, with their RT, and Worked adds what the app knows of
// its work; controllers learn profiles from that. Classes are relative to the mean
// load of the window before: light below 0.5, middle, heavy from 1.5; all where
// the app gives no load.
//
// # Local loops
//
// A request that a crowd loop decided carries a code in place of its level: the
// level, and above it which Sink is told of its end. The code is larger than any
// level, so requests without one are recorded by the same instructions as before.
//
// # Units and statistics
//
// RT is microseconds, rounded down. A shed request did no work: it is counted
// but has no RT, so a mean is RTSum / (Count - Shed). Level 0 stands for
// "no order, the app's defaults".
//
// # When things fail
//
// A negative elapsed time counts as 0, more than 36 minutes as 36 minutes. NaN,
// infinite or absurdly large loads and values count as 0. A window that is not
// drained for many hours wraps its RT sum; the agent drains every second
// whether or not a controller listens.
package meter
