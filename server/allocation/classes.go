package allocation

// classFlow is what happens at a point by load class.
type classFlow struct {
	ran    [MaxClasses]uint8 // the level whose RT the class shows, 1-based
	output [MaxClasses]float64
}

// divide works out by class what happens at point i at a level (0-based), where
// classes are not alike: crowds run the heavy lower, so that these hand on less, and
// what works on it takes, works and waits less for them. A flow that had the heavy
// supplied like everybody was 7 % too slow on the standard model of the lab.
func (in *Input) divide(i, l int, f *Flow) {
	p, o := &in.Points[i], &f.Points[i]
	var from *classFlow
	if p.Feeder != None {
		from = f.Points[p.Feeder].byClass
	}
	if from == nil && p.Levels[l].outputs == nil {
		return
	}
	by := &classFlow{}
	var taken, output, work, effect float64
	for c := range in.Classes {
		s := in.Classes[c].Share
		at, x := l, p.takes(l, c)
		if p.Feeder != None {
			supply := f.Points[p.Feeder].Output
			if from != nil {
				supply = from.output[c]
			}
			if x > supply {
				x = supply
				for at > 0 && p.takes(at-1, c) >= supply {
					at--
				}
			}
			taken += s * x
		}
		by.ran[c], by.output[c] = uint8(at+1), p.hands(at, c, x)
		output += s * by.output[c]
		if !p.Crowds {
			work, effect = work+s*in.heaviness(p, at, c)*p.workAt(at, x), effect+s*p.effectAt(at, x)
		}
	}
	o.byClass, o.Output = by, output
	if p.Feeder != None {
		o.Taken = taken
	}
	if !p.Crowds { // what crowds work and earn is a mean over classes already
		o.Idle = max(o.Idle+o.Work-work, 0)
		o.Work, o.Effect = work, effect
	}
}

// heaviness is what a class works beside the mean: a profile tells its time only, and
// time that does not wait for others is work.
func (in *Input) heaviness(p *Point, l, class int) float64 {
	mean := 0.0
	for c := range in.Classes {
		mean += in.Classes[c].Share * p.Levels[l].RT[c].Mean()
	}
	if mean <= 0 {
		return 1
	}
	return p.Levels[l].RT[class].Mean() / mean
}

// takes is what a request of a class takes at most at a level (0-based).
func (p *Point) takes(l, class int) float64 {
	if v := &p.Levels[l]; v.caps != nil {
		return v.caps[class]
	}
	return capOf(&p.Levels[l])
}

// hands is what a request of a class hands on at a level with x of its cap filled.
func (p *Point) hands(l, class int, x float64) float64 {
	v := &p.Levels[l]
	if v.outputs == nil {
		return p.outputAt(l, x)
	}
	most := p.takes(l, class)
	if x >= most {
		return v.outputs[class]
	}
	low, base := 0.0, 0.0
	if l > 0 {
		low, base = p.takes(l-1, class), p.Levels[l-1].outputs[class]
	}
	if x <= low || most <= low {
		return min(base, v.outputs[class])
	}
	return base + (v.outputs[class]-base)*(x-low)/(most-low)
}

// meanRT is the mean RT of point i as it runs.
func (in *Input) meanRT(i int, f *PointFlow) float64 {
	m := 0.0
	for c := range in.Classes {
		m += in.Classes[c].Share * in.Points[i].Levels[f.ran(c)-1].RT[c].Mean()
	}
	return m
}
