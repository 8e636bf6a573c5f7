package telemetry_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/sketch"
	"github.com/allspark/allspark/server/telemetry"
)

var t0 = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

var recall = telemetry.Key{Scene: "k2", IDC: "na61", App: "sn", Point: "recall"}

func agentOf(i int) telemetry.Source {
	return telemetry.Source{App: "sn", IDC: "na61", Instance: fmt.Sprintf("i-%04d", i)}
}

// report is one second that ends at the given instant: n requests of rt each.
func report(end time.Time, n int64, rt time.Duration) *gear.Report {
	var s sketch.Sketch
	for range n {
		s.Record(uint64(rt.Microseconds()))
	}
	return &gear.Report{
		At: end, Window: time.Second, CPU: 0.5, Held: gear.Version{Epoch: 1, Revision: 7}, Rung: gear.RungLive,
		Points: []gear.PointReport{{
			Scene: "k2", Point: "recall", Count: n, OK: n - 1, Timeouts: 1, RTSum: time.Duration(n) * rt, RT: s.AppendTo(nil),
			Value: 0.5, LevelSum: 4 * n, LevelMin: 3, LevelMax: 5,
		}},
	}
}

func TestSecondAndTenSeconds(t *testing.T) {
	w := telemetry.New(telemetry.Limits{})
	for s := range 20 {
		end := t0.Add(time.Duration(s+1) * time.Second)
		w.Ingest(agentOf(1), report(end, 100, 10*time.Millisecond), end)
		w.Ingest(agentOf(2), report(end, 300, 20*time.Millisecond), end)
	}
	now := t0.Add(20*time.Second + 500*time.Millisecond)
	p, ok := w.Point(recall, now)
	require.True(t, ok)
	require.False(t, p.Stale)
	require.Equal(t, t0.Add(19*time.Second), p.Last.At, "the second that ended at 20 may still get reports")
	require.EqualValues(t, 400, p.Last.Count)
	require.EqualValues(t, 398, p.Last.OK)
	require.EqualValues(t, 2, p.Last.Timeouts)
	require.InDelta(t, 400, p.Last.QPS, 0.001)
	require.Equal(t, 17500*time.Microsecond, p.Last.Mean)
	require.InEpsilon(t, float64(20*time.Millisecond), float64(p.Last.P50), 0.01)
	require.InEpsilon(t, float64(20*time.Millisecond), float64(p.Last.P99), 0.01)
	require.InDelta(t, 4, p.Last.LevelMean, 0.001)
	require.Equal(t, 3, p.Last.LevelMin)
	require.Equal(t, 5, p.Last.LevelMax)
	require.InDelta(t, 0.5, p.Last.CPU, 0.001)
	require.InDelta(t, 1.0, p.Last.Value, 0.001)
	require.Equal(t, 2, p.Last.Agents)

	require.EqualValues(t, 4000, p.Recent.Count)
	require.Equal(t, 10*time.Second, p.Recent.Window)
	require.InDelta(t, 400, p.Recent.QPS, 0.001)
	require.Equal(t, 2, p.Recent.Agents)

	agents := w.Agents(recall, now)
	require.Len(t, agents, 2)
	require.Equal(t, agentOf(1), agents[0].Source)
	require.Equal(t, 10*time.Millisecond, agents[0].Recent.Mean)
	require.InDelta(t, 100, agents[0].Recent.QPS, 0.001)
	require.Equal(t, gear.Version{Epoch: 1, Revision: 7}, agents[0].Held)
	require.Empty(t, w.Refused("sn"))
}

func TestYoungSeriesTellsItsTrueRate(t *testing.T) {
	w := telemetry.New(telemetry.Limits{})
	for s := range 4 {
		end := t0.Add(time.Duration(s+1) * time.Second)
		w.Ingest(agentOf(1), report(end, 100, time.Millisecond), end)
	}
	p, ok := w.Point(recall, t0.Add(4*time.Second))
	require.True(t, ok)
	require.Equal(t, 3*time.Second, p.Recent.Window)
	require.InDelta(t, 100, p.Recent.QPS, 0.001)
}

func TestSilenceIsNeverShownAsCurrent(t *testing.T) {
	w := telemetry.New(telemetry.Limits{})
	w.Ingest(agentOf(1), report(t0, 100, time.Millisecond), t0)
	for ms := 0; ms < 12000; ms += 100 {
		now := t0.Add(time.Duration(ms) * time.Millisecond)
		p, ok := w.Point(recall, now)
		require.True(t, ok)
		require.Equal(t, ms > 5000, p.Stale, "%d ms", ms)
		if p.Stale {
			require.Nil(t, p.Last)
			require.Nil(t, p.Recent)
			require.Equal(t, t0, p.LastHeard)
			require.Empty(t, w.Agents(recall, now))
		}
		if p.Last != nil {
			require.LessOrEqual(t, now.Sub(p.Last.At), 3*time.Second)
		}
	}
	require.Len(t, w.Points(telemetry.Filter{}, t0.Add(9*time.Minute)), 1)
	w.Advance(t0.Add(11 * time.Minute))
	require.Empty(t, w.Points(telemetry.Filter{}, t0.Add(11*time.Minute)))
	_, ok := w.Point(recall, t0.Add(11*time.Minute))
	require.False(t, ok)

	// It comes back without a trace of what was before.
	back := t0.Add(12 * time.Minute)
	w.Ingest(agentOf(1), report(back, 7, time.Millisecond), back)
	p, _ := w.Point(recall, back.Add(2*time.Second))
	require.EqualValues(t, 7, p.Recent.Count)
}

func TestReportsThatCannotBe(t *testing.T) {
	w := telemetry.New(telemetry.Limits{Points: 3})
	bad := func(change func(r *gear.Report)) {
		r := report(t0, 10, time.Millisecond)
		change(r)
		w.Ingest(agentOf(1), r, t0)
	}
	bad(func(r *gear.Report) { r.At = t0.Add(5*time.Second + 1) })
	bad(func(r *gear.Report) { r.At = t0.Add(-11 * time.Second) })
	bad(func(r *gear.Report) { r.Window = 0 })
	bad(func(r *gear.Report) { r.Window = time.Hour })
	bad(func(r *gear.Report) { r.Points = make([]gear.PointReport, 4) })
	require.Equal(t, map[string]int64{"future": 1, "late": 1, "malformed": 2, "overflow": 1}, w.Refused("sn"))
	for _, change := range []func(p *gear.PointReport){
		func(p *gear.PointReport) { p.Count = -1 },
		func(p *gear.PointReport) { p.Value = math.NaN() },
		func(p *gear.PointReport) { p.Load = math.Inf(1) },
		func(p *gear.PointReport) { p.LevelMin = 6 },
		func(p *gear.PointReport) { p.Scene = "" },
	} {
		w := telemetry.New(telemetry.Limits{})
		r := report(t0, 10, time.Millisecond)
		change(&r.Points[0])
		w.Ingest(agentOf(1), r, t0)
		require.Equal(t, map[string]int64{"malformed": 1}, w.Refused("sn"))
		require.Empty(t, w.Points(telemetry.Filter{}, t0))
	}

	// A sketch that is none loses its percentiles only, and is counted.
	w = telemetry.New(telemetry.Limits{})
	r := report(t0, 10, time.Millisecond)
	r.Points[0].RT = []byte("rubbish")
	w.Ingest(agentOf(1), r, t0)
	w.Ingest(agentOf(2), report(t0, 10, time.Millisecond), t0)
	p, _ := w.Point(recall, t0.Add(2*time.Second))
	require.EqualValues(t, 20, p.Last.Count)
	require.InEpsilon(t, float64(time.Millisecond), float64(p.Last.P99), 0.01)
	require.Equal(t, map[string]int64{"malformed": 1}, w.Refused("sn"))

	// A clock slightly ahead is borne: its report counts as of now.
	w = telemetry.New(telemetry.Limits{})
	w.Ingest(agentOf(1), report(t0.Add(4*time.Second), 10, time.Millisecond), t0)
	p, _ = w.Point(recall, t0.Add(2*time.Second))
	require.EqualValues(t, 10, p.Last.Count)
	require.Equal(t, t0, p.Last.At)
}

func TestFloodOfOneAppHurtsNobodyElse(t *testing.T) {
	w := telemetry.New(telemetry.Limits{Series: 50, Agents: 10, Apps: 3})
	flooder := func(i int) telemetry.Source {
		return telemetry.Source{App: "flood", IDC: "x", Instance: fmt.Sprint(i)}
	}
	for i := range 40 { // too many agents
		w.Ingest(flooder(i), report(t0, 1, time.Millisecond), t0)
	}
	for i := range 200 { // one of them too often, with ever new points
		r := report(t0, 1, time.Millisecond)
		r.Points[0].Point = fmt.Sprint(i)
		w.Ingest(flooder(0), r, t0)
	}
	for i := range 20 { // the rest with too many points
		r := report(t0, 1, time.Millisecond)
		for j := range 40 {
			p := r.Points[0]
			p.Point = fmt.Sprintf("%d-%d", i, j)
			r.Points = append(r.Points, p)
		}
		w.Ingest(flooder(1+i%9), r, t0)
	}
	for i := range 10 { // and too many apps
		w.Ingest(telemetry.Source{App: fmt.Sprintf("app%d", i)}, report(t0, 1, time.Millisecond), t0)
	}
	w.Ingest(agentOf(1), report(t0, 10, time.Millisecond), t0)
	require.Len(t, w.Points(telemetry.Filter{App: "flood"}, t0), 50)
	refused := w.Refused("flood")
	require.EqualValues(t, 196, refused["flood"])
	require.Greater(t, refused["overflow"], int64(30))
	require.Empty(t, w.Refused("app0"))

	w = telemetry.New(telemetry.Limits{Series: 50})
	for i := range 40 {
		r := report(t0, 1, time.Millisecond)
		for j := range 400 {
			p := r.Points[0]
			p.Point = fmt.Sprintf("%d-%d", i, j)
			r.Points = append(r.Points, p)
		}
		w.Ingest(flooder(i), r, t0)
	}
	w.Ingest(agentOf(1), report(t0, 10, time.Millisecond), t0)
	p, ok := w.Point(recall, t0.Add(2*time.Second))
	require.True(t, ok)
	require.EqualValues(t, 10, p.Last.Count)
	require.Empty(t, w.Refused("sn"))
}

func TestOneSlowMachineIsAnOutlier(t *testing.T) {
	w := telemetry.New(telemetry.Limits{})
	for s := range 10 {
		end := t0.Add(time.Duration(s) * time.Second)
		for i := range 9 {
			rt := 10*time.Millisecond + time.Duration(i)*100*time.Microsecond
			if i == 4 {
				rt = 30 * time.Millisecond
			}
			w.Ingest(agentOf(i), report(end, 50, rt), end)
		}
	}
	for i, a := range w.Agents(recall, t0.Add(9*time.Second)) {
		require.Equal(t, i == 4, a.Outlier, "agent %d", i)
	}
}

func TestFilterAndOrder(t *testing.T) {
	w := telemetry.New(telemetry.Limits{})
	for _, s := range []telemetry.Source{{App: "b", IDC: "x", Instance: "1"}, {App: "a", IDC: "y", Instance: "2"}, {App: "a", IDC: "x", Instance: "3"}} {
		w.Ingest(s, report(t0, 1, time.Millisecond), t0)
	}
	var got []string
	for _, p := range w.Points(telemetry.Filter{}, t0) {
		got = append(got, p.App+"/"+p.IDC)
	}
	require.Equal(t, []string{"a/x", "a/y", "b/x"}, got)
	require.Len(t, w.Points(telemetry.Filter{App: "a", IDC: "x", Scene: "k2", Point: "recall"}, t0), 1)
	require.Empty(t, w.Points(telemetry.Filter{Scene: "k1"}, t0))
}

// A machine's ten seconds come in five blocks, newest first, that add up to them.
func TestMachineInBlocks(t *testing.T) {
	w := telemetry.New(telemetry.Limits{})
	for s := range 14 {
		end := t0.Add(time.Duration(s+1) * time.Second)
		w.Ingest(agentOf(1), report(end, int64(10+s), time.Duration(s+1)*time.Millisecond), end)
	}
	ms := w.Machines(t0.Add(14*time.Second + 300*time.Millisecond))
	require.Len(t, ms, 1)
	require.Len(t, ms[0].Shares, 1)
	x := ms[0].Shares[0]
	var sum telemetry.Block
	for i, b := range x.Blocks {
		newest := int64(23 - 2*i)
		require.Equal(t, 2*newest-1, b.Count, "block %d", i)
		require.Equal(t, 4*b.Count, b.LevelSum)
		sum.Count, sum.RTSum, sum.LevelSum = sum.Count+b.Count, sum.RTSum+b.RTSum, sum.LevelSum+b.LevelSum
	}
	require.Equal(t, telemetry.Block{Count: x.Count, RTSum: x.RTSum, LevelSum: x.LevelSum}, sum)
}
