// Package link keeps an agent's stream to a controller: enrol, hello, orders in,
// acknowledgements and reports out, reconnect.
//
// # Life of a stream
//
//	dial -> enrol (when there is no valid credential) -> hello
//	     -> welcome -> clock probe -> tables, orders, clock readings … -> lost or goodbye -> back off -> next address
//
// Frames go out on a grid of frame intervals (100 ms): an acknowledgement rides
// with whatever else is due, and nothing is sent when nothing is due. Only one
// goroutine sends; what it has to send waits in an outbox that keeps the newest:
// one acknowledgement, one hello, the last few reports.
//
// # Back-off
//
// Exponential with full jitter: uniform in [0, min(20 s, 0.5 s · 2^n)). A
// controller's retry-after is waited out first. n returns to 0 once a stream has
// lived for five seconds past its welcome.
//
// # Time
//
// A probe carries the agent's clock, the reading the reference time. Of the last
// eight exchanges the one with the least round trip counts, and half of it is
// the error bound. The agent's side is the monotonic clock, so a wall clock that
// steps moves the offset that is shown, not the estimate of reference time.
//
// # When things fail
//
// A stream that is silent for three clock intervals is cut. A message that cannot
// be read is refused with its paths; the last good orders stay. A controller that
// does not read holds up nothing but its own outbox. A rejected credential is
// thrown away and the agent enrols again.
//
// # Sources
//
// Full jitter: Brooker, "Exponential backoff and jitter". Least round trip: NTP's
// clock filter (RFC 5905, section 10). Fixed windows of 64 KiB stop grpc-go's
// bandwidth estimator from pinging whenever data arrives.
package link
