package quota

import (
	"context"
	"time"
)

// Point is a second of a group.
type Point struct {
	At       time.Time
	Base     float64 // mean, as everything here
	Sum      float64 // candidates over the window
	Total    float64
	Arrivals float64 // requests a second
	Consumed float64 // candidates a second
	P, I, D  float64 // sums of the second's changes
	FF       float64
	Frozen   float64 // share of the ticks at which the trim rested
	Weight   float64
	Agents   float64
	Fallback float64 // share of agents that answered by themselves
	Capped   float64 // requests cut by local caps
	CPU      float64 // negative unknown
}

// keepPoints is ten minutes.
const keepPoints = 600

// series keeps a group's seconds, and the minute that is not over.
type series struct {
	ring   []Point
	open   Point
	n      float64
	minute Minute
	cpuN   float64
	readyM []Minute
}

func (s *series) add(d *Decision, m Machines) {
	second := d.At.Truncate(time.Second)
	if s.n > 0 && !s.open.At.Equal(second) {
		s.close()
	}
	s.open.At = second
	s.n++
	away := 0.0
	if d.Crew.Agents > 0 {
		away = float64(d.Crew.Fallback) / float64(d.Crew.Agents)
	}
	o := &s.open
	o.Base += d.Base
	o.Sum += d.Sum
	o.Total = d.Total
	o.Arrivals += d.Arrivals
	o.Consumed += d.Consumed
	o.P, o.I, o.D, o.FF = o.P+d.Terms.P, o.I+d.Terms.I, o.D+d.Terms.D, o.FF+d.Terms.FeedForward
	if d.Terms.Frozen {
		o.Frozen++
	}
	o.Weight += d.Weight
	o.Agents += float64(d.Crew.Agents)
	o.Fallback += away
	o.Capped += float64(d.Crew.Capped)
	o.CPU = m.CPU
	s.tally(d, m, away)
}

// close ends a second.
func (s *series) close() {
	p := s.open
	for _, v := range []*float64{&p.Base, &p.Sum, &p.Arrivals, &p.Consumed, &p.Frozen, &p.Weight, &p.Agents, &p.Fallback} {
		*v /= s.n
	}
	if len(s.ring) == keepPoints {
		copy(s.ring, s.ring[1:])
		s.ring = s.ring[:keepPoints-1]
	}
	s.ring = append(s.ring, p)
	s.open, s.n = Point{}, 0
}

func (s *series) points() []Point { return append([]Point(nil), s.ring...) }

// tally adds a tick to its minute.
func (s *series) tally(d *Decision, m Machines, away float64) {
	at := d.At.Truncate(time.Minute)
	if s.minute.Ticks > 0 && !s.minute.At.Equal(at) {
		s.endMinute()
	}
	x := &s.minute
	if x.Ticks == 0 {
		*x = Minute{Group: d.Group, At: at, BaseMin: d.Base, BaseMax: d.Base}
		s.cpuN = 0
	}
	x.Ticks++
	x.Consumed += d.Consumed * Tick.Seconds()
	x.Requests += d.Arrivals * Tick.Seconds()
	x.Sum += d.Sum / d.Total
	x.SumMax = max(x.SumMax, d.Sum/d.Total)
	x.Base += d.Base
	x.BaseMin, x.BaseMax = min(x.BaseMin, d.Base), max(x.BaseMax, d.Base)
	x.Fallback += away
	x.Agents += float64(d.Crew.Agents)
	if m.CPU >= 0 && m.Count > 0 {
		x.CPU += m.CPU
		s.cpuN++
	}
	x.Build, x.Machines = m.Builds, m.Count
}

func (s *series) endMinute() {
	m := s.minute
	n := float64(m.Ticks)
	m.Sum, m.Base, m.Fallback, m.Agents = m.Sum/n, m.Base/n, m.Fallback/n, m.Agents/n
	if s.cpuN > 0 {
		m.CPU /= s.cpuN
	} else {
		m.CPU = -1
	}
	s.readyM = append(s.readyM, m)
	if len(s.readyM) > 60 { // the database is away
		s.readyM = s.readyM[1:]
	}
	s.minute = Minute{}
}

// keep writes the minutes that are over, and forgets old ones once an hour.
func (l *Loop) keep(ctx context.Context, pruned *time.Time) {
	var ms []Minute
	l.mu.Lock()
	for _, h := range l.history {
		ms = append(ms, h.readyM...)
	}
	l.mu.Unlock()
	now := l.cfg.Now()
	ctx, cancel := context.WithTimeout(ctx, storeBudget)
	defer cancel()
	if len(ms) > 0 {
		if err := l.cfg.Groups.SaveQuotaMinutes(ctx, ms); err != nil {
			l.cfg.Log.Warn("quota history not saved, it is kept for an hour", "error", err)
			return
		}
		l.mu.Lock()
		for _, h := range l.history {
			saved := 0
			for saved < len(h.readyM) && contains(ms, h.readyM[saved]) {
				saved++
			}
			h.readyM = h.readyM[saved:]
		}
		l.mu.Unlock()
	}
	if now.Sub(*pruned) < time.Hour {
		return
	}
	*pruned = now
	retention := 7 * 24 * time.Hour
	if l.cfg.Retention != nil {
		retention = l.cfg.Retention()
	}
	if _, err := l.cfg.Groups.PruneQuotaMinutes(ctx, now.Add(-retention)); err != nil {
		l.cfg.Log.Warn("quota history not pruned", "error", err)
	}
}

func contains(ms []Minute, m Minute) bool {
	for i := range ms {
		if ms[i].Group == m.Group && ms[i].At.Equal(m.At) {
			return true
		}
	}
	return false
}

// secondsPerReading is how many seconds make one reading of recent history.
const secondsPerReading = 5

// Readings gives what the calibrator looks at: minutes from the store, and the
// last ten minutes by five seconds.
func Readings(minutes []Minute, recent []Point, machines int, builds string) []Reading {
	var out []Reading
	var first time.Time
	if len(recent) > 0 {
		first = recent[0].At
	}
	for _, m := range minutes {
		// A minute that was not seen whole, or was spent without a controller, says
		// little about the machines.
		if m.CPU < 0 || m.Ticks < 300 || !first.IsZero() && !m.At.Before(first) {
			continue
		}
		seconds := float64(m.Ticks) * Tick.Seconds()
		out = append(out, Reading{At: m.At, Consumed: m.Consumed / seconds, CPU: m.CPU, Machines: m.Machines, Build: m.Build})
	}
	for i := 0; i+secondsPerReading <= len(recent); i += secondsPerReading {
		r := Reading{At: recent[i].At, Machines: machines, Build: builds}
		ok := true
		for _, p := range recent[i : i+secondsPerReading] {
			r.Consumed += p.Consumed / secondsPerReading
			r.CPU += p.CPU / secondsPerReading
			ok = ok && p.CPU >= 0
		}
		if ok {
			out = append(out, r)
		}
	}
	return out
}
