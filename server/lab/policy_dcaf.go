package lab

import (
	"math"
	"sort"
	"time"
)

// dcaf gives each request the gear where one more unit of CPU stops being worth
// its price: argmax v·Q(j) - λ·cost(j) (DCAF, arXiv 2006.09684). It is told each
// user's value and the model's own value and cost curves, which an operator would
// have to estimate; λ of each app and IDC holds CPU at its goal.
type dcaf struct {
	s      *Setup
	prices []dcafPrice // by IDC, then app
	where  []int
	hulls  []hull // by point
	meters []cpuMeter
	mean   float64 // load of the mean request
	power  float64 // MaxPower: ln of the most work a request may have
	n, bad float64 // requests since the last look, and those lost
}

type dcafPrice struct {
	machines []int
	ln       float64
}

// hull holds the levels worth choosing, and what each must at least earn for a
// unit of cost beside the one before.
type hull struct {
	levels []int
	ratio  []float64 // falling
}

const (
	dcafGoal  = 0.85
	dcafEvery = 5 * time.Second
	dcafGain  = 1.0 // Δln λ for a whole machine too much
)

func newDCAF(s *Setup) Policy {
	apps := len(s.Model.Apps)
	p := &dcaf{
		s: s, prices: make([]dcafPrice, len(s.Model.IDCs)*apps), hulls: make([]hull, len(s.Ladders)),
		meters: make([]cpuMeter, s.Model.MachineCount()), mean: s.Scenario.trace().MeanLoad,
	}
	for m := range p.meters {
		app, idc, _ := s.Model.Place(m)
		p.where = append(p.where, idc*apps+app)
		p.prices[idc*apps+app].machines = append(p.prices[idc*apps+app].machines, m)
	}
	for i, l := range s.Ladders {
		if l == nil {
			continue
		}
		p.hulls[i] = hullOf(s.Model, i, l)
		h := &p.hulls[i]
		start := h.ratio[min(len(h.ratio)-1, len(h.ratio)*4/5)]
		for g := range p.prices {
			if g%apps == s.Model.Points[i].App {
				p.prices[g].ln = math.Log(start)
			}
		}
	}
	return p
}

// worthOf is a point's share of a full answer at one of its levels, without
// regard to what comes from above.
func worthOf(m *Model, point int, r *Reading) (worth, cost float64) {
	p := &m.Points[point]
	top, _ := p.Params[0].Max.Number()
	worth = p.Weight * (1 - math.Exp(-r[0]/p.Scale)) / (1 - math.Exp(-top/p.Scale))
	cost = float64(p.Slope) * r[0]
	if p.Weight == 0 {
		worth = 0
	}
	if len(p.Factor) > 0 {
		i := min(max(int(r[1]), 0), len(p.Factor)-1)
		worth *= p.Quality[i]
		cost *= p.Factor[i]
	}
	if p.Multiply > 0 {
		rank, _ := m.Points[p.Above].Params[0].Default.Number()
		cost *= rank / p.Multiply // what ranking usually hands on
	}
	return worth, cost
}

// hullOf keeps the levels on the upper hull of worth over cost.
func hullOf(m *Model, point int, l *Ladder) hull {
	var h hull
	var w, c []float64
	for i := range l.Rows {
		worth, cost := worthOf(m, point, &l.Rows[i])
		for len(h.levels) > 0 {
			k := len(h.levels) - 1
			ratio := (worth - w[k]) / max(cost-c[k], 1e-9)
			if worth > w[k] && (k == 0 || ratio < h.ratio[k]) {
				break
			}
			if worth <= w[k] {
				break
			}
			h.levels, h.ratio, w, c = h.levels[:k], h.ratio[:k], w[:k], c[:k]
		}
		ratio := math.Inf(1)
		if k := len(h.levels) - 1; k >= 0 {
			if worth <= w[k] {
				continue
			}
			ratio = (worth - w[k]) / max(cost-c[k], 1e-9)
		}
		h.levels, h.ratio, w, c = append(h.levels, i+1), append(h.ratio, ratio), append(w, worth), append(c, cost)
	}
	return h
}

// pick is the highest level that still pays at a price.
func (h *hull) pick(price float64) int {
	i := sort.Search(len(h.ratio), func(i int) bool { return h.ratio[i] < price })
	return h.levels[max(i, 1)-1]
}

func (p *dcaf) Begin(v *Visit, r *Reading) {
	l := p.s.Ladders[v.Point]
	if l == nil {
		return
	}
	top := l.at(math.Exp(p.power))
	price := math.Exp(p.prices[p.where[v.Machine]].ln) * v.Load / p.mean / max(v.Value, 1e-9)
	*r = l.Rows[min(p.hulls[v.Point].pick(price), top)-1]
}

func (p *dcaf) End(v *Visit, res Result) {
	if v.Point == Entry {
		p.n++
		if res.Outcome != OK {
			p.bad++
		}
	}
}

func (p *dcaf) Tick(now int64) {
	if now%int64(dcafEvery) != 0 {
		return
	}
	// MaxPower answers to what users see: 0.5 % lost is the most.
	if lost := p.bad / max(p.n, 1); lost > 0.005 {
		p.power -= 0.05 * min(lost/0.005, 6)
	} else {
		p.power += 0.02
	}
	p.power = min(max(p.power, -3), 0)
	p.n, p.bad = 0, 0
	for i := range p.prices {
		g := &p.prices[i]
		u := 0.0
		for _, m := range g.machines {
			u += p.meters[m].read(p.s.Engine, m) / float64(len(g.machines))
		}
		g.ln = min(max(g.ln+dcafGain*(u-dcafGoal)/(1-dcafGoal)*0.3, -40), 5)
	}
}
