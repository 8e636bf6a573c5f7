package main

func init() {
	console := row{pkg: "scripts/bench/console", time: "1x", rounds: 1, without: true}
	add := func(name, bench, metric, unit string, most float64) {
		r := console
		r.name, r.bench, r.metric, r.unit, r.target = "console/"+name, bench, metric, unit, target{most: most}
		rows = append(rows, r)
	}
	// Interaction to paint on the template grid, 100 gears × 12 parameters.
	add("key to paint, median", "Grid/ours", "median-ms", "ms", 100)
	add("key to paint, slowest of 40", "Grid/ours", "slowest-ms", "ms", 100)
	add("first load", "FirstLoad/ours", "gzip-kB", "kB", 400)

	// In a browser against a controller whose agents report on every point: 50 points
	// in 6 IDCs, and a scene of 200 nodes.
	whole := row{pkg: "server/servertest", time: "1x", rounds: 1, without: true, unit: "ms"}
	page := func(name, bench, metric string, most float64) {
		r := whole
		r.name, r.bench, r.metric, r.target = "console/"+name, "Console/ours/"+bench, metric, target{most: most}
		rows = append(rows, r)
	}
	page("50 points × 6 IDCs, key to paint, median", "points", "median-ms", 100)
	page("50 points × 6 IDCs, key to paint, p95", "points", "p95-ms", 100)
	page("links of 200 nodes, find to paint, median", "links", "find-median-ms", 100)
	page("links of 200 nodes, find to paint, p95", "links", "find-p95-ms", 100)
	page("links of 200 nodes, frame while panned, median", "links", "pan-median-ms", 34)
	page("links of 200 nodes, frame while panned, p95", "links", "pan-p95-ms", 100)
}
