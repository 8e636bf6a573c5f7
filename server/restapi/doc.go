// Package restapi is the HTTP edge: REST under /api/v1, one event stream, the
// OpenAPI document with a readable page, and the console's static files.
//
// Handlers decode a DTO of server/api, authorise, call a domain room and map
// back. No domain value is ever bound from a request, and no decision is made
// here.
//
// # Routes
//
// {template}, {binding}, {user} … take an id (UUIDv7) or, where the object has
// one, its unique name. {scene}/{idc}/{app}/{point} name one control point; "*"
// is the scene that stands for all without orders of their own.
//
//	POST   /sessions                                  sign in
//	DELETE /sessions/current                          sign out
//	GET    /me                                        who am I, what may I do
//	PUT    /me/password                               change my password
//
//	GET    /templates                                 search, tags, sort, cursor
//	POST   /templates                                 create from a document (JSON or YAML)
//	POST   /templates/check                           check an unsaved document; which builds would refuse it
//	GET    /templates/{template}                      with draft and latest document
//	DELETE /templates/{template}                      If-Match; refused while bound
//	GET    /templates/{template}/document             ?version=draft|latest|N, JSON or YAML
//	PUT    /templates/{template}/draft                save the draft; If-Match
//	DELETE /templates/{template}/draft                drop the draft; If-Match
//	GET    /templates/{template}/check                the same check on what is stored
//	GET    /templates/{template}/table                every level, expanded
//	POST   /templates/{template}/publish              If-Match; reason, force
//	POST   /templates/{template}/copy                 as a new template
//	POST   /templates/{template}/copy-gear            If-Match; into the draft
//	POST   /templates/{template}/interpolate          If-Match; into the draft
//	GET    /templates/{template}/diff                 ?from=&to=
//	POST   /templates/{template}/diff                 against an unsaved document
//	GET    /templates/{template}/versions
//	GET    /templates/{template}/versions/{version}
//	POST   /templates/{template}/rollback             If-Match; restores a version as a new one
//	GET    /templates/{template}/usage                bindings and points that use it
//
//	GET    /bindings                                  filter by selector or template
//	POST   /bindings
//	POST   /bindings/preview                          what an unsaved binding would change
//	GET    /bindings/resolve                          what one point resolves to
//	GET    /bindings/{binding}
//	PUT    /bindings/{binding}                        If-Match
//	DELETE /bindings/{binding}                        If-Match
//
//	GET    /claims                                    filter by scope, field, active
//	POST   /claims
//	GET    /claims/{claim}
//	POST   /claims/{claim}/extend                     a later or earlier end
//	POST   /claims/{claim}/release                    end it now
//	POST   /claims/{claim}/undo                       release it, or set it again if it was released
//
//	GET    /plans            POST /plans              documents in JSON or YAML
//	POST   /plans/dry-run                             what the real push would send to whom
//	GET    /plans/{plan} PUT /plans/{plan} DELETE /plans/{plan}      steps, readiness, staging, conflicts, restore list; If-Match on writes
//	POST   /plans/{plan}/approve … hold, resume, stop
//	POST   /plans/{plan}/steps/{step}/run … skip, extend
//	GET    /plans/{plan}/export                       ?format=yaml|json|ics|md
//	GET    /plans/{plan}/war-log                      what people, loops and control did, from the audit log and the journal
//	GET    /plan-timeline                             the steps of all plans in a stretch of time
//	GET    /plans/{plan}/rehearsals  POST             play it on the engine model; the answer comes at once
//	GET    /plans/{plan}/rehearsals/{rehearsal}       with its time series
//	GET    /plans/{plan}/rehearsals/{rehearsal}/comparison   what was foretold against history
//	GET    /freezes  POST /freezes  DELETE /freezes/{freeze}
//	GET    /break-glass  POST /break-glass  POST /break-glass/{glass}/approve
//	GET    /protected-scenes  PUT /protected-scenes/{scene}  DELETE
//
//	GET    /apps                                      apps, IDCs, builds, declared points (for pickers)
//	GET    /points                                    live rollups: filter, search, sort, cursor
//	GET    /points/{scene}/{idc}/{app}/{point}
//	GET    /points/{scene}/{idc}/{app}/{point}/explain   ?at= : why this gear
//	GET    /points/{scene}/{idc}/{app}/{point}/agents    each agent's share, outliers marked
//	GET    /history                                   series of points over a range
//	GET    /scenes/{scene}/history                    target, RT gear, front end and nodes over a range
//	GET    /leaderboard                               ranking by level, movement, flapping, floor, override
//	GET    /leaderboard/export                        the same as CSV
//
//	GET    /agents                                    filter by app, IDC, state, search
//	GET    /agents/{instance}
//	POST   /agents/{instance}/ban
//	POST   /agents/{instance}/unban
//
//	GET    /changes                                   journal, newest first
//	GET    /changes/{revision}                        with the difference it made
//	GET    /changes/{revision}/progress               n of m hold it after t ms; stragglers, refusals
//	POST   /changes/{revision}/undo
//
//	GET    /alerts                                    filter by state, kind, place, time; cursor
//	GET    /alerts/{alert}                            with who was told, and the plans prepared for its scope
//	POST   /alerts/{alert}/ack
//	GET    /alert-silences   POST /alert-silences     always with a reason and an end
//	POST   /alert-silences/{silence}/end
//	GET    /alert-rules      PUT /alert-rules/{kind}  If-Match
//	GET    /alert-sinks      POST /alert-sinks        addresses and secrets are write-only
//	GET    /alert-sinks/{sink} PUT /alert-sinks/{sink} DELETE /alert-sinks/{sink}   If-Match on writes
//	POST   /alert-sinks/{sink}/test                   send a message that says it is a test
//
//	GET    /events                                    SSE, resumes at Last-Event-ID
//
//	GET    /audit                                     filter, cursor
//	GET    /audit/export                              CSV
//	GET    /audit/verification                        walk the hash chain
//
//	GET    /users        POST /users
//	GET    /users/{user} PUT /users/{user} DELETE /users/{user}      If-Match on writes
//	POST   /users/{user}/password                     a new generated password, shown once
//	POST   /users/{user}/sign-out                     cut all their sessions
//	GET    /tokens           POST /tokens           DELETE /tokens/{token}
//	GET    /enrolment-tokens POST /enrolment-tokens DELETE /enrolment-tokens/{token}
//
//	GET    /wall                                      what a screen on the wall shows; a token may be narrowed to it
//	GET    /status                                    version, lease, database, streams
//	GET    /settings  PUT /settings                   retention, rules for stale agents; If-Match
//
// Outside /api/v1: /api/v1/openapi.json, /api/docs, /healthz, /readyz, the console.
//
// # Conventions
//
//   - Lists answer {items, next_cursor}; limit is 1..500, 50 by default; sort
//     fields are enumerated. Anything else is 4xx, never silently clamped.
//   - ETag is the object's version; writes need If-Match (428 without) and a stale
//     one is 409 with base, mine and theirs.
//   - Idempotency-Key on POST: a retry gets the first result and changes nothing.
//   - Errors are RFC 9457 problems with a code, a request id and every path.
//   - Bodies are at most 1 MiB (413), 32 levels deep, uncompressed (415), with no
//     unknown field (422).
//
// # Events
//
// Each SSE event has a type (change, progress, claim, template, binding, agent,
// point, status), an id that rises on this replica, and JSON data. A client that
// reconnects with Last-Event-ID gets what it missed from a ring of RingSize
// events, or one "reset" event that tells it to read everything again.
//
// # When things fail
//
// A dependency that is away is 503 with Retry-After. A panic in a handler is a 500
// problem with the request id, logged with its stack. A slow SSE reader is cut
// when its buffer is full; it resumes where it was.
package restapi
