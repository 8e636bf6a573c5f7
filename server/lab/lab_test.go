package lab

import (
	"bytes"
	"context"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/template"
)

// What CI runs of the standard set: two seeds of three worlds.
func TestCrowdsAgainstCentralAgainstNone(t *testing.T) {
	x := Experiment{Scenarios: scenarios("day-conv", "load-2", "load-4"), Policies: []string{"none", "central", "crowd"}, Seeds: 2, NoGap: true}
	for i := range x.Scenarios {
		x.Scenarios[i].Measure = min(x.Scenarios[i].Measure, 120*time.Second)
	}
	x.Scenarios[0].Measure = 900 * time.Second
	r, err := x.Run(t.Context())
	require.NoError(t, err)
	mean := func(scenario int, policy, metric string) float64 {
		v, ok := r.Series(scenario, policy, metric)
		require.True(t, ok)
		return Of(v).Mean
	}
	for i, s := range r.Scenarios {
		require.Greater(t, mean(i, "central", MetricValue), mean(i, "none", MetricValue), s.Name)
		require.Greater(t, mean(i, "crowd", MetricDepth), mean(i, "central", MetricDepth), "%s: only the slow tail is downgraded", s.Name)
		require.Less(t, mean(i, "crowd", MetricP99), mean(i, "central", MetricP99), s.Name)
		require.Less(t, mean(i, "crowd", MetricTimeouts), mean(i, "central", MetricTimeouts), s.Name)
		require.Less(t, mean(i, "crowd", MetricNeedless), mean(i, "central", MetricNeedless), s.Name)
	}
	require.Greater(t, mean(2, "crowd", MetricValue), mean(2, "central", MetricValue), "under four times the load")
}

func TestEveryPolicyRunsInEveryWorld(t *testing.T) {
	for _, s := range Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			s.Warm, s.Measure = 6*time.Second, 12*time.Second
			p := NewPlan(s)
			p.once.Do(func() { p.static = p.peak }) // the search is tested by itself
			top := 0.0
			if s.Group == nil {
				top = Oracle{Share: 1}.Bound(&s, 1)
			}
			for _, info := range Policies() {
				if s.Group != nil {
					for m, v := range p.Run(info.Name, 1) {
						require.False(t, math.IsNaN(v) || math.IsInf(v, 0) || v < 0, "%s %s %v", info.Name, m, v)
					}
					continue
				}
				o := p.Run(info.Name, 1)
				require.Contains(t, o, MetricValue, info.Name) // 0 where crowds have not yet come down from the top
				for m, v := range o {
					require.False(t, math.IsNaN(v) || math.IsInf(v, 0) || v < 0, "%s %s %v", info.Name, m, v)
				}
				if info.Name != "autoscaler" { // it has more cores
					require.LessOrEqual(t, o[MetricValue], top*1.02, "%s beats the bound", info.Name)
				}
				_, settles := o[MetricSettle]
				require.Equal(t, s.Event > 0, settles)
			}
		})
	}
}

func TestResultsDoNotDependOnWhatRanInParallel(t *testing.T) {
	s := scenarios("load-1.3")
	s[0].Warm, s[0].Measure = 10*time.Second, 30*time.Second
	rows := func(workers int) []byte {
		r, err := (&Experiment{Scenarios: s, Policies: []string{"crowd", "aimd"}, Seeds: 3, Workers: workers}).Run(t.Context())
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, r.WriteCSV(&b))
		return b.Bytes()
	}
	one := rows(1)
	require.Equal(t, string(one), string(rows(4)))
	require.Equal(t, "scenario,policy,seed,metric,value", strings.SplitN(string(one), "\n", 2)[0])
	require.Contains(t, string(one), "load-1.3,crowd,3,value_gap_share,")
}

func TestReportNeedsNothingElse(t *testing.T) {
	s := scenarios("news")
	s[0].Warm, s[0].Measure = 10*time.Second, 90*time.Second
	r, err := (&Experiment{Scenarios: s, Policies: []string{"none", "crowd"}, Seeds: 2, NoGap: true}).Run(t.Context())
	require.NoError(t, err)
	var page, text bytes.Buffer
	require.NoError(t, r.WriteHTML(&page, "allspark lab run <x>"))
	require.NoError(t, r.WriteText(&text))
	require.Contains(t, page.String(), "<svg")
	require.Contains(t, page.String(), "allspark lab run &lt;x&gt;")
	for _, outside := range []string{"src=", "href=", "url(", "http://", "https://", "<script"} {
		require.NotContains(t, page.String(), outside)
	}
	require.Contains(t, text.String(), "timeout_rate")
}

func TestRunStopsWhenAsked(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := (&Experiment{Scenarios: scenarios("load-4"), Policies: []string{"none"}, Seeds: 50}).Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func TestUnknownNamesAreRefused(t *testing.T) {
	for _, p := range []string{"nonsense", "none@2", "crowd@x", "crowd@0", "crowd@NaN", "crowd@1e9"} {
		_, err := (&Experiment{Scenarios: scenarios("load-2"), Policies: []string{p}, Seeds: 1}).Run(t.Context())
		require.ErrorContains(t, err, p)
	}
	_, err := (&Experiment{Scenarios: scenarios("load-2"), Policies: []string{"none"}, Seeds: 0}).Run(t.Context())
	require.ErrorContains(t, err, "seeds")
}

// The lab's gears are the sample engine's.
func TestGearsAreTheSampleEngines(t *testing.T) {
	m := Standard(1)
	for point, g := range gears {
		text, err := os.ReadFile("../demo/templates/" + g.name + ".yaml")
		require.NoError(t, err)
		doc, problems := template.Read(text, template.YAML)
		require.Empty(t, problems)
		want, err := template.Expand(&doc.Spec)
		require.NoError(t, err)
		got := ladderOf(m, point)
		require.Equal(t, want.Work, got.Work, g.name)
		require.Equal(t, doc.Spec.Default, got.Default, g.name)
		for l, row := range want.Rows {
			for i := range row {
				require.Equal(t, number(&m.Points[point].Params[i], row[i]), got.Rows[l][i], "%s level %d", g.name, l+1)
			}
		}
	}
}

func TestFluidAgreesWithTheEngine(t *testing.T) {
	s := Scenario{Name: "calm", Load: flat(0.7), Warm: 30 * time.Second, Measure: 300 * time.Second, Peak: 1}
	p := NewPlan(s)
	levels := p.fluid.best(nominal*0.7, 0.6)
	worth, demand := p.fluid.at(levels)
	o := p.simulate(func(st *Setup) Policy { return newStatic(st, levels) }, 1)
	// Played, some creatives come too late and some heavy users, who are worth more, are lost.
	require.InEpsilon(t, worth, o[MetricValue], 0.1)
	require.Less(t, o[MetricValue], worth*1.01)
	busy := 0.0
	for seed := uint64(1); seed <= 4; seed++ { // an hour of the trace is not even
		busy += p.simulate(func(st *Setup) Policy { return newStatic(st, levels) }, seed)[MetricCPU] / 4
	}
	require.InEpsilon(t, demand[SN]*nominal*0.7/1e9/snCores, busy, 0.25)
	for a := range p.fluid.m.Apps {
		require.LessOrEqual(t, demand[a]*nominal*0.7/1e9, 0.6*float64(p.fluid.m.Apps[a].Cores)+1e-9)
	}
}

func TestIntervals(t *testing.T) {
	i := Of([]float64{1, 2, 3, 4})
	require.InDelta(t, 2.5, i.Mean, 1e-12)
	require.InDelta(t, 3.182*math.Sqrt(5.0/3/4), i.Half, 1e-3)
	require.InDelta(t, 2.093, student(19), 0.002)
	require.InDelta(t, 1.984, student(99), 0.002)
	require.Equal(t, 1, Paired([]float64{5, 6.1, 7}, []float64{1, 2, 3}).Sign())
	require.Equal(t, 0, Paired([]float64{5, 1}, []float64{1, 5}).Sign())
	require.Equal(t, -1, Paired([]float64{1, 2, 3}, []float64{5, 6.1, 7}).Sign())
}

// One core, every crowd with hundreds of requests: a short form of what
// RESULTS.md shows.
func TestCrowdsHoldTheirTarget(t *testing.T) {
	r := Rig{Cores: snCores, Load: 1, Target: rigTarget, Seed: 3}
	a := judge("", r.Run(60), rigWarm)
	require.Greater(t, a.Intervals, 60)
	require.Greater(t, a.Within, 0.93)
	require.Less(t, a.Above, 0.05)
	require.Less(t, a.Cycle, 0.03)
	for _, change := range []struct{ load, target float64 }{{1.5, 1}, {1, 1.5}, {1, 0.5}} {
		m := Rig{Load: 1, Target: rigTarget, Seed: 1, Change: func(r *Rig, at int) {
			if at == moveAt {
				r.Load, r.Target = change.load, time.Duration(float64(rigTarget)*change.target)
			}
		}}
		n := settled(m.Run(moveAt + 12))
		require.GreaterOrEqual(t, n, 0, "%+v", change)
		require.LessOrEqual(t, n, 6, "%+v", change)
	}
}
