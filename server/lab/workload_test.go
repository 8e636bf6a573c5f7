package lab

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func collect(w *Workload, until int64) (got []Arrival) {
	for {
		at, ok := w.Peek()
		if !ok || at > until {
			return got
		}
		got = append(got, w.Next())
	}
}

func TestOneCopyIsTheTraceAndWraps(t *testing.T) {
	trace := Conversation()
	w := NewWorkload(WorkloadConfig{Trace: trace, Rate: 1, Start: -1})
	got := collect(w, 2*trace.Span)
	require.Len(t, got, 2*len(trace.At))
	for i, a := range got {
		lap, j := int64(i/len(trace.At)), i%len(trace.At)
		if a.At != trace.At[j]+lap*trace.Span+1 || a.Load != trace.Load(j) {
			t.Fatalf("request %d is not the trace's", i)
		}
	}
	keys := map[uint64]bool{}
	for _, a := range got {
		keys[a.Key] = true
	}
	require.Len(t, keys, len(got), "each request is another user")
}

func TestRateAndSpeed(t *testing.T) {
	t.Parallel()
	trace := Conversation()
	for _, c := range []struct {
		rate  int
		speed float64
	}{{1, 1}, {40, 1}, {40, 7}, {40, 60}, {10, 0.25}, {3, 1000}} {
		w := NewWorkload(WorkloadConfig{Trace: trace, Rate: c.rate, Speed: c.speed, Seed: 3})
		// A whole turn of the trace's clock, so that every part of it weighs the same.
		turn := int64(float64(trace.Span) / c.speed)
		got := collect(w, turn)
		want := float64(c.rate) * trace.Rate() * float64(turn) / 1e9
		if c.speed <= 1 {
			require.InDelta(t, want, float64(len(got)), float64(c.rate)/c.speed+1, "rate %d speed %g", c.rate, c.speed)
		} else {
			require.InEpsilon(t, want, len(got), 0.25, "rate %d speed %g", c.rate, c.speed) // few copies, thinned
		}
		for i := 1; i < len(got); i++ {
			if got[i-1].At > got[i].At {
				t.Fatalf("request %d comes before the one above", i)
			}
		}
	}
}

func TestSetRateLeavesRunningCopiesAlone(t *testing.T) {
	const change, end = 100e9, 200e9
	cfg := WorkloadConfig{Trace: Conversation(), Rate: 40, Seed: 5}
	plain := collect(NewWorkload(cfg), end)
	w := NewWorkload(cfg)
	got := collect(w, change)
	before := len(got)
	w.SetRate(80, change)
	got = append(got, collect(w, end)...)
	require.InEpsilon(t, 2*(len(plain)-before), len(got)-before, 0.15)
	seen := map[uint64]int64{}
	for i, a := range got {
		seen[a.Key] = a.At
		require.True(t, i < before || a.At > change)
	}
	for _, a := range plain {
		require.Equal(t, a.At, seen[a.Key], "requests of the first forty copies come as they would have")
	}

	w.SetRate(0, end)
	_, ok := w.Peek()
	require.False(t, ok, "silence")
	w.SetRate(-1, end)
	require.Zero(t, w.Rate())
	w.SetRate(40, end)
	at, ok := w.Peek()
	require.True(t, ok)
	require.Greater(t, at, int64(end), "copies that come back do not repeat the past")
}
