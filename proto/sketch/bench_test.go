package sketch_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/DataDog/sketches-go/ddsketch"
	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/sketch"
	"github.com/allspark/allspark/scripts/bench/cpu"
)

// flat is the base of Record: the least a mergeable sketch can do, one atomic
// add into a fixed log-linear array.
type flat [26 * 64]atomic.Uint32

func (f *flat) record(v uint64) {
	e := bits.Len64(v >> 7)
	f[min(v>>e+uint64(e)<<6, uint64(len(f)-1))].Add(1)
}

const reportSize = 1000 // values in one agent's report of a second

// responseTimes are log-normal with a median of 20 ms and a 99th percentile of
// about 200 ms; one in a hundred ran into a time-out near 1 s.
func responseTimes(n int, seed uint64) []uint64 {
	r := rand.New(rand.NewPCG(seed, 0x5ca1e))
	vs := make([]uint64, n)
	for i := range vs {
		if r.IntN(100) == 0 {
			vs[i] = 900_000 + r.Uint64N(200_000)
		} else {
			vs[i] = uint64(20_000 * math.Exp(r.NormFloat64()))
		}
	}
	return vs
}

func newDD(t require.TestingT) *ddsketch.DDSketch {
	s, err := ddsketch.NewDefaultDDSketch(0.01)
	require.NoError(t, err)
	return s
}

// Both loops call the method directly, as a request would: through a function
// value the call would cost as much as the record.
func BenchmarkRecord(b *testing.B) {
	vs := responseTimes(4096, 1)
	b.Run("ours", func(b *testing.B) {
		var s sketch.Sketch
		b.Run("serial", func(b *testing.B) {
			cpu.Loop(b, func(n int) {
				for i := range n {
					s.Record(vs[i&4095])
				}
			})
		})
		b.Run("parallel", func(b *testing.B) { cpu.Parallel(b, func(i int) { s.Record(vs[i&4095]) }) })
	})
	b.Run("base", func(b *testing.B) {
		var s flat
		b.Run("serial", func(b *testing.B) {
			cpu.Loop(b, func(n int) {
				for i := range n {
					s.record(vs[i&4095])
				}
			})
		})
		b.Run("parallel", func(b *testing.B) { cpu.Parallel(b, func(i int) { s.record(vs[i&4095]) }) })
	})
}

// BenchmarkMerge decodes one report and adds it up.
func BenchmarkMerge(b *testing.B) {
	var ours, base [16][]byte
	for i := range ours {
		ours[i], base[i] = reports(b, uint64(i))
	}
	b.Run("ours", func(b *testing.B) {
		var sum sketch.Sum
		cpu.Serial(b, func(i int) {
			if err := sum.Merge(ours[i&15]); err != nil {
				b.Fatal(err)
			}
		})
		b.ReportMetric(float64(len(ours[0])), "wire-B")
	})
	b.Run("base", func(b *testing.B) {
		sum := newDD(b)
		cpu.Serial(b, func(i int) {
			if err := sum.DecodeAndMergeWith(base[i&15]); err != nil {
				b.Fatal(err)
			}
		})
		b.ReportMetric(float64(len(base[0])), "wire-B")
	})
}

// BenchmarkError reports the worst error over quantiles and seeds, in percent.
func BenchmarkError(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		worst := 0.0
		for b.Loop() {
			for seed := range uint64(20) {
				vs := responseTimes(10_000, seed)
				var s sketch.Sum
				for _, us := range vs {
					s.Record(us, 1)
				}
				vs = sortedCopy(vs)
				for _, q := range []float64{0.5, 0.9, 0.95, 0.99, 0.999} {
					want := float64(exact(vs, q))
					got, _ := s.Quantile(q)
					worst = max(worst, 100*math.Abs(got-want)/want)
				}
			}
		}
		b.ReportMetric(worst, "err-%")
	})
}

func BenchmarkQuantile(b *testing.B) {
	var s sketch.Sum
	for _, v := range responseTimes(100_000, 1) {
		s.Record(v, 1)
	}
	cpu.Serial(b, func(int) { s.Quantile(0.99) })
}

func BenchmarkDrain(b *testing.B) {
	vs := responseTimes(reportSize, 1)
	var s sketch.Sketch
	buf := make([]byte, 0, 1024)
	cpu.Serial(b, func(int) {
		for _, v := range vs {
			s.Record(v)
		}
		s.Drain(buf)
	})
}

func sortedCopy(vs []uint64) []uint64 {
	vs = slices.Clone(vs)
	slices.Sort(vs)
	return vs
}
