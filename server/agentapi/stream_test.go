package agentapi_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
	"github.com/allspark/allspark/server/agentapi"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/push"
)

func TestMain(m *testing.M) {
	if benchChild() {
		return
	}
	goleak.VerifyTestMain(m)
}

// virtual runs a test in virtual time, over bufconn.
func virtual(t *testing.T, f func(*testing.T, *world), tune ...func(*agentapi.Options, *push.Options)) {
	synctest.Test(t, func(t *testing.T) { f(t, listen(t, "", tune...)) })
}

func TestStateFirstThenChanges(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		w.publish("sn", 1, "t1", "t2")
		a := w.join(helloOf("sn", "sn-1"))
		require.Equal(t, "sn-1", a.welcome.GetInstance())
		require.Equal(t, time.Now().UnixNano(), a.welcome.GetReferenceNs())
		tables, set := a.orders()
		require.ElementsMatch(t, []string{"t1", "t2"}, tables)
		require.EqualValues(t, 1, set.Revision)

		w.publish("sn", 2, "t2", "t3")
		tables, set = a.orders()
		require.Equal(t, []string{"t3"}, tables, "a table is sent once, before the set")
		require.EqualValues(t, 2, set.Revision)
		a.ack(set.Version())
		synctest.Wait()
		p := w.progress("sn")
		require.Equal(t, 1, p.Held)
		require.Positive(t, p.To100)
		got, err := w.fleet.Get("sn-1", time.Now())
		require.NoError(t, err)
		require.Equal(t, set.Version(), got.Held)
		require.Equal(t, fleet.StateConnected, got.State)
	})
}

func TestNothingIsSentToWhoHoldsIt(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		v := w.publish("sn", 7, "t1")
		_, hash, _ := w.hub.Current(push.Key{App: "sn", IDC: "na61"})
		h := helloOf("sn", "sn-1")
		h.Held, h.HeldHash, h.Tables = v, hash, []string{"t1"}
		a := w.join(h)
		synctest.Wait()
		require.Equal(t, 1, w.progress("sn").Held)
		w.publish("sn", 8, "t1")
		tables, set := a.orders()
		require.Empty(t, tables, "the hello listed it")
		require.EqualValues(t, 8, set.Revision)
	})
}

func TestRefusedRevisionIsShownAndNotResent(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		v := w.publish("sn", 1, "t1")
		a := w.join(helloOf("sn", "sn-1"))
		_, _ = a.orders()
		problem := gear.Problem{Path: "orders[0].level", Code: "range", Message: "tag_count wants int 10..200, got 250 at level 9"}
		a.ack(v, problem)
		synctest.Wait()
		p := w.progress("sn")
		require.Equal(t, 1, p.Refused)
		require.Equal(t, gear.Problems{problem}, p.Stragglers[0].Problems)
		require.Equal(t, []push.Reason{{Problem: problem, Count: 1}}, p.Reasons)

		// The same process comes back: the refusal still stands.
		a.cancel()
		synctest.Wait()
		b := w.join(helloOf("sn", "sn-1"))
		synctest.Wait()
		require.Equal(t, 1, w.progress("sn").Refused)
		w.publish("sn", 2, "t1")
		tables, set := b.orders()
		require.EqualValues(t, 2, set.Revision, "revision 1 was not sent again")
		require.Equal(t, []string{"t1"}, tables)
	})
}

// TestR07 is the push side of a cut-off: three edits meanwhile, and on heal the
// final revision at once; revisions never fall.
func TestR07(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		v := w.publish("sn", 1, "t1")
		a, other := w.join(helloOf("sn", "sn-1")), w.join(helloOf("sn", "sn-2"))
		_, _ = a.orders()
		a.ack(v)
		_, _ = other.orders()
		other.ack(v)
		require.NoError(t, a.conn.Close())
		for r := int64(2); r <= 4; r++ {
			time.Sleep(3 * time.Minute)
			w.publish("sn", r, "t1")
			_, set := other.orders()
			require.Equal(t, r, set.Revision, "others are unaffected")
			other.ack(set.Version())
			other.report(r, time.Now())
		}
		synctest.Wait()
		p := w.progress("sn")
		require.Equal(t, 1, p.Held)
		h := helloOf("sn", "sn-1")
		h.Held, h.Tables = v, []string{"t1"}
		a = w.join(h)
		tables, set := a.orders()
		require.EqualValues(t, 4, set.Revision, "straight to the final version")
		require.Empty(t, tables)
		a.ack(set.Version())
		synctest.Wait()
		require.Equal(t, 2, w.progress("sn").Held)

		require.False(t, w.hub.Publish(push.Key{App: "sn", IDC: "na61"}, push.State{Version: v}), "never backwards")
		w.publish("sn", 5, "t1")
		_, set = a.orders()
		require.EqualValues(t, 5, set.Revision)
	})
}

func TestDisconnectedIsNamed(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		a := w.join(helloOf("sn", "sn-1"))
		a.cancel()
		synctest.Wait()
		w.publish("sn", 1, "t1")
		p := w.progress("sn")
		require.Equal(t, push.Disconnected, p.Stragglers[0].Why)
		got, err := w.fleet.Get("sn-1", time.Now())
		require.NoError(t, err)
		require.Equal(t, fleet.StateDisconnected, got.State)

		time.Sleep(6 * time.Minute)
		require.Zero(t, w.progress("sn").Expected, "after a while nobody waits for it")
	})
}

func TestCleanEndLeavesTheLedger(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		w.publish("sn", 1)
		a := w.join(helloOf("sn", "sn-1"))
		_, _ = a.orders()
		require.NoError(t, a.stream.CloseSend())
		synctest.Wait()
		require.Zero(t, w.progress("sn").Expected)
		require.Zero(t, w.service.Stats().Streams)
	})
}

func TestDuplicateIDGetsANewOne(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		w.publish("sn", 1)
		a := w.join(helloOf("sn", "sn-1"))
		h := helloOf("sn", "sn-1")
		h.Host = "host-2"
		b := w.join(h)
		require.NotEqual(t, "sn-1", b.welcome.GetInstance())
		_, set := a.orders()
		a.ack(set.Version())
		_, set = b.orders()
		b.ack(set.Version())
		synctest.Wait()
		require.Equal(t, 2, w.progress("sn").Held, "both live")
		require.EqualValues(t, 2, w.service.Stats().Streams)
	})
}

func TestLateCloseKeepsTheNewerSession(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		w.publish("sn", 1)
		old := w.join(helloOf("sn", "sn-1"))
		_, _ = old.orders()
		fresh := w.join(helloOf("sn", "sn-1")) // the same process, whose cut was not noticed yet
		require.Equal(t, "sn-1", fresh.welcome.GetInstance())
		for r := old.next(); ; r = old.next() {
			if r.GetGoodbye() != nil {
				require.Contains(t, r.GetGoodbye().GetReason(), "replaced")
				break
			}
		}
		_, err := old.stream.Recv()
		require.Equal(t, codes.Canceled, status.Code(err))
		old.cancel()
		_, set := fresh.orders()
		fresh.ack(set.Version())
		synctest.Wait()
		got, err := w.fleet.Get("sn-1", time.Now())
		require.NoError(t, err)
		require.Equal(t, fresh.welcome.GetSession(), got.Session)
		require.Equal(t, fleet.StateConnected, got.State)
		require.Equal(t, 1, w.progress("sn").Held)
		require.Empty(t, w.reports.gone, "the successor's counts go on")
		w.publish("sn", 2)
		_, set = fresh.orders()
		require.EqualValues(t, 2, set.Revision)
		fresh.cancel()
		synctest.Wait()
		require.Equal(t, []string{"sn-1"}, w.reports.gone)
	})
}

func TestReports(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		a := w.join(helloOf("sn", "sn-1"))
		a.report(1, time.Now())
		synctest.Wait()
		require.Len(t, w.reports.of("sn-1"), 1)
		require.Equal(t, []string{"k2"}, w.fleet.Scenes("sn"))

		a.report(2, time.Now().Add(time.Hour))
		require.Contains(t, a.next().GetRehello().GetReason(), "future")
		a.report(2, time.Now())
		synctest.Wait()
		require.Len(t, w.reports.of("sn-1"), 2, "a good report with that number still counts")

		time.Sleep(time.Minute)
		a.report(5, time.Now())
		require.Contains(t, a.next().GetRehello().GetReason(), "reports 3 to 4 are missing")
		a.report(5, time.Now())
		synctest.Wait()
		require.Len(t, w.reports.of("sn-1"), 3, "the same report does not count twice")

		time.Sleep(time.Minute)
		require.NoError(t, a.stream.Send(&agentv1.ConnectRequest{Report: &agentv1.Report{
			Sequence: 6, AtNs: time.Now().UnixNano(),
			Points: []*agentv1.PointReport{{Scene: "k2\nlevel=ERROR", Point: "recall"}},
		}}))
		require.Contains(t, a.next().GetRehello().GetReason(), "points[0]")
		require.Len(t, w.reports.of("sn-1"), 3)
	})
}

func TestSilenceIsStale(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		a := w.join(helloOf("sn", "sn-1"))
		time.Sleep(6 * time.Second)
		require.Equal(t, map[fleet.State]int{fleet.StateStale: 1}, w.fleet.Counts(time.Now()))
		a.report(1, time.Now())
		synctest.Wait()
		require.Equal(t, map[fleet.State]int{fleet.StateConnected: 1}, w.fleet.Counts(time.Now()))
	})
}

func TestClockProbe(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		a := w.join(helloOf("sn", "sn-1"))
		require.NoError(t, a.stream.Send(&agentv1.ConnectRequest{Clock: &agentv1.ClockProbe{AgentSentNs: 42}}))
		c := a.next().GetClock()
		require.EqualValues(t, 42, c.GetAgentSentNs())
		require.Equal(t, time.Now().UnixNano(), c.GetReferenceNs())
	})
}

func TestHelloAboveTheJournal(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		w.publish("sn", 3)
		h := helloOf("sn", "sn-1")
		h.Held = gear.Version{Epoch: 1, Revision: 9}
		a := w.join(h)
		synctest.Wait()
		require.Equal(t, []gear.Version{h.Held}, w.journal.ahead)
		set := gear.OrderSet{App: "sn", IDC: "na61", Epoch: 2, Revision: 4, Hash: "h"}
		s, err := agentapi.Encode(&set, nil)
		require.NoError(t, err)
		w.hub.Publish(push.Key{App: "sn", IDC: "na61"}, s)
		_, got := a.orders()
		require.Equal(t, set.Version(), got.Version(), "the older epoch was never sent")
	})
}

func TestSecondHelloDeclaresMore(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		w.publish("sn", 1, "t1")
		a := w.join(helloOf("sn", "sn-1"))
		_, _ = a.orders()
		h := a.hello
		h.Points = append(h.Points, gear.PointDecl{Name: "rank"})
		require.NoError(t, a.stream.Send(&agentv1.ConnectRequest{Hello: wire.FromHello(&h)}))
		tables, set := a.orders()
		require.EqualValues(t, 1, set.Revision, "what it holds now counts, and it holds nothing")
		require.Equal(t, []string{"t1"}, tables)
		require.Equal(t, []string{"rank", "recall"}, w.fleet.Points("sn", ""))
	})
}
