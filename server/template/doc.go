// Package template holds gear templates: what every level of a control point
// means, how its level is regulated, and which template serves which place.
//
// # Levels
//
// A template has levels 1..N, N <= 100; a higher level does more work. Its
// author writes anchors (the gears of the document), by rising level. The first
// anchor is level 1 and sets every parameter; a later one may set only some.
// Expand fills each parameter between the anchors that set it, at levels a < l < b
// with f = (l-a)/(b-a):
//
//	linear     v = va + (vb-va)*f
//	geometric  v = va * (vb/va)^f      both ends above 0
//	step       v = va
//
// then rounds to the parameter's step, counted from the anchor below, which lies
// on the grid itself. Above the last anchor that sets it a parameter holds its
// value. Kinds without numbers always step. A gap is only a missing level 1.
//
// # Work
//
// Laws act on work, not on levels: the work factor of level l is the cost
// parameter's value at l over its largest, or l/N when no parameter is marked.
//
// # Versions
//
// A template has at most one draft and a rising line of published versions,
// each immutable. Rolling back publishes an old content as a new version, so the
// line never lies about what was in force when.
//
// # Bindings
//
// A binding's selector names scene, IDC, app and point, or Any for each. Its
// specificity is the number of fields that are not Any. The most specific
// binding that matches a place serves it; two of equal specificity that can
// match the same place are refused on save, so there is never a tie.
//
// # Documents
//
// YAML and JSON say the same and round-trip exactly. Reading is strict: unknown
// fields, duplicate keys, aliases, anchors, tags, several documents, nesting
// beyond 32 and more than 1 MiB are problems with a path, a line and a column.
// The type check of values is gear's: one wording for server, agent and browser.
//
// # What happens when things fail
//
// A bad document changes nothing and lists everything wrong at once. A write on
// an outdated version is fault.Stale and carries base, mine and theirs. A content
// that registered agents would refuse is fault.Refused, unless it is forced; then
// the agents refuse it by themselves, keep their last good set, and show why.
package template
