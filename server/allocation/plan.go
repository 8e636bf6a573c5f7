package allocation

import "slices"

// links decides which feeders a pass can carry. A pass walks the graph from its
// end to its beginning and carries one supply: that of the point whose output
// everything behind works on. A feeder that would be a second one is fixed,
// together with all that feeds it: a pass for each choice of their levels. Where
// that would take too many passes, only some levels are tried; where even that
// would, the consumer is dropped: the pass takes its supply as ample. In both
// cases results are measured with the true flow, and the table says who it was
// and how far the bound is away.
type links struct {
	in       *Input
	feeder   []int   // None where dropped or fixed
	fixed    []int   // points, feeders before their consumers
	try      [][]int // levels to try of each, 0-based
	combos   int
	dropped  []int
	thinned  []int // consumers of feeders of which not all levels are tried
	consumer []int // a point's only consumer, which books its effect; None otherwise
	changed  bool
}

// Passes over the choices of fixed feeders: with times that vary each costs far
// more than its own time, because its vectors are judged.
const (
	maxFixed      = 1024
	maxFixedTails = 64
	leastTried    = 4 // levels of a fixed point; with fewer it is not worth it
)

func (in *Input) links(root *block, limit int) *links {
	l := &links{in: in}
	l.settle(root)
	for len(l.dropped) > 0 && limit > 1 {
		fixed := l.fixed
		for f := in.Points[l.dropped[0]].Feeder; f != None && !slices.Contains(fixed, f); f = in.Points[f].Feeder {
			fixed = append(slices.Clone(fixed), f)
		}
		more := &links{in: in, fixed: fixed}
		if !more.choose(limit) {
			break
		}
		more.settle(root)
		l = more
	}
	if l.combos == 0 {
		l.combos = 1
	}
	return l
}

// choose picks the levels to try; false when there would be too few.
func (l *links) choose(limit int) bool {
	in := l.in
	depth := func(i int) (d int) {
		for i = in.Points[i].Feeder; i != None; i = in.Points[i].Feeder {
			d++
		}
		return d
	}
	slices.SortStableFunc(l.fixed, func(a, b int) int { return depth(a) - depth(b) })
	l.combos = 1
	for _, i := range l.fixed {
		lo, hi := in.Points[i].span()
		var all []int
		for x := lo - 1; x < hi; x++ {
			all = append(all, x)
		}
		l.try = append(l.try, all)
		l.combos *= len(all)
	}
	for l.combos > limit {
		most := 0
		for k := range l.try {
			if len(l.try[k]) > len(l.try[most]) {
				most = k
			}
		}
		old := l.try[most]
		if len(old) <= leastTried {
			return false
		}
		l.combos /= len(old)
		var kept []int
		for k := 0; k < len(old)-1; k += 2 {
			kept = append(kept, old[k])
		}
		l.try[most] = append(kept, old[len(old)-1])
		l.combos *= len(l.try[most])
		l.thinned = append(l.thinned, in.consumers(l.fixed[most])...)
	}
	slices.Sort(l.thinned)
	l.thinned = slices.Compact(l.thinned)
	return true
}

// settle finds out what is carried once l.fixed are fixed.
func (l *links) settle(root *block) {
	in := l.in
	l.feeder, l.consumer = make([]int, len(in.Points)), make([]int, len(in.Points))
	for i := range in.Points {
		l.feeder[i] = in.Points[i].Feeder
		if slices.Contains(l.fixed, i) || slices.Contains(l.fixed, l.feeder[i]) {
			l.feeder[i] = None
		}
	}
	for range len(in.Points) + 1 {
		l.changed = false
		l.plan(root, None)
		if !l.changed {
			break
		}
	}
	for i := range in.Points {
		l.consumer[i] = None
		if c := in.consumers(i); len(c) == 1 && l.sees(c[0]) && in.Points[i].outputRises() {
			l.consumer[i] = c[0]
		}
	}
	slices.Sort(l.dropped)
}

// sees tells whether a pass knows the supply of point c: it is carried, or fixed.
func (l *links) sees(c int) bool {
	return l.feeder[c] != None || slices.Contains(l.fixed, l.in.Points[c].Feeder)
}

// inexact lists the points whose rows are not known to be the best.
func (l *links) inexact() []int {
	out := append(slices.Clone(l.dropped), l.thinned...)
	slices.Sort(out)
	return slices.Compact(out)
}

func (in *Input) consumers(f int) (out []int) {
	for i := range in.Points {
		if in.Points[i].Feeder == f {
			out = append(out, i)
		}
	}
	return out
}

// outputRises tells whether output says which level a point is at, so that the
// effect of a part of it is known.
func (p *Point) outputRises() bool {
	for l := 1; l < len(p.Levels); l++ {
		if p.Levels[l].Output <= p.Levels[l-1].Output {
			return false
		}
	}
	return p.Levels[0].Output > 0
}

func (l *links) drop(c int) {
	if l.feeder[c] != None {
		l.feeder[c] = None
		l.dropped = append(l.dropped, c)
		l.changed = true
	}
}

func (l *links) dropConsumers(f int, among func(int) bool) {
	for c, q := range l.feeder {
		if q == f && among(c) {
			l.drop(c)
		}
	}
}

// plan gives the point on whose output the block and what follows it depend,
// when what follows depends on live.
func (l *links) plan(b *block, live int) int {
	switch b.kind {
	case leafBlock:
		q := l.feeder[b.point]
		if live == None || live == b.point || q == live {
			return q
		}
		if q != None {
			l.drop(b.point)
		}
		return live
	case seriesBlock:
		for i := len(b.kids) - 1; i >= 0; i-- {
			live = l.plan(b.kids[i], live)
		}
	case callBlock:
		if b.times == 1 {
			return l.plan(b.kids[0], live)
		}
		return l.beside(b, live)
	case parallelBlock:
		return l.beside(b, live)
	case primeBlock:
		inside := b.points(nil)
		for _, p := range inside {
			l.drop(p)
		}
		if live != None && slices.Contains(inside, live) {
			l.dropConsumers(live, func(int) bool { return true })
			return None
		}
	}
	return live
}

// beside is for blocks whose kids do not see what follows: all of them, and what
// follows, may depend on one and the same point before the block.
func (l *links) beside(b *block, live int) int {
	inside := b.points(nil)
	if live != None && slices.Contains(inside, live) {
		l.dropConsumers(live, func(c int) bool { return !slices.Contains(inside, c) })
		live = None
	}
	for _, k := range b.kids {
		r := l.plan(k, None)
		switch {
		case r == None:
		case live == None:
			live = r
		case r != live:
			mine := k.points(nil)
			l.dropConsumers(r, func(c int) bool { return slices.Contains(mine, c) })
		}
	}
	return live
}
