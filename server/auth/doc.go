// Package auth knows who is calling and what they may do: people with
// passwords and sessions, programs with API tokens, agents with enrolment
// tokens and credentials.
//
// # Who may do what
//
// A Grant gives a role on app x IDC, narrowed to one verb if it names one. A
// caller may do verb v on (app, idc) when some grant covers it. A user, the
// settings and what spans all apps need a grant on every app and IDC. A template
// has the scopes of its bindings: writing it needs the verb on all of them, and
// while it is bound nowhere, the verb somewhere; everybody may read it.
//
//	viewer    read, wall
//	operator  read, wall, edit, publish, bind, claim, agents, audit
//	admin     everything: also access, settings
//
// # Sessions
//
// A session is a JWT (HS256, pinned) whose claims name the user, the user's
// session epoch, a jti and the audience "console". HS256 and not EdDSA: issuer
// and verifier are this one program, so a public key would have no reader, and
// verifying costs 2 µs instead of 60 µs when ten thousand agents return at once.
// Agents' credentials have the audience "agent" and are accepted nowhere else.
//
// Two keys live at a time: the newest signs, both verify; a key is replaced after
// KeyLife and goes on verifying until everything it signed has expired.
//
// Logout revokes the jti; a change of password, role or state raises the user's
// epoch. Every replica keeps a snapshot of users, tokens and revocations, asks the
// store's counter every RefreshEvery (1 s) and reloads when it moved. So a cut is
// seen everywhere within RefreshEvery plus one reload, and open streams that
// call Current at least once a second end in less than 5 s.
//
// Passwords are argon2id (19 MiB, 2 passes, 1 lane); at most two are computed at
// once, others wait their turn until their context ends. API and enrolment tokens
// are 256 random bits, so a plain SHA-256 of them is kept.
//
// # When things fail
//
// Store away: the last snapshot stands for MaxStale (10 s), then every check
// answers fault.Unavailable: a revoked session must not live because the database
// died. Agents already enrolled are verified without the store for as long as
// the keys are in memory, because a request of theirs must not wait for it.
package auth
