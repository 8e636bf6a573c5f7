package allocation

import "slices"

// prime solves a block that is neither series nor parallel: for each choice of
// levels of its fixed kids a pass over the rest, and for each budget the best.
func (p *pass) prime(b *block) *state {
	q := b.prime
	if q.relaxed != nil {
		if p.serial {
			return p.solve(q.serial, nil)
		}
		return p.solve(q.relaxed, nil)
	}
	out := &state{feeder: None, v: [][]float64{p.emptyCurve()}, lo: p.span + 1}
	step := &primeStep{b: b, combo: make([]int32, p.span+1), solved: map[int32]*state{}}
	best := out.v[0]
	levels := make([]int, len(b.kids))
	combos := int32(1)
	for _, i := range append(slices.Clone(q.front), q.back...) {
		if k := b.kids[i]; k.kind == leafBlock {
			step.options = append(step.options, p.options(k.point, false))
			combos *= int32(len(step.options[len(step.options)-1]))
		}
	}
	for n := range combos {
		effect, least := p.fix(b, n, step.options, levels)
		inner := p.rest(q)
		v := inner.v[0]
		from := max(inner.lo, least)
		out.lo = min(out.lo, from)
		for t := from; t < len(best); t++ {
			if x := v[t] + effect; x > best[t] {
				best[t], step.combo[t] = x, n
			}
		}
	}
	out.lo = min(out.lo, p.span+1)
	out.back = step
	return out
}

func (p *pass) rest(q *prime) *state {
	if q.inner == nil {
		return p.end()
	}
	return p.solve(q.inner, nil)
}

// fix sets choice n of the fixed kids (levels is by kid, 0-based): it times the
// waits of the rest, and gives the kids' effect and the least budget they need
// among themselves.
func (p *pass) fix(b *block, n int32, options [][]option, levels []int) (effect float64, least int) {
	q := b.prime
	ends, tails := make([]int, len(b.kids)), make([]int, len(b.kids))
	one := func(i int, done []int, among []int, earlier func(j int) bool) {
		k := b.kids[i]
		ms := ceil(k.network)
		if k.kind == leafBlock {
			o := options[0][n%int32(len(options[0]))]
			n /= int32(len(options[0]))
			options = options[1:]
			levels[i], ms = o.level, o.cost
			effect += o.effect
		}
		for _, j := range among {
			if earlier(j) {
				done[i] = max(done[i], done[j])
			}
		}
		done[i] += ms
		least = max(least, done[i])
	}
	for x, i := range q.front {
		one(i, ends, q.front[:x], func(j int) bool { return q.before[j][i] })
	}
	for x, i := range q.back {
		one(i, tails, q.back[:x], func(j int) bool { return q.before[i][j] })
	}
	for _, i := range q.front {
		for _, j := range q.back {
			if q.before[i][j] {
				least = max(least, ends[i]+tails[j])
			}
		}
	}
	times := make([]int, len(q.waits))
	for w := range q.waits {
		for _, i := range q.waits[w].of {
			if q.waits[w].front {
				times[w] = max(times[w], ends[i])
			} else {
				times[w] = max(times[w], tails[i])
			}
		}
	}
	p.waits[q] = times
	return effect, least
}

type primeStep struct {
	b       *block
	combo   []int32
	options [][]option       // of the fixed kids that are points, front first
	solved  map[int32]*state // of the rest, by choice
}

func (s *primeStep) trace(p *pass, _, t int, levels []int) {
	n := s.combo[t]
	at := make([]int, len(s.b.kids))
	p.fix(s.b, n, s.options, at)
	inner := s.solved[n]
	if inner == nil {
		inner = p.rest(s.b.prime)
		s.solved[n] = inner
	}
	for _, fixed := range [...][]int{s.b.prime.front, s.b.prime.back} {
		for _, i := range fixed {
			if k := s.b.kids[i]; k.kind == leafBlock {
				levels[k.point] = p.level(k.point, at[i])
			}
		}
	}
	inner.back.trace(p, 0, t, levels)
}

// standIn tells whether a part of the graph is only bounded.
func (b *block) standIn() bool {
	if b.prime != nil && b.prime.relaxed != nil {
		return true
	}
	for _, k := range b.kids {
		if k.standIn() {
			return true
		}
	}
	return false
}
