package allocation

import (
	"cmp"
	"math"
	"slices"
)

// underCrowds is the input as it runs where crowds regulate. A level is a cap there
// and its mean RT is what each class is held at or under: the heavy run lower, so the
// point takes less than the level's mean, works less and earns less. A row that took
// the level for what everybody runs at would be a seventh too fast.
func (in *Input) underCrowds() *Input {
	out := *in
	out.Points = slices.Clone(in.Points)
	for i := range out.Points {
		if p := &out.Points[i]; p.Crowds {
			p.Levels = p.underCrowds(in.Classes)
		}
	}
	return &out
}

func (p *Point) underCrowds(classes []Class) []Level {
	lo, _ := p.span()
	means := make([][]float64, len(p.Levels)) // by level, class
	for l := range p.Levels {
		for _, d := range p.Levels[l].RT {
			means[l] = append(means[l], d.Mean())
		}
	}
	out := make([]Level, len(p.Levels))
	for l := range p.Levels {
		v := &out[l]
		*v = Level{Cap: p.Levels[l].Cap}
		for c := range classes {
			v.setpoint += classes[c].Share * means[l][c]
		}
		v.RT = make([]Dist, len(classes))
		v.caps, v.outputs = make([]float64, len(classes)), make([]float64, len(classes))
		for c := range classes {
			// From the cap down to the level that keeps the setpoint, and of the one above
			// it as much as the mean still bears: crowds dither between neighbours.
			k := l
			for k >= lo && means[k][c] > v.setpoint {
				k--
			}
			up, x := k, 0.0
			if k < l && means[k][c] < v.setpoint && means[k+1][c] > means[k][c] {
				up, x = k+1, (v.setpoint-means[k][c])/(means[k+1][c]-means[k][c])
			}
			a, b, s := &p.Levels[k], &p.Levels[up], classes[c].Share
			v.RT[c] = blend(a.RT[c], b.RT[c], x)
			v.Work += s * (a.Work + x*(b.Work-a.Work))
			v.Effect += s * (a.Effect + x*(b.Effect-a.Effect))
			v.outputs[c] = a.Output + x*(b.Output-a.Output)
			v.Output += s * v.outputs[c]
			if v.caps[c] = math.Inf(1); a.Cap > 0 {
				v.caps[c] = a.Cap + x*(b.Cap-a.Cap)
			}
		}
	}
	return out
}

// blend is the distribution of which x is of b and the rest of a.
func blend(a, b Dist, x float64) Dist {
	if x == 0 {
		return a
	}
	out := make(Dist, 0, len(a)+len(b))
	for _, m := range a {
		out = append(out, Atom{m.MS, m.P * (1 - x)})
	}
	for _, m := range b {
		out = append(out, Atom{m.MS, m.P * x})
	}
	slices.SortFunc(out, func(a, b Atom) int { return cmp.Compare(a.MS, b.MS) })
	return out
}
