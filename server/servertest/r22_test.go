package servertest_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/servertest"
)

const (
	flooders = 20 / less // streams that send reports as fast as they can
	knockers = 10 / less // loops that enrol and say hello again and again
	edits    = 20
)

// TestR22: app "loud" floods with reports, hellos and enrolments. App sn's pushes,
// acknowledgements and reports still work. The times are logged; the figures that
// are held against each other are the push benchmark's.
func TestR22(t *testing.T) {
	s, network := bound(t)
	ms := servertest.Run(t, network, s.App.Local().EnrolToken, "sn", 10, "na61")
	ms.Await(t, "app sn is served", 1, servertest.Level(8))
	push := func() (took []time.Duration) {
		for i := range edits {
			began := time.Now()
			level := 1 + i%7
			s.Hold("sn", "*", level, time.Hour)
			ms.Await(t, "an edit arrives", 1, servertest.Level(level))
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		return took
	}
	quiet := push()

	ctx, cancel := context.WithCancel(t.Context())
	var flood sync.WaitGroup
	defer flood.Wait()
	defer cancel()
	var reports, hellos atomic.Int64
	raw := servertest.Dial(t, s.App.GRPCAddr())
	token := s.App.Local().EnrolToken
	for i := range flooders {
		h := servertest.Hello("loud", fmt.Sprintf("loud-%d", i))
		credential, err := raw.Enrol(token, h)
		require.NoError(t, err)
		stream, err := raw.Open(ctx, credential, h)
		require.NoError(t, err)
		flood.Go(func() {
			for n := int64(1); stream.Send(servertest.Report(n, time.Now(), fmt.Sprintf("s%d", n%50), 1000)) == nil; n++ {
				reports.Add(1)
			}
		})
	}
	for i := range knockers {
		flood.Go(func() {
			for ctx.Err() == nil {
				h := servertest.Hello("loud", fmt.Sprintf("knock-%d", i))
				credential, err := raw.Enrol(token, h)
				if err != nil {
					continue
				}
				once, end := context.WithCancel(ctx)
				if stream, err := raw.Open(once, credential, h); err == nil {
					_, _ = stream.Recv()
					hellos.Add(1)
				}
				end()
			}
		})
	}
	servertest.Eventually(t, "the flood is on", func() bool { return reports.Load() > 1000 && hellos.Load() > 20 })

	loud := push()
	t.Logf("an edit on all machines of sn: quiet median %v, worst %v; flooded median %v, worst %v; %d reports and %d hellos sent meanwhile",
		quiet[edits/2], quiet[edits-1], loud[edits/2], loud[edits-1], reports.Load(), hellos.Load())
	for _, m := range ms {
		require.True(t, m.Status().Connected, "nobody of sn was cut off")
		m.Serve(5 * time.Millisecond)
	}
	servertest.Eventually(t, "acknowledgements and reports of sn arrive", func() bool {
		for _, m := range ms {
			a := s.Agent(m.Name)
			if !a.Current || a.State != "connected" || a.LastReportAt == nil || time.Since(*a.LastReportAt) > 5*time.Second {
				return false
			}
		}
		return true
	})
}
