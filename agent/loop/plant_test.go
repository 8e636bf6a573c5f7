package loop_test

import (
	"math"
	"math/rand/v2"

	"github.com/allspark/allspark/agent/loop"
)

// plant is one machine with one point: RT = (fixed + slope·g·load)·noise/(1-ρ),
// ρ = arrivals × mean demand / cores. It is the textbook queue, not the lab's
// event model: what a rule does there is tested there.
type plant struct {
	rate, cores, fixed, slope, noise float64 // requests/s, cores, µs, µs, sd of ln
	background                       float64 // utilisation by others
	rng                              *rand.Rand
	rho                              float64
}

func newPlant(rate float64) *plant {
	return &plant{rate: rate, cores: 4, fixed: 1000, slope: 60, noise: 0.4, rng: rand.New(rand.NewPCG(1, 2))}
}

func (p *plant) loads(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 100 * math.Exp(0.8*p.rng.NormFloat64())
	}
	return out
}

// run plays seconds of traffic under a state's work and gives the sample, and
// the true mean RT of each crowd, without noise.
func (p *plant) run(s *loop.State, seconds float64) (in loop.Sample, truth [loop.MaxCrowds]float64) {
	loads := p.loads(int(p.rate * seconds))
	var demand float64
	for _, l := range loads {
		demand += p.fixed + p.slope*s.Crowds[s.Assign[loop.Bin(l)]].Work*l
	}
	p.rho = min(p.background+demand/1e6/seconds/p.cores, 0.99)
	var n [loop.MaxCrowds]float64
	for _, l := range loads {
		b := loop.Bin(l)
		k := s.Assign[b]
		base := (p.fixed + p.slope*s.Crowds[k].Work*l) / (1 - p.rho)
		truth[k] += base
		n[k]++
		rt := base * math.Exp(p.noise*p.rng.NormFloat64()-p.noise*p.noise/2)
		in.Bins[b].N++
		in.Bins[b].Sum += rt
		in.Bins[b].Square += rt * rt
	}
	for k := range truth {
		truth[k] /= max(n[k], 1)
	}
	in.Utilisation = p.rho
	return in, truth
}
