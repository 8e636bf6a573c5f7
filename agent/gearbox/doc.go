// Package gearbox holds what an agent does at the moment: the current orders,
// resolved for the app's own points, parameters and scenes.
//
// # Shape
//
// A Set is immutable. The request path loads it with one atomic read and indexes
// arrays: Set -> Entry of (point, scene) -> Rule -> Row -> value by slot. What a
// request loaded it keeps, so a decision stays one decision while orders change.
// Every change (an order set, a new declaration, a new scene, a step on the
// ladder) builds a whole new Set under a lock that requests never take.
//
// # Versions
//
// Apply takes a set as a whole or refuses it as a whole, with every offending
// path. It refuses a lower (epoch, revision) than the one it holds; the same one
// again is acknowledged again.
//
// # Ladder
//
// For each point, best first:
//
//	live       the stream is up and the newest set is applied
//	staged     a plan step held beforehand is due and no set decided since has
//	           come (see package staged)
//	last_good  the stream is down, or the newest set was refused; held until the TTL
//	default    the app's declared defaults: no order, or the TTL ran out
//
// The TTL counts on the monotonic clock from the last contact with a controller.
// A set that ran out stays known (its version is the floor for new ones, its
// hash goes into the hello), and answers again when a controller confirms it.
//
// # Buckets
//
// An order's bucket "lo-hi" takes the requests whose key hashes into [lo, hi) of
// 10,000 slices; the hash is the same on every machine. Other requests take the
// scene's order for bucket "*", else the one of scene "*".
//
// # Local loops
//
// A rule of crowd_rt or external_timeout is made for each scene: it points to the
// loop's table of levels, or to this rule again with the timeout of now. Loops that
// no rule points to any more are forgotten when a set is resolved.
//
// # Snapshot on disk
//
// One file, written to a temporary name, synced and renamed:
//
//	"ASGEARS", format 1 | saved at, TTL (int64 ns) | set | number of tables | tables | SHA-256 of all before
//
// where set and tables are length-prefixed protobuf. Restored, it is last good:
// its TTL counts from the time it was saved.
//
// # When things fail
//
// A damaged, truncated, foreign or empty snapshot is refused as a whole: the box
// starts on defaults and says why. A full disk costs the snapshot, never an
// order. Nothing here panics on what comes from the network or the disk.
package gearbox
