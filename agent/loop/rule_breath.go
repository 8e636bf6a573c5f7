package loop

import "math"

const (
	breathForget  = 0.9
	breathSamples = 100 // of a crowd in both intervals
)

// breathe measures how much the machine's waiting moves by itself from one
// interval to the next: half of the squared change of ln mean that all crowds
// share and that no step of work explains, forgotten exponentially. Requests of
// one interval wait for each other, so CV²/n, which takes them as independent,
// is less than half of the truth at high utilisation: with it alone, a true mean
// was over T in 8 to 15 % of the lab's intervals, with breath in about 2 %.
func (s *State) breathe(in *Sample) {
	var now [MaxCrowds]BinSample
	for b := range in.Bins {
		if in.Bins[b].good() {
			now[s.Assign[b]].add(in.Bins[b])
		}
	}
	slope, _ := s.Fit.slope()
	var sum, weight, moved float64
	for k := range s.Count {
		c, w := &s.Crowds[k], &now[k]
		if w.N < breathSamples {
			c.lastMean = 0
			continue
		}
		if c.lastMean > 0 {
			n := float64(w.N)
			step := math.Log(c.Work / c.lastWork)
			sum += n * (math.Log(w.mean()/c.lastMean) - slope*step)
			moved += n * math.Abs(step)
			weight += n
		}
		c.lastMean, c.lastWork = w.mean(), c.Work
	}
	// A real step of load or of most crowds' work is no breath.
	if weight == 0 || moved/weight > exciteWork {
		return
	}
	d := min(max(sum/weight, -maxMargin), maxMargin)
	s.Breath += (1 - breathForget) * (d*d/2 - s.Breath)
}
