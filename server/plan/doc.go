// Package plan is TimePlanner's calendar: what takes effect when, and when it
// ends. It is pure: (plans, now) in, instants and claims out.
//
// # A plan
//
// A plan has steps. A step that sets (levels, strategy, available RT, timeout,
// target RT, budget, template version) holds from its start to its end and then
// lets go; it cannot be saved without an end: another step, an instant, or a
// length. The terminal steps need none: `auto` hands points back to their own
// regulation (0:03, automatic gears), `restore` marks the way back, with its
// checklist.
//
//	name --+-- once: steps at local instants of the zone, or at an offset from a step
//	       +-- repeat: a cron expression gives the first step; all others are offsets
//
// # Local time
//
// A local time that does not exist (clocks go forward) is refused, with the two
// instants that may have been meant; one that exists twice (clocks go back) asks
// which. A repeating plan must say so once for all days: gap skip or after,
// overlap earlier or later. Cron expressions are matched against the wall clock,
// so an occurrence is named by its wall time and exists once.
//
// # Which occurrence of a step
//
// (plan, occurrence, step) identifies what happens at most once; the plan's epoch
// rises with every edit, hold and resume, so that what was armed or staged before
// is told from what is now. A step that already fired stays fired: neither a
// clock that steps back nor an edit fires it again.
//
// # Lateness
//
// Fate says what becomes of a step at a moment: before its start it waits, at its
// start it fires, up to Grace later it still fires, after that it is missed,
// unless machines hold it staged: then they fired it themselves and the
// controllers follow. A step is never hours late.
//
// Sources: the first seed's Double-11 (23:56 midnight gears in one step instead of
// many pushes from 23:45 on, about ten minutes of heavy degradation saved; 0:03
// automatic gears).
//
// # When things fail
//
// Nothing here does I/O but reading the zone's rules. An unknown zone, a cron
// expression nobody can match, or a plan beyond the limits is refused on save.
package plan
