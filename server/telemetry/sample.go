package telemetry

import (
	"math"
	"time"
)

// Sample is a minute or an hour of a series as history keeps it, in whole numbers.
type Sample struct {
	Count, Timeouts, Errors, Shed int64
	MeanUS, P50US, P95US, P99US   int64 // RT in microseconds
	AvailableUS                   int64 // mean RT setpoint at the window's end, 0 when none
	LevelCenti                    int64 // request-weighted mean level x 100
	LevelMin, LevelMax            int64
	CPUMilli                      int64 // share of cores x 1000, -1 when unknown
	ValueMilli                    int64 // value earned x 1000
	Agents                        int64
}

const columns = 15

// column gives the i-th field, so that rows are packed by column.
func (s *Sample) column(i int) *int64 {
	return [columns]*int64{
		&s.Count, &s.Timeouts, &s.Errors, &s.Shed, &s.MeanUS, &s.P50US, &s.P95US, &s.P99US, &s.AvailableUS,
		&s.LevelCenti, &s.LevelMin, &s.LevelMax, &s.CPUMilli, &s.ValueMilli, &s.Agents,
	}[i]
}

func sampleOf(r *Rollup) Sample {
	s := Sample{
		Count: r.Count, Timeouts: r.Timeouts, Errors: r.Errors, Shed: r.Shed,
		MeanUS: r.Mean.Microseconds(), P50US: r.P50.Microseconds(), P95US: r.P95.Microseconds(), P99US: r.P99.Microseconds(),
		LevelCenti: whole(r.LevelMean * 100), LevelMin: int64(r.LevelMin), LevelMax: int64(r.LevelMax),
		CPUMilli: -1, ValueMilli: whole(r.Value * 1000), Agents: int64(r.Agents),
	}
	if r.CPU >= 0 {
		s.CPUMilli = whole(r.CPU * 1000)
	}
	return s
}

// whole rounds, and keeps what does not fit into 53 bits at their edge.
func whole(f float64) int64 {
	const edge = 1 << 53
	return int64(math.Round(max(-edge, min(edge, f))))
}

// QPS is requests a second over a window.
func (s *Sample) QPS(window time.Duration) float64 { return float64(s.Count) / window.Seconds() }

// combine joins samples: of one window from several replicas, or of several
// windows. Counts add, means are weighted by count; percentiles are weighted too,
// which is exact only if all had the same distribution. With across the agents
// add up (replicas hear different ones), else the fullest window counts.
func combine(in []Sample, across bool) Sample {
	if len(in) == 1 {
		return in[0]
	}
	var out Sample
	var weighted [5]float64 // mean, p50, p95, p99, level
	var cpu, cpuAgents float64
	for i := range in {
		s := &in[i]
		n := float64(s.Count)
		out.Count += s.Count
		out.Timeouts += s.Timeouts
		out.Errors += s.Errors
		out.Shed += s.Shed
		out.ValueMilli += s.ValueMilli
		for j, v := range [5]int64{s.MeanUS, s.P50US, s.P95US, s.P99US, s.LevelCenti} {
			weighted[j] += n * float64(v)
		}
		if s.AvailableUS > 0 {
			out.AvailableUS = s.AvailableUS // the newest setpoint
		}
		if s.LevelMin > 0 && (out.LevelMin == 0 || s.LevelMin < out.LevelMin) {
			out.LevelMin = s.LevelMin
		}
		out.LevelMax = max(out.LevelMax, s.LevelMax)
		if s.CPUMilli >= 0 {
			w := float64(max(1, s.Agents))
			cpu += w * float64(s.CPUMilli)
			cpuAgents += w
		}
		if across {
			out.Agents += s.Agents
		} else {
			out.Agents = max(out.Agents, s.Agents)
		}
	}
	if out.Count > 0 {
		n := float64(out.Count)
		for j, v := range [5]*int64{&out.MeanUS, &out.P50US, &out.P95US, &out.P99US, &out.LevelCenti} {
			*v = whole(weighted[j] / n)
		}
	}
	out.CPUMilli = -1
	if cpuAgents > 0 {
		out.CPUMilli = whole(cpu / cpuAgents)
	}
	return out
}
