package main

// The base of a pass is a plain tuned max-plus pass over the same graph. The
// other rows stand for themselves: a whole table for p99, and how good it is.
func init() {
	const pkg = "server/allocation"
	rows = append(rows,
		row{name: "allocation/one pass, 30 points of 100 levels, 451 targets", pkg: pkg, bench: "Pass/ours", metric: cpuMetric, unit: "ms", scale: 1e-6, target: target{ratio: 1.5}},
		row{name: "allocation/one pass, each point fed by the one before", pkg: pkg, bench: "Linked/ours", metric: cpuMetric, unit: "ms", scale: 1e-6, target: target{most: 250}, without: true, time: "10x"},
		row{name: "allocation/p99 table, five quantiles judged by class", pkg: pkg, bench: "Tails/ours", metric: cpuMetric, unit: "ms", scale: 1e-6, target: target{most: 250}, without: true, time: "3x"},
		row{name: "allocation/p99 table against enumeration, mean loss", pkg: pkg, bench: "Loss/ours", metric: "mean-%", unit: "%", target: target{most: 0.5}, without: true, time: "1x"},
		row{name: "allocation/p99 table against enumeration, largest loss", pkg: pkg, bench: "Loss/ours", metric: "largest-%", unit: "%", target: target{most: 5}, without: true, time: "1x"},
		row{name: "allocation/linear relaxation above the optimum, mean", pkg: pkg, bench: "Relaxation/ours", metric: "above-%", unit: "%", target: target{most: 2}, without: true, time: "1x"},
	)
}
