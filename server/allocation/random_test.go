package allocation_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/allspark/allspark/server/allocation"
)

// shape is what a random instance may have.
type shape struct {
	points, levels int
	maxMS          int
	series         bool // any order, or only ones that decompose
	calls, links   bool
	cross          bool
	spread         bool // times vary
	classes        int
	offGrid        bool
}

// random makes an instance. Effects rise with the level, roughly concave and off
// by up to 20 %, so that a hull would not find the best choice.
func random(r *rand.Rand, s shape) *allocation.Input {
	in := &allocation.Input{From: 1, To: s.points * s.maxMS * 2}
	n := max(s.classes, 1)
	for c := range n {
		in.Classes = append(in.Classes, allocation.Class{Name: fmt.Sprint("c", c), Share: 1 / float64(n)})
	}
	if n > 1 {
		in.Classes[0].Share, in.Classes[n-1].Share = in.Classes[0].Share+0.5/float64(n), in.Classes[n-1].Share-0.5/float64(n)
	}
	for i := range s.points {
		p := allocation.Point{Name: fmt.Sprint("p", i), Feeder: allocation.None}
		worth := 1 + 9*r.Float64()
		for l := range s.levels {
			x := float64(l+1) / float64(s.levels)
			ms := float64(1 + r.IntN(s.maxMS))
			if !s.offGrid {
				ms = math.Ceil(ms * x)
			} else {
				ms *= x
			}
			v := allocation.Level{Work: 10 * x, Effect: worth * math.Sqrt(x) * (0.8 + 0.4*r.Float64())}
			for c := range n {
				v.RT = append(v.RT, times(ms*(1+1.5*float64(c)), s.spread))
			}
			p.Levels = append(p.Levels, v)
		}
		if r.IntN(2) == 0 {
			for l := 1; l < len(p.Levels); l++ {
				p.Levels[l].Effect = max(p.Levels[l].Effect, p.Levels[l-1].Effect)
			}
		}
		in.Points = append(in.Points, p)
		in.Graph.Nodes = append(in.Graph.Nodes, allocation.Node{Name: p.Name, Point: i, Parent: allocation.None})
	}
	if s.calls {
		for range 1 + r.IntN(2) {
			id := len(in.Graph.Nodes)
			call := allocation.Node{Name: fmt.Sprint("call", id), Point: allocation.None, Call: true, Parent: allocation.None, Network: float64(r.IntN(3))}
			if !s.cross && r.IntN(3) == 0 {
				call.Retries = 1
			}
			parent := allocation.None
			if id > s.points && r.IntN(2) == 0 {
				parent = id - 1
			}
			call.Parent = parent
			in.Graph.Nodes = append(in.Graph.Nodes, call)
			for i := range s.points {
				if in.Graph.Nodes[i].Parent == parent && r.IntN(2) == 0 {
					in.Graph.Nodes[i].Parent = id
				}
			}
		}
	}
	order(r, in, s)
	if s.links {
		feed(r, in, s)
	}
	return in
}

func times(ms float64, spread bool) allocation.Dist {
	if !spread {
		return allocation.Fixed(ms)
	}
	var q []allocation.Quantile
	for _, z := range [...]struct{ q, z float64 }{{0.01, -2.3}, {0.1, -1.28}, {0.25, -0.67}, {0.5, 0}, {0.75, 0.67}, {0.9, 1.28}, {0.99, 2.3}} {
		q = append(q, allocation.Quantile{Q: z.q, MS: ms * math.Exp(0.4*z.z)})
	}
	return allocation.FromQuantiles(q)
}

// order draws precedence among siblings: any at all, or series and parallel.
func order(r *rand.Rand, in *allocation.Input, s shape) {
	groups := map[int][]int{}
	for i, n := range in.Graph.Nodes {
		groups[n.Parent] = append(groups[n.Parent], i)
	}
	link := func(a, b int) { in.Graph.Edges = append(in.Graph.Edges, allocation.Edge{From: a, To: b}) }
	for parent := range len(in.Graph.Nodes) + 1 {
		g := groups[parent-1]
		r.Shuffle(len(g), func(i, j int) { g[i], g[j] = g[j], g[i] })
		if !s.series {
			for i := range g {
				for j := i + 1; j < len(g); j++ {
					if r.IntN(2) == 0 {
						link(g[i], g[j])
					}
				}
			}
			continue
		}
		var cut func(g []int)
		cut = func(g []int) {
			if len(g) < 2 {
				return
			}
			m := 1 + r.IntN(len(g)-1)
			cut(g[:m])
			cut(g[m:])
			if r.IntN(3) > 0 {
				for _, a := range g[:m] {
					for _, b := range g[m:] {
						link(a, b)
					}
				}
			}
		}
		cut(g)
	}
	if s.cross {
		for range 2 {
			a, b := r.IntN(s.points), r.IntN(s.points)
			link(a, b)
			if len(in.Check()) > 0 {
				in.Graph.Edges = in.Graph.Edges[:len(in.Graph.Edges)-1]
			}
		}
	}
}

// feed lets points work on the output of others, where the order allows it.
func feed(r *rand.Rand, in *allocation.Input, s shape) {
	for i := range in.Points {
		p := &in.Points[i]
		top := 5 + 20*r.Float64()
		for l := range p.Levels {
			x := float64(l+1) / float64(s.levels)
			p.Levels[l].Cap = math.Round(top * x * 2)
			p.Levels[l].Output = math.Round(top * x * (1 + r.Float64()))
			if l > 0 && p.Levels[l].Cap < p.Levels[l-1].Cap {
				p.Levels[l].Cap = p.Levels[l-1].Cap
			}
		}
		if r.IntN(2) == 0 { // outputs that rise, so that the effect of a part is known
			for l := 1; l < len(p.Levels); l++ {
				p.Levels[l].Output = max(p.Levels[l].Output, p.Levels[l-1].Output+1)
			}
			p.Levels[0].Output = max(p.Levels[0].Output, 1)
			slices.SortFunc(p.Levels, func(a, b allocation.Level) int { return int(a.Output - b.Output) })
		}
	}
	for i := range in.Points {
		if r.IntN(3) == 0 {
			continue
		}
		in.Points[i].Feeder = r.IntN(len(in.Points))
		if len(in.Check()) > 0 {
			in.Points[i].Feeder = allocation.None
		}
	}
}

// longest is a second way to find the longest path: by relaxing starts and ends
// until nothing moves, a call at a time.
func longest(in *allocation.Input, ms []float64) float64 {
	g := &in.Graph
	retried := func(i int) bool { return g.Nodes[i].Retries > 0 }
	var span func(parent int) float64
	span = func(parent int) float64 {
		start, end := make([]float64, len(g.Nodes)), make([]float64, len(g.Nodes))
		inside := make([]bool, len(g.Nodes))
		for i := range g.Nodes {
			for at := g.Nodes[i].Parent; ; at = g.Nodes[at].Parent {
				if at == parent {
					inside[i] = true
				}
				if at == allocation.None || retried(at) {
					break
				}
			}
		}
		for range len(g.Nodes) + 2 {
			for i, n := range g.Nodes {
				if !inside[i] {
					continue
				}
				if p := n.Parent; p != parent {
					start[i] = max(start[i], start[p]+g.Nodes[p].Network)
				}
				for _, e := range g.Edges {
					if e.To == i && inside[e.From] {
						start[i] = max(start[i], end[e.From])
					}
				}
				switch {
				case n.Point != allocation.None:
					end[i] = start[i] + ms[n.Point]
				case retried(i):
					end[i] = start[i] + (n.Network+span(i))*float64(1+n.Retries)
				default:
					end[i] = max(end[i], start[i]+n.Network)
				}
				for p := n.Parent; p != parent; p = g.Nodes[p].Parent {
					end[p] = max(end[p], end[i])
				}
			}
		}
		return slices.Max(end)
	}
	return span(allocation.None)
}

// vectors visits every choice of levels.
func vectors(in *allocation.Input, visit func(levels []int)) {
	levels := make([]int, len(in.Points))
	for i := range levels {
		levels[i] = 1
	}
	for {
		visit(levels)
		i := 0
		for ; i < len(levels); i++ {
			if levels[i]++; levels[i] <= len(in.Points[i].Levels) {
				break
			}
			levels[i] = 1
		}
		if i == len(levels) {
			return
		}
	}
}
