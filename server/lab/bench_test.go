package lab

import "testing"

// BenchmarkEngine is one request through the standard engine at rate 40.
func BenchmarkEngine(b *testing.B) {
	e := NewEngine(Config{Model: Standard(3), Controls: Free{}, Workload: WorkloadConfig{Trace: Conversation(), Rate: 40, Seed: 1}})
	e.Run(60e9, 1<<60)
	e.Tally.Reset()
	b.ReportAllocs()
	for e.Tally.Scenes[0].Count()+e.Tally.Scenes[1].Count() < int64(b.N) {
		e.Run(e.Now()+1e9, 1<<60)
	}
}
