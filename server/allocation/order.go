package allocation

// order is the graph's precedence, closed transitively, with every call that a
// cross-link enters or leaves dissolved into its parts.
type order struct {
	g         *Graph
	dissolved []bool
	parent    []int    // the nearest call around a node that is not dissolved
	before    [][]bool // before[i][j]: i is over before j begins
	self      int      // a node linked with a call it runs in; None when there is none
}

func newOrder(g *Graph) *order {
	n := len(g.Nodes)
	o := &order{g: g, dissolved: make([]bool, n), parent: make([]int, n), before: make([][]bool, n), self: None}
	for i := range o.before {
		o.before[i] = make([]bool, n)
	}
	for _, e := range g.Edges {
		if o.within(e.To, e.From) || o.within(e.From, e.To) {
			o.self = e.To
			continue
		}
		top := g.Nodes[e.From].Parent
		for top != None && !o.within(e.To, top) {
			top = g.Nodes[top].Parent
		}
		for _, end := range [...]int{e.From, e.To} {
			for at := g.Nodes[end].Parent; at != top; at = g.Nodes[at].Parent {
				o.dissolved[at] = true
			}
		}
	}
	for i := range g.Nodes {
		at := g.Nodes[i].Parent
		if at != None && o.dissolved[at] {
			o.before[at][i] = true // a dissolved call's network comes before its parts
		}
		for at != None && o.dissolved[at] {
			at = g.Nodes[at].Parent
		}
		o.parent[i] = at
	}
	for _, e := range g.Edges {
		o.before[e.From][e.To] = true
		if o.dissolved[e.From] { // it is over when all its parts are
			for x := range g.Nodes {
				if o.within(x, e.From) {
					o.before[x][e.To] = true
				}
			}
		}
	}
	closeOver(o.before)
	return o
}

// within tells whether node x runs within the call top.
func (o *order) within(x, top int) bool {
	for x = o.g.Nodes[x].Parent; x != None; x = o.g.Nodes[x].Parent {
		if x == top {
			return true
		}
	}
	return false
}

// precedes tells whether a is over before b begins, calls around them considered.
func (o *order) precedes(a, b int) bool {
	for x := a; x != None; x = o.parent[x] {
		for y := b; y != None; y = o.parent[y] {
			if o.parent[x] == o.parent[y] && o.before[x][y] {
				return true
			}
		}
	}
	return false
}

// circle finds a node that would have to be over before it begins.
func (o *order) circle() int {
	if o.self != None {
		return o.self
	}
	for i := range o.before {
		if o.before[i][i] {
			return i
		}
	}
	return None
}

// closeOver makes a relation transitive.
func closeOver(m [][]bool) {
	for k := range m {
		for i := range m {
			if m[i][k] {
				for j, ok := range m[k] {
					if ok {
						m[i][j] = true
					}
				}
			}
		}
	}
}

// members are the nodes directly within a call (None: at the top).
func (o *order) members(parent int) (out []int) {
	for i, p := range o.parent {
		if p == parent {
			out = append(out, i)
		}
	}
	return out
}

// split divides nodes into the connected components of a symmetric relation.
func split(nodes []int, related func(a, b int) bool) [][]int {
	var out [][]int
	left := append([]int(nil), nodes...)
	for len(left) > 0 {
		group := []int{left[0]}
		left = left[1:]
		for i := 0; i < len(group); i++ {
			rest := left[:0]
			for _, b := range left {
				if related(group[i], b) {
					group = append(group, b)
				} else {
					rest = append(rest, b)
				}
			}
			left = rest
		}
		out = append(out, group)
	}
	return out
}
