package opsapi

import (
	"database/sql"
	"net/http"
	"net/http/pprof"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// methods bound a label that callers write.
var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// Server is the operators' edge.
type Server struct {
	mux      *http.ServeMux
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
}

// New wires metrics and profiles. pools are the database's connection pools by
// name.
func New(from Sources, pools map[string]*sql.DB) *Server {
	s := &Server{
		mux: http.NewServeMux(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "allspark_http_requests_total", Help: "Requests to the console and the REST API.",
		}, []string{"method", "route", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "allspark_http_request_seconds", Help: "Time to answer, but for streams of events.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method", "route"}),
	}
	r := prometheus.NewRegistry()
	r.MustRegister(&collector{from}, s.requests, s.took,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for name, db := range pools {
		r.MustRegister(collectors.NewDBStatsCollector(db, name))
	}
	s.mux.Handle("GET /metrics", promhttp.HandlerFor(r, promhttp.HandlerOpts{}))
	s.mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	s.mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	s.mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	s.mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	s.mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return s
}

// Observe notes a request that the console's edge answered. The route is a
// pattern, never a path: paths are without number. A stream lasts as long as its
// reader wants, which tells nothing about the server: took is 0 for it.
func (s *Server) Observe(method, route string, status int, took time.Duration) {
	if route == "" {
		route = "other"
	}
	if !slices.Contains(methods, method) {
		method = "other"
	}
	s.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	if took > 0 {
		s.took.WithLabelValues(method, route).Observe(took.Seconds())
	}
}

// ServeHTTP serves one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }
