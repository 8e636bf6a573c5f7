package quota

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func at10(before, after float64) func(float64) float64 {
	return func(t float64) float64 {
		if t < 10 {
			return before
		}
		return after
	}
}

func always(v float64) func(float64) float64 { return func(float64) float64 { return v } }

// scenes are the changes of load and of the plant that a group must take. The
// disturbance ends at from.
var scenes = []struct {
	name           string
	arrivals, gain func(float64) float64
	from, end      float64
}{
	{"step up 2x", at10(4000, 8000), always(1), 10, 40},
	{"step up 8x", at10(4000, 32000), always(1), 10, 40},
	{"step down 8x", at10(32000, 4000), always(1), 10, 40},
	{"gain x2 at load 1", always(4000), at10(1, 2), 10, 40},
	{"gain x2 at load 8", always(32000), at10(1, 2), 10, 40},
	{"gain /2 at load 4", always(16000), at10(1, 0.5), 10, 40},
	{"news surge 10x in 60 s", func(t float64) float64 { return 4000 * math.Pow(10, min(max(t-10, 0), 60)/60) }, always(1), 70, 110},
}

func group() Settings {
	s := DefaultSettings()
	s.Total, s.Min, s.Max, s.Default = 800_000, 2, 1e5, 200
	return s
}

func TestLogLawHoldsTheBudgetUntuned(t *testing.T) {
	for _, delay := range []time.Duration{200 * time.Millisecond, 400 * time.Millisecond} { // the second is twice what is set
		for _, gains := range []float64{1, 2} { // of the loop: Ki as it is, and doubled
			for _, c := range scenes {
				for _, noisy := range []bool{false, true} {
					name := fmt.Sprintf("%s, delay %s, loop gain x%g, noise %v", c.name, delay, gains, noisy)
					s := group()
					s.Ki = gains * s.Integral()
					p := plant{settings: s, arrivals: c.arrivals, gain: c.gain, delay: delay}
					ideal := p
					ideal.ideal = true
					if noisy {
						p.noise, ideal.noise = rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
					}
					begin := s.Total / c.arrivals(0)
					x, y := p.run(c.end, begin), ideal.run(c.end, begin)
					theta := (s.Window/2 + Lag + delay).Seconds()
					tail := x.after(c.from)
					require.LessOrEqual(t, tail.overshoot(begin), 0.10, name)
					require.LessOrEqual(t, tail.settled(0.05), 6*theta, name)
					require.Less(t, x.swing(10), 0.06, "%s: it goes on oscillating", name)
					// From the change on, surges included.
					require.LessOrEqual(t, x.after(10).peak(), 1.1*y.after(10).peak(), name)
				}
			}
		}
	}
}

// A tenfold step may fall anywhere in a frame, and local caps cut what requests
// consume until the base follows. Neither may show in the base that is reached.
func TestATenfoldStepIsMetWhereverItFalls(t *testing.T) {
	for phase := range 10 {
		for seed := range uint64(20) {
			at := 10 + float64(phase)/100
			p := plant{settings: group(), delay: 10 * time.Millisecond, gain: always(1), crowd: true, noise: rand.New(rand.NewPCG(seed, 7))}
			p.arrivals = func(t float64) float64 {
				if t < at {
					return 2000
				}
				return 20_000
			}
			x := p.run(15, p.settings.Total/2000)
			want := p.settings.Total / 20_000
			for i, b := range x.base {
				if d := x.t[i] - at; d >= 0.4 && d < 3 {
					require.InEpsilon(t, want, b, 0.15, "phase %d, seed %d: %.2f s after the step", phase, seed, d)
				} else if d < 0 {
					require.InEpsilon(t, want*10, b, 0.1)
				}
			}
		}
	}
}

// Machines that stall count nothing and then double: that is no jump, though ten
// times the load is one there too.
func TestHeapsOfCountsAreNoJumps(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 11))
		stalls := make([]float64, 400)
		for i := range stalls {
			stalls[i] = 1
		}
		for i := 10; i+1 < len(stalls); i++ {
			if r.Float64() < 0.3 {
				stalls[i], stalls[i+1] = 0, 2
				i++
			}
		}
		p := plant{settings: group(), delay: 100 * time.Millisecond, gain: always(1), noise: r}
		p.arrivals = func(t float64) float64 {
			if t >= 30 {
				return 20_000 * stalls[int(t*10)]
			}
			return 2000 * stalls[int(t*10)]
		}
		x := p.run(35, p.settings.Total/2000)
		before, at := x.after(20), 0 // it takes that long to learn
		for before.t[at] < 30 {
			at++
		}
		calm := trace{before.t[:at], before.base[:at], before.sum[:at], before.arrivals[:at]}
		require.Less(t, calm.swing(9), 0.2, "seed %d", seed)
		want := p.settings.Total / 20_000
		for i, b := range x.base {
			if x.t[i] >= 33 {
				require.InEpsilon(t, want, b, 0.3, "seed %d: %.2f s after the step", seed, x.t[i]-30)
			}
		}
	}
}

func TestLinearLawOscillatesAboveTheLoadItWasTunedAt(t *testing.T) {
	for _, c := range []struct {
		load        float64
		oscillating bool
	}{{1, false}, {2, false}, {8, true}} {
		s := group()
		s.Law = LawLinear
		p := plant{settings: s, arrivals: at10(4000, 4000*c.load), gain: always(1), delay: 200 * time.Millisecond}
		x := p.run(60, s.Total/4000)
		require.Equal(t, c.oscillating, x.swing(10) > 0.06, "load %gx swings by %.0f %%", c.load, 100*x.swing(10))
	}
}

func TestABurstIsForgottenWithinAWindow(t *testing.T) {
	s := group()
	burst := func(t float64) float64 {
		if t >= 10 && t < 10.1 {
			return 20000
		}
		return 4000
	}
	x := plant{settings: s, arrivals: burst, gain: always(1), delay: 200 * time.Millisecond}.runFrom(30)
	require.LessOrEqual(t, x.after(10).peak(), 1.45, "the burst itself, no more")
	require.InDelta(t, 1, x.after(12).base[0]/200, 0.1)
	require.Less(t, x.swing(5), 0.02)
}

func (p plant) runFrom(seconds float64) trace {
	return p.run(seconds, p.settings.Total/p.arrivals(0))
}

func TestTheSeedsExample(t *testing.T) {
	s := DefaultSettings()
	s.Total = 1
	for _, c := range []struct{ base, weight, want float64 }{{100, 1.5, 150}, {100, 0.5, 50}, {60, 1.5, 90}, {60, 0.5, 30}} {
		require.Equal(t, c.want, Final(&s, c.base, 1, c.weight, 1000))
	}
	require.EqualValues(t, 40, Final(&s, 100, 1, 1, 40), "no more than there are")
	require.EqualValues(t, 150, Final(&s, 100, 1, 7, 1000), "weights are clamped")
	require.EqualValues(t, 100, Final(&s, 100, 1, math.NaN(), 1000))
}

func TestNormalisedWeightsHaveMeanOne(t *testing.T) {
	s := DefaultSettings()
	require.EqualValues(t, 1, Scale(&s, 300, 200), "only on request")
	s.Normalise = true
	require.InDelta(t, 1/1.25, Scale(&s, 250, 200), 1e-12)
	require.EqualValues(t, 1, Scale(&s, 0, 0))
	require.InDelta(t, 1/1.5, Scale(&s, 1e9, 1), 1e-12, "bounded by the weights' own bounds")
}

func TestStepNeverLeavesItsLimits(t *testing.T) {
	odd := rapid.OneOf(rapid.Float64(), rapid.Float64Range(0, 1e7), rapid.SampledFrom([]float64{0, 1, math.NaN(), math.Inf(1), math.Inf(-1), -1, math.MaxFloat64, 1e-300}))
	rapid.Check(t, func(t *rapid.T) {
		s := DefaultSettings()
		s.Total = rapid.Float64Range(1, 1e9).Draw(t, "total")
		s.Min = rapid.Float64Range(1, 100).Draw(t, "min")
		s.Max = rapid.Float64Range(s.Min, 1e5).Draw(t, "max")
		s.Default = rapid.Float64Range(s.Min, s.Max).Draw(t, "default")
		s.Kp, s.Ki, s.Kd = rapid.Float64Range(0, 3).Draw(t, "kp"), rapid.Float64Range(0, 3).Draw(t, "ki"), rapid.Float64Range(0, 1).Draw(t, "kd")
		s.Law = rapid.SampledFrom([]Law{LawLog, LawLinear}).Draw(t, "law")
		s.FeedForward = rapid.Bool().Draw(t, "ff")
		require.Empty(t, s.Check())
		var p PID
		p.Begin(&s, odd.Draw(t, "begin"), epoch)
		now := epoch
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.Int64Range(-int64(time.Second), int64(5*time.Second)).Draw(t, "dt")))
			b, _ := p.Step(&s, Sample{
				Now: now, Sum: odd.Draw(t, "sum"), Requests: odd.Draw(t, "n"), Fast: odd.Draw(t, "fast"),
				Slow: odd.Draw(t, "slow"), FastSum: odd.Draw(t, "fs"), SlowSum: odd.Draw(t, "ss"),
			})
			require.False(t, math.IsNaN(b))
			require.GreaterOrEqual(t, b, s.Min)
			require.LessOrEqual(t, b, s.Max)
		}
	})
}

// At a bound nothing winds up: released, the base moves within two ticks.
func TestNothingWindsUpAtABound(t *testing.T) {
	for _, law := range []Law{LawLog, LawLinear} {
		s := group()
		s.Law, s.FeedForward, s.Max = law, false, 300
		var p PID
		p.Begin(&s, 200, epoch)
		now := epoch
		step := func(sum float64, n int) (b float64) {
			for range n {
				now = now.Add(Tick)
				b, _ = p.Step(&s, Sample{Now: now, Sum: sum})
			}
			return b
		}
		require.InDelta(t, 300, step(1000, 3000), 1e-6)
		require.Less(t, step(2*s.Total, 2), 300.0, law)
	}
}

func TestSettingsSayWhatTheyWant(t *testing.T) {
	s := DefaultSettings()
	s.Total, s.Min, s.Max, s.Window, s.Law, s.WeightMax = 0, 50, 20, 150*time.Millisecond, "magic", math.NaN()
	text := s.Check().Error()
	for _, want := range []string{"total_quota wants a number", "q_min wants at most q_max 20", "window wants a duration", "law wants log, linear or dcaf", "weight_max wants"} {
		require.Contains(t, text, want)
	}
}
