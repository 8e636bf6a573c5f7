package lab

import (
	"math"
	"time"

	"github.com/allspark/allspark/agent/loop"
	"github.com/allspark/allspark/proto/gear"
)

// Rig is one machine with one point and one crowd loop, at a rate where every
// crowd has hundreds of requests an interval: where the loop's accuracy can be
// measured. One processor-sharing core couples crowds as tightly as a machine
// can: everybody's RT is their own demand / (1-ρ).
//
// A crowd's true mean is what its requests would have taken without noise: their
// noise-free demand at the levels they ran at, times the machine's stretch in the
// interval, which is measured on all requests of all crowds.
type Rig struct {
	Cores    int     // 0 means 1
	Load     float64 // 1: 60 % busy at the default gears
	Target   time.Duration
	Seed     uint64
	Blur     float64 // see Users
	Coarse   bool    // 12 levels instead of 100: more than 8 % apart
	Settings []gear.Setting
	// Change is called before each interval and may turn Load and Target.
	Change func(r *Rig, interval int)

	plan *rigPolicy
}

const (
	rigFixed   = 100 * time.Microsecond
	rigPerLoad = 50 * time.Microsecond
	rigSlope   = 4500 * time.Nanosecond // a tag; 0.6 ms at 100 tags and load 1
	rigNominal = 1000.0                 // requests a second on one core: 60 % busy
)

// RigInterval is what one crowd did in one interval.
type RigInterval struct {
	Interval, Crowd int
	N               int64
	Truth, Measured float64 // mean RT beside the target
	Work            float64
	Free            bool    // not at a bound
	Busy            float64 // of the machine
	Level           float64 // requests-weighted mean ln(work) of the whole point, the same for all crowds
}

type rigPolicy struct {
	rig    *Rig
	engine *Engine
	loop   *crowdLoop
	salt   uint64
	open   []openVisit
	demand [loop.MaxCrowds]float64 // noise-free, ns
	n      [loop.MaxCrowds]int64
	us     [loop.MaxCrowds]float64
	took   float64 // ns, all
	asked  float64 // noise-free, ns, all
	lnWork float64
}

func (r *Rig) model() *Model {
	m := &Model{
		IDCs: []string{"sh"}, Machines: 1, Noise: workNoise,
		Scenes: []Scene{{Name: "k2", Share: 1, First: 1, Load: 1, Timeout: time.Minute}},
		Apps:   []App{{Name: "sn", Cores: max(r.Cores, 1), Limit: 2000, Span: -1, Steps: []Step{{Point: 0}}}},
	}
	p := standardPoints()[Recall]
	p.App, p.IO, p.Fixed, p.PerLoad, p.Slope = 0, 0, rigFixed, rigPerLoad, rigSlope
	m.Points = []Point{p}
	return m
}

func (p *rigPolicy) Begin(v *Visit, r *Reading) {
	c := p.loop
	for int(v.ID) >= len(p.open) {
		p.open = append(p.open, openVisit{})
	}
	b := loop.Bin(v.Load)
	k := c.state.Assign[b]
	p.open[v.ID] = openVisit{bin: uint8(b)}
	level := c.mixes[k].Pick(draw(p.salt, v.Key))
	*r = c.ladder.Rows[level-1]
	l := v.Load / p.engine.meanLoad // exact when nothing is blurred
	d := float64(rigFixed) + float64(rigPerLoad)*l + float64(rigSlope)*l*r[0]
	p.demand[k] += d
	p.n[k]++
	p.asked += d
	p.lnWork += math.Log(c.ladder.Work[level-1])
}

func (p *rigPolicy) End(v *Visit, res Result) {
	c := p.loop
	us := float64(res.Elapsed) / 1000
	b := p.open[v.ID].bin
	p.us[c.state.Assign[b]] += us
	p.took += float64(res.Elapsed)
	bin := &c.fast.Bins[b]
	bin.N++
	bin.Sum += us
	bin.Square += us * us
}

// Run plays so many intervals and gives what every crowd with requests did.
func (r *Rig) Run(intervals int) []RigInterval {
	m := r.model()
	ladder := ladderOf(Standard(1), Recall)
	if r.Coarse {
		coarse := &Ladder{}
		for l := 8; l <= ladder.Top(); l += 8 {
			coarse.Rows, coarse.Work = append(coarse.Rows, ladder.Rows[l-1]), append(coarse.Work, ladder.Work[l-1])
		}
		ladder = coarse
	}
	p := &rigPolicy{rig: r, salt: Seed(r.Seed, "rig"), loop: &crowdLoop{ladder: ladder}}
	order := func() loop.Settings {
		return loop.SettingsOf(&gear.Order{
			Strategy: gear.StrategyCrowdRT, Level: ladder.Top(), MinLevel: 1, MaxLevel: ladder.Top(),
			AvailableRT: r.Target, Settings: r.Settings,
		}, ladder.Work)
	}
	p.loop.set = order()
	p.loop.state = loop.NewState(p.loop.set)
	p.loop.obey()
	trace := Conversation()
	rate := func() int {
		return max(int(math.Round(r.Load*rigNominal*float64(max(r.Cores, 1))/trace.Rate())), 1)
	}
	e := NewEngine(Config{
		Model: m, Controls: p, Users: Users{Blur: r.Blur},
		Workload: WorkloadConfig{Trace: trace, Rate: rate(), Seed: r.Seed, Start: int64(unit(Seed(r.Seed, "start")) * float64(trace.Span))},
	})
	p.engine, r.plan = e, p
	var cpu, fast cpuMeter
	var out []RigInterval
	for i := range intervals {
		if r.Change != nil {
			r.Change(r, i)
			p.loop.set = order()
			e.SetRate(rate())
		}
		var busy float64
		free := [loop.MaxCrowds]bool{}
		for k := range p.loop.state.Count {
			free[k] = p.loop.state.Crowds[k].Work < p.loop.set.MaxWork && p.loop.state.Crowds[k].Work > p.loop.set.MinWork
		}
		work := p.loop.state.Crowds
		p.demand, p.n, p.us = [loop.MaxCrowds]float64{}, [loop.MaxCrowds]int64{}, [loop.MaxCrowds]float64{}
		p.took, p.asked, p.lnWork = 0, 0, 0
		var total int64
		for s := range 5 {
			e.Run(e.Now()+2e9, math.MaxInt)
			u := fast.read(e, 0)
			busy += u / 5
			if s < 4 {
				p.loop.tick(u, 0, false)
			}
		}
		for k := range p.n {
			total += p.n[k]
		}
		stretch := p.took / max(p.asked, 1)
		for k := range p.loop.state.Count {
			if p.n[k] == 0 {
				continue
			}
			n := float64(p.n[k])
			t := float64(r.Target)
			out = append(out, RigInterval{
				Interval: i, Crowd: k, N: p.n[k], Truth: p.demand[k] / n * stretch / t, Measured: p.us[k] / n * 1000 / t,
				Work: work[k].Work, Free: free[k], Busy: busy, Level: p.lnWork / float64(max(total, 1)),
			})
		}
		p.loop.tick(fast.read(e, 0), cpu.read(e, 0), true)
	}
	return out
}

// Reasons gives what the loop said of each crowd at the end of the last run.
func (r *Rig) Reasons() (out []string) {
	for k := range r.plan.loop.state.Count {
		out = append(out, r.plan.loop.state.Crowds[k].Reason)
	}
	return out
}
