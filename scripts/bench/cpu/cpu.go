// Package cpu runs benchmark operations and reports, beside the wall time, the
// user and system CPU time of the process for each operation, collector
// included, as the metric "cpu-ns/op". On a machine with other work that is the
// steadier figure, and the one scripts/bench compares.
package cpu

import (
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Metric is the unit under which the CPU time of an operation is reported.
const Metric = "cpu-ns/op"

// Used is the user and system CPU time this process has taken so far.
func Used() time.Duration {
	return used(syscall.RUSAGE_SELF)
}

// UsedByChildren is the same for child processes that have been waited for.
func UsedByChildren() time.Duration {
	return used(syscall.RUSAGE_CHILDREN)
}

func used(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		panic(err) // no benchmark has a meaning without it
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Loop calls run once with b.N, for operations so short that a call of a
// function value each would be a good part of the figure.
func Loop(b *testing.B, run func(n int)) {
	b.Helper()
	b.ReportAllocs()
	b.ResetTimer()
	before := Used()
	run(b.N)
	report(b, Used()-before)
}

// Serial runs op b.N times on one goroutine; i rises from 0.
func Serial(b *testing.B, op func(i int)) {
	b.Helper()
	b.ReportAllocs()
	b.ResetTimer()
	before := Used()
	for i := range b.N {
		op(i)
	}
	report(b, Used()-before)
}

// Parallel runs op from GOMAXPROCS goroutines, b.N times in all; i rises by one
// on each goroutine from a start of its own.
func Parallel(b *testing.B, op func(i int)) {
	b.Helper()
	b.ReportAllocs()
	var start atomic.Int64
	b.ResetTimer()
	before := Used()
	b.RunParallel(func(pb *testing.PB) {
		for i := int(start.Add(1)) * 997; pb.Next(); i++ {
			op(i)
		}
	})
	report(b, Used()-before)
}

func report(b *testing.B, took time.Duration) {
	b.StopTimer()
	b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), Metric)
}
