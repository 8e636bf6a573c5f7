// Package agentapi is the agents' edge: enrolment, and the one long stream of
// each agent.
//
//	              hello timeout, bad hello, no credential,
//	accepted ---- too many at once (goodbye + retry_after) ----> closed
//	   | hello valid
//	   v
//	registered: welcome, then level tables and order set if they differ
//	   |  ^                                    |
//	   |  | frames: ack, report, clock probe   | Wake: in the writers' line
//	   v  |                                    v
//	reading (the stream's only goroutine)   written to by one of a few writers
//	   |                                       |
//	   +---- EOF, error, cut, stop ------------+----> left
//
// One goroutine a stream, which reads. Writing is done by as many goroutines as
// there are cores, and only while something is due: a send on a stream whose
// agent reads never blocks. A stream with too many unanswered bytes in flight is
// written to by a goroutine of its own until it has caught up. Nothing queues
// between hub and stream. A frame that many agents get is encoded once (see
// Frame) and its bytes are shared by all streams.
//
// Sources of the transport's settings: fixed windows on both sides switch off
// grpc-go's bandwidth estimator, which otherwise pings whenever data arrives; a
// small read buffer and shared write buffers keep an idle connection small. See
// ServerOptions.
//
// Units: rates are per second, sizes bytes.
//
// What happens when things fail:
//   - An agent that floods is slowed by flow control: its frames are read at
//     FrameRate and no faster, so it fills its own windows and nobody else's time.
//   - An app whose agents reconnect all at once is admitted at HelloRate; the rest
//     gets a goodbye with a retry_after that spreads them out. Apps have separate
//     allowances within the common one.
//   - A report with a wrong number, from the future or out of order is not
//     ingested; the agent is asked for a new hello with the reason.
//   - A cut or a stop is told by a goodbye; gRPC's own status is then Canceled.
//   - A stream that answers nothing for push.Options.StallAfter is cut: a writer
//     that hangs is freed by cancelling the stream's context, and a connection
//     whose peer does not read is closed a second later.
//   - A panic of one stream's handling ends that stream only.
//
// Errors carry fault codes and are mapped once, in status.go.
package agentapi
