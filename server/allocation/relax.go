package allocation

import "slices"

// relax gives the value of the linear relaxation for every budget 0..span at the
// mean of each level: points may run at mixtures of levels. It bounds the effect
// from above on series-parallel graphs without links, and says how much of it is
// lost because levels are whole.
//
// The relaxation needs no simplex: the value of a point is the concave hull of its
// levels; that of a series of concave functions takes their pieces by falling
// slope; side by side they add up; and both keep them concave.
func (in *Input) relax(b *block, f [][]figures, span int) []float64 {
	out := make([]float64, span+1)
	switch b.kind {
	case leafBlock:
		return in.hull(b.point, f, span)
	case waitBlock, callBlock:
		ms := ceil(b.network)
		if b.kind == callBlock {
			out = in.relax(b.kids[0], f, span)
		}
		moved := make([]float64, span+1)
		for t := range moved {
			if x := t/b.times - ms; x >= 0 {
				moved[t] = out[x]
			} else {
				moved[t] = infeasible
			}
		}
		return moved
	case parallelBlock:
		for _, k := range b.kids {
			for t, v := range in.relax(k, f, span) {
				out[t] += v
			}
		}
		return out
	case seriesBlock:
		lo, base := 0, 0.0
		var rises []float64
		for _, k := range b.kids {
			v := in.relax(k, f, span)
			t := 0
			for t <= span && v[t] == infeasible {
				t++
			}
			if lo += t; t <= span {
				base += v[t]
			}
			for ; t < span; t++ {
				rises = append(rises, v[t+1]-v[t])
			}
		}
		slices.SortFunc(rises, func(x, y float64) int {
			if x > y {
				return -1
			}
			return 1
		})
		for t := range out {
			switch {
			case t < lo:
				out[t] = infeasible
			case t == lo:
				out[t] = base
			default:
				out[t] = out[t-1] + rises[t-lo-1]
			}
		}
		return out
	}
	return in.relax(b.prime.relaxed, f, span)
}

// hull is the least concave function above a point's levels.
func (in *Input) hull(i int, f [][]figures, span int) []float64 {
	type corner struct {
		t int
		v float64
	}
	best := make([]float64, span+1)
	for t := range best {
		best[t] = infeasible
	}
	p := &in.Points[i]
	lo, hi := p.span()
	for l := lo - 1; l < hi; l++ {
		if t := ceil(f[i][l].mean); t <= span {
			best[t] = max(best[t], p.Levels[l].Effect)
		}
	}
	for t := 1; t <= span; t++ {
		best[t] = max(best[t], best[t-1])
	}
	var hull []corner
	for t, v := range best {
		if v == infeasible {
			continue
		}
		for n := len(hull); n >= 2; n = len(hull) {
			a, b := hull[n-2], hull[n-1]
			if (b.v-a.v)*float64(t-a.t) > (v-a.v)*float64(b.t-a.t) {
				break
			}
			hull = hull[:n-1]
		}
		hull = append(hull, corner{t, v})
	}
	for k := 1; k < len(hull); k++ {
		a, b := hull[k-1], hull[k]
		for t := a.t; t <= b.t; t++ {
			best[t] = a.v + (b.v-a.v)*float64(t-a.t)/float64(b.t-a.t)
		}
	}
	return best
}
