// Package quota decides how many candidates of a request enter ranking, within a
// budget that the machines of a group share.
//
//	final = min(available, clamp(base * weight, q_min, q_max))
//
// The base quota moves some ten times a second with the group's load; the weight
// is what the business says a user is worth. [Quota.Take] answers from memory and
// counts the answer before the ranking runs: it takes no lock, allocates nothing
// and waits for nobody. Fractions are dithered, so that the mean is exact.
//
// Quota is counted in candidates; slews are in ln units a second (0.1 is 10 % a
// second).
//
// # Inside a frame
//
// A controller cannot answer a burst of 100 ms. When a handle has used up twice
// its share of the group's budget for this frame, further requests get less at
// once: n·(cap/used)², at least q_min.
//
// # What happens when things fail
//
// A base quota that is not renewed for its TTL (500 ms) is lost, whatever the
// reason. Then the base is min(last, default_quota) at once, and slews to
// default_quota: a leap up in a surge would be the overload itself. When the
// signal returns the base falls to it at once and rises to it slew-limited, each
// agent at its own pace of 80..120 %. An agent that never had a base answers with
// the app's own default. The local cap stays in all cases. Stale frames, by
// (epoch, tick), are dropped.
package quota
