package meter_test

import (
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent/meter"
	"github.com/allspark/allspark/proto/sketch"
)

func TestDrainGivesEveryStatisticOnce(t *testing.T) {
	m := meter.New()
	c := m.Cell("k2", "recall")
	require.Same(t, c, m.Cell("k2", "recall"))
	c.Record(3, meter.OK, 2*time.Millisecond, 10, 0.5)
	c.Record(7, meter.Timeout, 8*time.Millisecond, 20.25, 0)
	c.Record(100, meter.Error, time.Millisecond, 0, -1)
	c.Record(5, meter.Shed, 0, 1, 0)
	m.Cell("*", "recall") // saw nothing: not in the report

	got := m.Drain()
	require.Len(t, got, 1)
	r := got[0]
	require.Equal(t, "k2", r.Scene)
	require.Equal(t, "recall", r.Point)
	require.Equal(t, []int64{4, 1, 1, 1, 1}, []int64{r.Count, r.OK, r.Timeouts, r.Errors, r.Shed})
	require.Equal(t, 11*time.Millisecond, r.RTSum)
	require.Equal(t, int64(3+7+100+5), r.LevelSum)
	require.Equal(t, []int{3, 100}, []int{r.LevelMin, r.LevelMax})
	require.InDelta(t, 31.25, r.Load, 1e-5)
	require.InDelta(t, -0.5, r.Value, 1e-5)

	var s sketch.Sum
	require.NoError(t, s.Merge(r.RT))
	require.EqualValues(t, 3, s.Count(), "a shed request has no RT")
	require.Empty(t, m.Drain(), "nothing is reported twice")
}

func TestBadInputIsCountedNotBelieved(t *testing.T) {
	m := meter.New()
	c := m.Cell("*", "p")
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300} {
		c.Record(1, meter.OK, time.Millisecond, bad, bad)
	}
	c.Record(-4, meter.OK, -time.Second, 0, 0)
	c.Record(4000, meter.OK, 1000*time.Hour, 0, 0)
	r := m.Drain()[0]
	require.EqualValues(t, 6, r.Count)
	require.Zero(t, r.Load)
	require.Zero(t, r.Value)
	require.LessOrEqual(t, r.RTSum, 37*time.Minute)
	require.Equal(t, meter.MaxLevel, r.LevelMax)
}

func TestNothingIsLostBetweenDrains(t *testing.T) {
	const workers, each = 4, 20000
	m := meter.New()
	c := m.Cell("*", "p")
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for range each {
				c.Record(w+1, meter.OK, time.Duration(w+1)*time.Millisecond, 1, 1)
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	var count, levels, inSketch int64
	var rt time.Duration
	var load float64
	drain := func() {
		for _, r := range m.Drain() {
			count, levels, rt, load = count+r.Count, levels+r.LevelSum, rt+r.RTSum, load+r.Load
			var s sketch.Sum
			require.NoError(t, s.Merge(r.RT))
			inSketch += int64(s.Count())
		}
	}
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		drain()
	}
	drain()
	require.EqualValues(t, workers*each, count)
	require.EqualValues(t, each*(1+2+3+4), levels)
	require.Equal(t, each*10*time.Millisecond, rt)
	require.LessOrEqual(t, inSketch, int64(workers*each))
	require.LessOrEqual(t, load, float64(workers*each))
}

func TestRecordAllocatesNothing(t *testing.T) {
	c := meter.New().Cell("*", "p")
	c.Record(9, meter.OK, 3*time.Millisecond, 1, 1)
	require.Zero(t, testing.AllocsPerRun(1000, func() { c.Record(9, meter.OK, 3*time.Millisecond, 1, 1) }))
}

func TestCPUShareFromKernelCounters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stat")
	write := func(s string) { require.NoError(t, os.WriteFile(path, []byte(s), 0o600)) }
	c := meter.CPU{Path: path}
	require.Equal(t, meter.Unknown, c.Share(), "no file")
	write("cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1 2 3 4\n")
	require.Equal(t, meter.Unknown, c.Share(), "a share needs two readings")
	write("cpu  125 0 150 850 75 0 0 0 0 0\n")
	require.InDelta(t, 75.0/200, c.Share(), 1e-9, "waiting for a disk is idle")
	write("cpu  1 0 1 8 0 0 0 0 0 0\n")
	require.Equal(t, meter.Unknown, c.Share(), "counters went back")
	write("intr 5\n")
	require.Equal(t, meter.Unknown, c.Share())
	write("cpu  x 0 1 8 0\n")
	require.Equal(t, meter.Unknown, c.Share())
}
