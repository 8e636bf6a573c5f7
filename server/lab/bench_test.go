//go:build unix

package lab

import (
	"math"
	"syscall"
	"testing"
	"time"
)

// cpu is what the process has used so far: the clock on the wall also counts
// what others do to the machine.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkEngine is one request through the standard engine at rate 40. A
// million of them are to take no more than six seconds of one core.
func BenchmarkEngine(b *testing.B) {
	e := engine(40, Free{})
	e.Run(60*second, math.MaxInt)
	e.Tally.Reset()
	b.ReportAllocs()
	b.ResetTimer()
	before := cpu(b)
	for e.Tally.Scenes[0].Count()+e.Tally.Scenes[1].Count() < int64(b.N) {
		e.Run(e.Now()+second, math.MaxInt)
	}
	b.ReportMetric(float64(cpu(b)-before)/float64(b.N), "cpu-ns/op")
}
