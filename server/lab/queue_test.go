package lab

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// poisson is a trace of Poisson arrivals at lambda a second whose loads are drawn
// from size, which has mean 1.
func poisson(seed uint64, n int, lambda float64, size func(*Stream) float64) *Trace {
	const tokens = 100_000 // of a request of size 1: rounding to whole tokens is below 1e-5
	arrivals, sizes := NewStream(seed, "arrivals"), NewStream(seed, "sizes")
	t := &Trace{Name: "poisson"}
	at := 0.0
	for range n {
		t.At = append(t.At, int64(at*1e9))
		t.Context = append(t.Context, int32(size(sizes)*tokens))
		t.Generated = append(t.Generated, 0)
		at += arrivals.Exp() / lambda
	}
	t.summarise()
	t.MeanLoad = tokens
	return t
}

// station is one machine with c cores whose service is the load, mean 1 s.
func station(c int, d Discipline) *Model {
	return &Model{
		IDCs: []string{"x"}, Machines: 1,
		Scenes: []Scene{{Name: "all", Share: 1, First: 1, Load: 1, Timeout: 1e6 * time.Second}},
		Apps:   []App{{Name: "a", Cores: c, Queue: d, Limit: 1 << 30, Span: -1, Steps: []Step{{Point: 0}}}},
		Points: []Point{{Name: "p", Above: -1, PerLoad: time.Second}},
	}
}

// sojourns collects times in system.
type sojourns struct {
	Free
	skip, n int
	sum     float64
	big     float64 // time over size, of sizes from 1
	bigs    int
}

func (s *sojourns) End(v *Visit, r Result) {
	if s.skip--; s.skip >= 0 {
		return
	}
	t, x := float64(r.Elapsed)/1e9, v.Load/100_000
	s.n++
	s.sum += t
	if x >= 1 {
		s.big += t / x
		s.bigs++
	}
}

// estimate is the mean of a figure over independent replications.
type estimate struct{ mean, se float64 }

// replicate runs independent replications and estimates each figure.
func replicate(t *testing.T, m *Model, lambda float64, size func(*Stream) float64, figures ...func(*sojourns) float64) []estimate {
	const runs, requests, warm = 24, 20_000, 2_000
	sum, squares := make([]float64, len(figures)), make([]float64, len(figures))
	for i := range runs {
		s := &sojourns{skip: warm}
		trace := poisson(uint64(i), requests, lambda, size)
		e := NewEngine(Config{Model: m, Controls: s, Workload: WorkloadConfig{Trace: trace, Rate: 1}})
		e.Run(trace.At[requests-1], 1<<60)
		require.Greater(t, s.n, requests/2)
		for j, f := range figures {
			x := f(s)
			sum[j] += x
			squares[j] += x * x
		}
	}
	var out []estimate
	for j := range figures {
		mean := sum[j] / runs
		out = append(out, estimate{mean, math.Sqrt((squares[j]/runs - mean*mean) / (runs - 1))})
	}
	return out
}

// within asserts agreement with theory to four standard errors of the simulation
// itself, and that those are small enough to mean something.
func within(t *testing.T, theory float64, got estimate) {
	t.Helper()
	require.Less(t, got.se/theory, 0.03, "too noisy to tell")
	require.InDelta(t, theory, got.mean, 4*got.se, "theory %.4f, simulated %.4f ± %.4f", theory, got.mean, got.se)
}

func exponential(s *Stream) float64 { return s.Exp() }
func constant(*Stream) float64      { return 1 }

// hyper mixes two exponentials: squared coefficient of variation 4, mean 1.
func hyper(s *Stream) float64 {
	p := (1 + math.Sqrt(0.6)) / 2
	if s.Float64() < p {
		return s.Exp() / (2 * p)
	}
	return s.Exp() / (2 * (1 - p))
}

func mean(s *sojourns) float64 { return s.sum / float64(s.n) }

// perSize is time over size, of the bigger requests.
func perSize(s *sojourns) float64 { return s.big / float64(s.bigs) }

// erlangC is the mean wait of M/M/c at service rate 1.
func erlangC(c int, lambda float64) float64 {
	b := 1.0 // Erlang B, by recursion over servers
	for k := 1; k <= c; k++ {
		b = lambda * b / (float64(k) + lambda*b)
	}
	rho := lambda / float64(c)
	return b / (1 - rho + rho*b) / (float64(c) - lambda)
}

func TestQueuesAgreeWithTheory(t *testing.T) {
	t.Parallel()
	for _, c := range []int{1, 6} {
		for _, rho := range []float64{0.3, 0.8} {
			lambda := rho * float64(c)
			t.Run(fmt.Sprintf("MM%d rho %.2f", c, rho), func(t *testing.T) {
				got := replicate(t, station(c, FIFO), lambda, exponential, mean)
				within(t, 1+erlangC(c, lambda), got[0])
			})
			// With exponential service the number in the system is the same birth-death
			// chain under processor sharing, and by Little so is the mean time.
			t.Run(fmt.Sprintf("MM%d-PS rho %.2f", c, rho), func(t *testing.T) {
				got := replicate(t, station(c, Sharing), lambda, exponential, mean)
				within(t, 1+erlangC(c, lambda), got[0])
			})
		}
	}
	for _, rho := range []float64{0.5, 0.8} {
		t.Run(fmt.Sprintf("MD1 rho %.2f", rho), func(t *testing.T) { // Pollaczek-Khinchine
			got := replicate(t, station(1, FIFO), rho, constant, mean)
			within(t, 1+rho/(2*(1-rho)), got[0])
		})
		t.Run(fmt.Sprintf("MG1 rho %.2f", rho), func(t *testing.T) {
			got := replicate(t, station(1, FIFO), min(rho, 0.7), hyper, mean)
			r := min(rho, 0.7)
			within(t, 1+r*(1+4)/2/(1-r), got[0])
		})
		// M/G/1-PS: E[T] = E[S]/(1-rho) whatever the distribution, and a job of
		// size x stays x/(1-rho).
		for name, size := range map[string]func(*Stream) float64{"constant": constant, "hyper": hyper} {
			t.Run(fmt.Sprintf("MG1-PS %s rho %.2f", name, rho), func(t *testing.T) {
				for _, got := range replicate(t, station(1, Sharing), rho, size, mean, perSize) {
					within(t, 1/(1-rho), got)
				}
			})
		}
	}
}

func TestUtilisationIsOfferedWork(t *testing.T) {
	for _, d := range []Discipline{FIFO, Sharing} {
		trace := poisson(7, 50_000, 1.4, exponential)
		e := NewEngine(Config{Model: station(2, d), Controls: Free{}, Workload: WorkloadConfig{Trace: trace, Rate: 1}})
		e.Run(trace.At[49_999], 1<<60)
		var offered float64
		for i := range trace.At {
			offered += trace.Load(i) / 100_000
		}
		held := e.machines[0].holds()
		require.InDelta(t, offered, e.Busy(0)/1e9, 3*float64(held)+1, "all work that came was done, but for what is under way")
	}
}
