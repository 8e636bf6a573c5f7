// Package fleet knows which agents there are: who registered from where with
// which build, what each declared, what it holds, and whether it is there now.
//
//	            Connect                      silent for StaleAfter
//	(unknown) ----------> connected ------------------------------> stale
//	                       ^  |   ^             a report              |
//	                Connect|  |   +-----------------------------------+
//	                       |  | Disconnect(current session)           |
//	                       |  v                                       |
//	                   disconnected <---------------------------------+
//	                       |
//	                       | AgeOut (only a session can keep an agent)
//	                       v
//	                    (forgotten)            ban: banned until unbanned, never aged out
//
// connected and stale are computed when somebody looks, so no timer can lie.
// A disconnected agent's figures stay for the record, but are never current.
//
// Identity. An instance id names one process. The same process that comes back
// (same id, host and start time) replaces its older session, even one that still
// looks alive: its cut may not have been noticed yet. Another live process with
// the same id gets a new id, returned to it in the welcome. INVARIANT: Disconnect
// of a session that is not the current one changes nothing, so an old stream's
// late close never removes the newer session.
//
// Words from outside. App, IDC, host, instance, point and scene names must be
// gear.PlaceName; other texts must be short and inert (no control or
// direction-changing characters), so that no name can forge a log line. A
// refused hello changes nothing.
//
// Clocks. An agent's own times are shown, never trusted: LastReportAt is when
// the controller received the report, in the clock that the caller passes.
//
// What happens when things fail: the store is written behind, at most once a
// FlushEvery, and a failed batch is tried again with the next; presence and
// control do not wait for it. After a restart every agent is disconnected until
// it says hello. Memory is bounded by MaxAgents and, per app, MaxScenes.
package fleet
