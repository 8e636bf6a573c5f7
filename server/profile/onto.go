package profile

import (
	"math"
	"slices"

	"github.com/allspark/allspark/server/allocation"
)

const (
	// ratioLimit bounds how far neighbours may move a level nobody ran at.
	ratioLimit = 5
	// uncut is the share of its cap that a level must have taken, on the mean, for its
	// work and effect to be its own: below it, they say what came from upstream.
	uncut = 0.95
)

// add adds a class's share of what a level costs and earns.
func (v *Level) add(x *sums, share float64) {
	if x.worked > 0 {
		v.Work += share * x.work / x.worked
		v.Effect += share * x.effect / x.worked
		v.Output += share * x.output / x.worked
		v.Cap = max(v.Cap, x.takenMax, x.taken/x.worked)
		return
	}
	if us, ok := x.rt.Mean(); ok {
		v.Work += share * us / 1000 // waiting included: more than it is, by the same at all levels
	}
	v.Effect += share * x.value / x.count
}

// onto puts what was learnt of late over what was known. A level and class with
// samples enough is taken as it was measured; one without keeps its distribution,
// moved as far as its neighbours of the same class moved. Work and effect move only
// where each class was seen, because they are means over classes, and where the
// level was not cut short by what came from upstream.
func (s *series) onto(prior *Profile) (*Profile, bool) {
	p := *prior
	p.Source, p.MeasuredAt = Learned, s.last
	p.Classes, p.Levels = slices.Clone(prior.Classes), make([]Level, len(prior.Levels))
	least := LeastSamples / float64(len(p.Classes))
	cells := make([][]*sums, len(p.Levels)) // by level and class; nil where too little is known
	known := false
	for l := range cells {
		cells[l] = make([]*sums, len(p.Classes))
		for c := range p.Classes {
			if i := slices.Index(s.classes, p.Classes[c].Name); i >= 0 {
				if x := s.cells[cell{l + 1, i}]; x != nil && x.count >= least && x.rt.Count() > 0 {
					cells[l][c], known = x, true
				}
			}
		}
	}
	if !known {
		return nil, false
	}
	s.shares(&p)
	moved := ratios(prior, cells)
	for l := range p.Levels {
		v := prior.Levels[l]
		v.RT = make([][]allocation.Quantile, len(p.Classes))
		var samples int64
		all := true
		var own Level
		for c, x := range cells[l] {
			if x == nil {
				all = false
				v.RT[c] = times(prior.Levels[l].RT[c], moved[l][c])
				continue
			}
			for _, q := range learnt {
				us, _ := x.rt.Quantile(q)
				v.RT[c] = append(v.RT[c], allocation.Quantile{Q: q, MS: us / 1000})
			}
			samples += x.seen
			own.add(x, p.Classes[c].Share)
			if x.worked > 0 && v.Cap > 0 {
				v.Cap = max(v.Cap, x.takenMax)
				all = all && x.taken/x.worked >= uncut*v.Cap
			}
			all = all && x.worked > 0
		}
		if all {
			v.Work, v.Effect, v.Output = own.Work, own.Effect, own.Output
		}
		if samples > 0 {
			v.Samples = samples
		}
		if p.Levels[l] = v; l > 0 {
			p.Levels[l].Cap = max(v.Cap, p.Levels[l-1].Cap)
		}
	}
	return &p, true
}

// shares takes the classes' shares of the traffic once there is enough of it.
func (s *series) shares(p *Profile) {
	total := 0.0
	weight := make([]float64, len(p.Classes))
	for k, x := range s.cells {
		if i := slices.IndexFunc(p.Classes, func(c allocation.Class) bool { return c.Name == s.classes[k.class] }); i >= 0 {
			weight[i] += x.count
			total += x.count
		}
	}
	if total < 10*LeastSamples {
		return
	}
	for i := range p.Classes {
		p.Classes[i].Share = weight[i] / total
	}
}

// ratios tells, by level and class, how far mean RT moved: measured where it was,
// between and beside that by the neighbours of the same class, or of all classes
// where a class was not seen at all.
func ratios(prior *Profile, cells [][]*sums) [][]float64 {
	out := make([][]float64, len(cells))
	classes := len(prior.Classes)
	logs := make([][]float64, classes+1) // by class, NaN where unknown; the last of all together
	for c := range logs {
		logs[c] = make([]float64, len(cells))
		for l := range cells {
			logs[c][l] = math.NaN()
		}
	}
	for l := range cells {
		out[l] = make([]float64, classes)
		sum, n := 0.0, 0.0
		for c, x := range cells[l] {
			if x == nil {
				continue
			}
			us, _ := x.rt.Mean()
			if was := allocation.FromQuantiles(prior.Levels[l].RT[c]).Mean(); was > 0 && us > 0 {
				logs[c][l] = max(min(math.Log(us/1000/was), math.Log(ratioLimit)), -math.Log(ratioLimit))
				sum, n = sum+logs[c][l], n+1
			}
		}
		if n > 0 {
			logs[classes][l] = sum / n
		}
	}
	for c := range logs {
		spread(logs[c])
	}
	for l := range out {
		for c := range out[l] {
			x := logs[c][l]
			if math.IsNaN(x) {
				x = logs[classes][l]
			}
			if math.IsNaN(x) {
				x = 0
			}
			out[l][c] = math.Exp(x)
		}
	}
	return out
}

// spread fills NaNs along straight lines between neighbours, and level beyond the
// last of them.
func spread(v []float64) {
	last := -1
	for i := range v {
		if math.IsNaN(v[i]) {
			continue
		}
		for k := last + 1; k < i; k++ {
			if v[k] = v[i]; last >= 0 {
				v[k] = v[last] + (v[i]-v[last])*float64(k-last)/float64(i-last)
			}
		}
		last = i
	}
	if last >= 0 {
		for k := last + 1; k < len(v); k++ {
			v[k] = v[last]
		}
	}
}

// times scales a distribution, within what a profile may hold.
func times(qs []allocation.Quantile, by float64) []allocation.Quantile {
	out := make([]allocation.Quantile, len(qs))
	for i, q := range qs {
		out[i] = allocation.Quantile{Q: q.Q, MS: min(q.MS*by, allocation.MaxTarget)}
	}
	return out
}
