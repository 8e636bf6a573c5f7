package lab

import (
	"math"
	"time"
)

// byCPU turns one work factor an app and IDC by a PID on CPU, as metrics systems
// see it: sampled every so often, and seen one sample late.
//
// The law is the log-domain velocity form, Δln g = Ki·Δt·e + Kp·Δe with
// e = 1 - u/goal, and θ = half a sample + one sample of delay.
type byCPU struct {
	s      *Setup
	every  time.Duration
	meters []cpuMeter
	groups []cpuGroup // by IDC, then app
	where  []int      // machine -> group
}

type cpuGroup struct {
	machines []int
	lnWork   float64
	error    float64
	seen     float64 // the sample that arrives next time
	levels   []int   // by point
}

const cpuGoal = 0.75 // of the cores: a watermark with room for bursts

func newCPU(s *Setup, every time.Duration) Policy {
	apps := len(s.Model.Apps)
	p := &byCPU{s: s, every: every, meters: make([]cpuMeter, s.Model.MachineCount()), groups: make([]cpuGroup, len(s.Model.IDCs)*apps)}
	for m := range p.meters {
		app, idc, _ := s.Model.Place(m)
		g := idc*apps + app
		p.where = append(p.where, g)
		p.groups[g].machines = append(p.groups[g].machines, m)
	}
	for i := range p.groups {
		p.groups[i].levels = make([]int, len(s.Ladders))
		p.groups[i].lnWork, p.groups[i].seen = math.Log(0.5), cpuGoal
		p.obey(&p.groups[i])
	}
	return p
}

func (p *byCPU) obey(g *cpuGroup) {
	for i, l := range p.s.Ladders {
		if l != nil {
			g.levels[i] = l.at(math.Exp(g.lnWork))
		}
	}
}

func (p *byCPU) Begin(v *Visit, r *Reading) {
	if l := p.s.Ladders[v.Point]; l != nil {
		*r = l.Rows[p.groups[p.where[v.Machine]].levels[v.Point]-1]
	}
}

func (p *byCPU) End(*Visit, Result) {}

func (p *byCPU) Tick(now int64) {
	if now%int64(p.every) != 0 {
		return
	}
	dt := p.every.Seconds()
	ki, kp := 1/(3*1.5*dt), 0.3
	for i := range p.groups {
		g := &p.groups[i]
		u := 0.0
		for _, m := range g.machines {
			u += p.meters[m].read(p.s.Engine, m) / float64(len(g.machines))
		}
		e := 1 - g.seen/cpuGoal
		g.seen = u
		g.lnWork = min(max(g.lnWork+ki*dt*e+kp*(e-g.error), math.Log(0.01)), 0)
		g.error = e
		p.obey(g)
	}
}

// scaler adds and removes cores on CPU and leaves gears alone: the horizontal
// autoscaler's rule with the lags of a real start.
type scaler struct {
	ticking
	s      *Setup
	meters []cpuMeter
	apps   []scaledApp // by app
}

type scaledApp struct {
	machines []int
	base     int
	pending  []scaleStep
	wanted   int     // cores a machine, once all pending steps are done
	lowFrom  int64   // since when less would do; -1 not
	lowNeed  float64 // the most of it
}

type scaleStep struct {
	at   int64
	more int
}

const (
	scaleEvery    = 15 * time.Second
	scaleGoal     = 0.6
	scaleSlack    = 0.1
	scaleStart    = 30 * time.Second // the machine is bought and starts
	scaleLoad     = 60 * time.Second // models and indexes are loaded
	scaleWarm     = 30 * time.Second // caches are cold: half of the cores' worth
	scaleDownHold = 300 * time.Second
	scaleMost     = 4 // times the base
)

func newScaler(s *Setup) Policy {
	p := &scaler{s: s, meters: make([]cpuMeter, s.Model.MachineCount()), apps: make([]scaledApp, len(s.Model.Apps))}
	for m := range p.meters {
		app, _, _ := s.Model.Place(m)
		a := &p.apps[app]
		a.machines = append(a.machines, m)
		a.base, a.lowFrom = s.Model.Apps[app].Cores, -1
		a.wanted = a.base
	}
	return p
}

func (p *scaler) Tick(now int64) {
	for i := range p.apps {
		a := &p.apps[i]
		for len(a.pending) > 0 && a.pending[0].at <= now {
			p.add(a, a.pending[0].more)
			a.pending = a.pending[1:]
		}
		if now%int64(scaleEvery) == 0 {
			p.decide(a, now)
		}
	}
}

func (p *scaler) add(a *scaledApp, more int) {
	for _, m := range a.machines {
		p.s.Engine.SetCores(m, p.s.Engine.Cores(m)+more)
	}
}

func (p *scaler) decide(a *scaledApp, now int64) {
	u := 0.0
	for _, m := range a.machines {
		u += p.meters[m].read(p.s.Engine, m) / float64(len(a.machines))
	}
	need := float64(p.s.Engine.Cores(a.machines[0])) * u / scaleGoal
	target := min(max(int(math.Ceil(need-0.001)), a.base), a.base*scaleMost)
	switch {
	case need > float64(a.wanted)*(1+scaleSlack) && target > a.wanted:
		more := target - a.wanted
		first := (more + 1) / 2
		ready := now + int64(scaleStart+scaleLoad)
		a.pending = append(a.pending, scaleStep{ready, first}, scaleStep{ready + int64(scaleWarm), more - first})
		a.wanted, a.lowFrom = target, -1
	case target < a.wanted && len(a.pending) == 0:
		if a.lowFrom < 0 {
			a.lowFrom, a.lowNeed = now, 0
		}
		a.lowNeed = max(a.lowNeed, float64(target))
		if now-a.lowFrom >= int64(scaleDownHold) {
			p.add(a, int(a.lowNeed)-a.wanted)
			a.wanted, a.lowFrom = int(a.lowNeed), -1
		}
	default:
		a.lowFrom = -1
	}
}
