// Package control is the one door: every cause is a Claim, every effect an
// Order. Manual changes, plans, presets and feedback loops all set claims;
// Decide turns bindings, template versions and claims into the order set of one
// app x IDC; Loop journals what changed and hands it on.
//
// # How a field is decided
//
// Decide resolves each field of a place (scene, IDC, app, point, bucket) alone:
//
//	field         without any claim                  limits that always hold
//	binding       the most specific binding          the template must have a published version
//	level         the template's default level       the template's min and max
//	available_rt  the strategy's setting             above 0
//	timeout       the strategy's setting             min_timeout and max_timeout
//	strategy      the template's                     must have the setpoint it needs
//
// Among the claims that match, the winner is found by, in this order:
//
//  1. source      manual > plan > experiment > preset > feedback > the template's own value
//  2. specificity the number of scope fields that are not Any, of five
//  3. newest      the later CreatedAt
//  4. id          the greater, so that there is never a tie
//
// Emergency stands outside the order: it never raises. After the winner is known,
// each emergency claim caps a level, an available RT or a timeout:
//
//	level = clamp(min(winner, emergency claims), min, max)
//
// A level set by a manual, a plan or an experiment claim pins every crowd; one set by
// preset or feedback, or none, is the start and the cap of a regulating strategy.
//
// # Which orders there are
//
// For each point that is declared or bound there is one order for the scene Any
// and the bucket Any, and one for each scene and bucket that a binding or claim
// names for it. A claim of field bucket does nothing but name one, so that traffic
// there is measured by itself. A scene whose orders all say the same as those of Any is left out: agents
// fall back to Any. Orders stand by point, scene, bucket, Any first; the same
// Input gives the same bytes.
//
// # Journal and replay
//
// A Shift is written when the set of an app x IDC changes, or when bindings,
// versions or points behind it do; a claim that changes nothing leaves no shift.
// It carries its Basis, so that Explain can replay Decide at a past second:
// first on the claims that stood then, which shows losers that came since; if
// those no longer give the journalled set (the loop had not yet looked), on the
// claims of the Basis, which always do.
//
// # What happens when things fail
//
// Without the database nothing is decided and agents hold what they have. A loop
// that cannot renew its lease stops deciding when its TTL has run out by its own
// monotonic clock; a late write is refused by the fencing epoch. A set that does
// not pass gear.CheckOrderSet is never journalled: the last one stays, and the log
// says why. A binding to a template without a published version serves nothing
// and is named in the decision's notes. Publishing that fails is tried again with
// the newest set on the next tick.
package control
