package lab

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/planner"
	"github.com/allspark/allspark/server/template"
)

// orders makes the order sets of the sample engine's gears: every point by a
// strategy, with the levels of a plan pinned.
func orders(t *testing.T, strategy gear.Strategy, pinned map[string]int) []planner.Ordered {
	t.Helper()
	m := Standard(1)
	var out []planner.Ordered
	for a := range m.Apps {
		for _, idc := range m.IDCs {
			o := planner.Ordered{Set: gear.OrderSet{App: m.Apps[a].Name, IDC: idc}}
			for i, g := range gears {
				p := &m.Points[i]
				if p.App != a {
					continue
				}
				table, err := template.Expand(specOf(p, g.levels, g.initial, g.how, g.anchors, g.models))
				require.NoError(t, err)
				x := gear.Order{
					Scene: gear.Any, Point: p.Name, Bucket: gear.Any, Table: table.Hash, Strategy: strategy,
					Level: g.initial, MinLevel: 1, MaxLevel: g.levels, AvailableRT: time.Duration(nominalTargets()[i]) * time.Microsecond,
				}
				if l := pinned[p.Name]; l > 0 {
					x.Level, x.Pinned = l, true
				}
				o.Set.Orders = append(o.Set.Orders, x)
				o.Tables = append(o.Tables, *table)
			}
			out = append(out, o)
		}
	}
	return out
}

func evening(t *testing.T, strategy gear.Strategy, pinned map[string]int) *planner.Script {
	at := time.Date(2026, 11, 10, 15, 56, 0, 0, time.UTC)
	free := orders(t, strategy, nil)
	return &planner.Script{
		Day: planner.Day{Kind: planner.DayConversation, Peak: 5, PeakAt: at.Add(4 * time.Minute), Seed: 1}, Machines: 1,
		From: at.Add(-time.Minute), To: at.Add(9 * time.Minute), Step: 10 * time.Second,
		Without: []planner.Turn{{At: at.Add(-time.Minute), Sets: free}},
		With:    []planner.Turn{{At: at.Add(-time.Minute), Sets: free}, {At: at, Sets: orders(t, strategy, pinned)}, {At: at.Add(7 * time.Minute), Sets: free}},
	}
}

// TestRehearsal: a plan that turns the gears down before the peak loses fewer
// users at it than fixed gears do; before its step both runs are the same run.
func TestRehearsal(t *testing.T) {
	t.Parallel()
	s := evening(t, gear.StrategyFixed, map[string]int{"merge": 1, "recall": 4, "prerank": 4, "rank": 4, "fetch": 8, "select": 2, "score": 1})
	p, err := Rehearser{}.Rehearse(t.Context(), s)
	require.NoError(t, err)
	require.Empty(t, p.NotPlayed)
	require.Len(t, p.Load, 60)
	for _, c := range []*planner.Course{&p.With, &p.Without} {
		for _, v := range [][]float64{c.QPS, c.RTMS, c.P99MS, c.CPU, c.Value, c.Lost, c.Work, c.Earned, c.Points[0].Level, c.Points[0].RTMS, c.Points[0].CPU} {
			require.Len(t, v, 60)
		}
	}
	require.Equal(t, p.Without.QPS[:6], p.With.QPS[:6])
	require.Equal(t, p.Without.Value[:6], p.With.Value[:6])
	require.Equal(t, p.Without.Totals.Requests, p.With.Totals.Requests, "the same users come")
	require.Less(t, p.With.Totals.Lost, p.Without.Totals.Lost/2)
	require.Greater(t, p.With.Totals.HeavyMinutes, 6.5)
	require.Zero(t, p.Without.Totals.HeavyMinutes)
	require.InDelta(t, 1, p.Without.Work[0], 0.02)

	again, err := Rehearser{}.Rehearse(t.Context(), s)
	require.NoError(t, err)
	require.Equal(t, p, again, "a rehearsal can be repeated")
}

// TestAutomaticGears: after the step that hands points back, levels rise as load
// falls, at feedback's pace: never faster than its strides, and not at once.
func TestAutomaticGears(t *testing.T) {
	t.Parallel()
	for _, strategy := range []gear.Strategy{gear.StrategyCentral, gear.StrategyCrowdRT} {
		s := evening(t, strategy, map[string]int{"recall": 10, "prerank": 10, "rank": 10, "fetch": 8, "select": 2, "score": 2})
		p, err := Rehearser{}.Rehearse(t.Context(), s)
		require.NoError(t, err)
		for _, c := range p.With.Points {
			if c.Point != "recall" {
				continue
			}
			l := c.Level
			require.InDelta(t, 10, l[46], 0.2, "%s: the step holds", strategy)
			require.Less(t, l[49], 35.0, "%s: the way back is no jump", strategy)
			require.Greater(t, l[59], l[49]+5, "%s: levels rise as load falls", strategy)
		}
	}
}

func TestDays(t *testing.T) {
	t.Parallel()
	g, again, other := generated(1), generated(1), generated(2)
	require.Equal(t, g, again)
	require.NotEqual(t, g.At, other.At)
	require.InDelta(t, Conversation().Rate(), g.Rate(), 0.1*g.Rate())
	require.InDelta(t, 0.8, peakLoad(-time.Second, 5), 0)
	require.InDelta(t, 5, peakLoad(10*time.Second, 5), 0)
	require.InDelta(t, 1.2, peakLoad(time.Hour, 5), 1e-3)
	require.InDelta(t, 1, peakLoad(time.Hour, 1), 0)
}
