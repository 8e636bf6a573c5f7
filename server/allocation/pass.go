package allocation

import (
	"math"
	"slices"
)

var infeasible = math.Inf(-1)

// pass solves the whole graph for every budget 0..span at one statistic. It
// works from the graph's end to its beginning: a state is the best effect of all
// that is left, by budget and, where what is left works on one point's output, by
// that output.
type pass struct {
	in      *Input
	links   *links
	span    int
	cost    [][]int          // ms by point and level
	waits   map[*prime][]int // times of a prime block's waits, while it is at work
	serial  bool             // of the stand-ins, take the feasible one
	supply  [][]float64
	fixed   []pinned // by point
	nothing *state

	slab, allSlab   []float64 // what is left of the newest piece, and the whole of it
	bytes, allBytes []uint8
	words, allWords []uint16
}

// state is what is left, with its value for each supply that may come.
type state struct {
	feeder int // whose output selects the curve; None: there is one curve
	supply []float64
	v      [][]float64 // by supply, by budget 0..span
	lo     int         // no budget below it is feasible
	back   tracer
}

// tracer unwinds the choices behind state s at supply u and budget t.
type tracer interface {
	trace(p *pass, u, t int, levels []int)
}

// newPass readies passes up to a budget.
func (in *Input) newPass(l *links, span int) *pass {
	p := &pass{in: in, links: l, span: span, cost: make([][]int, len(in.Points)), waits: map[*prime][]int{}}
	p.fixed = make([]pinned, len(in.Points))
	return p
}

// at sets the times to those of a quantile (an index of quantiles; mean for None).
func (p *pass) at(q int, figures [][]figures) *pass {
	for i := range figures {
		p.cost[i] = p.cost[i][:0]
		for l := range figures[i] {
			ms := figures[i][l].mean
			if q != None {
				ms = figures[i][l].quantiles[q]
			}
			p.cost[i] = append(p.cost[i], ceil(ms))
		}
	}
	p.serial = false
	return p
}

// prepare readies the pass for choice n of the fixed points.
func (p *pass) prepare(n int) {
	p.pin(n)
	p.slab, p.bytes, p.words = p.allSlab, p.allBytes, p.allWords
	p.supply = make([][]float64, len(p.in.Points))
	for i := range p.in.Points {
		if slices.Contains(p.links.feeder, i) && p.supply[i] == nil {
			p.supplies(i, 0)
		}
	}
}

// grow sizes the next piece of memory, in curves: twice the last one.
func (p *pass) grow(last int) int { return max(2*last, 2*len(p.in.Points)) }

// curve gives memory with anything in it, which holds until the next prepare.
func (p *pass) curve() []float64 {
	n := p.span + 1
	if len(p.slab) < n {
		p.allSlab = make([]float64, p.grow(len(p.allSlab)/n)*n)
		p.slab = p.allSlab
	}
	c := p.slab[:n:n]
	p.slab = p.slab[n:]
	return c
}

func (p *pass) emptyCurve() []float64 {
	c := p.curve()
	for i := range c {
		c[i] = infeasible
	}
	return c
}

func (p *pass) choices() []uint8 {
	n := p.span + 1
	if len(p.bytes) < n {
		p.allBytes = make([]uint8, p.grow(len(p.allBytes)/n)*n)
		p.bytes = p.allBytes
	}
	c := p.bytes[:n:n]
	p.bytes = p.bytes[n:]
	return c
}

func (p *pass) splits() []uint16 {
	n := p.span + 1
	if len(p.words) < n {
		p.allWords = make([]uint16, p.grow(len(p.allWords)/n)*n)
		p.words = p.allWords
	}
	c := p.words[:n:n]
	p.words = p.words[n:]
	return c
}

// solve puts the block in front of rest; rest nil is the end.
func (p *pass) solve(b *block, rest *state) *state {
	switch b.kind {
	case leafBlock:
		return p.leaf(b.point, rest)
	case waitBlock:
		ms := ceil(b.network)
		if b.prime != nil {
			ms = p.waits[b.prime][b.id]
		}
		return p.wait(ms, 1, rest)
	case seriesBlock:
		for i := len(b.kids) - 1; i >= 0; i-- {
			rest = p.solve(b.kids[i], rest)
		}
		return rest
	case callBlock:
		if b.times == 1 {
			return p.wait(ceil(b.network), 1, p.solve(b.kids[0], rest))
		}
		inner := p.wait(0, b.times, p.wait(ceil(b.network), 1, p.solve(b.kids[0], nil)))
		return p.join(inner, rest)
	case parallelBlock:
		sides := make([]*state, len(b.kids))
		for i, k := range b.kids {
			sides[i] = p.solve(k, nil)
		}
		return p.join(p.beside(sides), rest)
	default:
		return p.join(p.prime(b), rest)
	}
}

// wait is a time that nobody chooses, then rest times over.
func (p *pass) wait(ms, times int, rest *state) *state {
	if rest == nil {
		rest = p.end()
	}
	if ms == 0 && times == 1 {
		return rest
	}
	out := &state{feeder: rest.feeder, supply: rest.supply, lo: min(rest.lo*times+ms, p.span+1), back: &waitStep{ms, times, rest}}
	for _, v := range rest.v {
		c := p.emptyCurve()
		for t := out.lo; t < len(c); t++ {
			c[t] = v[(t-ms)/times]
		}
		out.v = append(out.v, c)
	}
	return out
}

type waitStep struct {
	ms, times int
	rest      *state
}

func (s *waitStep) trace(p *pass, u, t int, levels []int) {
	s.rest.back.trace(p, u, (t-s.ms)/s.times, levels)
}

func (p *pass) end() *state {
	if p.nothing == nil {
		p.nothing = &state{feeder: None, v: [][]float64{make([]float64, p.span+1)}, back: endStep{}}
	}
	return p.nothing
}

type endStep struct{}

func (endStep) trace(*pass, int, int, []int) {}

// at gives the index of supply u's curve.
func (s *state) at(u int) int {
	if s.feeder == None {
		return 0
	}
	return u
}

// merge tells on whose output two states depend together; links.plan has seen to
// it that there is at most one such point.
func merge(a, b *state) (feeder int, supply []float64) {
	if a.feeder != None {
		return a.feeder, a.supply
	}
	return b.feeder, b.supply
}

// beside adds up sides that share one budget.
func (p *pass) beside(sides []*state) *state {
	out := &state{feeder: None}
	for _, s := range sides {
		out.feeder, out.supply = merge(out, s)
		out.lo = max(out.lo, s.lo)
	}
	for u := range max(len(out.supply), 1) {
		c := p.emptyCurve()
		for t := out.lo; t < len(c); t++ {
			c[t] = 0
		}
		for _, s := range sides {
			v := s.v[s.at(u)]
			for t := out.lo; t < len(c); t++ {
				c[t] += v[t]
			}
		}
		out.v = append(out.v, c)
	}
	out.back = sidesStep(sides)
	return out
}

type sidesStep []*state

func (s sidesStep) trace(p *pass, u, t int, levels []int) {
	for _, side := range s {
		side.back.trace(p, side.at(u), t, levels)
	}
}

// join puts a block that does not see rest in front of it: for each supply a
// max-plus convolution, out[t] = max over x of head[x] + rest[t-x].
func (p *pass) join(head, rest *state) *state {
	if rest == nil {
		return head
	}
	out := &state{lo: min(head.lo+rest.lo, p.span+1)}
	out.feeder, out.supply = merge(head, rest)
	step := &joinStep{head: head, rest: rest}
	for u := range max(len(out.supply), 1) {
		c, arg := p.emptyCurve(), p.splits()
		a, b := head.v[head.at(u)], rest.v[rest.at(u)]
		if rises(a) <= rises(b) {
			convolve(c, arg, a, b, rest.lo)
		} else {
			convolve(c, arg, b, a, head.lo)
			for t := out.lo; t < len(arg); t++ {
				arg[t] = uint16(t) - arg[t]
			}
		}
		out.v, step.split = append(out.v, c), append(step.split, arg)
	}
	out.back = step
	return out
}

type joinStep struct {
	head, rest *state
	split      [][]uint16
}

func (s *joinStep) trace(p *pass, u, t int, levels []int) {
	x := int(s.split[u][t])
	s.head.back.trace(p, s.head.at(u), x, levels)
	s.rest.back.trace(p, s.rest.at(u), t-x, levels)
}

func rises(v []float64) (n int) {
	last := infeasible
	for _, x := range v {
		if x > last {
			last = x
			n++
		}
	}
	return n
}

// convolve takes a's budget only where a rises: spending more on it earns nothing.
func convolve(out []float64, arg []uint16, a, b []float64, lo int) {
	last := infeasible
	for s, v := range a {
		if v <= last {
			continue
		}
		last = v
		if s+lo >= len(out) {
			break
		}
		in, o, g := b[lo:len(b)-s], out[s+lo:], arg[s+lo:]
		o, g = o[:len(in)], g[:len(in)]
		for i, w := range in {
			if x := v + w; x > o[i] {
				o[i], g[i] = x, uint16(s)
			}
		}
	}
}
