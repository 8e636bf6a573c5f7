package quota

import (
	"math"
	"time"
)

// Simulated is a tenth of a second of a simulation.
type Simulated struct {
	At       time.Duration
	Arrivals float64 // requests a second
	Base     float64
	Sum      float64 // candidates over the window
}

// MaxSimulated bounds a simulation.
const MaxSimulated = 15 * time.Minute

// Simulate plays settings on arrivals, given in requests for each second. yield is
// how much of the base a request consumes on average: mean weight, and what was
// available. The group begins in balance with its first second.
func Simulate(s *Settings, arrivals []float64, yield float64) []Simulated {
	if !(yield > 0) || !finite(yield) {
		yield = 1
	}
	arrivals = arrivals[:min(len(arrivals), int(MaxSimulated/time.Second))]
	if len(arrivals) == 0 {
		return nil
	}
	rate := func(t float64) float64 {
		i := int(t)
		if i+1 >= len(arrivals) {
			return max(arrivals[len(arrivals)-1], 0)
		}
		f := t - float64(i)
		return max(arrivals[i]*(1-f)+arrivals[i+1]*f, 0)
	}
	start := time.Unix(1_000_000_000, 0)
	base := s.Default
	if r := rate(0) * yield; r > 0 {
		base = min(max(s.Total/s.Window.Seconds()/r, s.Min), s.Max)
	}
	var ring Ring
	before := int64(s.Window/SubWindow) + 4
	for b := Bucket(start) - before; b < Bucket(start); b++ {
		n := rate(0) * SubWindow.Seconds()
		ring.Add(Part{b, count(n*base*yield, n)})
	}
	var pid PID
	pid.Begin(s, base, start.Add(-s.Window-s.Delay-Tick))
	late := int(max(s.Delay-Lag-Tick/2, 0) / Tick) // the rest of the delay, in ticks
	queue := make([]float64, 0, late+1)
	held := base
	ticks := len(arrivals) * int(time.Second/Tick)
	out := make([]Simulated, 0, ticks)
	for i := range ticks {
		now := start.Add(time.Duration(i+1) * Tick)
		r := rate(float64(i) * Tick.Seconds())
		n := r * Tick.Seconds()
		ring.Add(Part{Bucket(now.Add(-1)), count(n*min(max(held*yield, 0), MaxQuota), n)})
		sums := Read(now, s.Window, ring.At)
		b, _ := pid.Step(s, NewSample(now, sums))
		queue = append(queue, b)
		if len(queue) > late {
			held, queue = queue[0], queue[1:]
		}
		out = append(out, Simulated{At: time.Duration(i+1) * Tick, Arrivals: r, Base: b, Sum: sums.Window.Consumed})
	}
	return out
}

func count(consumed, requests float64) Count {
	return Count{Consumed: int64(math.Round(consumed)), Requests: int64(math.Round(requests))}
}
