package lab

import (
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/feedback"
)

// central runs the production rule of strategy central: one level for each point
// and IDC, on the metrics that reach the controller.
type central struct {
	s     *Setup
	salt  uint64
	loops []centralLoop // by IDC, then point
	where []int         // machine -> IDC
}

type centralLoop struct {
	ladder *Ladder
	set    feedback.Settings
	state  feedback.State
	level  int
	sum    rollup
	past   []rollup // by second, the last at the end
}

// rollup is one second of a point, as it reaches the controller.
type rollup struct {
	n          int64
	us, levels float64
}

func newCentral(s *Setup) Policy {
	p := &central{s: s, salt: Seed(s.Seed, "central")}
	for m := range s.Model.MachineCount() {
		_, idc, _ := s.Model.Place(m)
		p.where = append(p.where, idc)
	}
	for range s.Model.IDCs {
		for i, l := range s.Ladders {
			c := centralLoop{ladder: l}
			if l != nil {
				c.set = feedback.SettingsOf(&gear.Order{
					Strategy: gear.StrategyCentral, Level: l.Default, MinLevel: 1, MaxLevel: l.Top(),
					AvailableRT: time.Duration(s.Targets[i]) * time.Microsecond,
				}, l.Work...)
				c.level = l.Default
			}
			p.loops = append(p.loops, c)
		}
	}
	return p
}

func (p *central) loop(v *Visit) *centralLoop {
	return &p.loops[p.where[v.Machine]*len(p.s.Ladders)+int(v.Point)]
}

func (p *central) Begin(v *Visit, r *Reading) {
	if c := p.loop(v); c.ladder != nil {
		*r = c.ladder.Rows[c.level-1]
	}
}

func (p *central) End(v *Visit, res Result) {
	if c := p.loop(v); c.ladder != nil && res.Outcome != Refused {
		c.sum.n++
		c.sum.us += float64(res.Elapsed) / 1000
		c.sum.levels += float64(c.level)
	}
}

func (p *central) Tick(now int64) {
	if now%int64(time.Second) != 0 {
		return
	}
	sc := p.s.Scenario
	t := float64(now-int64(sc.Warm)) / 1e9
	gone := t >= sc.Outage[0] && t < sc.Outage[1]
	for i := range p.loops {
		c := &p.loops[i]
		if c.ladder == nil {
			continue
		}
		second := c.sum
		c.sum = rollup{}
		if sc.Loss > 0 && unit(draw(p.salt+uint64(i), uint64(now))) < sc.Loss {
			second = rollup{}
		}
		c.past = append(c.past, second)
		if now%int64(c.set.Interval) != 0 || gone {
			continue
		}
		end := max(len(c.past)-int(sc.Delay/time.Second), 0)
		var in rollup
		for _, r := range c.past[max(end-int(c.set.Interval/time.Second), 0):end] {
			in.n, in.us, in.levels = in.n+r.n, in.us+r.us, in.levels+r.levels
		}
		sample := feedback.Sample{Count: in.n}
		if in.n > 0 {
			sample.MeanRT, sample.Level = in.us/float64(in.n), in.levels/float64(in.n)
		}
		c.state, c.level, _ = feedback.Central(c.state, sample, c.set)
	}
}
