// Package server tells the house: what is where, and the laws that keep it so.
// It holds no code.
//
//	proto/gear      the words both sides share: level, parameter, order, ack, report
//	proto/sketch    the RT sketch: record, merge, quantile, encode
//	proto/wire      gear <-> the generated protobuf, written once for both sides
//	migrations      the schema, once for Postgres and once for SQLite
//	web             the console
//	agent           the SDK that engines embed; agent/trace follows calls
//
//	server/app      wiring: New, Run, Close; nothing else knows every room
//	server/config   typed settings
//	server/fault    the one error vocabulary
//
// Domain rooms. They state what they need as interfaces and know no framework:
//
//	template        gear templates: parameters, gears, type check, versions, bindings
//	scene           scenes, target RT, the call graph of points
//	profile         what a level costs (RT) and earns (effect)
//	allocation      sharing a scene's target among its points: the solver, pure
//	plan            TimePlanner's calendar, pure
//	planner         plans and staged steps -> claims
//	control         Claim -> Decide (pure) -> Order; the only issuer of orders
//	feedback        rollups -> claims: central strategies, scenes layer by layer
//	quota           budget of a group, sliding window, PID (pure), weights
//	fleet           apps, points, agents, presence
//	push            one latest-wins outbox an agent, acknowledgement ledger
//	leaderboard     ranking by level, movement, time at the floor; pure
//	telemetry       reports -> windows -> rollups, history
//	experiment      arms on divided traffic, lift with its interval
//	alert           what is wrong, since when, and who was told
//	lease           one deciding controller among replicas, fencing epoch
//	replica         what controllers on one database tell each other: presence, figures
//	auth            users, roles, tokens, sessions, agents' credentials
//	audit           who changed what, hash-chained
//	settings        what administrators set at run time
//
// Adapters. They implement the domain's interfaces and do not know each other:
//
//	store           gorm on Postgres or SQLite
//	redis           the shared quota window
//	agentapi        gRPC: the agents' streams
//	restapi         gin: REST, SSE, the console's files; api holds its DTOs
//	opsapi          metrics and profiles for those who run a controller
//	notify          webhooks, Alertmanager and chats: where alerts are sent
//	cli             the operator's commands over the REST API
//
// Places where server and agent meet:
//
//	lab             the engine as a model in virtual time
//	demo            the same model at wall-clock pace, on real SDK agents
//	servertest      a real server with real agents
//
// # How a change travels
//
// A request is decoded and authorised in restapi, validated by its domain room,
// and stored together with its audit entry in one transaction. The room nudges
// control; control also looks by itself every second, so a lost nudge costs
// latency, never correctness. control.Decide turns templates, bindings and
// claims into one order set an app and IDC; what changed is journalled under a
// rising (epoch, revision) by the lease holder alone. push hands the newest set
// to every stream; the agent checks types and version, applies the set as a
// whole, and answers with an acknowledgement or a refusal that names each path.
//
// Every cause is a Claim, every effect an Order, control is the one door.
//
// The laws are a test: scripts/archtest.
package server
