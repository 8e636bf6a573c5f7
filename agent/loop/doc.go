// Package loop turns an order into what a point does with each request: the
// level it works at and, at a call edge, the timeout it grants.
//
// Of the strategies, fixed and central ask for the order's level exactly. Under
// crowd_rt the order's level is start and cap of a crowd loop; under
// external_timeout its timeout is the start of a timeout loop, where the order
// leaves room between min_timeout and max_timeout.
//
// # Shape
//
//	request -> Crowds.Pick: bin of its load -> table -> level       lock free
//	        -> Sink.Record: count, ΣRT, ΣRT² of its bin             two atomic adds
//	Tick    -> drain -> Emergency (2 s) / Step (10 s) -> new table  one atomic store
//	Observe -> gear.CrowdReport of every crowd                      once a report
//
// Rules (rule_*.go, Step, Emergency, StepEdge) are pure: state and sample in, next
// state out. Loops is the thin runner: it owns windows and knows the time only as
// an argument. Every scene of a point has a loop of its own, because it has its own
// distribution of loads; it costs 2 KiB until its first request and some 25 KiB
// from then on.
//
// The table of a bin holds a level, the share of requests that run one higher, so
// that the crowd's mean work is the real number the rule chose, and the share of
// the hold-out: downgraded requests that run at the cap all the same, to show what
// downgrading cost. Requests are drawn by a random word each.
//
// # What a loop remembers
//
// A loop lives as long as its place has an order of its strategy with the same work
// factors: settings, available RT, bounds and pins change it in place. Requests
// that began under an older order keep that order's last table. A pin (a manual
// level) holds every request at the order's level at once, hold-out included; its
// end gives the crowds back their place. A restart begins at the order's level.
//
// # Units
//
// Levels are integers 1..N within the order's [min, max]; timeouts are
// time.Duration; RT is µs inside the rules. Utilisation is the machine's CPU share,
// 0..1, averaged over the window; negative when unknown. A request that failed or
// was shed is not in the samples: it says nothing of what work costs.
//
// # When things fail
//
// Orders arrive here checked (gear.CheckOrderSet). A level outside the order's
// bounds is still brought inside them, because the limits of a template hold
// whatever else is wrong. NaN, negative or absurd samples move nothing. A process
// that slept finds its windows over once, not many times. While the ladder is on
// the app's defaults no loop answers, but what loops know stays.
package loop
