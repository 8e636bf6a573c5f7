package demo

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/lab"
)

// heavy is a process on a busy machine: every visit costs it wall time.
type heavy struct {
	lab.Free
	cost time.Duration
}

func (h *heavy) Begin(*lab.Visit, *lab.Reading) { time.Sleep(h.cost) }

func paced(h *heavy) (*pacer, *bytes.Buffer) {
	var log bytes.Buffer
	e := lab.NewEngine(lab.Config{
		Model: lab.Standard(3), Controls: h,
		Workload: lab.WorkloadConfig{Trace: lab.Conversation(), Rate: 40, Seed: 1},
	})
	return &pacer{engine: e, log: slog.New(slog.NewTextHandler(&log, nil)), start: time.Now()}, &log
}

func TestModelKeepsToTheWallClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, log := paced(&heavy{})
		for i := 1; i <= 500; i++ {
			time.Sleep(Tick)
			p.turn()
			require.Equal(t, time.Duration(i)*Tick, time.Duration(p.engine.Now()), "each tick runs what is due, and no more")
		}
		require.Zero(t, p.skipped)
		require.Empty(t, log.String())
	})
}

func TestASlowProcessSkipsAndSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// 220 requests a second of ten visits at 1 ms are 2.2 s of work a second.
		h := &heavy{cost: time.Millisecond}
		p, log := paced(h)
		for time.Since(p.start) < 60*time.Second {
			time.Sleep(Tick)
			before := time.Now()
			p.turn()
			require.Less(t, time.Since(before), budget+chunk*h.cost, "a turn ends at its budget")
			require.LessOrEqual(t, p.due(time.Now())-time.Duration(p.engine.Now()), MaxBehind, "it never lags further")
		}
		require.Equal(t, time.Since(p.start), p.skipped+p.due(time.Now()))
		require.Greater(t, p.skipped, 30*time.Second)
		require.Greater(t, p.skips, int64(20))
		lines := strings.Count(log.String(), "cannot keep pace")
		require.GreaterOrEqual(t, lines, 4)
		require.LessOrEqual(t, lines, 7, "one line in ten seconds")

		h.cost = 0
		lost := p.skipped
		for range 200 {
			time.Sleep(Tick)
			p.turn()
		}
		require.LessOrEqual(t, p.skipped-lost, time.Second, "with the load gone it keeps pace again")
		require.Equal(t, p.due(time.Now()), time.Duration(p.engine.Now()))
	})
}

func TestSleepIsNotCaughtUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &heavy{}
		p, _ := paced(h)
		time.Sleep(Tick)
		p.turn()
		p.start = p.start.Add(-3 * time.Hour) // as if the machine had slept
		h.cost = 10 * time.Microsecond
		p.turn()
		require.LessOrEqual(t, p.due(time.Now())-time.Duration(p.engine.Now()), MaxBehind)
		require.Greater(t, p.skipped, 3*time.Hour-time.Minute)
	})
}
