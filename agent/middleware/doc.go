// Package middleware is the roof over the adapters that put a control point
// around a handler, or a call edge around a client: httpmw for net/http, grpcmw
// for gRPC, ginmw for gin.
//
// Each reads the clock twice a request, maps the protocol's answer to an outcome,
// and lets the deadline travel with the call: what is left of it, never a time of
// day, so that clocks need not agree. A call whose deadline has passed on arrival
// is refused before any work and counted as shed.
package middleware
