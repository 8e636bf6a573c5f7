// Package leaderboard ranks points, apps, IDCs and scenes by how their levels
// stand and move: live, and over any stretch of history, beside the stretch of
// equal length before it.
//
// # Figures
//
// Of a series of samples, one a minute (or an hour, on long stretches):
//
//	Level       request-weighted mean level
//	Height      where the level lies between floor and ceiling, 0..1: what levels of
//	            unlike points have in common, so this is what ranks by level compare
//	Movement    Σ |level(i) - level(i-1)| of neighbouring samples, a covered hour
//	Flaps       turns an hour: the level went one way by at least the band and came
//	            back by it; the band is a level, or [turnBand] of the range if more
//	Floor       share of the covered time at the lowest level
//	Overridden  share of the covered time under a manual claim
//
// Covered time is that of samples with requests: a point nobody asks is at no
// level. Movement within a sample is not seen, so hours show less of it than
// minutes; both stretches of a comparison use the same step.
//
// Floor and ceiling are those of the order in force now; without one the lowest
// and highest level that was used stand in.
//
// # Groups
//
// A group's height is weighted by requests, its shares of time by covered time;
// movement and flaps are means of the members' rates, so that a group of many
// points is not ahead for its size. A group has no level: level 3 of 10 and level
// 3 of 100 have no mean.
//
// # When things fail
//
// What the caller may not see is neither ranked nor counted. A series with no
// sample in the stretch is left out; in the earlier stretch it has no figures and
// no rank, never zero.
package leaderboard
