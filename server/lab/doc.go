// Package lab is the engine in virtual time: a deterministic discrete-event model
// of an online engine whose work per request can be turned up and down.
//
// It stands under the demo (paced by the wall clock, on real agents) and under
// every experiment (as fast as the machine allows, on production rules). The
// model sees parameters only, through [Controls]; it never sees a level.
//
// # Units
//
// Time is int64 nanoseconds since the run began. CPU demands and I/O are
// nanoseconds of one core of nominal speed. Load is tokens; the relative load
// l = load / (mean load of the trace) has mean 1. User value has mean 1.
//
// # Requests
//
// Arrivals and tokens come from two published traces ([Conversation], [Code];
// traces/ATTRIBUTION.md). At rate N, N copies of the trace run side by side,
// copy k shifted by frac(k*0.618…) of [ShiftSpread] of the trace, each wrapping
// around its end. At speed S the clock of the trace runs S times as fast, with
// ceil(N/S) copies thinned to N/S, so requests a second stay the same:
//
//	requests/s = N * (requests in the trace / its span)
//
// User value v = exp(s*z - s²/2), z = r*zl + sqrt(1-r²)*e: log-normal with mean
// 1, where zl is the standardised log of the load and e a standard normal.
//
// # Machines
//
// A visit's CPU demand, at the amount x its parameters allow and the relative
// load l of the request in its scene:
//
//	demand = (fixed + perLoad*l + slope*x*l*factor) * noise / speed
//
// fixed and perLoad do not scale with the level; noise is log-normal with mean 1,
// what the prediction of load cannot know. I/O follows the CPU and uses no core.
// A FIFO machine serves in order of arrival on c cores. A processor-sharing
// machine gives each of its n jobs min(1, c/n) of a core. With V the attained
// service of a job present since the machine was last empty,
//
//	dV/dt = min(1, c/n),   a job that comes at V with demand d leaves at V + d
//
// so one heap ordered by V + d serves any number of jobs. A machine that already
// holds its limit of calls refuses the next: an error, not a wait.
//
// # Calls
//
//	frontend → merger → sn: recall → prerank → (feature ∥ creative) → rank → model
//
// A point downstream works on min(what came from above, its own cap). The call
// to creative is an external edge of sn: its timeout is sn's parameter, and a
// request goes on without its answer. The frontend gives up after the scene's
// timeout. Late work is wasted: what a machine has accepted it finishes, and the
// next step of a request nobody waits for is not begun.
//
// # Value
//
// A response earns v * sum of weight_p * quality_p * (1-exp(-x_p/h_p))/(1-exp(-top_p/h_p)):
// concave in the work done at each point. Work whose result the point below cut
// off earns nothing. A request that timed out, failed or was refused earns zero.
//
// # Randomness
//
// Nothing is drawn in order of events. Noise, routing, scene and value are hashes
// of (seed, request, place), so two policies see the same requests, the same
// machines and the same noise whatever they do with them: common random numbers.
//
// # Experiments
//
// A [Scenario] is a world, a [Policy] controls it, a [Plan] plays one under the
// other and gives metrics, an [Experiment] does so for many, in parallel, and
// [Results] are tables, a CSV file and a page. RESULTS.md is made by [Standards],
// RESULTS-quota.md by [QuotaReport], RESULTS-alerts.md by [Alerts].
//
//	value           = earned / offered; who asks again offers nothing new
//	value_gap_share = (value - best static) / (oracle - best static), seed by seed
//	needless        = visits below the top with RT·demand(top)/demand <= T, of all
//	paired ±        = t(n-1)·s/√n of differences by seed
//
// Policies of the product run its own rules: agent/loop, server/feedback and
// template expansion. Limiters, DCAF, PID on CPU and the autoscaler are
// baselines, written here from their published laws. A policy sees what an
// operator would; the DCAF baseline is also told the true value curves. The
// [Oracle] is an upper bound and no policy; its comment says in which ways.
//
// Quota policies run server/quota: window, PID, weights, prices and calibrator. A
// [GroupWorld] is a quota group by itself, where the law shows without queues; of
// the policies only quota and quota-linear exist there.
//
// A [Rig] is one machine, one point and one loop, where how well crowds hold
// their target can be measured against the model's noise-free demand.
//
// # Rehearsals
//
// [Rehearser] plays a plan for server/planner: the order sets that control gives
// over time, on machines that obey them as agents do (crowd loops, timeout loops)
// and a control that regulates central points, on an evening with a peak:
//
//	load(t) = 0.8 before the peak; rising to the peak within 10 s; then 1.2 + (peak-1.2)·exp(-t/150 s)
//	work    = CPU of the scalable work at the readings given / at the apps' defaults; heavy below 0.5
//
// Layer feedback of scenes, quotas and buckets are not played. [PlayNights] plays
// the midnight of a sale the same way under a plan, the same gears from 23:45 on,
// and feedback alone; MIDNIGHT.md is made by `allspark lab midnight`. [SceneReport]
// plays scenes end to end, with the rules that regulate them; SCENES.md and scenes.svg
// are made by `allspark lab scenes`.
//
// # When things fail
//
// An unknown scenario or policy is an error before anything runs. A cancelled
// experiment gives no results; the standard set keeps the parts it finished.
// Setting up a model that is not a tree of known apps, or has too many
// parameters, panics: it is a constant of the program. A reading that is not
// positive does no scalable work. Queues are bounded by each machine's limit and
// requests by the scene's timeout, so a hopeless overload costs bounded memory.
package lab
