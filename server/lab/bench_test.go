package lab

import (
	"math"
	"testing"
	"time"
)

// BenchmarkEngine is one request through the standard engine at rate 40. A
// million of them are to take no more than six seconds of one core.
func BenchmarkEngine(b *testing.B) {
	e := engine(40, Free{})
	e.Run(60*second, math.MaxInt)
	e.Tally.Reset()
	b.ReportAllocs()
	b.ResetTimer()
	before := usedCPU()
	for e.Tally.Scenes[0].Count()+e.Tally.Scenes[1].Count() < int64(b.N) {
		e.Run(e.Now()+second, math.MaxInt)
	}
	b.ReportMetric(float64(usedCPU()-before)/float64(b.N), "cpu-ns/op")
}

// BenchmarkLab is one request of an experiment, tallies and judging included:
// under the crowd loops of every machine, point and scene, and without control.
// Ten million of them are to take no more than 60 s of two cores.
func BenchmarkLab(b *testing.B) {
	for _, c := range []struct{ name, policy string }{{"base", "none"}, {"ours", "crowd"}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			p := NewPlan(Scenario{
				Name: "speed", Machines: 3, Load: flat(1.3), Warm: time.Second,
				Measure: time.Duration(math.Ceil(max(float64(b.N)/(1.3*nominal*6), 1))) * time.Second, Peak: 1.3,
			})
			b.ResetTimer()
			before := usedCPU()
			n := p.count(c.policy, 1)
			used := float64(usedCPU()-before) / float64(n)
			b.ReportMetric(used, "cpu-ns/op")
			b.ReportMetric(used*1e7/2/1e9, "s/10M-on-2-cores")
		})
	}
}
