package telemetry_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/telemetry"
)

func us(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

func crowdReport(end time.Time, edges ...int64) *gear.Report {
	r := report(end, 100*int64(len(edges)), us(6000))
	p := &r.Points[0]
	p.AvailableRT, p.FitResidual = 8*time.Millisecond, 0.1
	for k, edge := range edges {
		p.Crowds = append(p.Crowds, gear.CrowdReport{
			Crowd: k, Edge: us(edge), Count: 100, RTSum: 100 * us(5000+1000*int64(k)), Work: 1 / float64(k+1), Level: 10 - k,
			Downgraded: int64(20 * k), Needless: 0.25, NeedlessError: 0.1, Reason: "",
		})
	}
	return r
}

func TestCrowdsAreMergedOverMachinesByEdge(t *testing.T) {
	w := telemetry.New(telemetry.Limits{})
	for s := range 4 {
		end := t0.Add(time.Duration(s) * time.Second)
		a, b := crowdReport(end, 0, 3000, 4500), crowdReport(end, 0, 3300, 4900)
		if s == 0 {
			a.Points[0].Crowds[2].Reason = "mean 9ms against 8ms" // said once
		}
		a.Points[0].Crowds[0].Bounded, b.Points[0].Crowds[0].Bounded = "top", "top"
		w.Ingest(agentOf(1), a, end)
		w.Ingest(agentOf(2), b, end)
	}
	got, ok := w.Crowds(recall, t0.Add(5500*time.Millisecond))
	require.True(t, ok)
	require.Equal(t, 8*time.Millisecond, got.AvailableRT)
	require.InDelta(t, 0.1, got.FitResidual, 1e-9)
	require.Equal(t, int64(2400), got.Count)
	var counted uint64
	for _, b := range got.RT {
		counted += b.Count
	}
	require.Equal(t, uint64(2400), counted, "the distribution is of the same requests")

	require.Len(t, got.Crowds, 3)
	require.Zero(t, got.Crowds[0].Edge)
	require.Equal(t, "top", got.Crowds[0].Bounded)
	require.InDelta(t, 3146, got.Crowds[1].Edge.Microseconds(), 2, "the geometric mean")
	top := got.Crowds[2]
	require.Equal(t, int64(800), top.Count)
	require.Equal(t, 7*time.Millisecond, top.Mean)
	require.Equal(t, 2, top.Machines)
	require.Equal(t, int64(320), top.Downgraded)
	require.InDelta(t, 80, top.Needless, 1e-9)
	// One machine's estimates err together, machines do not: 16 of 160 each.
	require.InDelta(t, 16*math.Sqrt2, top.NeedlessError, 1e-9)
	require.Equal(t, "mean 9ms against 8ms", top.Reason, "it stays with the crowd while it is not said again")
	require.InDelta(t, 8, top.Level, 1e-9)

	require.Len(t, got.Agents, 2)
	require.Equal(t, us(3300), got.Agents[1].Crowds[1].Edge)
	_, ok = w.Crowds(telemetry.Key{Scene: "k9", IDC: "na61", App: "sn", Point: "recall"}, t0)
	require.False(t, ok)
}

func TestCrowdsFormedAnewStartCountingAgain(t *testing.T) {
	w := telemetry.New(telemetry.Limits{})
	w.Ingest(agentOf(1), crowdReport(t0, 0), t0)
	end := t0.Add(time.Second)
	w.Ingest(agentOf(1), crowdReport(end, 0, 3000), end)
	got, ok := w.Crowds(recall, end.Add(3*time.Second))
	require.True(t, ok)
	require.Len(t, got.Crowds, 2)
	require.Equal(t, int64(100), got.Crowds[0].Count)
}

func TestSilentAgentsHaveNoCrowds(t *testing.T) {
	w := telemetry.New(telemetry.Limits{})
	w.Ingest(agentOf(1), crowdReport(t0, 0, 3000), t0)
	got, ok := w.Crowds(recall, t0.Add(8*time.Second))
	require.True(t, ok)
	require.Empty(t, got.Crowds)
	require.Empty(t, got.RT)
	require.Zero(t, got.AvailableRT)
}

func TestCrowdsThatCannotBeAreRefused(t *testing.T) {
	w := telemetry.New(telemetry.Limits{})
	for i, spoil := range []func(*gear.CrowdReport){
		func(c *gear.CrowdReport) { c.Needless = math.NaN() },
		func(c *gear.CrowdReport) { c.Needless = 1.5 },
		func(c *gear.CrowdReport) { c.Downgraded = 500 },
		func(c *gear.CrowdReport) { c.Work = math.Inf(1) },
		func(c *gear.CrowdReport) { c.Count = -1 },
	} {
		r := crowdReport(t0, 0)
		spoil(&r.Points[0].Crowds[0])
		w.Ingest(agentOf(i), r, t0)
	}
	require.Equal(t, map[string]int64{"malformed": 5}, w.Refused("sn"))
}
