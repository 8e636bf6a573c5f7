// Package push carries the newest order set of each app x IDC to every agent of
// it, and keeps the ledger that proves who holds it.
//
// It holds opaque frames and knows no protobuf: agentapi makes a frame once and
// every stream of the app x IDC sends the same bytes.
//
//	Publish(key, state) --> group{state, members} --Wake--> Outbox --Next--> whoever writes
//	                              |                            ^
//	                              +-- ledger <------ Ack ------+
//
// An Outbox is latest-wins. It holds no queue: it remembers which version was
// sent and compares it with the group's state when the writer asks. A slow
// reader therefore delays nobody, costs no memory, and jumps to the newest
// state when it reads again. Level tables go before the first set that refers
// to them, once; the tables an agent lacks are found by hash. Other kinds of
// frame (clock reading, base quota, staged steps, a request for a new hello)
// are slots: one frame of a kind waits, a newer one replaces it.
//
// State of a member in the ledger, for the newest version:
//
//	           Ack held
//	waiting ------------> held
//	   |  \ Ack refused
//	   |   +------------> refused   (shown with its problems, never resent)
//	   | stream broken
//	   +----------------> away      (named as disconnected until it returns or AwayFor passes)
//
// A stream that ends cleanly takes its member out of the ledger at once: a
// machine that was shut down owes nothing.
//
// Agents that other controllers serve are members of the ledger too, without an
// outbox: Elsewhere notes how they stand, a second or two late but with the time of
// their answer.
//
// Units: elapsed times in time.Duration since Publish; To50, To99 and To100 are
// the times at which that share of the expected members held the version.
//
// INVARIANT: the version an outbox hands out never falls, and never lies below
// what the agent said it holds.
//
// What happens when things fail: an agent that has shown no progress (an ack)
// for StallAfter while something newer was due is cut, and finds the newest
// state when it returns. An older state is ignored by Publish. Nothing here
// waits for an agent. Memory is bounded by members and by Records a key.
package push
