package demo

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent/agenttest"
	"github.com/allspark/allspark/proto/gear"
)

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// world is a sample engine at a test controller, in virtual time.
type world struct {
	*Demo
	controller *agenttest.Controller
	stop       func()
}

func start(t *testing.T, cfg Config) *world {
	c := agenttest.NewController(agenttest.Options{FrameInterval: 100 * time.Millisecond})
	cfg.Controller, cfg.EnrolToken, cfg.Dial, cfg.Log = "agenttest", agenttest.Token, c.Dial, quiet()
	d, err := New(cfg)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	stop := func() {
		cancel()
		require.NoError(t, <-done)
		c.Close()
	}
	require.NoError(t, c.WaitAgents(ctx, len(d.machines)))
	return &world{d, c, stop}
}

// over averages the scene's mean response time over some seconds.
func (w *world) over(seconds int) (mean time.Duration, lost float64) {
	for range seconds {
		time.Sleep(time.Second)
		s := w.Status().Scenes[0]
		mean += s.Mean / time.Duration(seconds)
		lost += s.Lost / float64(seconds)
	}
	return mean, lost
}

func TestRTFallsWithinSecondsOfTheGear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{Seed: 1})
		defer w.stop()
		time.Sleep(10 * time.Second)
		before, _ := w.over(10)
		require.Equal(t, 36, w.Status().Connected)

		w.controller.Levels("recall", agenttest.Row{"tag_count": 20}, agenttest.Row{"tag_count": 100})
		v := w.controller.SetLevel("*", "recall", 1)
		ack, err := w.controller.WaitAck(t.Context(), v)
		require.NoError(t, err)
		require.False(t, ack.Refused)
		time.Sleep(2 * time.Second)
		after, _ := w.over(5)
		require.Less(t, after, before*3/4, "k2 answered in %v before", before)

		w.controller.SetLevel("*", "recall", 2)
		time.Sleep(2 * time.Second)
		again, _ := w.over(10)
		require.InEpsilon(t, before, again, 0.25)
	})
}

func TestRateIsLiveAndTwiceTheLoadIsTooMuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{Seed: 1})
		defer w.stop()
		time.Sleep(60 * time.Second)
		_, lost := w.over(5)
		require.Less(t, lost, 0.02)
		require.NoError(t, w.SetRate(80))
		require.Equal(t, 80, w.Status().Rate)
		time.Sleep(120 * time.Second)
		_, lost = w.over(5)
		require.Greater(t, lost, 0.2)

		w.controller.Levels("recall", agenttest.Row{"tag_count": 30})
		w.controller.SetLevel("*", "recall", 1)
		time.Sleep(10 * time.Second)
		_, lost = w.over(5)
		require.Less(t, lost, 0.02, "a lower gear carries twice the load")

		require.NoError(t, w.SetRate(0))
		time.Sleep(3 * time.Second)
		s := w.Status()
		require.Zero(t, s.InFlight)
		require.Zero(t, s.Scenes[0].QPS)
		require.Error(t, w.SetRate(-1))
	})
}

func TestAgentsReportWhatTheModelSaw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{Seed: 1, Machines: 1, Rate: 13})
		time.Sleep(30 * time.Second)
		w.stop()
		totals := w.status.Load().Totals

		var ok, timeouts, cpus int64
		var busiest float64
		byPoint := map[string]int64{}
		for _, r := range w.controller.Reports() {
			if r.CPU > 0 {
				cpus++
				busiest = max(busiest, r.CPU)
			}
			for _, p := range r.Points {
				byPoint[p.Point] += p.Count
				if p.Point == "entry" && p.Scene == "k2" {
					ok += p.OK
					timeouts += p.Timeouts
				}
			}
		}
		// The reports hold the part of a second after the last stock-taking too.
		require.InDelta(t, totals[0].OK, ok, 80)
		require.InDelta(t, totals[0].Timeouts, timeouts, 20)
		require.Greater(t, ok, int64(800))
		require.Positive(t, cpus)
		require.Greater(t, busiest, 0.3, "the modelled machine's CPU, not this process's")
		for _, p := range w.model.Points {
			require.Positive(t, byPoint[p.Name], p.Name)
		}
	})
}

func TestTimeoutOfTheEdgeIsObeyed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{Seed: 1, Machines: 1, Rate: 10})
		defer w.stop()
		v := w.controller.SetTimeout("*", "creative_edge", 6*time.Millisecond)
		ack, err := w.controller.WaitAck(t.Context(), v)
		require.NoError(t, err)
		require.Empty(t, ack.Problems)
		time.Sleep(3 * time.Second)
		_, err = w.controller.WaitReport(t.Context(), func(r gear.Report) bool {
			for _, p := range r.Points {
				if p.Point == "creative_edge" && p.Count > 10 && p.Timeouts == p.Count {
					return p.RTSum == time.Duration(p.Count)*6*time.Millisecond
				}
			}
			return false
		})
		require.NoError(t, err, "every call is given up after 6 ms")
	})
}

func TestRunsOnceAndChecksItsConfig(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{Machines: 1, Rate: -1})
		require.ErrorIs(t, w.Run(t.Context()), ErrRan)
		time.Sleep(2 * time.Second)
		require.Zero(t, w.Status().Scenes[0].QPS, "a negative rate is silence")
		w.stop()
	})
	for _, c := range []Config{{Rate: 1 << 30}, {Machines: -1}, {Machines: 5000}, {Speed: -1}, {Speed: 1e-9}, {Speed: 1e9}} {
		_, err := New(c)
		require.Error(t, err, "%+v", c)
	}
}

func TestAgentsLogOnlyWhatIsWrong(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(warnings{slog.NewTextHandler(&out, nil)}).With("app", "sn").WithGroup("g")
	log.Info("stream is up")
	require.Empty(t, out.String())
	log.Warn("no stream", "why", "away")
	require.Contains(t, out.String(), "app=sn g.why=away")
}
