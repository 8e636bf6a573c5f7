// Package planner turns plans into claims, and sends them ahead to the machines.
//
//	plans --plan.Occurrences--> Loop (one replica, its own lease) --claims--> control's door
//	   \                            armed 30 s ahead, fired at the start
//	    \--> Stager (every replica) --control.Foreseer--> staged sets --push--> its agents
//
// # Loop
//
// The replica that holds the lease "planner" looks at every step's Fate
// (plan.Decide) whenever something is due, and at least once a second. It writes
// a step's claims Ahead of its start; control fires them on its own timer. Until
// the step is marked fired its claims end Grace after their start, so claims that
// were written before every controller went down never take effect hours late.
//
//	(no record) --arm--> armed --fire--> fired --end--> (ended by its claims)
//	     |                 |               \--stop--> ended
//	     |                 \--cancel, skip--> cancelled, skipped
//	     \--too late and not staged--> missed, and an alert
//
// INVARIANT: a record's key (plan, occurrence, step) is unique in the database and
// every arrow is one conditional transaction with its audit row, so whichever
// replica, retry or operator comes first, a step fires once and "fire" stands
// once in the log.
//
// # Stager
//
// Every replica works out, for each app x IDC, the whole order set from each
// start and end of the next Horizon on, by the rule and from the places that the
// live decision uses, and puts it into the staged slot of its agents' outboxes.
// The ledger knows who holds it; a step that some machine holds is marked staged
// in the database, and is then followed even if controllers return late.
//
// # Service
//
// What people do with plans: save, approve (protected scenes by a second person),
// hold, resume, stop, skip, run now, extend; conflicts, readiness, dry run, restore
// checklist, war log.
//
// # Rehearsal
//
// Rehearse works out, by the rule and from the places of the real push, what
// control would order through an occurrence with the plan's claims and without
// them, and hands both to a Rehearser, which plays them on a model of the engine
// with the same users:
//
//	From = first start - 3 min      To = max(last end, peak) + 10 min, at most 90 min in all
//	peak = the first full hour of the plan's zone at or after the first start, unless given
//
// A replica plays one at a time. What a plan sets that no order carries (a target
// RT, a budget, a place that nobody declares) is named, not guessed. Compare sets a
// rehearsal against history minute by minute, moved to when the plan really ran:
//
//	error = mean |actual - predicted| / mean predicted, over minutes known to both
//
// # When things fail
//
// Without the database nothing is armed; machines fire what they hold. Without a
// lease holder for longer than Grace, a step that nobody holds is missed and says
// so. An agent that refuses its staged steps keeps the ones before, and is named.
// A rehearsal whose controller went away says so after ten minutes.
package planner
