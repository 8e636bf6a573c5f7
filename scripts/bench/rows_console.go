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
}
