// Package decide measures what a request costs in an engine that holds the SDK:
// decide, read a parameter, report the outcome, with a level ordered by a
// controller. Its base is the least an agent can do that is told its level from
// outside, may split traffic by user and reports response times.
package decide
