package allocation

import (
	"math"
	"slices"
)

// judge measures what statistic of the end-to-end RT a vector of levels really
// has. Within a load class the points' times are independent: side by side their
// distribution functions multiply, one after the other they are convolved. Then
// the classes are mixed. Parts are remembered: most vectors differ from the one
// before at a point or two.
//
// Times lie on a grid of width step; a time between two places is split between
// them so that the mean stays. Times beyond the last place are counted there.
type judge struct {
	in    *Input
	step  float64
	size  int
	fixed bool // no time varies: paths are added up exactly
	block *block
	root  *part
	parts map[*block]*part
	ms    []float64
}

type partKind uint8

const (
	leafPart partKind = iota
	constPart
	sumPart
	maxPart
	scalePart
	primePart
)

// part is a binary tree over the block tree; series are cut in the middle.
type part struct {
	kind  partKind
	point int
	ms    float64 // of a constant, and what scale adds
	times float64
	a, b  *part
	block *block           // of a prime part
	known map[uint64]int32 // combination of the kids' variants -> variant
	dist  [][]pmf          // by variant, by class
}

// pmf is mass by place, from off on, and its running sum.
type pmf struct {
	off    int
	p, cum []float64
}

func (in *Input) newJudge(root *block) *judge {
	j := &judge{in: in, block: root, fixed: true, parts: map[*block]*part{}, ms: make([]float64, len(in.Points))}
	for i := range in.Points {
		for l := range in.Points[i].Levels {
			rt := in.Points[i].Levels[l].RT
			for _, d := range rt {
				j.fixed = j.fixed && len(d) == 1 && d[0].MS == rt[0][0].MS
			}
		}
	}
	j.step = max(float64(in.To)/512, 0.25)
	if j.step > 0.8 && j.step < 1 {
		j.step = 1 // whole milliseconds are exact
	}
	j.size = int(1.25*float64(in.To)/j.step) + 2
	j.root = j.part(root)
	return j
}

func (j *judge) part(b *block) (p *part) {
	defer func() { j.parts[b] = p }()
	p = &part{known: map[uint64]int32{}, point: None}
	switch b.kind {
	case leafBlock:
		p.kind, p.point = leafPart, b.point
	case waitBlock:
		p.kind, p.ms = constPart, b.network
	case callBlock:
		p.kind, p.ms, p.times, p.a = scalePart, b.network, float64(b.times), j.part(b.kids[0])
	case primeBlock:
		p.kind, p.block = primePart, b
	default:
		k := sumPart
		if b.kind == parallelBlock {
			k = maxPart
		}
		return j.halve(b.kids, k)
	}
	return p
}

func (j *judge) halve(kids []*block, k partKind) *part {
	if len(kids) == 1 {
		return j.part(kids[0])
	}
	m := len(kids) / 2
	return &part{kind: k, point: None, known: map[uint64]int32{}, a: j.halve(kids[:m], k), b: j.halve(kids[m:], k)}
}

// of gives the statistic of a vector; ran holds the levels whose RT shows.
func (j *judge) of(ran []PointFlow) float64 {
	return j.partOf(j.block, ran, j.in.Statistic.Q)
}

// partOf is the statistic of a part of the graph: the quantile q, or the mean for 0.
func (j *judge) partOf(b *block, ran []PointFlow, q float64) float64 {
	if j.fixed {
		for i := range j.ms {
			j.ms[i] = j.in.Points[i].Levels[ran[i].Ran-1].RT[0][0].MS
		}
		return b.path(j.ms)
	}
	return j.stat(j.parts[b], ran, q)
}

// stat avoids the whole distribution at the root: a quantile asks for a few
// values of the distribution function only.
func (j *judge) stat(p *part, ran []PointFlow, q float64) float64 {
	classes := j.in.Classes
	if p.kind != sumPart || q == 0 {
		d := p.dist[j.variant(p, ran)]
		if q == 0 {
			m := 0.0
			for c := range d {
				m += classes[c].Share * d[c].mean()
			}
			return m * j.step
		}
		return j.find(q, func(t int) float64 {
			f := 0.0
			for c := range d {
				f += classes[c].Share * d[c].upTo(t)
			}
			return f
		})
	}
	a, b := p.a.dist[j.variant(p.a, ran)], p.b.dist[j.variant(p.b, ran)]
	return j.find(q, func(t int) float64 {
		f := 0.0
		for c := range a {
			f += classes[c].Share * sumUpTo(&a[c], &b[c], t)
		}
		return f
	})
}

func (j *judge) find(q float64, upTo func(t int) float64) float64 {
	lo, hi := 0, 2*j.size
	for lo < hi {
		if m := (lo + hi) / 2; upTo(m) >= q-slack {
			hi = m
		} else {
			lo = m + 1
		}
	}
	return float64(lo) * j.step
}

func sumUpTo(a, b *pmf, t int) float64 {
	f := 0.0
	t -= a.off + b.off
	n := min(len(a.p), t+1)
	for i := 0; i < n; i++ {
		if r := t - i; r < len(b.cum) {
			f += a.p[i] * b.cum[r]
		} else {
			f += a.p[i] * b.cum[len(b.cum)-1]
		}
	}
	return f
}

// variant finds or works out the distribution of a part at the vector's levels.
func (j *judge) variant(p *part, ran []PointFlow) int32 {
	var key uint64
	var va, vb int32
	switch p.kind {
	case leafPart:
		for c := range j.in.Classes {
			key = key<<8 | uint64(ran[p.point].ran(c))
		}
	case constPart:
	case scalePart:
		va = j.variant(p.a, ran)
		key = uint64(va)
	case primePart:
		key = 1469598103934665603 // FNV-1a
		for _, i := range p.block.points(nil) {
			for c := range j.in.Classes {
				key = (key ^ uint64(ran[i].ran(c))) * 1099511628211
			}
		}
	default:
		va, vb = j.variant(p.a, ran), j.variant(p.b, ran)
		key = uint64(va)<<32 | uint64(vb)
	}
	if v, ok := p.known[key]; ok {
		return v
	}
	d := make([]pmf, len(j.in.Classes))
	for c := range d {
		switch p.kind {
		case leafPart:
			d[c] = j.spread(j.in.Points[p.point].Levels[ran[p.point].ran(c)-1].RT[c])
		case constPart:
			d[c] = j.spread(Fixed(p.ms))
		case scalePart:
			d[c] = j.scale(&p.a.dist[va][c], p.ms, p.times)
		case sumPart:
			d[c] = j.sum(&p.a.dist[va][c], &p.b.dist[vb][c])
		case maxPart:
			d[c] = largest(&p.a.dist[va][c], &p.b.dist[vb][c])
		default:
			d[c] = j.together(p.block, ran, c)
		}
	}
	v := int32(len(p.dist))
	p.dist = append(p.dist, d)
	p.known[key] = v
	return v
}

// together takes the times of a part that is neither series nor parallel as high
// or low together within the class: its paths share points, so they are not
// independent, and this never understates the tail of one path.
func (j *judge) together(b *block, ran []PointFlow, c int) pmf {
	ms := make([]float64, len(ran))
	points := b.points(nil)
	var d Dist
	for i := range quantileSteps {
		for _, p := range points {
			ms[p] = j.in.Points[p].Levels[ran[p].ran(c)-1].RT[c].Quantile((float64(i) + 0.5) / quantileSteps)
		}
		d = append(d, Atom{b.path(ms), 1.0 / quantileSteps})
	}
	return j.spread(d)
}

func (j *judge) spread(d Dist) pmf {
	at := func(ms float64) float64 { return min(ms/j.step, float64(j.size-1)) }
	lo, hi := int(at(d[0].MS)), int(math.Ceil(at(d[len(d)-1].MS)))
	p := make([]float64, hi-lo+1)
	for _, a := range d {
		x := at(a.MS)
		i := int(x)
		if r := x - float64(i); r > slack {
			p[i-lo] += a.P * (1 - r)
			p[i-lo+1] += a.P * r
		} else {
			p[i-lo] += a.P
		}
	}
	return pmf{off: lo, p: p}.trim()
}

// trim drops what is too rare to move any statistic, and adds up.
func (m pmf) trim() pmf {
	const rare = 1e-8
	lost := 0.0
	n := len(m.p)
	for n > 1 && m.p[n-1] < rare {
		n--
		lost += m.p[n]
	}
	m.p = m.p[:n]
	m.p[n-1] += lost
	for len(m.p) > 1 && m.p[0] < rare {
		m.p[1] += m.p[0]
		m.p = m.p[1:]
		m.off++
	}
	m.cum = make([]float64, len(m.p))
	s := 0.0
	for i, x := range m.p {
		s += x
		m.cum[i] = s
	}
	return m
}

func (m *pmf) mean() float64 {
	s := 0.0
	for i, x := range m.p {
		s += x * float64(m.off+i)
	}
	return s
}

func (m *pmf) upTo(t int) float64 {
	if t -= m.off; t < 0 {
		return 0
	}
	return m.cum[min(t, len(m.cum)-1)]
}

func (j *judge) sum(a, b *pmf) pmf {
	if len(a.p) > len(b.p) {
		a, b = b, a
	}
	out := pmf{off: a.off + b.off, p: make([]float64, len(a.p)+len(b.p)-1)}
	for i, x := range a.p {
		o := out.p[i : i+len(b.p)]
		for k, y := range b.p {
			o[k] += x * y
		}
	}
	if over := out.off + len(out.p) - j.size; over > 0 {
		keep := max(len(out.p)-over, 1)
		rest := 0.0
		for _, x := range out.p[keep:] {
			rest += x
		}
		out.p = out.p[:keep]
		out.p[keep-1] += rest
	}
	return out.trim()
}

func largest(a, b *pmf) pmf {
	lo, hi := max(a.off, b.off), max(a.off+len(a.p), b.off+len(b.p))
	out := pmf{off: lo, p: make([]float64, hi-lo)}
	last := 0.0
	for t := lo; t < hi; t++ {
		f := a.upTo(t) * b.upTo(t)
		out.p[t-lo] = max(f-last, 0)
		last = f
	}
	return out.trim()
}

func (j *judge) scale(a *pmf, add, times float64) pmf {
	if add == 0 && times == 1 {
		return *a
	}
	d := make(Dist, len(a.p))
	for i, x := range a.p {
		d[i] = Atom{(float64(a.off+i)*j.step + add) * times, x}
	}
	slices.SortFunc(d, func(x, y Atom) int {
		if x.MS < y.MS {
			return -1
		}
		return 1
	})
	return j.spread(d)
}
