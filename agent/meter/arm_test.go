package meter_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent/meter"
	"github.com/allspark/allspark/proto/sketch"
)

func TestBucketsAreCountedBesideTheWhole(t *testing.T) {
	m := meter.New()
	c := m.Cell("k2", "recall")
	a, b := c.Arm("0-5000"), c.Arm("5000-10000")
	require.Equal(t, a, c.Arm("0-5000"), "a bucket keeps its place")
	c.Record(meter.Armed(3, a, 0), meter.OK, 2*time.Millisecond, 0, 0.5)
	c.Record(meter.Armed(7, a, 19), meter.Timeout, 8*time.Millisecond, 0, 0)
	c.Record(meter.Armed(7, a, 19), meter.Shed, 0, 0, 0)
	c.Record(meter.Armed(64, b, 4), meter.OK, time.Millisecond, 0, 2)
	c.Record(9, meter.OK, time.Millisecond, 0, 1) // in no bucket

	got := m.DrainBuckets()
	require.Len(t, got, 2)
	x := got[0]
	require.Equal(t, []any{"k2", "recall", "0-5000"}, []any{x.Scene, x.Point, x.Bucket})
	require.Equal(t, []int64{3, 1, 1, 0, 1}, []int64{x.Count, x.OK, x.Timeouts, x.Errors, x.Shed})
	require.Equal(t, 10*time.Millisecond, x.RTSum)
	require.Equal(t, []int64{17, 3, 7}, []int64{x.LevelSum, int64(x.LevelMin), int64(x.LevelMax)})
	require.InDelta(t, 0.5, x.Value, 1e-5)
	require.EqualValues(t, 1, x.Blocks[0].Count)
	require.EqualValues(t, 2, x.Blocks[19].Count)
	require.EqualValues(t, 1, x.Blocks[19].Timeouts)
	require.EqualValues(t, 1, x.Blocks[19].Shed)
	require.Equal(t, 8*time.Millisecond, x.Blocks[19].RTSum)
	var s sketch.Sum
	require.NoError(t, s.Merge(x.RT))
	require.EqualValues(t, 2, s.Count(), "a shed request has no RT")
	require.EqualValues(t, 2, got[1].Value)
	require.Equal(t, 64, got[1].LevelMin)
	require.Empty(t, m.DrainBuckets(), "nothing is reported twice")

	whole := m.Drain()
	require.Len(t, whole, 1)
	require.EqualValues(t, 5, whole[0].Count, "buckets are part of the whole")
	require.InDelta(t, 3.5, whole[0].Value, 1e-5)
	require.Equal(t, []int{3, 64}, []int{whole[0].LevelMin, whole[0].LevelMax})
}

type heard struct{ n int }

func (h *heard) Record(float64, bool, time.Duration) { h.n++ }

func TestALoopAndABucketBothHearOfARequest(t *testing.T) {
	m := meter.New()
	c := m.Cell("*", "p")
	var h heard
	code := meter.Armed(meter.Coded(5, c.Attach(&h), true), c.Arm("0-100"), 3)
	require.Equal(t, 5, meter.LevelOf(code))
	c.Record(code, meter.OK, time.Millisecond, 1, 0)
	require.Equal(t, 1, h.n)
	require.EqualValues(t, 1, m.DrainBuckets()[0].Blocks[3].Count)
	c.Record(meter.Armed(5, c.Arm("0-100"), 3), meter.OK, time.Millisecond, 1, 0)
	require.Equal(t, 1, h.n, "an arm without a loop tells no loop")
}
