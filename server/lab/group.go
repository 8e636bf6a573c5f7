package lab

import (
	"math"
	"time"

	"github.com/allspark/allspark/server/quota"
)

// GroupWorld is a quota group by itself, without queues: requests arrive, each
// consumes the base quota its agent holds, counts come a frame later, and a base
// that was decided is held after Delay. Time moves in steps of 10 ms; arrivals are
// Poisson. It shows what the law does where the engine would only show that
// requests were late.
type GroupWorld struct {
	Arrivals func(t float64) float64 // requests a second
	Gain     func(t float64) float64 // of what a request consumes; nil: 1
	Delay    time.Duration           // from deciding to holding; 0: what the settings expect
	Loop     float64                 // factor on the law's gain; 0: 1
	From     float64                 // second at which the disturbance begins …
	Until    float64                 // … and ends: settling counts from there
	Seconds  float64
}

// groupBudget is the budget of the group by itself, groupRate the arrivals its
// default quota fits.
const (
	groupBudget = 800_000.0
	groupRate   = 4000.0
)

// groupWorlds are the changes of load and of the plant that default gains must
// take untuned.
func groupWorlds() []Scenario {
	always := func(v float64) func(float64) float64 { return func(float64) float64 { return v } }
	step := func(a, b float64) func(float64) float64 {
		return func(t float64) float64 {
			if t < 10 {
				return a
			}
			return b
		}
	}
	const r = groupRate
	burst := func(t float64) float64 {
		if t >= 10 && t < 10.1 {
			return 10 * r
		}
		return r
	}
	news := func(t float64) float64 { return r * math.Pow(10, min(max(t-10, 0), 60)/60) }
	world := func(name, about string, w GroupWorld) Scenario {
		if w.From == 0 {
			w.From, w.Until, w.Seconds = 10, 10, 50
		}
		return Scenario{Name: "group-" + name, About: "a quota group by itself: " + about, Group: &w, Load: flat(1)}
	}
	return []Scenario{
		world("step-2", "load x2 in one step", GroupWorld{Arrivals: step(r, 2*r)}),
		world("step-4", "load x4 in one step", GroupWorld{Arrivals: step(r, 4*r)}),
		world("step-8", "load x8 in one step", GroupWorld{Arrivals: step(r, 8*r)}),
		world("fall-8", "load /8 in one step", GroupWorld{Arrivals: step(8*r, r)}),
		world("burst", "ten times the load for 100 ms", GroupWorld{Arrivals: burst, From: 10, Until: 10.1, Seconds: 40}),
		world("news", "a news surge, 10x in 60 s", GroupWorld{Arrivals: news, From: 10, Until: 70, Seconds: 110}),
		world("gain-1", "requests suddenly consume twice as much", GroupWorld{Arrivals: always(r), Gain: step(1, 2)}),
		world("gain-8", "the same at 8x load", GroupWorld{Arrivals: always(8 * r), Gain: step(1, 2)}),
		world("loop-x2", "load x8, the law's gain doubled", GroupWorld{Arrivals: step(r, 8*r), Loop: 2}),
		world("delay-x2", "load x8, a delay twice what the settings expect", GroupWorld{Arrivals: step(r, 8*r), Delay: 2 * quotaPush}),
		world("steady-1", "nothing happens, at 1x", GroupWorld{Arrivals: always(r), From: 10, Until: 10, Seconds: 50}),
		world("steady-4", "nothing happens, at 4x", GroupWorld{Arrivals: always(4 * r), From: 10, Until: 10, Seconds: 50}),
		world("steady-8", "nothing happens, at 8x", GroupWorld{Arrivals: always(8 * r), From: 10, Until: 10, Seconds: 50}),
	}
}

// groupTrace is what happened, a point a tick.
type groupTrace struct{ t, base, sum []float64 }

// outcomes measures a law beside an actuator that knows the arrivals it has
// counted and forgets nothing, on the same arrivals.
func (w *GroupWorld) outcomes(law quota.Law, seed uint64) Outcomes {
	x, ideal := w.play(law, false, seed), w.play(law, true, seed)
	theta := quota.DefaultSettings()
	tail := x.after(w.Until)
	o := Outcomes{
		MetricPeak:  x.after(w.From).peak() / ideal.after(w.From).peak(),
		MetricTheta: tail.settled(0.05) / theta.Theta().Seconds(),
		MetricSwing: x.after(x.t[len(x.t)-1] - 10).swing(),
	}
	// Where the base ends as it began there is no side to overshoot to.
	if from := x.before(w.From); math.Abs(x.final()/from-1) > 0.1 {
		o[MetricOvershoot] = tail.overshoot(from)
	}
	return o
}

func (w *GroupWorld) play(law quota.Law, ideal bool, seed uint64) (out groupTrace) {
	const step = 10 * time.Millisecond
	set := quota.DefaultSettings()
	set.Total, set.Min, set.Max, set.Default, set.Law = groupBudget, 2, 1e5, groupBudget/groupRate, law
	if w.Loop > 0 {
		set.Ki = w.Loop * set.Integral()
	}
	delay, gain := w.Delay, w.Gain
	if delay == 0 {
		delay = quotaPush
	}
	if gain == nil {
		gain = func(float64) float64 { return 1 }
	}
	// In balance with its arrivals; the window is full, the rest of the trim over.
	base := set.Total / w.Arrivals(0)
	var ring quota.Ring
	for b := quota.Bucket(quotaEpoch) - int64(set.Window/quota.SubWindow) - 4; b < quota.Bucket(quotaEpoch); b++ {
		n := w.Arrivals(0) * quota.SubWindow.Seconds()
		ring.Add(quota.Part{Bucket: b, Count: quota.Count{Consumed: int64(n * base), Requests: int64(n)}})
	}
	var pid quota.PID
	pid.Begin(&set, base, quotaEpoch.Add(-set.Window-set.Delay-quota.Tick))
	held := base
	var sent []quotaWord
	var consumed, requests float64
	salt := Seed(seed, "group")
	for i := 0; float64(i)*step.Seconds() < w.Seconds; i++ {
		t := float64(i) * step.Seconds()
		for len(sent) > 0 && sent[0].at <= int64(i) {
			held, sent = sent[0].base, sent[1:]
		}
		m := w.Arrivals(t) * step.Seconds()
		n := max(0, math.Round(m+math.Sqrt(m)*normal[cell(draw(salt, uint64(i)))])) // Poisson: m is 40 or more
		requests += n
		consumed += n * held * gain(t)
		if (i+1)%int(quota.Tick/step) != 0 {
			continue
		}
		now := quotaEpoch.Add(time.Duration(i+1) * step)
		for _, part := range quota.Spread(nil, now, quota.Tick, quota.Count{Consumed: int64(math.Round(consumed)), Requests: int64(requests)}) {
			ring.Add(part)
		}
		consumed, requests = 0, 0
		var b float64
		if ideal {
			seen := max(t-quota.Lag.Seconds(), 0)
			b = min(max(set.Total/set.Window.Seconds()/w.Arrivals(seen)/gain(seen), set.Min), set.Max)
		} else {
			b, _ = pid.Step(&set, quota.NewSample(now, quota.Read(now, set.Window, ring.At)))
		}
		sent = append(sent, quotaWord{at: int64(i+1) + int64(delay/step), base: b})
		// What really was consumed, without the reader's lag.
		real := quota.Sum(now.Add(quota.Lag), set.Window, ring.At)
		out.t, out.base, out.sum = append(out.t, t), append(out.base, b), append(out.sum, real.Consumed/set.Total)
	}
	return out
}

func (x groupTrace) after(t float64) groupTrace {
	i := 0
	for i < len(x.t)-1 && x.t[i] < t {
		i++
	}
	return groupTrace{x.t[i:], x.base[i:], x.sum[i:]}
}

// before is the mean base before t.
func (x groupTrace) before(t float64) float64 {
	sum, n := 0.0, 0.0
	for i := range x.t {
		if x.t[i] < t {
			sum, n = sum+x.base[i], n+1
		}
	}
	return sum / max(n, 1)
}

// final is the mean base over the last five seconds.
func (x groupTrace) final() float64 {
	end := x.after(x.t[len(x.t)-1] - 5)
	sum := 0.0
	for _, b := range end.base {
		sum += b / float64(len(end.base))
	}
	return sum
}

// overshoot is how far the base goes beyond its final value, on the side away from
// where it came from.
func (x groupTrace) overshoot(from float64) float64 {
	final, worst := x.final(), 0.0
	for _, b := range x.base {
		if final < from {
			worst = max(worst, 1-b/final)
		} else {
			worst = max(worst, b/final-1)
		}
	}
	return worst
}

// settled is the time after which the base stays within a share of its final
// value; a base that never does counts until the end.
func (x groupTrace) settled(share float64) float64 {
	final := x.final()
	for i := len(x.base) - 1; i >= 0; i-- {
		if math.Abs(x.base[i]/final-1) > share {
			return x.t[min(i+1, len(x.t)-1)] - x.t[0]
		}
	}
	return 0
}

func (x groupTrace) swing() float64 {
	lo, hi, sum := math.Inf(1), 0.0, 0.0
	for _, b := range x.base {
		lo, hi, sum = min(lo, b), max(hi, b), sum+b/float64(len(x.base))
	}
	return (hi - lo) / sum
}

func (x groupTrace) peak() float64 {
	top := 0.0
	for _, s := range x.sum {
		top = max(top, s)
	}
	return top
}
