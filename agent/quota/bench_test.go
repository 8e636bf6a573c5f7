package quota

import (
	"sync/atomic"
	"testing"

	"github.com/allspark/allspark/scripts/bench/cpu"
)

// BenchmarkTake holds Take against one atomic addition.
func BenchmarkTake(b *testing.B) {
	book := New(Config{})
	x := terms()
	x.FrameBudget, x.Agents = 1e12, 1
	book.Apply(frame(1, 101.5, x))
	q := book.Quota("k2", "rank")
	values := [8]float64{0.5, 0.7, 0.9, 1, 1.1, 1.2, 1.4, 1.5}
	b.Run("ours", func(b *testing.B) {
		cpu.Loop(b, func(n int) {
			sum := 0
			for i := range n {
				sum += q.Take(values[i&7], 1000)
			}
			sink.Store(int64(sum))
		})
	})
	b.Run("base", func(b *testing.B) {
		var a atomic.Uint64
		cpu.Loop(b, func(n int) {
			sum := uint64(0)
			for i := range n {
				sum += a.Add(uint64(values[i&7]))
			}
			sink.Store(int64(sum))
		})
	})
}

var sink atomic.Int64
