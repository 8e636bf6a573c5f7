package lab

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Default gains, untuned: what RESULTS.md shows on more seeds.
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
