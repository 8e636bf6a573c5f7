package alert

import (
	"cmp"
	"math"
	"slices"

	"github.com/allspark/allspark/server/telemetry"
)

const (
	// window is what telemetry.Machines adds up, in seconds.
	window = 10.0
	// minShareN is how many requests of a machine make a mean of it worth looking
	// at: with a coefficient of variation of 1, ±22 %.
	minShareN = 20
	// minBlockN is as minShareN, of the mean of a block: five of them stand together.
	minBlockN = 10
)

// views adds the machines up by place, in order of app and IDC.
func views(o *Observation) []view {
	var out []view
	for lo := 0; lo < len(o.Machines); {
		hi := lo + 1
		for hi < len(o.Machines) && o.Machines[hi].App == o.Machines[lo].App && o.Machines[hi].IDC == o.Machines[lo].IDC {
			hi++
		}
		out = append(out, viewOf(o, o.Machines[lo:hi]))
		lo = hi
	}
	return out
}

func viewOf(o *Observation, ms []telemetry.Machine) view {
	v := view{place: Place{ms[0].App, ms[0].IDC}}
	index := map[SeriesKey]int{}
	type sums struct {
		load float64
		bad  int64
	}
	var total []sums
	for i := range ms {
		m := &ms[i]
		x := machineView{instance: m.Instance, cpu: m.CPU}
		if o.Build != nil {
			x.build = o.Build(m.Source)
		}
		v.machines = append(v.machines, x)
		for j := range m.Shares {
			p := &m.Shares[j]
			k := SeriesKey{p.Point, p.Scene}
			at, known := index[k]
			if !known {
				at = len(v.series)
				index[k] = at
				v.series, total = append(v.series, series{key: k}), append(total, sums{})
			}
			s, t := &v.series[at], &total[at]
			s.count += p.Count
			t.load, t.bad = t.load+p.Load, t.bad+p.Bad
			if p.Count >= minShareN && p.RTSum > 0 {
				n := float64(p.Count)
				y := share{machine: i, n: p.Count, level: float64(p.LevelSum) / n, bad: float64(p.Bad) / n}
				y.lnRT, y.lnLvl, y.lnLoad = typical(p)
				s.each = append(s.each, y)
			}
		}
	}
	for i := range v.series {
		s, t := &v.series[i], &total[i]
		if o.Gears != nil {
			var ok bool
			s.gears, ok = o.Gears(telemetry.Key{Scene: s.key.Scene, IDC: v.place.IDC, App: v.place.App, Point: s.key.Point})
			s.moves = ok && s.gears.Max > s.gears.Min
		}
		if s.count > 0 {
			s.bad = float64(t.bad) / float64(s.count)
			s.lnLoad = math.Log(max(t.load/float64(s.count), 1e-9))
			if t.load <= 0 {
				s.lnLoad = 0 // the app says nothing of its load
			}
		}
		s.lnRT = medianOf(s.each, func(x *share) float64 { return x.lnRT })
		s.lnLvl = medianOf(s.each, func(x *share) float64 { return x.lnLvl })
		s.lnN = medianOf(s.each, func(x *share) float64 { return math.Log(float64(x.n)) })
		v.qps = max(v.qps, float64(s.count)/window)
	}
	var cpu []float64
	for i := range v.machines {
		if v.machines[i].cpu >= 0 {
			cpu = append(cpu, v.machines[i].cpu)
		}
	}
	v.cpu = median(cpu)
	slices.SortFunc(v.series, func(a, b series) int {
		return cmp.Or(cmp.Compare(a.key.Point, b.key.Point), cmp.Compare(a.key.Scene, b.key.Scene))
	})
	return v
}

// typical gives ln mean RT, level and load of a machine's requests as they are most
// of the time: the median of the means of five pieces. A burst of a second or two
// makes the mean of ten several times of what it was, and stays in it for ten.
// Of too few requests for five means there is one.
func typical(p *telemetry.Share) (lnRT, lnLvl, lnLoad float64) {
	blocks := p.Blocks[:]
	if p.Count < telemetry.Blocks*minBlockN {
		blocks = []telemetry.Block{{Count: p.Count, LevelSum: p.LevelSum, RTSum: p.RTSum, Load: p.Load}}
	}
	var rt, lvl, load []float64
	for i := range blocks {
		b := &blocks[i]
		if b.Count == 0 {
			continue
		}
		n := float64(b.Count)
		rt = append(rt, math.Log(float64(b.RTSum.Microseconds()+1)/n))
		if b.LevelSum > 0 {
			lvl = append(lvl, math.Log(float64(b.LevelSum)/n))
		}
		if b.Load > 0 {
			load = append(load, math.Log(b.Load/n))
		}
	}
	return median(rt), median(lvl), median(load)
}

// own gives the series that tell of the place's own work: those at which a level
// is read. The RT of a point without levels is that of what it calls, as at the
// front or at an external edge; it counts only where there is nothing else.
func (v *view) own() []*series {
	var turned, all []*series
	for i := range v.series {
		s := &v.series[i]
		all = append(all, s)
		if s.moves || s.lnLvl != 0 {
			turned = append(turned, s)
		}
	}
	if len(turned) > 0 {
		return turned
	}
	return all
}

// median gives 0 for nothing, and sorts v.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}

func medianOf(in []share, of func(*share) float64) float64 {
	v := make([]float64, len(in))
	for i := range in {
		v[i] = of(&in[i])
	}
	return median(v)
}

// spread is a robust standard deviation around mid: one MAD is 0.6745 σ.
func spread(v []float64, mid float64) float64 {
	d := make([]float64, len(v))
	for i, x := range v {
		d[i] = math.Abs(x - mid)
	}
	return median(d) / 0.6745
}

// percent writes a difference of logarithms for people.
func percent(ln float64) int { return int(math.Round(100 * math.Expm1(math.Abs(ln)))) }

// less writes the share that is missing after a fall by ln.
func less(ln float64) int { return int(math.Round(-100 * math.Expm1(-math.Abs(ln)))) }
