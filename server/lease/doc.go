// Package lease elects the one controller that decides, among replicas that
// share a database. The holder renews at a third of the TTL; each change of
// hands raises the fencing epoch, and whoever lost the lease can no longer
// append to the journal, however late it wakes up.
//
//	            acquired                    deadline passed, taken over,
//	waiting ----------------> holding ----- clock skewed, or Run ended ----> waiting
//	   ^  |                    |   ^
//	   +--+ held elsewhere,    +---+ renewed at TTL/3
//	        skewed, store away
//
// Two clocks are kept apart. Whether the lease stands is the database's to say:
// its clock alone decides when it runs out. Whether this process may still act on
// it is decided by its own monotonic clock: the deadline is the instant it *sent*
// the last successful renewal plus the TTL, which is never later than the
// database's. So it stops on its own, without asking, when the database is away
// or the process was stopped.
//
// A replica whose wall clock is further than MaxSkew from reference time refuses
// the lease, and gives it up if it has it: it would time-stamp decisions wrongly.
//
// # When things fail
//
// Store away: the holder goes on until its deadline, then loses the lease; it
// asks again every TTL/3 with jitter. Process stopped (SIGSTOP) beyond the TTL and resumed: Held
// is false before anything else runs, and an append that slips through meets the
// raised epoch in the store.
package lease
