package lab

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Default gains, untuned: what RESULTS-quota.md shows on more seeds.
func TestQuotaLawHoldsItsBudgetUntuned(t *testing.T) {
	r, err := (&Experiment{Scenarios: groupWorlds(), Policies: []string{"quota", "quota-linear", "crowd"}, Seeds: 4}).Run(t.Context())
	require.NoError(t, err)
	for i, w := range r.Scenarios {
		each := func(metric string, most float64) {
			v, ok := r.Series(i, "quota", metric)
			if !ok {
				require.Equal(t, MetricOvershoot, metric, w.Name)
				return
			}
			for _, x := range v {
				require.LessOrEqual(t, x, most, "%s %s", w.Name, metric)
			}
		}
		each(MetricOvershoot, 0.10)
		each(MetricPeak, 1.1)
		each(MetricTheta, 6)
		each(MetricSwing, 0.06)
		_, ok := r.Series(i, "crowd", MetricValue)
		require.False(t, ok, "a group has no crowds")
	}
	v, _ := r.Series(len(r.Scenarios)-1, "quota-linear", MetricSwing)
	require.Greater(t, Of(v).Mean, 0.06, "the linear form oscillates at %s", r.Scenarios[len(r.Scenarios)-1].Name)
}

func TestQuotaOutlivesASurgeThatAFixedQuotaDoesNot(t *testing.T) {
	s := scenarios("surge")
	s[0].Measure = 150 * time.Second
	r, err := (&Experiment{Scenarios: s, Policies: []string{"none", "quota", "quota-cpu-5s"}, Seeds: 1, NoGap: true}).Run(t.Context())
	require.NoError(t, err)
	lost := func(policy string) float64 {
		v, ok := r.Series(0, policy, MetricTimeouts)
		require.True(t, ok)
		return v[0]
	}
	require.Less(t, lost("quota"), 0.02)
	require.Greater(t, lost("none"), 0.1)
	require.Greater(t, lost("quota-cpu-5s"), lost("quota"))
}

// Weighting by value earns more than equal shares at the same CPU, and less when
// the values told are other users'.
func TestWeightsEarnWhereValueIsKnown(t *testing.T) {
	s := scenarios("weights", "weights-wrong")
	for i := range s {
		s[i].Measure = 60 * time.Second
	}
	r, err := (&Experiment{Scenarios: s, Policies: []string{"quota", "quota-equal", "quota-dcaf"}, Seeds: 1, NoGap: true}).Run(t.Context())
	require.NoError(t, err)
	get := func(scenario int, policy, metric string) float64 {
		v, ok := r.Series(scenario, policy, metric)
		require.True(t, ok)
		return v[0]
	}
	require.Greater(t, get(0, "quota", MetricValue), get(0, "quota-equal", MetricValue))
	require.Less(t, get(1, "quota", MetricValue), get(1, "quota-equal", MetricValue))
	for i := range s {
		require.InDelta(t, get(i, "quota-equal", MetricCPU), get(i, "quota", MetricCPU), 0.08)
		require.Positive(t, get(i, "quota-dcaf", MetricValue))
	}
}

// The page of the law on two seeds, and the drawing of figures that are given.
func TestQuotaReportWritesAPageAndADrawing(t *testing.T) {
	s := &Standards{Seeds: 2, names: []string{"law"}}
	require.NoError(t, s.quotaLaw(t.Context()))
	require.Contains(t, s.out.String(), "| load x8 in one step |")
	require.NotContains(t, s.out.String(), "%!")

	given := func(policies []string, worlds ...string) *Results {
		r := &Results{Scenarios: scenarios(worlds...), Policies: policies, Seeds: 2, runs: map[runKey]Outcomes{}}
		for i, w := range r.Scenarios {
			r.plans = append(r.plans, NewPlan(w))
			for k, p := range policies {
				for seed := range uint64(2) {
					r.runs[runKey{i, p, seed + 1}] = Outcomes{MetricValue: 0.5 + 0.01*float64(k) + 0.001*float64(seed), MetricTimeouts: 0.02 * float64(k)}
				}
			}
		}
		return r
	}
	surge := given(surgePolicies, "surge")
	v, failed := surge.difference(0, "quota", "none")
	require.InDelta(t, 100*0.01/0.5005, v.Mean, 1e-9)
	require.InDelta(t, 2, failed.Mean, 1e-9)
	var plot bytes.Buffer
	require.NoError(t, plotQuota(&plot, surge, given([]string{"quota-equal", "quota", "quota-dcaf"}, "weights", "weights-wrong")))
	require.NoError(t, xml.Unmarshal(plot.Bytes(), new(struct{})))
	require.Equal(t, 4*len(surgeCourses), strings.Count(plot.String(), "<polyline"))
	require.NotContains(t, plot.String(), "NaN")
}
