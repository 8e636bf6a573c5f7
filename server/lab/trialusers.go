package lab

import (
	"math"

	"github.com/allspark/allspark/server/experiment"
)

// trialUser is one of those who ask, again and again, during a trial.
type trialUser struct {
	key   string
	rate  float64 // requests in the hour
	value float64 // of a request
	slow  float64 // RT beside the mean
}

// newTrialUsers draws the users: few ask often, and those are worth more and slower.
func newTrialUsers(seed uint64, n int) []trialUser {
	s := NewStream(seed, "trial", "users")
	out := make([]trialUser, n)
	const digits = "0123456789abcdef"
	for i := range out {
		active := normal[cell(s.Uint64())]
		var key [16]byte
		for w, k := s.Uint64(), 0; k < len(key); k++ {
			key[k] = digits[w>>(60-4*k)&15]
		}
		out[i] = trialUser{
			key:   string(key[:]),
			rate:  askMean * math.Exp(activitySD*active-activitySD*activitySD/2),
			value: userValue(active, s.Uint64()),
			slow:  math.Exp(0.3*active + 0.2*normal[cell(s.Uint64())]),
		}
	}
	return out
}

// poisson draws a Poisson variate, for means of some units.
func (s *Stream) poisson(mean float64) (n int) {
	for t := s.Exp(); t < mean; t += s.Exp() {
		n++
	}
	return n
}

// What those do who take requests, or stretches of time, for independent draws.

type moments struct{ n, sum, squares float64 }

func (m *moments) add(v float64) {
	m.n++
	m.sum += v
	m.squares += v * v
}

func (m *moments) ratio() experiment.Ratio {
	mean := m.sum / m.n
	return experiment.Ratio{Value: mean, Var: (m.squares/m.n - mean*mean) / m.n, Blocks: int(m.n)}
}

// overTime is the delta method on the looks instead of on groups of users.
func overTime(looks []experiment.Block) experiment.Ratio {
	var b experiment.Blocks
	copy(b[:], looks)
	r, _ := experiment.RatioOf(&b, experiment.MetricValue)
	return r
}

func naive(arm, control experiment.Ratio, truth float64) Verdict {
	v := arm.Var/(arm.Value*arm.Value) + control.Var/(control.Value*control.Value)
	df := float64(arm.Blocks + control.Blocks - 2)
	l, half := math.Log(arm.Value/control.Value), experiment.Student(df)*math.Sqrt(v)
	return verdict(math.Expm1(l-half), math.Expm1(l+half), truth)
}
