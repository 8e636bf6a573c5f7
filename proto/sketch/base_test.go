package sketch_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/sketch"
)

// reports encodes the same response times with our sketch and with DDSketch at
// the same promised error.
func reports(t require.TestingT, seed uint64) (ours, base []byte) {
	var s sketch.Sketch
	dd := newDD(t)
	for _, us := range responseTimes(reportSize, seed) {
		s.Record(us)
		require.NoError(t, dd.Add(float64(us)))
	}
	dd.Encode(&base, false)
	return s.AppendTo(nil), base
}

// The wire form of a second's report stays in reach of DDSketch's, which is the
// smallest of the known mergeable sketches with 1 % error.
func TestWireSizeAgainstDDSketch(t *testing.T) {
	var ours, base int
	for seed := range uint64(50) {
		a, b := reports(t, seed)
		ours, base = ours+len(a), base+len(b)
	}
	ratio := float64(ours) / float64(base)
	t.Logf("%d values: %d bytes, DDSketch %d, ratio %.2f", reportSize, ours/50, base/50, ratio)
	require.LessOrEqual(t, ratio, 1.15)
}

// Both answer the same quantiles of the same values; ours is not the worse.
func TestErrorAgainstDDSketch(t *testing.T) {
	vs := responseTimes(200_000, 3)
	var s sketch.Sum
	dd := newDD(t)
	for _, us := range vs {
		s.Record(us, 1)
		require.NoError(t, dd.Add(float64(us)))
	}
	sorted := sortedCopy(vs)
	for _, q := range []float64{0.5, 0.9, 0.95, 0.99, 0.999} {
		want := float64(exact(sorted, q))
		got, ok := s.Quantile(q)
		require.True(t, ok)
		theirs, err := dd.GetValueAtQuantile(q)
		require.NoError(t, err)
		t.Logf("q=%g: %.2f %%, DDSketch %.2f %%", q, 100*math.Abs(got-want)/want, 100*math.Abs(theirs-want)/want)
		require.InDelta(t, want, got, 0.01*want)
	}
}
