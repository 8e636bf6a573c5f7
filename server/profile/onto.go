package profile

import (
	"slices"

	"github.com/allspark/allspark/server/allocation"
)

// uncut is the share of its cap that a level must have taken, on the mean, for its
// work and effect to be its own: below it, they say what came from upstream.
const uncut = 0.95

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
// samples enough moves to what was measured, the further the longer it was run at,
// or the more the other levels of its class agree; one without keeps its
// distribution, moved as far as its neighbours of the same class moved. Work and
// effect, which no queue distorts, are taken as measured, but only where each class
// was seen, because they are means over classes, and where the level was not cut
// short by what came from upstream; elsewhere they too move as far as their
// neighbours, or a level that is run at would look better, or worse, than those
// beside it for no more than being measured.
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
	measured, work, effect := make([]bool, len(p.Levels)), unknown(len(p.Levels)), unknown(len(p.Levels))
	for l := range p.Levels {
		v := prior.Levels[l]
		v.RT = make([][]allocation.Quantile, len(p.Classes))
		var samples int64
		all := true
		var own Level
		for c, x := range cells[l] {
			v.RT[c] = times(prior.Levels[l].RT[c], moved[l][c])
			if x == nil {
				all = false
				continue
			}
			if x.trust() >= 0.5 { // long enough for a shape of its own
				v.RT[c] = x.shaped(allocation.FromQuantiles(v.RT[c]).Mean())
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
			measured[l], work[l], effect[l] = true, logRatio(own.Work, v.Work), logRatio(own.Effect, v.Effect)
			v.Work, v.Effect, v.Output = own.Work, own.Effect, own.Output
		}
		if samples > 0 {
			v.Samples = samples
		}
		if p.Levels[l] = v; l > 0 {
			p.Levels[l].Cap = max(v.Cap, p.Levels[l-1].Cap)
		}
	}
	spread(work)
	spread(effect)
	for l := range p.Levels {
		if v := &p.Levels[l]; !measured[l] {
			v.Work, v.Effect = moveBy(v.Work, work[l]), moveBy(v.Effect, effect[l])
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

// shaped is the distribution that was measured, moved to a mean, ms.
func (x *sums) shaped(mean float64) []allocation.Quantile {
	out := x.quantiles()
	if own := allocation.FromQuantiles(out).Mean(); own > 0 {
		return times(out, mean/own)
	}
	return out
}

// quantiles are those that profiles keep; nil for a count without a sketch.
func (x *sums) quantiles() (out []allocation.Quantile) {
	for _, q := range learnt {
		if us, ok := x.rt.Quantile(q); ok {
			out = append(out, allocation.Quantile{Q: q, MS: us / 1000})
		}
	}
	return out
}

// times scales a distribution, within what a profile may hold.
func times(qs []allocation.Quantile, by float64) []allocation.Quantile {
	out := make([]allocation.Quantile, len(qs))
	for i, q := range qs {
		out[i] = allocation.Quantile{Q: q.Q, MS: min(q.MS*by, allocation.MaxTarget)}
	}
	return out
}
