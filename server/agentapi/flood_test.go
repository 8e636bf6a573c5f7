package agentapi_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
	"github.com/allspark/allspark/server/agentapi"
	"github.com/allspark/allspark/server/push"
)

// publishLarge makes a state of about 8 KiB, so that a handful fill a stream's
// window of 64 KiB.
func (w *world) publishLarge(app string, revision int64) {
	set := gear.OrderSet{App: app, IDC: "na61", Epoch: 1, Revision: revision, Hash: fmt.Sprint(revision)}
	for i := range 32 {
		set.Orders = append(set.Orders, gear.Order{Scene: gear.Any, Point: fmt.Sprint("point-", i), Template: strings.Repeat("x", 220)})
	}
	s, err := agentapi.Encode(&set, nil)
	require.NoError(w.t, err)
	require.True(w.t, w.hub.Publish(push.Key{App: app, IDC: "na61"}, s))
}

// TestR08: an agent stops reading. Others are unaffected; when it reads again it
// jumps to the newest state; when it does not, it is cut, and its goroutines end.
func TestR08(t *testing.T) {
	const published = 60
	virtual(t, func(t *testing.T, w *world) {
		w.publishLarge("sn", 1)
		slow := w.join(helloOf("sn", "slow"))
		w.join(helloOf("sn", "dead"))
		var others []*rawAgent
		for i := range 5 {
			others = append(others, w.join(helloOf("sn", fmt.Sprint("other-", i))))
			_, set := others[i].orders()
			others[i].ack(set.Version())
		}
		synctest.Wait()
		for r := int64(2); r <= published; r++ {
			at := time.Now()
			w.publishLarge("sn", r)
			for _, o := range others {
				_, set := o.orders()
				require.Equal(t, r, set.Revision)
				o.ack(set.Version())
			}
			require.Equal(t, at, time.Now(), "nobody waited for the slow one")
			time.Sleep(100 * time.Millisecond)
		}
		synctest.Wait()
		p := w.progress("sn")
		require.Equal(t, 5, p.Held)
		require.Equal(t, []string{"dead", "slow"}, []string{p.Stragglers[0].Instance, p.Stragglers[1].Instance})

		var got []int64
		for len(got) == 0 || got[len(got)-1] < published {
			_, set := slow.orders()
			require.True(t, len(got) == 0 || set.Revision > got[len(got)-1], "never backwards")
			got = append(got, set.Revision)
		}
		slow.ack(gear.Version{Epoch: 1, Revision: published})
		require.Less(t, len(got), published/2, "what its window did not hold was skipped: %v", got)
		synctest.Wait()
		require.Equal(t, 6, w.progress("sn").Held)
		require.EqualValues(t, 7, w.service.Stats().Streams)

		time.Sleep(40 * time.Second) // nothing from the dead one: StallAfter and hangUpAfter pass
		synctest.Wait()
		require.EqualValues(t, 1, w.service.Stats().Cuts)
		require.EqualValues(t, 6, w.service.Stats().Streams, "a writer that hung was freed")
		p = w.progress("sn")
		require.Equal(t, 1, p.Away)

		dead := w.join(helloOf("sn", "dead"))
		_, set := dead.orders()
		require.EqualValues(t, published, set.Revision, "it returns to the newest state")
	})
}

// TestR22: all agents of app A flood. Their frames are read at the allowed pace;
// app B's reports all count and its pushes arrive at once.
func TestR22(t *testing.T) {
	const agents, seconds, rate, burst = 20, 10, 20, 100
	virtual(t, func(t *testing.T, w *world) {
		var flood sync.WaitGroup
		for i := range agents {
			a := w.join(helloOf("a", fmt.Sprint("a-", i)))
			flood.Go(func() {
				for s := int64(1); ; s++ {
					if a.stream.Send(&agentv1.ConnectRequest{Report: wire.FromReport(&gear.Report{
						Sequence: s, At: time.Now(), Window: time.Second,
						Points: []gear.PointReport{{Scene: "k2", Point: "recall", Count: 1}},
					})}) != nil {
						return
					}
				}
			})
			defer a.cancel()
		}
		b := w.join(helloOf("b", "b-1"))
		for s := int64(1); s <= seconds; s++ {
			at := time.Now()
			w.publish("b", s, "t1")
			_, set := b.orders()
			require.Equal(t, s, set.Revision)
			b.ack(set.Version())
			b.report(s, time.Now())
			require.Equal(t, at, time.Now(), "b did not wait")
			time.Sleep(time.Second)
			require.Equal(t, 1, w.progress("b").Held)
		}
		require.Len(t, w.reports.of("b-1"), seconds)
		for i := range agents {
			got := len(w.reports.of(fmt.Sprint("a-", i)))
			require.LessOrEqual(t, got, burst+rate*(seconds+1))
			require.GreaterOrEqual(t, got, burst, "a flooding agent is slowed, not silenced")
		}
		require.Positive(t, w.service.Stats().Slowed)
		for _, c := range w.conns {
			_ = c.Close()
		}
		flood.Wait()
	})
}

// TestRealLoopback joins, pushes to and reconnects agents over TCP.
func TestRealLoopback(t *testing.T) {
	const n = 100
	w := listen(t, "tcp")
	w.publish("sn", 1, "t1")
	agents := make([]*rawAgent, n)
	for i := range agents {
		agents[i] = w.join(helloOf("sn", fmt.Sprint("sn-", i)))
	}
	changed, stop := w.hub.Watch()
	defer stop()
	v := w.publish("sn", 2, "t1", "t2")
	var all sync.WaitGroup
	for _, a := range agents {
		all.Go(func() {
			for {
				if _, set := a.orders(); set.Version() == v {
					a.ack(v)
					return
				}
			}
		})
	}
	all.Wait()
	deadline := time.After(10 * time.Second)
	for w.progress("sn").Held < n {
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("%d of %d hold it", w.progress("sn").Held, n)
		}
	}
	p := w.progress("sn")
	require.Positive(t, p.To50)
	require.LessOrEqual(t, p.To50, p.To100)

	for i := range 10 { // these come back over new connections
		require.NoError(t, agents[i].conn.Close())
		h := agents[i].hello
		h.Held, h.HeldHash, h.Tables = v, p.Hash, []string{"t1", "t2"}
		agents[i] = w.join(h)
	}
	v = w.publish("sn", 3, "t2")
	for _, a := range agents {
		tables, set := a.orders()
		require.Empty(t, tables)
		require.Equal(t, v, set.Version())
	}
}
