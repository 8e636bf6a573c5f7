// Package opsapi is the listener for those who run a controller: metrics in the
// Prometheus text format at /metrics, Go profiles below /debug/pprof/.
//
// Neither asks for a credential, and a profile tells more than an operator of the
// engine needs to know. So they have an address of their own (ops.addr), off
// unless it is set, and are never served beside the console.
//
// Figures of agents, points and streams are read when they are asked for, from
// memory: a scrape costs one pass over the points that this replica serves and
// never a query. Their labels are names that fleet and telemetry bound, so the
// number of series is bounded by theirs (telemetry.Limits). All durations are in
// seconds, all counters are since the start of the process.
//
//	allspark_build_info{version,replica}          1
//	allspark_leading                              1 while this replica decides
//	allspark_lease_epoch                          fencing epoch last seen
//	allspark_decided_timestamp_seconds            last complete look at all claims
//	allspark_trouble                              1 while the loop cannot decide or publish
//	allspark_agents{state}                        agents by state
//	allspark_streams                              agents' streams open here
//	allspark_stream_events_total{event}           hellos, acks, reports, cuts, …
//	allspark_orders_agents{app,idc,what}          expected, held, refused, away, of the newest orders
//	allspark_point_level{scene,idc,app,point}     mean level, last ten seconds, likewise:
//	allspark_point_rt_seconds{…,stat}             mean, p50, p95, p99
//	allspark_point_requests_per_second{…}
//	allspark_point_share{…,outcome}               timeout, error, shed: share of requests
//	allspark_http_requests_total{method,route,status}
//	allspark_http_request_seconds{method,route}   histogram
//	go_sql_*{db_name}, go_*, process_*            the connection pool and the process
//
// When things fail: a listener that cannot be opened is an error at the start. A
// point that went silent has no series: its last values are not current.
package opsapi
