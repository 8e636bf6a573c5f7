package allocation

import (
	"cmp"
	"slices"
)

// Bounds of the search for nodes to fix and of the passes they cost. In a part of
// more than maxPrime kids the searches would take minutes and find next to nothing.
const (
	maxTries  = 200
	maxCombos = 1024
	maxPrime  = 48
)

// prime is a part of the graph that is neither series nor parallel. With the
// levels of a few nodes fixed the rest is: a fixed node at the front becomes a
// wait before each of its successors, one at the end a wait after each of its
// predecessors. Where that would cost more than maxCombos passes, two graphs that
// are series-parallel stand in: relaxed lacks some precedence and bounds the
// effect from above, serial has more of it and is feasible.
type prime struct {
	before [][]bool // of the kids, which stand in the block's order
	front  []int    // kids fixed at the front, predecessors first
	back   []int    // kids fixed at the end, successors first
	waits  []wait   // times of inner's waits
	inner  *block   // nil when nothing is left
	combos int

	relaxed, serial *block // instead of the above
}

// wait is the longest of the given fixed kids' ends (front) or tails.
type wait struct {
	front bool
	of    []int
}

func (t *tree) reduce(nodes []int) *block {
	b := &block{kind: primeBlock, node: None, point: None, times: 1}
	n := len(nodes)
	before := make([][]bool, n)
	for i, x := range nodes {
		b.kids = append(b.kids, t.single(x))
		before[i] = make([]bool, n)
		for j, y := range nodes {
			before[i][j] = t.o.before[x][y]
		}
	}
	b.id = t.next()
	b.prime = t.search(b.kids, before)
	return b
}

// options is how many levels a kid has to be fixed at; 0 when it cannot be.
func (t *tree) options(k *block) int {
	switch k.kind {
	case waitBlock:
		return 1
	case leafBlock:
		lo, hi := t.in.Points[k.point].span()
		return hi - lo + 1
	}
	return 0
}

// search fixes ever more nodes, the cheapest sets first, until the rest decomposes.
func (t *tree) search(kids []*block, before [][]bool) *prime {
	if len(kids) > maxPrime {
		return t.standIns(kids, before)
	}
	queue := []*prime{{before: before, combos: 1}}
	seen := map[string]bool{}
	for range maxTries {
		if len(queue) == 0 || queue[0].combos > maxCombos {
			break
		}
		p := queue[0]
		queue = queue[1:]
		if len(p.front)+len(p.back) > 0 && t.settle(p, kids) {
			return p
		}
		for i := range kids {
			o := t.options(kids[i])
			if o == 0 || slices.Contains(p.front, i) || slices.Contains(p.back, i) {
				continue
			}
			for _, front := range [...]bool{true, false} {
				if !p.extreme(i, front) {
					continue
				}
				q := &prime{before: before, combos: p.combos * o, front: slices.Clone(p.front), back: slices.Clone(p.back)}
				if front {
					q.front = append(q.front, i)
				} else {
					q.back = append(q.back, i)
				}
				if k := q.key(); !seen[k] {
					seen[k] = true
					queue = append(queue, q)
				}
			}
		}
		slices.SortStableFunc(queue, func(a, b *prime) int { return cmp.Compare(a.combos, b.combos) })
	}
	return t.standIns(kids, before)
}

func (p *prime) key() string {
	k := make([]byte, len(p.before))
	for _, i := range p.front {
		k[i] = 1
	}
	for _, i := range p.back {
		k[i] = 2
	}
	return string(k)
}

// extreme tells whether everything before i is fixed at the front, or everything
// after it at the end.
func (p *prime) extreme(i int, front bool) bool {
	for j := range p.before {
		if front && p.before[j][i] && !slices.Contains(p.front, j) || !front && p.before[i][j] && !slices.Contains(p.back, j) {
			return false
		}
	}
	return true
}

// settle builds the rest around the fixed kids, if it decomposes.
func (t *tree) settle(p *prime, kids []*block) bool {
	n := len(kids)
	var rest []int
	for i := range kids {
		if !slices.Contains(p.front, i) && !slices.Contains(p.back, i) {
			rest = append(rest, i)
		}
	}
	// Extended nodes: the kids, then the waits.
	ext := make([][]bool, n, 3*n)
	for i := range ext {
		ext[i] = make([]bool, 3*n)
		copy(ext[i], p.before[i])
	}
	nodes := slices.Clone(rest)
	p.waits = nil
	for _, v := range rest {
		for _, front := range [...]bool{true, false} {
			if of := p.nearest(v, front); len(of) > 0 {
				w := len(ext)
				ext = append(ext, make([]bool, 3*n))
				for _, x := range rest {
					if front && (x == v || p.before[v][x]) {
						ext[w][x] = true
					}
					if !front && (x == v || p.before[x][v]) {
						ext[x][w] = true
					}
				}
				nodes = append(nodes, w)
				p.waits = append(p.waits, wait{front, of})
			}
		}
	}
	for len(ext) < 3*n {
		ext = append(ext, make([]bool, 3*n))
	}
	closeOver(ext)
	failed := false
	p.inner = t.build(nodes, ext, func(i int) *block {
		if i < n {
			return kids[i]
		}
		return &block{kind: waitBlock, id: i - n, node: None, point: None, times: 1, prime: p}
	}, func([]int) *block { failed = true; return nil })
	return !failed
}

// nearest are the fixed kids right before (or after) v, with none between.
func (p *prime) nearest(v int, front bool) (out []int) {
	fixed, precedes := p.front, func(a, b int) bool { return p.before[a][b] }
	if !front {
		fixed, precedes = p.back, func(a, b int) bool { return p.before[b][a] }
	}
	for _, d := range fixed {
		if !precedes(d, v) {
			continue
		}
		between := false
		for x := range p.before {
			between = between || precedes(d, x) && precedes(x, v)
		}
		if !between {
			out = append(out, d)
		}
	}
	return out
}

// standIns makes the two series-parallel graphs for a part with too many levels
// to fix.
func (t *tree) standIns(kids []*block, before [][]bool) *prime {
	n := len(kids)
	p := &prime{before: before}
	all := make([]int, n)
	depth := make([]int, n)
	for range n {
		for i := range all {
			all[i] = i
			for j := range all {
				if before[j][i] {
					depth[i] = max(depth[i], depth[j]+1)
				}
			}
		}
	}
	single := func(i int) *block { return kids[i] }
	failed := false
	fail := func([]int) *block { failed = true; return nil }
	layers := square(n, func(i, j int) bool { return depth[i] < depth[j] })
	p.serial = t.build(all, layers, single, fail)

	if n > maxPrime {
		p.relaxed = t.build(all, square(n, func(int, int) bool { return false }), single, fail)
		return p
	}
	// Take away covering pairs one at a time, each time the one after whose loss
	// the rest decomposes, else the first: without any, everything is parallel.
	pairs := square(n, func(i, j int) bool { return before[i][j] })
	for range n * n {
		at := [2]int{None, None}
		for i := range n {
			for j := range n {
				if !pairs[i][j] || covered(pairs, i, j) {
					continue
				}
				pairs[i][j] = false
				failed = false
				p.relaxed = t.build(all, pairs, single, fail)
				if !failed {
					return p
				}
				pairs[i][j] = true
				if at[0] == None {
					at = [2]int{i, j}
				}
			}
		}
		pairs[at[0]][at[1]] = false
	}
	return p
}

func square(n int, is func(i, j int) bool) [][]bool {
	out := make([][]bool, n)
	for i := range out {
		out[i] = make([]bool, n)
		for j := range out[i] {
			out[i][j] = is(i, j)
		}
	}
	return out
}

// covered tells whether another node lies between i and j.
func covered(m [][]bool, i, j int) bool {
	for x := range m {
		if m[i][x] && m[x][j] {
			return true
		}
	}
	return false
}
