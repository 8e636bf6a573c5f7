package allocation

import (
	"cmp"
	"math"
	"slices"
)

// option is one way to run a point: at a level with its cap filled, or at the
// first level whose cap the supply does not fill.
type option struct {
	level  int // 0-based
	cost   int
	effect float64
	out    float64
}

// earns is the effect of point i when x of its cap are filled at level l (a whole
// level has x = cap), plus, where i is the only consumer of its feeder, the effect
// that the feeder earns by the part of its output that is taken.
func (p *pass) earns(i, l int, x float64) float64 {
	e := 0.0
	if p.links.consumer[i] == None {
		e = p.in.Points[i].effectAt(l, x)
	}
	if f := p.in.Points[i].Feeder; f != None && p.links.consumer[f] == i {
		e += p.in.Points[f].effectOf(x)
	}
	return e
}

// options lists the ways to run point i when its supply is known or ample.
func (p *pass) options(i int, output bool) []option {
	if f := p.fixed[i]; f.is {
		if p.cost[i][f.ran] > p.span {
			return nil
		}
		return []option{{f.ran, p.cost[i][f.ran], p.earns(i, f.ran, f.taken), f.out}}
	}
	f := p.in.Points[i].Feeder
	if f == None || !p.fixed[f].is {
		return p.whole(i, output)
	}
	supply := p.fixed[f].out
	whole := slices.DeleteFunc(p.whole(i, true), func(o option) bool { return capOf(&p.in.Points[i].Levels[o.level]) > supply })
	if o, ok := p.filled(i, supply); ok {
		whole = append(whole, o)
	}
	slices.SortStableFunc(whole, func(a, b option) int { return cmp.Compare(a.cost, b.cost) })
	return whole
}

// level is the level to give a point that is to run at l (0-based).
func (p *pass) level(i, l int) int {
	if f := p.fixed[i]; f.is {
		return f.level + 1
	}
	lo, _ := p.in.Points[i].span()
	return max(l+1, lo)
}

// pinned is a fixed point: its level, and how it runs at the supply it then gets.
type pinned struct {
	is         bool
	level, ran int // 0-based
	taken, out float64
}

// pin sets choice n of the fixed points.
func (p *pass) pin(n int) {
	for k, i := range p.links.fixed {
		pt := &p.in.Points[i]
		l := p.links.try[k][n%len(p.links.try[k])]
		n /= len(p.links.try[k])
		x, ran := capOf(&pt.Levels[l]), l
		if f := pt.Feeder; f != None {
			if supply := p.fixed[f].out; x > supply {
				x, ran = supply, pt.fits(supply)
			}
		}
		p.fixed[i] = pinned{true, l, ran, x, pt.outputAt(ran, x)}
	}
}

// whole lists the levels with their caps filled, those that another one dominates
// left out: no dearer, no less effect, and where it counts no less output. Levels
// below a concave hull stay: the best choice for a budget may be one of them.
func (p *pass) whole(i int, output bool) []option {
	pt := &p.in.Points[i]
	lo, hi := pt.span()
	out := make([]option, 0, hi-lo+1)
	for l := lo - 1; l < hi; l++ {
		if p.cost[i][l] > p.span {
			continue
		}
		v := &pt.Levels[l]
		x := v.Cap
		if x == 0 {
			x = math.Inf(1)
		}
		out = append(out, option{l, p.cost[i][l], p.earns(i, l, x), v.Output})
	}
	byCost := func(a, b option) int {
		if a.cost != b.cost {
			return a.cost - b.cost
		}
		return cmp.Compare(b.effect, a.effect)
	}
	if !slices.IsSortedFunc(out, byCost) {
		slices.SortStableFunc(out, byCost)
	}
	kept := out[:0]
	best := infeasible
	for _, o := range out {
		if o.effect > best || output {
			kept = append(kept, o)
		}
		best = max(best, o.effect)
	}
	return kept
}

// leaf puts point i in front of rest.
func (p *pass) leaf(i int, rest *state) *state {
	if rest == nil && p.links.feeder[i] == None {
		return p.alone(i)
	}
	if rest == nil {
		rest = p.end()
	}
	if p.links.feeder[i] != None {
		return p.fed(i, rest)
	}
	out := &state{feeder: rest.feeder, supply: rest.supply}
	step := &leafStep{point: i, rest: rest, feeds: rest.feeder == i}
	curves := rest.v
	if step.feeds {
		out.feeder, out.supply, curves = None, nil, rest.v[:1]
	}
	options := p.options(i, step.feeds)
	if len(options) == 0 {
		out.lo = p.span + 1
	} else {
		out.lo = min(options[0].cost+rest.lo, p.span+1)
	}
	step.outs = options
	for _, v := range curves {
		c, arg := p.emptyCurve(), p.choices()
		if step.feeds {
			for _, o := range options {
				lift(c, arg, rest.v[p.supplyIndex(i, o.out)], rest.lo, o)
			}
		} else {
			liftAll(c, arg, v, rest.lo, options)
		}
		out.v, step.choice = append(out.v, c), append(step.choice, arg)
	}
	out.back = step
	return out
}

// alone is point i with nothing after it: a step a level.
func (p *pass) alone(i int) *state {
	c, arg := p.curve(), p.choices()
	best, at, t := infeasible, uint8(0), 0
	out := &state{feeder: None, v: [][]float64{c}, lo: p.span + 1}
	for _, o := range p.options(i, false) {
		if o.effect <= best {
			continue
		}
		for ; t < o.cost; t++ {
			c[t], arg[t] = best, at
		}
		best, at = o.effect, uint8(o.level)
		out.lo = min(out.lo, o.cost)
	}
	for ; t < len(c); t++ {
		c[t], arg[t] = best, at
	}
	out.back = &leafStep{point: i, rest: p.end(), choice: [][]uint8{arg}}
	return out
}

// lift offers one option for every budget.
func lift(out []float64, arg []uint8, in []float64, lo int, o option) {
	if o.cost+lo >= len(out) {
		return
	}
	in = in[lo : len(in)-o.cost]
	c, g := out[o.cost+lo:], arg[o.cost+lo:]
	c, g = c[:len(in)], g[:len(in)]
	for t, w := range in {
		if x := w + o.effect; x > c[t] {
			c[t], g[t] = x, uint8(o.level)
		}
	}
}

// liftAll offers all options of one curve.
func liftAll(out []float64, arg []uint8, in []float64, lo int, options []option) {
	for _, o := range options {
		lift(out, arg, in, lo, o)
	}
}

type leafStep struct {
	point  int
	outs   []option
	rest   *state
	feeds  bool
	choice [][]uint8
}

func (s *leafStep) trace(p *pass, u, t int, levels []int) {
	l := int(s.choice[u][t])
	levels[s.point] = p.level(s.point, l)
	if s.feeds {
		n := slices.IndexFunc(s.outs, func(o option) bool { return o.level == l })
		u = p.supplyIndex(s.point, s.outs[n].out)
	}
	s.rest.back.trace(p, s.rest.at(u), t-p.cost[s.point][l], levels)
}

// fed puts a point that works on the output of another in front of rest.
//
// With supply u a level whose cap is at most u runs whole, whatever u is; all
// others run alike, filled to u. So as u rises the whole levels are offered once
// each, to one running maximum, and for each u only the filled one is new: 2·G
// offers instead of G² for G levels and as many supplies, and still exact.
func (p *pass) fed(i int, rest *state) *state {
	pt := &p.in.Points[i]
	f := p.links.feeder[i]
	out := &state{feeder: f, supply: p.supply[f], lo: p.span + 1}
	step := &fedStep{point: i, rest: rest}
	feeds, passes := rest.feeder == i, rest.feeder == f
	whole := p.whole(i, true)
	slices.SortStableFunc(whole, func(a, b option) int { return cmp.Compare(capOf(&pt.Levels[a.level]), capOf(&pt.Levels[b.level])) })
	run, arg := p.emptyCurve(), p.choices()
	next := 0
	for u, supply := range out.supply {
		behind := func(o option) []float64 {
			switch {
			case feeds:
				return rest.v[p.supplyIndex(i, o.out)]
			case passes:
				return rest.v[u]
			}
			return rest.v[0]
		}
		if passes { // what follows depends on u too: nothing can be carried over
			next = 0
			for t := range run {
				run[t] = infeasible
			}
		}
		for ; next < len(whole) && capOf(&pt.Levels[whole[next].level]) <= supply; next++ {
			lift(run, arg, behind(whole[next]), rest.lo, whole[next])
			out.lo = min(out.lo, whole[next].cost+rest.lo)
		}
		c, g := p.curve(), p.choices()
		copy(c, run)
		copy(g, arg)
		if o, ok := p.filled(i, supply); ok {
			lift(c, g, behind(o), rest.lo, o)
			out.lo = min(out.lo, o.cost+rest.lo)
		}
		out.v, step.choice = append(out.v, c), append(step.choice, g)
	}
	out.lo = min(out.lo, p.span+1)
	out.back = step
	return out
}

// filled is how the point runs when it may take more than there is.
func (p *pass) filled(i int, supply float64) (option, bool) {
	pt := &p.in.Points[i]
	_, hi := pt.span()
	if capOf(&pt.Levels[hi-1]) <= supply {
		return option{}, false
	}
	l := pt.fits(supply)
	if p.cost[i][l] > p.span {
		return option{}, false
	}
	return option{l, p.cost[i][l], p.earns(i, l, supply), pt.outputAt(l, supply)}, true
}

type fedStep struct {
	point  int
	rest   *state
	choice [][]uint8
}

func (s *fedStep) trace(p *pass, u, t int, levels []int) {
	pt := &p.in.Points[s.point]
	l := int(s.choice[u][t])
	levels[s.point] = p.level(s.point, l)
	next := u
	if s.rest.feeder == s.point {
		next = p.supplyIndex(s.point, pt.outputAt(l, p.supply[p.links.feeder[s.point]][u]))
	}
	s.rest.back.trace(p, s.rest.at(next), t-p.cost[s.point][l], levels)
}

// maxSupplies bounds how many outputs of a point a pass tells apart; beyond, the
// outputs of levels that are not filled are rounded down to one it knows.
const maxSupplies = 512

// supplies lists what point i may hand on, by rising amount.
func (p *pass) supplies(i, depth int) {
	pt := &p.in.Points[i]
	lo, hi := pt.span()
	var out []float64
	for l := lo - 1; l < hi; l++ {
		out = append(out, pt.Levels[l].Output)
	}
	if f := pt.Feeder; f != None && p.fixed[f].is { // its supply is known
		for _, o := range p.options(i, true) {
			out = append(out, o.out)
		}
	}
	if f := p.links.feeder[i]; f != None && depth < len(p.in.Points) {
		if p.supply[f] == nil {
			p.supplies(f, depth+1)
		}
		for _, u := range p.supply[f] {
			if len(out) < maxSupplies && capOf(&pt.Levels[hi-1]) > u {
				out = append(out, pt.outputAt(pt.fits(u), u))
			}
		}
	}
	slices.Sort(out)
	p.supply[i] = slices.Compact(out)
}

// supplyIndex finds the largest known output of point i that is at most x.
func (p *pass) supplyIndex(i int, x float64) int {
	n, found := slices.BinarySearch(p.supply[i], x)
	if found {
		return n
	}
	return max(n-1, 0)
}
