package allocation

import (
	"math"
	"slices"
)

type kind uint8

const (
	leafBlock     kind = iota
	waitBlock          // a time that no level changes: network, or what has been fixed
	seriesBlock        // one after the other
	parallelBlock      // side by side
	callBlock          // its one kid, its network, perhaps several times
	primeBlock         // neither series nor parallel: see prime.go
)

// block is a piece of the decomposed graph.
type block struct {
	kind    kind
	id      int // of a wait: index of its time; otherwise rising over the tree
	node    int
	point   int
	kids    []*block
	network float64 // ms, of a call or a dissolved call's wait
	times   int     // 1 + retries
	prime   *prime
}

// tree decomposes a poset by its comparability graph: unconnected parts run side
// by side; where the complement is unconnected, the parts run one after the
// other. Both tests are exact, so a poset comes out whole only if it is neither.
type tree struct {
	in *Input
	o  *order
	n  int
}

func (in *Input) decompose() *block {
	t := &tree{in: in, o: newOrder(&in.Graph)}
	return t.within(None)
}

func (t *tree) within(parent int) *block {
	return t.build(t.o.members(parent), t.o.before, t.single, func(n []int) *block { return t.reduce(n) })
}

func (t *tree) next() int { t.n++; return t.n - 1 }

// single is the block of one node.
func (t *tree) single(i int) *block {
	n := &t.o.g.Nodes[i]
	b := &block{kind: leafBlock, id: t.next(), node: i, point: n.Point, network: n.Network, times: 1 + n.Retries}
	switch {
	case t.o.dissolved[i]:
		b.kind = waitBlock
	case n.Call:
		b.kind = callBlock
		inner := t.within(i)
		if n.Point != None {
			inner = &block{kind: leafBlock, id: t.next(), node: i, point: n.Point, times: 1}
		}
		if inner == nil { // a call that nothing is known of but its network
			inner = &block{kind: waitBlock, id: t.next(), node: None, point: None, times: 1}
		}
		b.point, b.kids = None, []*block{inner}
	}
	return b
}

// build gives the block of some nodes; prime is asked for the parts that are
// neither series nor parallel.
func (t *tree) build(nodes []int, before [][]bool, single func(int) *block, prime func([]int) *block) *block {
	switch len(nodes) {
	case 0:
		return nil
	case 1:
		return single(nodes[0])
	}
	tied := func(a, b int) bool { return before[a][b] || before[b][a] }
	parts, k := split(nodes, tied), parallelBlock
	if len(parts) == 1 {
		parts, k = split(nodes, func(a, b int) bool { return !tied(a, b) }), seriesBlock
	}
	if len(parts) == 1 {
		return prime(nodes)
	}
	slices.SortFunc(parts, func(x, y []int) int {
		if k == parallelBlock {
			return slices.Min(x) - slices.Min(y)
		}
		if before[x[0]][y[0]] {
			return -1
		}
		return 1
	})
	b := &block{kind: k, node: None, point: None, times: 1}
	for _, p := range parts {
		kid := t.build(p, before, single, prime)
		if kid == nil {
			return nil
		}
		b.kids = append(b.kids, kid)
	}
	b.id = t.next()
	return b
}

// points are the points at work in the block.
func (b *block) points(out []int) []int {
	if b.kind == leafBlock {
		return append(out, b.point)
	}
	for _, k := range b.kids {
		out = k.points(out)
	}
	return out
}

// ceil is a time on the grid of whole milliseconds, with rounding of sums forgiven.
func ceil(ms float64) int { return int(math.Ceil(ms - slack)) }
