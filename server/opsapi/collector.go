package opsapi

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/push"
	"github.com/allspark/allspark/server/telemetry"
)

// Sources are where the figures come from. All are required.
type Sources struct {
	Version, Replica string

	Now      func() time.Time // reference time
	Agents   func(now time.Time) map[fleet.State]int
	Points   func(f telemetry.Filter, now time.Time) []telemetry.Point
	Progress func() []push.Progress
	Loop     func() control.Status
	Streams  func() Streams
}

// Streams are the counters of the agents' edge.
type Streams struct {
	Open   int64            // now
	Events map[string]int64 // by name, since the start
}

// collector reads the sources at each scrape.
type collector struct{ from Sources }

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("allspark_"+name, help, labels, nil)
}

var (
	buildInfo  = desc("build_info", "Always 1.", "version", "replica")
	leading    = desc("leading", "1 while this replica decides.")
	epoch      = desc("lease_epoch", "Fencing epoch of the lease as last seen.")
	decided    = desc("decided_timestamp_seconds", "Reference time of the last complete look at all claims; absent when it never led.")
	trouble    = desc("trouble", "1 while the loop cannot decide or publish; the log says why.")
	agents     = desc("agents", "Agents by state.", "state")
	streams    = desc("streams", "Agents' streams open on this replica.")
	events     = desc("stream_events_total", "What happened on agents' streams.", "event")
	orders     = desc("orders_agents", "Agents of the newest orders of an app and IDC.", "app", "idc", "what")
	pointLevel = desc("point_level", "Mean level over the last ten seconds.", "scene", "idc", "app", "point")
	pointRT    = desc("point_rt_seconds", "Response time over the last ten seconds.", "scene", "idc", "app", "point", "stat")
	pointRate  = desc("point_requests_per_second", "Requests over the last ten seconds.", "scene", "idc", "app", "point")
	pointShare = desc("point_share", "Share of requests over the last ten seconds by how they ended.", "scene", "idc", "app", "point", "outcome")
)

// Describe implements prometheus.Collector.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		buildInfo, leading, epoch, decided, trouble, agents, streams, events, orders, pointLevel, pointRT, pointRate, pointShare,
	} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	now := c.from.Now()
	gauge(buildInfo, 1, c.from.Version, c.from.Replica)

	st := c.from.Loop()
	gauge(leading, one(st.Leading))
	gauge(epoch, float64(st.Epoch))
	gauge(trouble, one(st.Trouble != ""))
	if !st.Decided.IsZero() {
		gauge(decided, float64(st.Decided.UnixMilli())/1000)
	}
	counts := c.from.Agents(now)
	for _, s := range []fleet.State{fleet.StateConnected, fleet.StateStale, fleet.StateDisconnected, fleet.StateBanned} {
		gauge(agents, float64(counts[s]), string(s))
	}
	open := c.from.Streams()
	gauge(streams, float64(open.Open))
	for name, n := range open.Events {
		ch <- prometheus.MustNewConstMetric(events, prometheus.CounterValue, float64(n), name)
	}
	for _, p := range c.from.Progress() {
		for what, n := range map[string]int{"expected": p.Expected, "held": p.Held, "refused": p.Refused, "away": p.Away} {
			gauge(orders, float64(n), p.Key.App, p.Key.IDC, what)
		}
	}
	for _, p := range c.from.Points(telemetry.Filter{}, now) {
		r := p.Recent
		if r == nil || r.Count == 0 {
			continue
		}
		at := []string{p.Scene, p.IDC, p.App, p.Point}
		gauge(pointLevel, r.LevelMean, at...)
		gauge(pointRate, r.QPS, at...)
		for stat, rt := range map[string]time.Duration{"mean": r.Mean, "p50": r.P50, "p95": r.P95, "p99": r.P99} {
			gauge(pointRT, rt.Seconds(), append(at, stat)...)
		}
		for outcome, n := range map[string]int64{"timeout": r.Timeouts, "error": r.Errors, "shed": r.Shed} {
			gauge(pointShare, float64(n)/float64(r.Count), append(at, outcome)...)
		}
	}
}

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
