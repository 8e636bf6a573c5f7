package allocation

import "slices"

// links decides which feeders a pass can carry. A pass walks the graph from its
// end to its beginning and carries one supply: that of the point whose output
// everything behind works on. A consumer whose feeder would need a second one is
// dropped: the pass then takes its supply as ample, the result is measured with
// the true flow, and the table says who it was and how far the bound is away.
type links struct {
	in       *Input
	feeder   []int // None where dropped
	dropped  []int
	consumer []int // a point's only consumer, which books its effect; None otherwise
	changed  bool
}

func (in *Input) links(root *block) *links {
	l := &links{in: in, feeder: make([]int, len(in.Points)), consumer: make([]int, len(in.Points))}
	for i := range in.Points {
		l.feeder[i] = in.Points[i].Feeder
		if in.Isolated {
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
		if in.Isolated {
			continue
		}
		if c := in.consumers(i); len(c) == 1 && l.feeder[c[0]] == i && in.Points[i].outputRises() {
			l.consumer[i] = c[0]
		}
	}
	slices.Sort(l.dropped)
	return l
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
