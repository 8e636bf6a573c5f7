// Package allocation divides a scene's target response time among its points: for
// every target in whole milliseconds the levels with the greatest effect whose
// longest path keeps it. It is pure: the same input gives the same table, and no
// clock is read.
//
// # Input
//
// The graph is a partial order of points, with external edges (calls) around some
// of them. Per point and level there is a profile: RT by load class, work in
// core-milliseconds, effect in value a request, output in results, and cap, the
// results it takes at most. A point may work on the output of another, its feeder.
//
// # One pass
//
// At one statistic of each point's RT, rounded up to milliseconds:
//
//	point      F(t) = max effect of a level with RT <= t
//	series     F(t) = max over x of A(x) + B(t-x)          max-plus convolution
//	parallel   F(t) = A(t) + B(t)
//	call       F(t) = A(floor(t/(1+retries)) - network)
//
// One pass answers every target; choices are kept and unwound. Dominated levels
// are left out; levels below a concave hull are not, because the best vector for a
// budget may need one. For times that do not vary and lie on the grid the result
// is exact (tested against enumeration on thousands of instances).
//
// # Order
//
// The order is decomposed by its comparability graph: unconnected parts are
// parallel, parts unconnected in the complement are a series. What is neither
// (prime.go) has a few nodes fixed at each of their levels, so that the rest
// decomposes. Where that takes over 1,024 passes, a graph with less order bounds
// the effect from above, one with more is feasible, and the gap is told.
//
// # Links
//
// A point with supply u runs whole at levels with cap <= u, and all higher ones
// run alike, filled to u. Between two levels work, effect and output are linear in
// what is taken; RT is that of the level above, which is never too little. Where a
// point hands to one other and its output rises with its level, only the part that
// is taken earns effect: what the next one cuts off is work for nothing.
//
// The pass walks from the end of the graph to its beginning with the supply as a
// state. G levels by G supplies would be G² offers a point; as u rises, whole
// levels are offered once to a running maximum and only the filled one is new: 2·G,
// and still exact. The effect of a feeder with one consumer is booked where it is
// taken. A second supply that would have to be carried past is fixed instead
// (plan.go). Isolated tables ignore links and are measured with them: the
// difference is what linked regulation gains.
//
// # Crowds
//
// Where crowds regulate a point, its level is their cap and its setpoint what each of
// them is held at or under. The setpoint that goes with a level is the level's mean;
// a load class whose own mean is above it runs lower, at what it can bear. So the
// point takes, works and earns what crowds.go says, less than the level: rows that
// took the cap for what everybody runs at were 15 % too fast on chains of such
// points, and a preset had to wait for feedback to give that back.
//
// # Tails
//
// The p99 of a path is not the sum of p99s: adding them overstates it by about a
// third, and taking points as independent understates it by as much, because heavy
// users are heavy everywhere. So the pass runs at p50, p75, p90, p95 and p99, each
// of its vectors is judged (judge.go: convolution within each load class, then
// mixed) and filed under what it truly takes; better vectors for shorter targets
// serve longer ones. The all-minimum vector is always among them. Against
// enumeration of small graphs the passes alone lose 0.06 to 0.15 % of the effect
// on average, and up to a third at single targets where steps are few; there every
// vector one level away is tried too (polish), which leaves nothing without links
// and at most 0.7 % with them.
//
// # Outputs
//
// Per target: each point's level, its mean setpoint (its mean RT stretched by
// target / RT of the vector), each external edge's timeout (own work counts with
// its mean, the rest is shared by the calls in proportion to their p99, so nested
// timeouts always fit), effect, work, cut work, idle capacity, and what one more
// millisecond or core-second would earn, for the scene and for each point.
//
// # Sources
//
// Series-parallel reduction: Bein, Kamburowski, Stallmann, "Optimal reduction of
// two-terminal directed acyclic graphs" (1992). Time-cost trade-off by max-plus
// convolution on series-parallel graphs: De, Dunne, Ghosh, Wells (1997). Linear
// relaxation: relax.go, which needs no simplex because hulls, merged slopes and
// sums are the relaxation's value.
//
// # When things fail
//
// An input with problems (circle, unknown point, negative or NaN RT, a cap that
// falls) is refused with every path. A target below the fastest vector has no row:
// Row gives the nearest and says clamped. A profile that is wrong makes a preset
// that is wrong; feedback corrects it after the hold. A graph with more than
// MaxPoints points is refused.
package allocation
