// Package demo is the sample engine: the lab's model, paced by the wall clock, in
// which every machine owns a real agent on its own stream.
//
// # What is real and what is modelled
//
// Two IDCs of six apps with three machines each are 36 agents. A call from app to
// app is an event of the model; it passes Begin, the parameter reads and End of
// the machine's own agent, with the elapsed time of the model. The model sees the
// values that the agent hands out and nothing else: no level, no template, no
// order. Each agent reports the modelled machine's CPU as its own.
//
// # Pace
//
// One goroutine runs the model. Every [Tick] it runs the events that are due,
// for at most half a tick of wall time, so the engine never takes more than half
// a core. Model time is wall time less what was skipped:
//
//	model = wall - skipped
//
// # Units
//
// Rate is copies of the trace (one copy of the conversation trace is 5.5 requests
// a second); Speed multiplies the clock of the trace, not the requests. CPU is a
// share of a machine's cores, 0..1.
//
// # When things fail
//
// When the process cannot keep pace, or slept, and is more than [MaxBehind]
// behind, the lost time is skipped: its requests do not happen, response times
// stay those of the model, and Status and a log line (one in ten seconds) say how
// much was lost. It never tries to catch up. An agent that finds no controller
// goes on with what it has, as any agent does.
package demo
