// Package profile knows what each level of a point costs and earns: how response
// times are distributed by load class, how much work it is, what effect it has,
// and how many results it takes and hands on.
//
// # Units
//
// RT in milliseconds, work in core-milliseconds a request, effect in value a
// request (any unit that is the same for all points of a scene), cap and output
// in results a request. A cap is what a level takes from upstream at most; where
// none is given the output stands for it.
//
// # Two sources
//
// Uploaded: CSV or JSON (upload.go tells the forms); what is wrong is told by
// line and column, all at once. Learned: agents report by level and load class;
// [Learner] adds sketches up and halves the weight of what is old every HalfLife;
// [Keeper] saves the profiles it makes. What is known of RT moves to what a level and
// class showed by how long it was run at, half way after ten minutes, and at once
// where the other levels agree: a level passed through in an overload shows the
// overload. Levels nobody ran at move as far as their neighbours of the same class,
// for under crowds each class runs few levels, and those below all of them less by the
// square of their work, as queues do. Work and effect are taken as measured.
//
// Where nothing was learnt before of this key, as after an edit of a template, the
// profile that serves it until then stands in, its levels by their place in the
// table. Without one, levels nobody ran at are filled in between their neighbours,
// marked by Samples 0; outside the range that was seen, RT, work, effect, cap and
// output follow the slope in the level of the nearest two. Work and effect are what
// apps tell by Decision.Worked; where they tell nothing, RT and value stand for them.
//
// # Age
//
// A profile is for one level table, by hash: levels of another table are other
// levels. It is stale when the table in force is another one, or when its data is
// older than MaxAge. A stale profile is used and shown as stale: an old table is
// a better preset than none, and feedback corrects it.
//
// # When things fail
//
// A profile with problems is not saved. Effect or RT that falls with the level is
// a warning: tables handle both, but it is rarely meant. A learner holds at most
// MaxSeries; what is beyond is counted and dropped. A learnt profile with too few
// samples at every level is not made at all.
package profile
