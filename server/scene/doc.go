// Package scene knows kinds of traffic: what response time each must keep, when
// the caller in front gives up, on which ladder of targets the RT gear moves, and
// which points a request passes in which order.
//
// # Graph
//
// Nodes are points of apps; an edge says that one is over before the other
// begins. An external edge (a call to another app) is a node too: nodes whose
// Within it is run while it lasts, and it takes the network and perhaps retries
// besides. Nodes that are not ordered run side by side. An edge between nodes
// within different calls is a cross-link. FedBy says on whose results a point
// works, which need not be the node before.
//
//	merger.call_sn {                       a call, 2 ms of network
//	    recall → prerank → feature  → rank
//	                     ↘ creative ↗      feature ∥ creative
//	}
//
// # Timeouts
//
// Series add, parallel take the maximum, retries multiply. A caller's timeout must
// be at least own work + its children's timeouts + the network:
//
//	least(call) = (1 + retries) · (network + longest path of own means and timeouts within)
//
// A graph whose timeouts break that is refused, with the sum. Own work is taken
// from profiles where there are some, else as nothing.
//
// # Versions
//
// Every save makes a new, immutable version; its number is the ETag. A table
// names the version it was built from, so an old table stays explained.
//
// # Ladder
//
// Effective targets by falling RT: step 1 is the scene's target, the last the
// least it will be pressed to. A target outside the allocation table is clamped to
// the nearest row, and whoever asks is told.
//
// # When things fail
//
// A graph with a circle, an unknown point or a doubled name is refused with every
// path. A point without a profile keeps a scene from having a table (Missing says
// which), never from being saved.
package scene
