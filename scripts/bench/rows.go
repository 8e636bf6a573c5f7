package main

import "strings"

// A row is one figure.
type row struct {
	name    string // group first: "sketch/record"
	pkg     string // folder from the root
	bench   string // without "Benchmark"; the base has /base/ for /ours/
	base    string // where the base is another benchmark altogether
	metric  string // unit in Go's benchmark output
	unit    string // as shown
	scale   float64
	target  target
	rounds  int    // 0: as the command line says
	time    string // -benchtime; empty: as the command line says
	baseOf  string // metric of the base, if it has another name
	without bool   // no base: the target is absolute

	// together names a benchmark that measures ours and base by itself, in
	// turns: one run of it gives both, and all rows that name it.
	together string
}

// A target says how ours may relate to the base; the zero of a field does not
// count.
type target struct {
	ratio float64 // ours ≤ ratio × base
	plus  float64 // ours ≤ base + plus
	most  float64 // ours ≤ most
	none  bool    // ours = 0
}

const cpuMetric = "cpu-ns/op"

// rows are all figures, in the order they are shown.
var rows = []row{
	{name: "decide/decide and report", pkg: "scripts/bench/decide", bench: "Decide/ours/serial", metric: cpuMetric, unit: "ns", target: target{ratio: 1.5}},
	{name: "decide/decide and report, parallel", pkg: "scripts/bench/decide", bench: "Decide/ours/parallel", metric: cpuMetric, unit: "ns", target: target{ratio: 1.5}},
	{name: "decide/allocations", pkg: "scripts/bench/decide", bench: "Decide/ours/serial", metric: "allocs/op", unit: "", target: target{none: true}},
	{name: "sketch/record", pkg: "proto/sketch", bench: "Record/ours/serial", metric: cpuMetric, unit: "ns", target: target{ratio: 1.3}},
	{name: "sketch/record, parallel", pkg: "proto/sketch", bench: "Record/ours/parallel", metric: cpuMetric, unit: "ns", target: target{ratio: 1.3}},
	{name: "sketch/merge against DDSketch", pkg: "proto/sketch", bench: "Merge/ours", metric: cpuMetric, unit: "ns", target: target{ratio: 1.0 / 3}},
	{name: "sketch/wire against DDSketch", pkg: "proto/sketch", bench: "Merge/ours", metric: "wire-B", unit: "B", target: target{ratio: 1.15}},
	{name: "sketch/quantile error", pkg: "proto/sketch", bench: "Error/ours", metric: "err-%", unit: "%", target: target{most: 1}, without: true, time: "1x"},
	// The base is the same engine without control; the target is 60 s of two
	// cores for ten million requests.
	{name: "lab/ten million requests under crowd loops", pkg: "server/lab", bench: "Lab/ours", metric: "s/10M-on-2-cores", unit: "s", target: target{most: 60}, time: "300000x"},
}

func init() {
	for _, n := range []string{"1000", "5000"} {
		fanout := row{pkg: "server/agentapi", together: "Fanout", time: "1x", rounds: 1}
		add := func(name, ours, base string, r row) {
			fanout.name = "push to " + n + "/" + name
			fanout.bench = "Fanout/" + ours + "/" + n
			fanout.base, fanout.without = "", base == ""
			if base != "" {
				fanout.base = "Fanout/" + base + "/" + n
			}
			fanout.metric, fanout.baseOf, fanout.unit, fanout.target = r.metric, r.baseOf, r.unit, r.target
			rows = append(rows, fanout)
		}
		const cpu, applied, ack = "server-cpu-us/delivery", "last-applied-ms", "last-ack-ms"
		// An acknowledgement rides on a frame that is sent anyway, so the push
		// alone is held against a base that only pushes, and the push with a
		// frame back against a base that answers with one.
		add("server CPU a delivery", "ours-push", "base", row{metric: cpu, unit: "µs", target: target{ratio: 1.2}})
		add("server CPU a delivery and ack frame", "ours", "base-ack", row{metric: cpu, unit: "µs", target: target{ratio: 1.2}})
		add("last agent applied", "ours", "base", row{metric: applied, unit: "ms", target: target{ratio: 1.3}})
		add("last ack", "ours", "base", row{metric: ack, baseOf: applied, unit: "ms", target: target{plus: 150}})
		add("server memory an agent", "ours", "", row{metric: "server-KiB/agent", unit: "KiB", target: target{most: 36}})
		add("server CPU a join", "ours", "base", row{metric: "server-join-us/agent", unit: "µs", target: target{ratio: 1.3}})
	}
}

func init() {
	whole := row{pkg: "server/servertest", without: true, rounds: 1}
	add := func(name, bench, metric, time string, most float64) {
		r := whole
		r.name, r.bench, r.metric, r.time, r.unit, r.target = name, bench, metric, time, "ms", target{most: most}
		rows = append(rows, r)
	}
	// The whole on one machine: the agents, too, take their share of its cores.
	add("roll-back/99 % of 1,000 agents, median", "Rollback/ours/1000", "median-ms", "5x", 5000)
	add("roll-back/99 % of 1,000 agents, worst", "Rollback/ours/1000", "worst-ms", "5x", 5000)
	// Two outages of all controllers: a restart, and one that has agents wait as long
	// as they ever do between attempts.
	for _, outage := range []string{"5s", "1m0s"} {
		r := whole
		r.bench, r.time, r.unit = "Return/ours/"+outage, "1x", "s"
		r.name, r.metric, r.target = "return/last of 10,000 agents current after an outage of "+outage, "last-s", target{most: 30}
		rows = append(rows, r)
		r.name, r.metric, r.unit, r.target = "return/rows written a second meanwhile, after "+outage, "rows/s", "", target{most: 100}
		rows = append(rows, r)
		r.name, r.metric, r.unit, r.target = "return/controller's peak of memory an agent, after "+outage, "peak-KiB/agent", "KiB", target{most: 128}
		rows = append(rows, r)
	}
	for _, db := range []string{"sqlite", "postgres"} {
		add("explain/p99 over REST, "+db, "Explain/ours/"+db, "p99-ms", "500x", 100)
	}
	// Seven days of minutes and ninety of hours are loaded once for all queries.
	for _, db := range []string{"sqlite", "postgres"} {
		history := row{pkg: "server/store", together: "History", time: "500x", rounds: 1, without: true}
		for _, q := range []struct {
			name, bench, metric, unit string
			most                      float64
		}{
			{"load, scaled to 5,000 series", "series-day-by-minute", "s/5000-series", "s", 300},
			{"p99 of a series' day by minute", "series-day-by-minute", "p99-ms", "ms", 100},
			{"p99 of a series' week by hour", "series-week-by-hour", "p99-ms", "ms", 100},
			{"p99 of an app's hour by minute", "app-hour-by-minute", "p99-ms", "ms", 500},
		} {
			r := history
			r.name, r.bench, r.metric, r.unit, r.target = "history/"+q.name+", "+db, "History/"+db+"/"+q.bench, q.metric, q.unit, target{most: q.most}
			rows = append(rows, r)
		}
	}
}

func init() {
	rows = append(rows,
		row{name: "quota/take", pkg: "agent/quota", bench: "Take/ours", metric: cpuMetric, unit: "ns", target: target{ratio: 4}},
		row{name: "quota/take, allocations", pkg: "agent/quota", bench: "Take/ours", metric: "allocs/op", unit: "", target: target{none: true}})
	// A million requests a second of 200 agents in 10 groups, by two replicas, beside
	// designs that ask Redis for every request.
	for _, base := range []struct{ name, bench string }{{"one INCRBY a request", "incrby"}, {"a ZSET and Lua", "zset"}, {"GCRA in Lua", "gcra"}} {
		rows = append(rows, row{
			name: "quota/Redis CPU of 1M requests against " + base.name, pkg: "server/redis", together: "Cost", bench: "Cost/ours", base: "Cost/" + base.bench,
			metric: "redis-s/1M", unit: "s", target: target{ratio: 0.001}, time: "1x",
		})
	}
	for _, q := range []struct {
		name string
		most float64
	}{{"p50", 500}, {"p99", 1000}} {
		rows = append(rows, row{
			name: "quota/10x load, all of 200 agents within 20 %, " + q.name, pkg: "server/servertest", bench: "QuotaStep/ours", metric: q.name + "-ms",
			unit: "ms", target: target{most: q.most}, without: true, time: "100x", rounds: 1,
		})
	}
}

func init() {
	// Clocks up to 5 min off, packets up to 50 ms late each way. Led: controllers and
	// machines fire the same step; alone: the network is cut before.
	for _, mode := range []string{"led", "alone"} {
		for _, q := range []string{"p50", "p99", "max"} {
			rows = append(rows, row{
				name: "plans/1,000 staged agents, " + mode + ": |error| of the instant, " + q, pkg: "server/servertest", bench: "Staged/ours/" + mode,
				metric: q + "-ms", unit: "ms", target: target{most: 1000}, without: true, time: "3x", rounds: 1,
			})
		}
	}
}

func init() {
	for _, q := range []string{"p50", "p99", "max"} {
		rows = append(rows, row{
			name: "scenes/target 300 to 160 ms saved, 1,000 agents hold the preset, " + q, pkg: "server/servertest", bench: "Preset/ours",
			metric: q + "-ms", unit: "ms", target: target{most: 1000}, without: true, time: "10x", rounds: 1,
		})
	}
}

func (r *row) baseBench() string {
	switch {
	case r.without:
		return ""
	case r.base != "":
		return r.base
	default:
		return strings.Replace(r.bench+"/", "/ours/", "/base/", 1)[:len(r.bench)]
	}
}

// met says whether the target holds. Pairs of rounds are compared where there
// is a base, so that one loud round does not decide.
func (t target) met(ours, base, ratio float64) bool {
	return (t.ratio == 0 || ratio <= t.ratio) &&
		(t.plus == 0 || ours <= base+t.plus) &&
		(t.most == 0 || ours <= t.most) &&
		(!t.none || ours == 0)
}
