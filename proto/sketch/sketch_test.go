package sketch_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/allspark/allspark/proto/sketch"
)

// exact is the sample of rank ceil(q·n).
func exact(sorted []uint64, q float64) uint64 {
	return sorted[max(int(math.Ceil(q*float64(len(sorted)))), 1)-1]
}

// values draws response times from every order of magnitude alike, often the
// same, sometimes out of range.
func values(t *rapid.T) []uint64 {
	one := rapid.Custom(func(t *rapid.T) uint64 {
		octave := rapid.IntRange(0, 33).Draw(t, "octave")
		return rapid.Uint64Range(0, 1<<octave).Draw(t, "us")
	})
	return rapid.SliceOfN(one, 1, 3000).Draw(t, "values")
}

func sum(t require.TestingT, wires ...[]byte) *sketch.Sum {
	s := new(sketch.Sum)
	for _, w := range wires {
		require.NoError(t, s.Merge(w))
	}
	return s
}

func TestQuantilesStayWithinOnePercent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vs := values(t)
		var s sketch.Sketch
		for i, v := range vs {
			s.Record(v)
			vs[i] = min(v, sketch.MaxValue)
		}
		slices.Sort(vs)
		got := sum(t, s.AppendTo(nil))
		require.EqualValues(t, len(vs), got.Count())
		for _, q := range []float64{0, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1, rapid.Float64Range(0, 1).Draw(t, "q")} {
			us, ok := got.Quantile(q)
			require.True(t, ok)
			want := float64(exact(vs, q))
			require.InDelta(t, want, us, want*sketch.MaxError, "q=%g of %d values", q, len(vs))
		}
		var total float64
		for _, v := range vs {
			total += float64(v)
		}
		mean, ok := got.Mean()
		require.True(t, ok)
		require.InDelta(t, total/float64(len(vs)), mean, mean*sketch.MaxError+1e-9)
	})
	require.Less(t, sketch.MaxError, 0.01)
}

func TestAboveIsTheShareOverTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vs := values(t)
		var s sketch.Sum
		for _, v := range vs {
			s.Record(v, 1)
		}
		limit := rapid.Float64Range(0, 1<<31).Draw(t, "limit")
		// The bin of the limit may be split anywhere, nothing else may.
		var low, high float64
		for _, v := range vs {
			v := float64(min(v, sketch.MaxValue))
			if v > limit*(1+2*sketch.MaxError)+1 {
				low++
			}
			if v > limit*(1-2*sketch.MaxError)-1 {
				high++
			}
		}
		got := s.Above(limit) * float64(len(vs))
		require.GreaterOrEqual(t, got, low-1e-6)
		require.LessOrEqual(t, got, high+1e-6)
	})
	var s sketch.Sum
	s.Record(100, 3)
	s.Record(101, 1)
	require.Equal(t, 1.0, s.Above(99))
	require.Equal(t, 0.25, s.Above(100), "a value equal to the limit is in time")
	require.Equal(t, 0.0, s.Above(101))
}

func TestMergeEqualsRecordingTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var one, two, both sketch.Sketch
		for i, v := range values(t) {
			both.Record(v)
			if i%3 == 0 {
				one.Record(v)
			} else {
				two.Record(v)
			}
		}
		a, b := sum(t, one.AppendTo(nil)), sum(t, two.AppendTo(nil))
		a.Add(b)
		want := both.AppendTo(nil)
		require.Equal(t, want, a.AppendTo(nil))
		require.Equal(t, want, sum(t, one.Drain(nil), two.Drain(nil)).AppendTo(nil))
		require.Zero(t, one.Count())
		require.Empty(t, one.AppendTo(nil))
		require.Equal(t, want, sum(t, want).AppendTo(nil), "the wire form is exact")
	})
}

func TestSumCarriesCountsOfAnySize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s sketch.Sum
		n := rapid.IntRange(1, 200).Draw(t, "cells")
		base := rapid.Uint64Range(0, 1<<20).Draw(t, "base")
		for i := range uint64(n) {
			s.Record(base+i*base/64, rapid.Uint64Range(1, 1<<40).Draw(t, "n")/uint64(n))
		}
		wire := s.AppendTo([]byte("head"))
		require.Equal(t, "head", string(wire[:4]))
		require.Equal(t, wire[4:], sum(t, wire[4:]).AppendTo(nil))
	})
}

func TestEmptySum(t *testing.T) {
	var s sketch.Sum
	require.NoError(t, s.Merge(nil))
	_, ok := s.Quantile(0.5)
	require.False(t, ok)
	_, ok = s.Mean()
	require.False(t, ok)
	require.Zero(t, s.Above(1))
	require.Empty(t, s.AppendTo(nil))
	s.Record(5, 2)
	_, ok = s.Quantile(math.NaN())
	require.False(t, ok)
	s.Reset()
	require.Zero(t, s.Count())
	require.Empty(t, s.AppendTo(nil))
}

func TestBinsTileTheRange(t *testing.T) {
	var s sketch.Sum
	for v := uint64(0); v < sketch.MaxValue; v += 1 + v/200 {
		s.Record(v, 1)
	}
	s.Record(math.MaxUint64, 1)
	next, count := uint64(0), uint64(0)
	for b := range s.Bins() {
		require.Equal(t, next, b.Low)
		require.LessOrEqual(t, float64(b.High-b.Low), 2*sketch.MaxError*float64(b.Low))
		next, count = b.High+1, count+b.Count
	}
	require.EqualValues(t, 1<<31, next)
	require.Equal(t, s.Count(), count)
}

// Drains race with recorders: every value is in exactly one drain.
func TestDrainLosesNothing(t *testing.T) {
	const recorders, each = 4, 20_000
	var s sketch.Sketch
	var recording sync.WaitGroup
	for seed := range uint64(recorders) {
		recording.Go(func() {
			r := rand.New(rand.NewPCG(seed, 1))
			for range each {
				s.Record(r.Uint64() >> (r.Uint64() & 63))
			}
		})
	}
	finished := make(chan struct{})
	go func() { recording.Wait(); close(finished) }()
	var got sketch.Sum
	for running := true; running; {
		select {
		case <-finished:
			running = false
		default:
		}
		require.NoError(t, got.Merge(s.Drain(nil)))
	}
	require.EqualValues(t, recorders*each, got.Count())
}

func TestRecordAndDrainAllocateNothing(t *testing.T) {
	var s sketch.Sketch
	buf := make([]byte, 0, 64)
	us := uint64(0)
	require.EqualValues(t, 0, testing.AllocsPerRun(1000, func() {
		us = us*3 + 1
		s.Record(us)
		s.Drain(buf)
	}))
}
