package lab

import (
	"time"

	"github.com/allspark/allspark/agent/loop"
	"github.com/allspark/allspark/proto/gear"
)

// crowd runs the production crowd loop of every machine, point and scene, as each
// agent does.
type crowd struct {
	s     *Setup
	salt  uint64
	loops []*crowdLoop // by machine, point, scene; nil where nothing is turned
	cpu   []cpuMeter   // by machine
	fast  []cpuMeter
	open  []openVisit // by visit
	all   []*crowdLoop
}

type openVisit struct {
	bin   uint8
	held  bool
	level uint8 // where orders are obeyed
}

type crowdLoop struct {
	machine, point int
	ladder         *Ladder
	set            loop.Settings
	state          loop.State
	mixes          [loop.MaxCrowds]loop.Mix
	down           [loop.MaxCrowds]bool // runs below the top
	window, fast   loop.Sample
}

// newCrowd makes the policy; crowds of 0 leaves their number to the strategy.
func newCrowd(s *Setup, crowds int) Policy {
	p := &crowd{s: s, salt: Seed(s.Seed, "crowd")}
	n := s.Model.MachineCount()
	p.cpu, p.fast = make([]cpuMeter, n), make([]cpuMeter, n)
	p.loops = make([]*crowdLoop, n*len(s.Ladders)*len(s.Model.Scenes))
	for m := range n {
		app, _, _ := s.Model.Place(m)
		for i, l := range s.Ladders {
			if l == nil || s.Model.Points[i].App != app {
				continue
			}
			for sc := range s.Model.Scenes {
				o := gear.Order{
					Strategy: gear.StrategyCrowdRT, Level: l.Top(), MinLevel: 1, MaxLevel: l.Top(),
					AvailableRT: time.Duration(s.Targets[i]) * time.Microsecond,
				}
				if crowds > 0 {
					o.Settings = []gear.Setting{{Name: gear.SettingCrowds, Value: gear.Int(int64(crowds))}}
				}
				c := &crowdLoop{machine: m, point: i, ladder: l, set: loop.SettingsOf(&o, l.Work)}
				c.state = loop.NewState(c.set)
				c.obey()
				p.loops[(m*len(s.Ladders)+i)*len(s.Model.Scenes)+sc] = c
				p.all = append(p.all, c)
			}
		}
	}
	return p
}

func newLinked(s *Setup) Policy { return newCrowd(s, 0) }

// obey turns the crowds' work into levels.
func (c *crowdLoop) obey() {
	for k := range c.state.Count {
		c.mixes[k] = loop.LevelsOf(c.ladder.Work, c.state.Crowds[k].Work, 1, c.ladder.Top())
		c.down[k] = c.mixes[k].Level < c.ladder.Top()
	}
}

func (p *crowd) loop(v *Visit) *crowdLoop {
	return p.loops[(int(v.Machine)*len(p.s.Ladders)+int(v.Point))*len(p.s.Model.Scenes)+int(v.Scene)]
}

func (p *crowd) Begin(v *Visit, r *Reading) {
	c := p.loop(v)
	if c == nil {
		return
	}
	for int(v.ID) >= len(p.open) {
		p.open = append(p.open, openVisit{})
	}
	b := loop.Bin(v.Load)
	k := c.state.Assign[b]
	word := draw(p.salt+uint64(v.Point), v.Key)
	held := c.down[k] && unit(mix(word)) < c.set.HoldOut
	p.open[v.ID] = openVisit{bin: uint8(b), held: held}
	level := c.ladder.Top()
	if !held {
		level = c.mixes[k].Pick(word)
	}
	*r = c.ladder.Rows[level-1]
}

func (p *crowd) End(v *Visit, res Result) {
	c := p.loop(v)
	if c == nil || res.Outcome == Refused || res.Outcome == Failed { // as agents do: it says nothing of what work costs
		return
	}
	o := p.open[v.ID]
	us := float64(res.Elapsed) / 1000
	bin := &c.fast.Bins[o.bin]
	if o.held {
		bin = &c.fast.HeldOut[o.bin]
		if us <= c.set.AvailableRT {
			c.fast.HeldOutGood[o.bin]++
		}
	}
	bin.N++
	bin.Sum += us
	bin.Square += us * us
}

func (p *crowd) Tick(now int64) {
	const emergency = 2 * time.Second
	if now%int64(emergency) != 0 {
		return
	}
	slow := now%int64(10*time.Second) == 0
	for m := range p.cpu {
		u := p.fast[m].read(p.s.Engine, m)
		v := 0.0
		if slow {
			v = p.cpu[m].read(p.s.Engine, m)
		}
		for i := range p.s.Ladders {
			for sc := range p.s.Model.Scenes {
				if c := p.loops[(m*len(p.s.Ladders)+i)*len(p.s.Model.Scenes)+sc]; c != nil {
					c.tick(u, v, slow)
				}
			}
		}
	}
}

// tick runs the emergency rule, and the crowd rule when its interval is over.
func (c *crowdLoop) tick(u, v float64, slow bool) {
	c.fast.Utilisation = u
	moved := false
	c.state, moved = loop.Emergency(c.state, &c.fast, c.set)
	c.window.Add(&c.fast)
	c.fast = loop.Sample{}
	if slow {
		c.window.Utilisation = v
		c.state = loop.Step(c.state, &c.window, c.set)
		c.window = loop.Sample{}
	} else if !moved {
		return
	}
	c.obey()
}
