package lab

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/planner"
)

// orders are those of a night under a strategy, with the levels of a plan pinned.
func orders(strategy gear.Strategy, pinned map[string]int) []planner.Ordered {
	m := Standard(1)
	n := Night{strategy: strategy, factor: centralFactor}
	out := n.orders(m, nil)
	for i := range out {
		for k := range out[i].Set.Orders {
			o := &out[i].Set.Orders[k]
			if l := pinned[o.Point]; l > 0 {
				o.Level, o.Pinned = l, true
			}
		}
	}
	return out
}

func evening(strategy gear.Strategy, pinned map[string]int) *planner.Script {
	at := time.Date(2026, 11, 10, 15, 56, 0, 0, time.UTC)
	free := orders(strategy, nil)
	return &planner.Script{
		Day: planner.Day{Kind: planner.DayConversation, Peak: 5, PeakAt: at.Add(4 * time.Minute), Seed: 1}, Machines: 1,
		From: at.Add(-time.Minute), To: at.Add(9 * time.Minute), Step: 10 * time.Second,
		Without: []planner.Turn{{At: at.Add(-time.Minute), Sets: free}},
		With:    []planner.Turn{{At: at.Add(-time.Minute), Sets: free}, {At: at, Sets: orders(strategy, pinned)}, {At: at.Add(7 * time.Minute), Sets: free}},
	}
}

// TestRehearsal: a plan that turns the gears down before the peak loses fewer
// users at it than fixed gears do; before its step both runs are the same run.
func TestRehearsal(t *testing.T) {
	t.Parallel()
	s := evening(gear.StrategyFixed, map[string]int{"merge": 1, "recall": 4, "prerank": 4, "rank": 4, "fetch": 8, "select": 2, "score": 1})
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
		s := evening(strategy, map[string]int{"recall": 10, "prerank": 10, "rank": 10, "fetch": 8, "select": 2, "score": 2})
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

// TestMidnight: at a five times peak the plan loses a small part of the users that
// feedback alone loses, and the same gears from 23:45 on cost eleven more minutes
// of heavy degradation and the value of them.
func TestMidnight(t *testing.T) {
	t.Parallel()
	r, err := PlayNights(t.Context(), 1, 0, nil)
	require.NoError(t, err)
	require.Len(t, r.Nights, 6)
	by := map[string]map[string]float64{}
	for _, n := range r.Nights {
		by[n.Name] = map[string]float64{}
		for m, v := range n.By {
			by[n.Name][m] = v[0]
		}
	}
	for _, law := range []string{"central", "crowd"} {
		plan, early, alone := by[law+" + plan"], by[law+" + 23:45"], by[law+" alone"]
		require.Less(t, plan[NightPeakLost], alone[NightPeakLost]/3, law)
		require.Less(t, alone[NightHeavy], plan[NightHeavy], law)
		require.InDelta(t, 11, early[NightHeavy]-plan[NightHeavy], 1, law)
		require.Greater(t, plan[NightValue], early[NightValue]*1.1, law)
	}
	var b bytes.Buffer
	require.NoError(t, r.WriteHTML(&b, "allspark lab midnight"))
	require.Equal(t, 12, strings.Count(b.String(), "<svg"))
	require.NotContains(t, b.String(), "NaN")
	b.Reset()
	require.NoError(t, r.WriteMarkdown(&b, "allspark lab midnight"))
	require.Contains(t, b.String(), "| crowd + plan |")
	b.Reset()
	require.NoError(t, r.WriteText(&b))
	require.Contains(t, b.String(), "heavy minutes")
	b.Reset()
	require.NoError(t, r.WriteCSV(&b))
	require.Equal(t, 1+6*480, strings.Count(b.String(), "\n"))
}
