package lab

import (
	"fmt"
	"math"
	"time"
)

// Scenario is a world: traffic, machines and what goes wrong. It knows no policy.
type Scenario struct {
	Name  string
	About string
	Trace string // "conv" or "code"
	// Machines of each app in each IDC; 1 means 1.
	Machines int
	// Warm is run before anything is measured, at the load of time 0.
	Warm, Measure time.Duration
	// Load is the rate beside the nominal one, by seconds of the measured part.
	Load func(t float64) float64
	// Step is how often Load is looked at; 0 means a second.
	Step time.Duration
	// Event is the second at which something happens, for the settling time; 0: nothing.
	Event float64
	// Peak is the highest load a planner would have been told of.
	Peak float64

	Users   Users
	Exact   bool    // demand is what load and work say, without noise
	Concave float64 // factor on the work that earns 63 %: below 1 is more concave; 0 means 1
	FIFO    bool    // the search node queues instead of sharing
	IO      float64 // factor on the I/O share, which does not scale with the level
	Slow    float64 // the first search node of the first IDC is slower by this

	Delay  time.Duration // of metrics on their way to the controller
	Loss   float64       // share of rollups that never arrive
	Outage [2]float64    // seconds between which the controller is gone

	// Group, when it is set, is all there is: a quota group without an engine.
	Group *GroupWorld
}

// nominal is the rate at which the default gears fit: requests a second at each
// machine of the search node, 60 % busy. It is rate 40 on three machines in two IDCs.
const nominal = 36.7

func flat(load float64) func(float64) float64 { return func(float64) float64 { return load } }

// ramp goes linearly through points (second, load).
func ramp(points ...[2]float64) func(float64) float64 {
	return func(t float64) float64 {
		for i := 1; i < len(points); i++ {
			if a, b := points[i-1], points[i]; t < b[0] {
				return a[1] + (b[1]-a[1])*max(t-a[0], 0)/(b[0]-a[0])
			}
		}
		return points[len(points)-1][1]
	}
}

// twoPeaks is a day in 900 seconds: night, a peak at noon, the afternoon, and the
// evening's peak, which the default gears do not bear.
func twoPeaks(t float64) float64 {
	bump := func(at, width, height float64) float64 {
		x := (t - at) / width
		return height * math.Exp(-x*x/2)
	}
	return 0.6 + bump(300, 70, 0.9) + bump(660, 90, 1.4)
}

// Scenarios lists every world in the order they are shown.
func Scenarios() []Scenario {
	day := Scenario{Warm: 120 * time.Second, Measure: 900 * time.Second, Load: twoPeaks, Peak: 2}
	steady := func(name string, load float64) Scenario {
		return Scenario{
			Name: name, About: fmt.Sprintf("conversation trace at %g times the nominal load", load),
			Warm: 120 * time.Second, Measure: 240 * time.Second, Load: flat(load), Peak: load,
		}
	}
	with := func(s Scenario, name, about string, change func(*Scenario)) Scenario {
		s.Name, s.About = name, about
		if change != nil {
			change(&s)
		}
		return s
	}
	double := steady("load-2", 2)
	crowded := steady("", 2.2)
	crowded.Machines, crowded.Warm, crowded.Measure = 4, 60*time.Second, 120*time.Second
	return append([]Scenario{
		with(day, "day-conv", "a day with two peaks (0.6 to 2 times nominal) in 900 s, conversation trace", nil),
		with(day, "day-code", "the same day on the code trace, held out: nothing was tuned on it", func(s *Scenario) { s.Trace = "code" }),
		steady("load-1.3", 1.3), double, steady("load-4", 4),
		{
			Name: "midnight", About: "midnight of a sale: 0.8 to 5 times nominal in one step, falling from then on", Warm: 150 * time.Second, Measure: 420 * time.Second,
			Load: func(t float64) float64 {
				if t < 60 {
					return 0.8
				}
				return 1.2 + 3.8*math.Exp(-(t-60)/150)
			}, Event: 60, Peak: 4,
		},
		{
			Name: "bursts", About: "1.3 times nominal with bursts of ten times for 100 ms every 5 s", Warm: 150 * time.Second, Measure: 300 * time.Second,
			Step: 100 * time.Millisecond, Peak: 1.5,
			Load: func(t float64) float64 {
				if t >= 0 && math.Mod(t+0.05, 5) < 0.1 {
					return 13
				}
				return 1.3
			},
		},
		{
			Name: "news", About: "breaking news: 0.35 to 3.5 times nominal within 60 s, for two minutes", Warm: 150 * time.Second, Measure: 420 * time.Second,
			Load:  ramp([2]float64{0, 0.35}, [2]float64{60, 0.35}, [2]float64{120, 3.5}, [2]float64{240, 3.5}, [2]float64{330, 0.7}),
			Event: 60, Peak: 2,
		},
		with(double, "retries", "twice nominal; a user whose request was lost asks again up to twice", func(s *Scenario) {
			s.Users.Retries, s.Users.RetryAfter = 2, 500*time.Millisecond
		}),
		with(double, "fifo", "twice nominal; the search node queues calls instead of sharing cores", func(s *Scenario) { s.FIFO = true }),
		with(double, "io", "twice nominal; five times the I/O, which no level changes", func(s *Scenario) { s.IO = 5 }),
		with(steady("", 1.5), "slow", "1.5 times nominal, three machines; one search node is 1.6 times slower", func(s *Scenario) { s.Machines, s.Slow = 3, 1.6 }),
		with(day, "delay", "the day with metrics 30 s late and a fifth of them lost", func(s *Scenario) { s.Delay, s.Loss = 30*time.Second, 0.2 }),
		with(day, "outage", "the day with the controller gone from 540 s to 780 s, over the evening's peak", func(s *Scenario) { s.Outage = [2]float64{540, 780} }),
		{
			Name: "surge", About: "a news surge on four machines an app: 0.25 to 2.5 times nominal within 60 s, held for 90 s", Machines: 4,
			Warm: 60 * time.Second, Measure: 240 * time.Second,
			Load:  ramp([2]float64{0, 0.25}, [2]float64{40, 0.25}, [2]float64{100, 2.5}, [2]float64{190, 2.5}, [2]float64{220, 0.5}),
			Event: 40, Peak: 2.5,
		},
		with(crowded, "weights", "2.2 times nominal on four machines an app: who is given the candidates", nil),
		with(crowded, "weights-wrong", "the same; the values that policies are told are other users'", func(s *Scenario) { s.Users.Misjudged = true }),
	}, groupWorlds()...)
}

// FindScenario finds a scenario by name.
func FindScenario(name string) (Scenario, bool) {
	for _, s := range Scenarios() {
		if s.Name == name {
			return s, true
		}
	}
	return Scenario{}, false
}

func (s *Scenario) machines() int { return max(s.Machines, 1) }

func (s *Scenario) trace() *Trace {
	if s.Trace == "code" {
		return Code()
	}
	return Conversation()
}

// copies is how many copies of the trace make a load.
func (s *Scenario) copies(load float64) int {
	const idcs = 2
	return max(int(math.Round(load*nominal*idcs*float64(s.machines())/s.trace().Rate())), 1)
}

func (s *Scenario) step() time.Duration {
	if s.Step > 0 {
		return s.Step
	}
	return time.Second
}

// meanLoad is the mean of Load over the measured part.
func (s *Scenario) meanLoad() float64 {
	sum, n := 0.0, 0
	for t := 0.0; t < s.Measure.Seconds(); t += s.step().Seconds() {
		sum += s.Load(t)
		n++
	}
	return sum / float64(n)
}

// model is the standard engine as the scenario bends it.
func (s *Scenario) model() *Model {
	m := Standard(s.machines())
	if s.Exact {
		m.Noise = 0
	}
	if s.FIFO {
		m.Apps[SN].Queue = FIFO
	}
	for i := range m.Points {
		if s.Concave > 0 {
			m.Points[i].Scale *= s.Concave
		}
		if s.IO > 0 {
			m.Points[i].IO = time.Duration(float64(m.Points[i].IO) * s.IO)
		}
	}
	return m
}

// config sets up the engine for one seed. A seed moves where in the trace the run
// begins and draws users, noise and routes anew.
func (s *Scenario) config(m *Model, seed uint64) Config {
	t := s.trace()
	c := Config{Model: m, Users: s.Users, Workload: WorkloadConfig{
		Trace: t, Rate: s.copies(s.Load(0)), Seed: seed,
		Start: int64(unit(Seed(seed, "start")) * float64(t.Span)),
	}}
	if s.Slow > 0 {
		c.Slow = map[int]float64{SN * m.Machines: s.Slow}
	}
	return c
}
