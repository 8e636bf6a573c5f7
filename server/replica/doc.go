// Package replica lets controllers on one database know what each of them sees:
// which agents it serves and what these hold, and what they measured.
//
//	topic.Tell --> Exchange --> replica_parts (name, topic, part; seq) --> Exchange --> topic.Hear
//	               beats in `replicas`, every second                     of every other replica
//
// A replica writes nobody's rows but its own, in one transaction a turn: its beat,
// and those parts that changed. Its numbers (seq) rise, so a reader asks each peer
// for what is above the last number it saw and can miss nothing. A boot names one
// complete account: whoever finds another boot forgets what it knew of that peer
// and reads everything.
//
// The tables are of the moment and not logged (UNLOGGED). A replica that finds its
// row gone, because the database crashed, begins a new boot and tells everything.
//
//	a turn                   1 s (Every)
//	known to all             after at most two turns
//	a peer counts as lost    BeatTTL (5 s) after its last beat
//	its rows are dropped     ForgetAfter (1 h) after it, by the lease holder
//
// # What it costs
//
// With A agents in P app x IDC on R replicas, S series: a replica writes one small
// row a second for its beat, at most one row a second for each of its app x IDC in
// which something changed (an agent came or went, held another revision, fell
// silent; else every 10 s), and one row a second and one row each 5 s for each app
// that reports. So 10,000 agents in 20 app x IDC of 10 apps on three replicas are at
// most 3 x (1 + 20 + 10 + 2) = 99 rows a second, whatever is rolled out and however
// many agents return at once; the bytes are some 150 an agent whenever its app x IDC
// is told, some 400 a series and second, and 40 an agent, series and 5 s. Each other
// replica reads them once. TestTenThousandAgentsAreAFewRows in server/store counts them.
// A controller that hears no other tells nothing but its beat, one row a second; one
// on SQLite has no exchange at all.
//
// # When things fail
//
// Database away: what could not be written is written with the next turn; every peer
// counts as lost after BeatTTL, so nothing old is shown as current. A part that
// cannot be read (of a newer build, say) is skipped with a line in the log. Two live
// controllers of one name drive each other out; both say so.
package replica
