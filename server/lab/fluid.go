package lab

import "math"

// fluid works out, without waiting and without events, what static levels earn
// and cost: worth does not depend on the load of a request and demand is linear
// in it, so the mean request stands for all.
type fluid struct {
	m       *Model
	ladders []*Ladder
}

// at gives the worth of an answer and the CPU each app spends on one, in ns.
func (f *fluid) at(levels []int) (worth float64, demand [maxPoints]float64) {
	var output, amount, quality [maxPoints]float64
	for i := range f.m.Points {
		p := &f.m.Points[i]
		var r Reading
		if f.ladders[i] != nil {
			r = f.ladders[i].Rows[levels[i]-1]
		}
		own := r[0]
		a, factor, q := own, 1.0, 1.0
		if p.Above >= 0 {
			if p.Multiply > 0 {
				a = own * output[p.Above] / p.Multiply
			} else {
				a = min(own, output[p.Above])
			}
		}
		if len(p.Factor) > 0 {
			k := min(max(int(r[1]), 0), len(p.Factor)-1)
			factor, q = p.Factor[k], p.Quality[k]
		}
		if p.External {
			continue
		}
		output[i], quality[i], amount[i] = a*p.Output, q, a
		if p.Multiply > 0 {
			amount[i] = own
		}
		demand[p.App] += float64(p.Fixed) + float64(p.PerLoad) + float64(p.Slope)*a*factor
		if p.Weight == 0 {
			continue
		}
		worth += f.gain(i, amount[i]) * q
		if p.Above >= 0 && p.Multiply == 0 && a < output[p.Above] {
			up := amount[p.Above]
			worth -= (f.gain(p.Above, up) - f.gain(p.Above, up*a/output[p.Above])) * quality[p.Above]
		}
	}
	return worth, demand
}

func (f *fluid) gain(point int, x float64) float64 {
	p := &f.m.Points[point]
	top, _ := p.Params[0].Max.Number()
	return p.Weight * (1 - math.Exp(-x/p.Scale)) / (1 - math.Exp(-top/p.Scale))
}

// best finds the levels that earn most while every app stays at or under a share
// of its cores, at a rate of requests a second and machine. Points that depend on
// no other take the highest level that fits; the chain of recall, prerank and
// rank, with score behind it, is searched on a grid and then around its best.
func (f *fluid) best(rate, share float64) []int {
	levels := make([]int, len(f.ladders))
	for i := range levels {
		levels[i] = 1
	}
	for _, p := range []int{Merge, Fetch, Select} {
		levels[p] = f.highest(levels, p, rate, share)
	}
	best, worth := append([]int(nil), levels...), -1.0
	look := func(r, p, k int) {
		levels[Recall], levels[Prerank], levels[Rank], levels[Score] = r, p, k, 1
		if _, d := f.at(levels); !f.fits(SN, &d, rate, share) {
			return
		}
		levels[Score] = f.highest(levels, Score, rate, share)
		if w, _ := f.at(levels); w > worth {
			worth = w
			copy(best, levels)
		}
	}
	const grid = 3
	each := func(point, middle, reach, step int, do func(int)) {
		for l := max(middle-reach, 1); l <= min(middle+reach, f.ladders[point].Top()); l += step {
			do(l)
		}
	}
	search := func(r, p, k, reach, step int) {
		each(Recall, r, reach, step, func(r int) {
			each(Prerank, p, reach, step, func(p int) { each(Rank, k, reach, step, func(k int) { look(r, p, k) }) })
		})
	}
	search(1, 1, 1, 100, grid)
	search(best[Recall], best[Prerank], best[Rank], grid, 1)
	return best
}

// fits tells whether an app bears a demand.
func (f *fluid) fits(app int, d *[maxPoints]float64, rate, share float64) bool {
	return d[app]*rate/1e9 <= share*float64(f.m.Apps[app].Cores)
}

// highest is the highest level of a point that its app bears, 1 if none is.
func (f *fluid) highest(levels []int, point int, rate, share float64) int {
	was := levels[point]
	defer func() { levels[point] = was }()
	for l := f.ladders[point].Top(); l > 1; l-- {
		levels[point] = l
		if _, d := f.at(levels); f.fits(f.m.Points[point].App, &d, rate, share) {
			return l
		}
	}
	return 1
}
