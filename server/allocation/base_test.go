package allocation_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/scripts/bench/cpu"
	"github.com/allspark/allspark/server/allocation"
)

// The base: a plain max-plus pass over a binary series-parallel tree, tuned as
// far as it goes without leaving the plain form. Integers for values, one split
// a budget for going back, a convolution over the steps of the side that has
// fewer.
type plain struct {
	point, left, right int // left, right None for a leaf
	parallel           bool
}

type plainTable struct {
	value [][]int64
	split [][]int32
}

const never = math.MinInt64 / 4

func plainSolve(tree []plain, cost [][]int, worth [][]int64, span int) plainTable {
	t := plainTable{make([][]int64, len(tree)), make([][]int32, len(tree))}
	for i, n := range tree { // kids stand before their parents
		v, s := make([]int64, span+1), make([]int32, span+1)
		switch {
		case n.left == allocation.None:
			for x := range v {
				v[x] = never
			}
			for l, c := range cost[n.point] {
				if c <= span && worth[n.point][l] > v[c] {
					v[c], s[c] = worth[n.point][l], int32(l)
				}
			}
			for x := 1; x <= span; x++ {
				if v[x] < v[x-1] {
					v[x], s[x] = v[x-1], s[x-1]
				}
			}
		case n.parallel:
			for x := range v {
				v[x] = max(t.value[n.left][x]+t.value[n.right][x], never)
			}
		default:
			a, b := t.value[n.left], t.value[n.right]
			swapped := plainSteps(b) < plainSteps(a)
			if swapped {
				a, b = b, a
			}
			for x := range v {
				v[x] = never
			}
			last := int64(never)
			for x, w := range a {
				if w == last {
					continue
				}
				last = w
				o, g, in := v[x:], s[x:], b[:len(b)-x]
				o, g = o[:len(in)], g[:len(in)]
				for k, y := range in {
					if y += w; y > o[k] {
						o[k], g[k] = y, int32(x)
					}
				}
			}
			if swapped {
				for x := range s {
					s[x] = int32(x) - s[x]
				}
			}
		}
		t.value[i], t.split[i] = v, s
	}
	return t
}

func plainSteps(v []int64) (n int) {
	for i := range v {
		if i == 0 || v[i] != v[i-1] {
			n++
		}
	}
	return n
}

func (t *plainTable) trace(tree []plain, i, budget int, levels []int) {
	n := tree[i]
	switch {
	case n.left == allocation.None:
		levels[n.point] = int(t.split[i][budget]) + 1
	case n.parallel:
		t.trace(tree, n.left, budget, levels)
		t.trace(tree, n.right, budget, levels)
	default:
		s := int(t.split[i][budget])
		t.trace(tree, n.left, s, levels)
		t.trace(tree, n.right, budget-s, levels)
	}
}

// engine is a graph of n points with g levels: a series of 40 % of them with
// pairs and threes side by side between, as an engine's stages are. The same
// graph as a binary tree is for the base.
func engine(n, g int, spread bool, classes int) (*allocation.Input, []plain) {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	in := &allocation.Input{From: 50, To: 500, Statistic: allocation.Statistic{Q: 0.99}}
	for c := range classes {
		in.Classes = append(in.Classes, allocation.Class{Share: 1 / float64(classes), Name: string(rune('a' + c))})
	}
	for i := range n {
		p := allocation.Point{Feeder: allocation.None, Name: string(rune('A'+i/26)) + string(rune('a'+i%26))}
		worth, slowest := 500+4500*r.Float64(), 10+20*r.Float64()
		for l := range g {
			x := float64(l+1) / float64(g)
			v := allocation.Level{Work: 8 * x, Effect: math.Floor(worth * math.Sqrt(x) * (0.9 + 0.2*r.Float64()))}
			ms := 1 + slowest*x
			if !spread {
				ms = math.Floor(1 + 4*slowest*x)
			}
			for c := range classes {
				v.RT = append(v.RT, times(ms*(1+0.6*float64(c)), spread))
			}
			p.Levels = append(p.Levels, v)
		}
		in.Points = append(in.Points, p)
		in.Graph.Nodes = append(in.Graph.Nodes, allocation.Node{Point: i, Parent: allocation.None, Name: p.Name})
	}
	var tree []plain
	add := func(p plain) int { tree = append(tree, p); return len(tree) - 1 }
	root, before := allocation.None, []int(nil)
	for i := 0; i < n; {
		width := min(1+r.IntN(3), n-i)
		stage, now := allocation.None, []int(nil)
		for range width {
			leaf := add(plain{point: i, left: allocation.None, right: allocation.None})
			if stage == allocation.None {
				stage = leaf
			} else {
				stage = add(plain{left: stage, right: leaf, parallel: true})
			}
			for _, b := range before {
				in.Graph.Edges = append(in.Graph.Edges, allocation.Edge{From: b, To: i})
			}
			now = append(now, i)
			i++
		}
		before = now
		if root == allocation.None {
			root = stage
		} else {
			root = add(plain{left: root, right: stage})
		}
	}
	return in, tree
}

func flat(in *allocation.Input) (cost [][]int, worth [][]int64) {
	for i := range in.Points {
		var c []int
		var w []int64
		for _, l := range in.Points[i].Levels {
			c, w = append(c, int(math.Ceil(l.RT[0].Quantile(0.99)))), append(w, int64(l.Effect))
		}
		cost, worth = append(cost, c), append(worth, w)
	}
	return cost, worth
}

// BenchmarkPass solves all budgets 0..500 and recovers the levels of 50..500.
func BenchmarkPass(b *testing.B) {
	in, tree := engine(30, 100, false, 1)
	levels := make([]int, len(in.Points))
	b.Run("ours", func(b *testing.B) {
		pass := allocation.NewPass(in, 500)
		cpu.Loop(b, func(n int) {
			for range n {
				pass.Solve(levels)
			}
		})
	})
	b.Run("base", func(b *testing.B) {
		cost, worth := flat(in)
		cpu.Loop(b, func(n int) {
			for range n {
				t := plainSolve(tree, cost, worth, 500)
				for target := 50; target <= 500; target++ {
					if t.value[len(tree)-1][target] > never {
						t.trace(tree, len(tree)-1, target, levels)
					}
				}
			}
		})
	})
}

func TestPassAgreesWithBase(t *testing.T) {
	in, tree := engine(30, 100, false, 1)
	cost, worth := flat(in)
	base := plainSolve(tree, cost, worth, 500)
	ours := allocation.NewPass(in, 500).Solve(make([]int, 30))
	for target := range 501 {
		want := float64(base.value[len(tree)-1][target])
		if want < 0 {
			require.True(t, math.IsInf(ours[target], -1), target)
			continue
		}
		require.InDelta(t, want, ours[target], 1e-6, target)
	}
}

// BenchmarkTails builds the whole table for p99: five passes, and the true
// percentile of each vector within three load classes.
func BenchmarkTails(b *testing.B) {
	in, _ := engine(30, 100, true, 3)
	b.Run("ours", func(b *testing.B) {
		cpu.Loop(b, func(n int) {
			for range n {
				t, problems := allocation.Build(in)
				if problems != nil || len(t.Rows) == 0 {
					b.Fatal(problems)
				}
			}
		})
	})
}

// BenchmarkLinked is one pass over a chain of 30 points with 100 levels, each of
// which works on the output of the one before.
func BenchmarkLinked(b *testing.B) {
	in := chain(30, 100)
	levels := make([]int, len(in.Points))
	b.Run("ours", func(b *testing.B) {
		pass := allocation.NewPass(in, 500)
		cpu.Loop(b, func(n int) {
			for range n {
				pass.Solve(levels)
			}
		})
	})
}

func chain(n, g int) *allocation.Input {
	in, _ := engine(n, g, false, 1)
	in.Graph.Edges = nil
	for i := range n {
		p := &in.Points[i]
		for l := range p.Levels {
			p.Levels[l].RT[0] = allocation.Fixed(1 + math.Floor(float64(l)/5))
			p.Levels[l].Cap, p.Levels[l].Output = float64(10*(l+1)), float64(10*(l+1)-i%3)
		}
		if i > 0 {
			p.Feeder = i - 1
			in.Graph.Edges = append(in.Graph.Edges, allocation.Edge{From: i - 1, To: i})
		}
	}
	return in
}
