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
// Replicas. Each tells the others of the agents it serves (see server/replica), and
// keeps theirs beside its own. Of two accounts of one agent that of the later session
// (Epoch) counts; the replica that finds itself outrun ends its stream. Agents of a
// replica that is not heard are stale, and disconnected a minute after its last beat.
// Bans are read from the store every turn. Only the lease holder drops rows of who
// aged out; the others only forget.
//
// Words from outside. App, IDC, host, instance, point and scene names must be
// gear.PlaceName; other texts must be short and inert (no control or
// direction-changing characters), so that no name can forge a log line. A
// refused hello changes nothing.
//
// Clocks. An agent's own times are shown, never trusted: LastReportAt is when
// the controller received the report, in the clock that the caller passes.
//
// What happens when things fail: the store is written behind, at most a thousand rows
// a FlushEvery, and only for what must survive a restart: who registered, declared,
// left, refused; ten thousand that return as they were cost it no row. A failed
// batch is tried again with the next; presence and control do not wait for it. After
// a restart every agent is disconnected until it says hello. Memory is bounded by
// MaxAgents and, per app, MaxScenes.
package fleet
