package telemetry

import (
	"slices"
	"time"
)

const (
	// Five agents are the least of which one can stand out.
	outlierAgents = 5
	// outlierWidth medians of absolute deviation: 3 σ for normal noise, as one MAD
	// is 0.6745 σ.
	outlierWidth = 3 / 0.6745
	// outlierShare of the median is never an outlier: among agents that agree to
	// the microsecond every difference would be.
	outlierShare = 0.2
)

// markOutliers compares each agent's mean RT with the median of all. Median and
// MAD, because one very slow machine would drag mean and deviation after itself.
func markOutliers(agents []AgentPoint) {
	var means []time.Duration
	for i := range agents {
		if agents[i].Recent.Count > 0 {
			means = append(means, agents[i].Recent.Mean)
		}
	}
	if len(means) < outlierAgents {
		return
	}
	mid := median(means)
	for i, m := range means {
		means[i] = (m - mid).Abs()
	}
	limit := max(time.Duration(outlierWidth*float64(median(means))), time.Duration(outlierShare*float64(mid)))
	for i := range agents {
		r := &agents[i].Recent
		agents[i].Outlier = r.Count > 0 && (r.Mean-mid).Abs() > limit
	}
}

func median(v []time.Duration) time.Duration {
	v = slices.Clone(v)
	slices.Sort(v)
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}
