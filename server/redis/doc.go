// Package redis keeps the quota window that replicas share, and relays the
// leader's decisions to the others.
//
// # Keys
//
//	allspark:{GROUP}:w:N   sub-window N (100 ms each since 1970) of a group: three
//	                       64-bit numbers, candidates, requests and weights in
//	                       thousandths, kept by BITFIELD; it expires
//	allspark:{GROUP}:d     the newest decision, JSON; expires after a second
//
// The braces put all keys of a group into one slot of a Cluster.
//
// # Cost
//
// Agents batch what they count for 100 ms, replicas what their agents sent: an
// interval is one pipeline, with one command for each group and sub-window and,
// on the leader, one MGET a group. No command is ever sent for a request.
//
// # What happens when things fail
//
// Every call ends within the caller's budget, at most [Timeout]. After
// [breakAfter] failures in a row the breaker opens: calls fail at once, and one
// in a while is let through to try. Counts that could not be added wait in the
// caller for at most a second. A Redis that comes back empty begins new windows;
// nothing in it needs to survive.
package redis
