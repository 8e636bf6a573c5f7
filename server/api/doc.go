// Package api holds the REST DTOs, shared by restapi and cli and, through the
// OpenAPI document generated from them, by the console.
//
// JSON is snake_case. Times are RFC 3339 in UTC. Durations in documents are Go
// strings ("8ms", "30m"); in metrics they are numbers whose name ends in _ms.
// Shares are 0..1. A "*" in scene, idc, app, point or bucket means all.
//
// The struct tags doc, example, enum, pattern and so on become the OpenAPI
// schema, by which requests are validated. Only the standard library is imported.
package api
