// Command bench measures what the project promises about cost, each figure
// beside its base in the same run, and prints medians with their spread.
//
//	make bench
//	make bench BENCH_JSON=figures.json BENCH_ROWS=sketch
//
// # How
//
// A row (rows.go) names a Go benchmark of ours, the benchmark of its base, one
// metric of both and a target. The test binary of each package is built once;
// then each round runs every benchmark in a process of its own, ours and base
// next to each other and in turning order, so that whatever else the machine
// does falls on both. The figure is the median over the rounds, the ratio is
// the median of the rounds' ratios.
//
// A base is the least code that does the same job, written beside the benchmark
// by ourselves; a peer (DDSketch) where the promise is about the peer.
//
// # Adding a row
//
// Write BenchmarkX with sub-benchmarks …/ours/… and …/base/… (package
// scripts/bench/cpu runs an operation and reports CPU time beside wall time;
// b.ReportMetric adds others), then a line in rows.go.
//
// # When things fail
//
// A benchmark that does not build, run or report its metric is a failed row and
// exit code 1. A missed target is shown as such and is exit code 0 unless
// -strict is given: a busy machine is no reason to stop a build.
package main
