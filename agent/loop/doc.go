// Package loop turns an order into what a point does with each request: the
// level it works at and, at a call edge, the timeout it grants.
//
// Of the strategies, fixed and central ask for the order's level exactly, and
// external_timeout for the order's timeout. A crowd_rt order names a start and
// cap; the order's level answers for every request.
//
// # Units
//
// Levels are integers 1..N within the order's [min, max]; timeouts are
// time.Duration.
//
// # When things fail
//
// Orders arrive here checked (gear.CheckOrderSet). A level outside the order's
// bounds is still brought inside them, because the limits of a template hold
// whatever else is wrong.
package loop
