package lab

import (
	"math"
	"sync"
	"time"

	"github.com/allspark/allspark/server/quota"
)

// quotaPolicy keeps every app within a budget of what it works on, under the
// production rules: one group an app over both IDCs, its window, its PID, its
// weights or prices (server/quota). The search node's group governs how many
// candidates enter prerank; rank and the model below work on what prerank hands
// on. Agents count for a frame and hear the base quota quotaPush after it was decided. Left out are
// the local cap and the fallback: they act inside a frame, and without a controller.
type quotaPolicy struct {
	s      *Setup
	groups [maxPoints]*quotaGroup // by point
	all    []*quotaGroup
	next   int64
}

// quotaMode is what differs between the policies of the family.
type quotaMode struct {
	law   quota.Law
	equal bool          // every user counts the same
	cpu   time.Duration // > 0: the same PID on CPU sampled this often, one sample late
}

// quotaPush is the way of a base quota to the agents.
const quotaPush = 200 * time.Millisecond

// quotaEpoch is the reference time of the model's 0.
var quotaEpoch = time.Unix(1_000_000_000, 0)

// quotaPoints are the points that groups govern.
var quotaPoints = []int{Merge, Prerank, Fetch, Select}

type quotaGroup struct {
	point, app int
	mode       quotaMode
	set        quota.Settings
	pid        quota.PID
	price      quota.Price
	ring       quota.Ring
	count      quota.Count // since the last tick
	fraction   float64     // what rounding left over
	held       quotaWord
	sent       []quotaWord // on their way
	meters     []cpuMeter
	machines   []int
	seen, next float64 // CPU: the sample in force, and the one that is late
}

// quotaWord is what agents are told.
type quotaWord struct {
	at          int64
	base, scale float64
	choices     []quota.Choice
}

func quotas(mode quotaMode) func(*Setup) Policy {
	return func(s *Setup) Policy { return newQuota(s, mode) }
}

func newQuota(s *Setup, mode quotaMode) Policy {
	p := &quotaPolicy{s: s, next: int64(quota.Tick)}
	for _, i := range quotaPoints {
		l := s.Ladders[i]
		g := &quotaGroup{point: i, app: s.Model.Points[i].App, mode: mode, set: quotaSettings(s, i, mode)}
		base := l.Rows[l.Default-1][0]
		g.held = quotaWord{base: base, scale: 1}
		g.pid.Begin(&g.set, base, quotaEpoch)
		for m := range s.Model.MachineCount() {
			if app, _, _ := s.Model.Place(m); app == g.app {
				g.machines = append(g.machines, m)
			}
		}
		g.meters = make([]cpuMeter, len(g.machines))
		g.seen, g.next = g.set.Watermark, g.set.Watermark
		p.groups[i] = g
		p.all = append(p.all, g)
	}
	return p
}

// quotaSettings are the defaults of a group, with the budget that the production
// calibrator reads off.
func quotaSettings(s *Setup, point int, mode quotaMode) quota.Settings {
	l := s.Ladders[point]
	set := quota.DefaultSettings()
	set.Total = max(s.budgets(mode.equal)[point], 1)
	set.Min, set.Max, set.Default = l.Rows[0][0], l.Rows[l.Top()-1][0], l.Rows[l.Default-1][0]
	set.Normalise = true
	if mode.law != "" {
		set.Law = mode.law
	}
	if mode.equal {
		set.WeightMin, set.WeightMax = 1, 1
	}
	if mode.law == quota.LawDCAF {
		set.Curves = quotaCurves(s, point)
	}
	if mode.cpu > 0 {
		set.FeedForward = false
		set.Window, set.Delay = mode.cpu, mode.cpu
	}
	return set
}

// quotaCurves are what an operator would have measured by experiment: the share of
// a full answer that a quota earns, by bucket of user value, as it is for a mean
// request at the default gears of everything else.
func quotaCurves(s *Setup, point int) []quota.Curve {
	levels := make([]int, len(s.Ladders))
	for i, l := range s.Ladders {
		if l != nil {
			levels[i] = l.Default
		}
	}
	if point == Prerank {
		levels[Rank] = s.Ladders[Rank].at(0.6) // it works on what prerank hands on
	}
	f := fluid{s.Model, s.Ladders}
	var points []quota.Gain
	l := s.Ladders[point]
	for k := range quota.MaxCurvePoints {
		levels[point] = 1 + k*(l.Top()-1)/(quota.MaxCurvePoints-1)
		q := l.Rows[levels[point]-1][0]
		if n := len(points); n > 0 && q <= points[n-1].Quota {
			continue
		}
		worth, _ := f.at(levels)
		points = append(points, quota.Gain{Quota: q, Gain: worth})
	}
	var out []quota.Curve
	edges := []float64{0, 0.2, 0.4, 0.7, 1.2, 2, 3.5}
	for i, from := range edges {
		to := from * 2.5
		if i+1 < len(edges) {
			to = edges[i+1]
		}
		out = append(out, quota.Curve{From: from, Value: max((from+to)/2, 0.1), Points: points})
	}
	return out
}

func (p *quotaPolicy) Begin(v *Visit, r *Reading) {
	for p.next <= v.Now {
		p.tick(p.next)
		p.next += int64(quota.Tick)
	}
	switch g := p.groups[v.Point]; {
	case g != nil:
		r[0] = g.take(v.Value)
	case v.Point == Rank:
		r[0] = rankMost // what prerank hands on
	}
}

// rankMost is the most that rank takes of what prerank hands on.
const rankMost = 300

func (p *quotaPolicy) End(*Visit, Result) {}
func (p *quotaPolicy) Tick(int64)         {}

// take is what the agent does with a request: weigh, clamp, round, count.
func (g *quotaGroup) take(value float64) float64 {
	exact := 0.0
	if len(g.held.choices) > 0 {
		exact = g.held.choices[0].Quota
		for _, c := range g.held.choices {
			if value >= c.From {
				exact = c.Quota
			}
		}
	} else {
		exact = quota.Final(&g.set, g.held.base, g.held.scale, value, g.set.Max)
	}
	n := math.Floor(exact + g.fraction)
	g.fraction += exact - n
	g.count.Consumed += int64(n)
	g.count.Requests++
	g.count.Weight += int64(1000 * quota.Weight(value, g.set.WeightMin, g.set.WeightMax))
	return n
}

func (p *quotaPolicy) tick(now int64) {
	at := quotaEpoch.Add(time.Duration(now))
	for _, g := range p.all {
		for len(g.sent) > 0 && g.sent[0].at <= now {
			g.held, g.sent = g.sent[0], g.sent[1:]
		}
		for _, part := range quota.Spread(nil, at, quota.Tick, g.count) {
			g.ring.Add(part)
		}
		g.count = quota.Count{}
		sums := quota.Read(at, min(g.set.Window, quota.MaxWindow), g.ring.At)
		x := quota.NewSample(at, sums)
		if g.mode.cpu > 0 {
			g.measure(p.s.Engine, now)
			x = quota.Sample{Now: at, Sum: g.set.Total * g.seen / g.set.Watermark}
		}
		w := quotaWord{at: now + int64(quotaPush), scale: quota.Scale(&g.set, sums.Window.Weight, sums.Window.Requests)}
		if g.set.Law == quota.LawDCAF {
			w.choices, _ = g.price.Step(&g.set, x)
		} else {
			w.base, _ = g.pid.Step(&g.set, x)
		}
		g.sent = append(g.sent, w)
	}
}

// measure reads CPU as a metrics system does: sampled, and seen one sample late.
func (g *quotaGroup) measure(e *Engine, now int64) {
	if now%int64(g.mode.cpu) != 0 {
		return
	}
	u := 0.0
	for i, m := range g.machines {
		u += g.meters[i].read(e, m) / float64(len(g.machines))
	}
	g.seen, g.next = g.next, max(u, 0.01)
}

// surveys are a plan's calibrations, with users weighed and with all the same.
type surveys [2]struct {
	once   sync.Once
	totals []float64 // by point
}

// budgets has the production calibrator find what each group's machines bear at
// the watermark: the machines run at the planned peak while each quota is moved
// below the static level that fits it, and every five seconds gives a reading of consumption and CPU. Users
// are weighed as they will be: those of high value also ask more of a candidate.
func (p *Plan) budgets(equal bool) []float64 {
	survey := &p.surveys[0]
	if equal {
		survey = &p.surveys[1]
	}
	survey.once.Do(func() {
		s := p.Scenario
		s.Slow, s.Users.Retries = 0, 0
		m := s.model()
		cfg := s.config(m, searchSeeds[0])
		c := &quotaSurvey{m: m, ladders: p.ladders, set: quota.DefaultSettings()}
		if equal {
			c.set.WeightMin, c.set.WeightMax = 1, 1
		}
		cfg.Controls = c
		e := NewEngine(cfg)
		e.SetRate(s.copies(max(s.Peak, 1)))
		meters := make([]cpuMeter, m.MachineCount())
		readings := make([][]quota.Reading, len(m.Points))
		const every, rounds = 5, 60
		for k := range rounds {
			for _, i := range quotaPoints {
				fits := p.ladders[i].Rows[p.peak[i]-1][0]
				c.base[i] = fits * (0.3 + 0.7*unit(draw(uint64(i), uint64(k))))
			}
			c.consumed = [maxPoints]float64{}
			e.Run(e.Now()+every*int64(time.Second), math.MaxInt)
			var cpu [maxPoints]float64
			for i := range meters {
				app, _, _ := m.Place(i)
				cpu[app] += meters[i].read(e, i) / float64(len(m.IDCs)*m.Machines)
			}
			for _, i := range quotaPoints {
				if u := cpu[m.Points[i].App]; u < 0.9 { // a full machine says nothing of the slope
					readings[i] = append(readings[i], quota.Reading{At: quotaEpoch.Add(time.Duration(e.Now())), Consumed: c.consumed[i] / every, CPU: u, Machines: 1})
				}
			}
		}
		survey.totals = make([]float64, len(m.Points))
		for _, i := range quotaPoints {
			got := quota.Calibrate(&c.set, readings[i], quotaEpoch.Add(time.Duration(e.Now())), 1, "")
			if survey.totals[i] = got.Total; !(got.Total > 0) { // even the least is too much at the planned peak
				survey.totals[i] = p.ladders[i].Rows[0][0] * nominal * max(s.Peak, 1) * float64(len(m.IDCs)*m.Machines)
			}
		}
	})
	return survey.totals
}

// quotaSurvey runs quotas at a base that nobody moves.
type quotaSurvey struct {
	Free
	m        *Model
	ladders  []*Ladder
	base     [maxPoints]float64
	consumed [maxPoints]float64
	set      quota.Settings
}

func (c *quotaSurvey) Begin(v *Visit, r *Reading) {
	for _, i := range quotaPoints {
		if int(v.Point) == i {
			l := c.ladders[i]
			most := l.Rows[l.Top()-1][0]
			w := quota.Weight(v.Value, c.set.WeightMin, c.set.WeightMax)
			r[0] = math.Round(min(max(c.base[i]*w, l.Rows[0][0]), most))
			c.consumed[i] += r[0]
		}
	}
	if v.Point == Rank {
		r[0] = rankMost
	}
}
