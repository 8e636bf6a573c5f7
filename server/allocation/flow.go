package allocation

import "math"

// fits is the lowest level (0-based) that can take u.
func (p *Point) fits(u float64) int {
	for l := range p.Levels {
		if capOf(&p.Levels[l]) >= u {
			return l
		}
	}
	return len(p.Levels) - 1
}

// at is a value of a level with x of its cap filled: linear between the level
// below and this one, and through nothing below level 1.
func (p *Point) at(l int, x float64, of func(*Level) float64) float64 {
	v := &p.Levels[l]
	if v.Cap == 0 || x >= v.Cap {
		return of(v)
	}
	low, base := 0.0, 0.0
	if l > 0 {
		low, base = p.Levels[l-1].Cap, of(&p.Levels[l-1])
	}
	if x <= low {
		return base
	}
	return base + (of(v)-base)*(x-low)/(v.Cap-low)
}

func (p *Point) effectAt(l int, x float64) float64 {
	if x >= p.Levels[l].Cap {
		return p.Levels[l].Effect
	}
	return p.at(l, x, func(v *Level) float64 { return v.Effect })
}

func (p *Point) outputAt(l int, x float64) float64 {
	return p.at(l, x, func(v *Level) float64 { return v.Output })
}

func (p *Point) workAt(l int, x float64) float64 {
	return p.at(l, x, func(v *Level) float64 { return v.Work })
}

// effectOf is the effect that y results earn, where outputs rise with the level.
func (p *Point) effectOf(y float64) float64 {
	low, base := 0.0, 0.0
	for l := range p.Levels {
		v := &p.Levels[l]
		if y < v.Output {
			return base + (v.Effect-base)*(y-low)/(v.Output-low)
		}
		low, base = v.Output, v.Effect
	}
	return base
}

// PointFlow is what really happens at a point.
type PointFlow struct {
	Ran    int     // the level whose RT it shows: lower than its own when too little comes
	Taken  float64 // results it takes from upstream; 0 when nothing is counted
	Output float64
	Effect float64
	Work   float64 // core-milliseconds a request
	Cut    float64 // of Work: spent on results that nobody took
	Idle   float64 // core-milliseconds its level would have spent on results that did not come

	byClass *classFlow // nil where all classes get alike
}

// ran is the level (1-based) whose RT a class of requests shows.
func (f *PointFlow) ran(class int) int {
	if f.byClass == nil {
		return f.Ran
	}
	return int(f.byClass.ran[class])
}

// Flow is what a vector of levels (1-based) really does.
type Flow struct {
	Points    []PointFlow
	Effect    float64
	Work      float64
	Cut, Idle float64
}

// Flow follows the results from point to point.
func (in *Input) Flow(levels []int) Flow {
	n := len(in.Points)
	f := Flow{Points: make([]PointFlow, n)}
	done := make([]bool, n)
	taken := make([]float64, n) // of a point's output, by the consumer that takes most
	users := make([]int, n)
	var run func(i int)
	run = func(i int) {
		if done[i] {
			return
		}
		done[i] = true
		p, o := &in.Points[i], &f.Points[i]
		l, x := levels[i]-1, math.Inf(1)
		if p.Feeder != None {
			run(p.Feeder)
			supply := f.Points[p.Feeder].Output
			if c := capOf(&p.Levels[l]); c > supply {
				full := p.Levels[l].Work
				l, x = p.fits(supply), supply
				o.Idle = max(full-p.workAt(l, x), 0)
			} else {
				x = c
			}
			o.Taken = min(x, supply)
			taken[p.Feeder] = max(taken[p.Feeder], o.Taken)
			users[p.Feeder]++
		}
		o.Ran = l + 1
		o.Effect, o.Work, o.Output = p.effectAt(l, x), p.workAt(l, x), p.outputAt(l, x)
		in.divide(i, levels[i]-1, &f)
	}
	for i := range in.Points {
		run(i)
	}
	for i := range f.Points {
		o := &f.Points[i]
		if users[i] > 0 && o.Output > 0 && taken[i] < o.Output {
			o.Cut = o.Work * (1 - taken[i]/o.Output)
			if users[i] == 1 && in.Points[i].outputRises() {
				o.Effect = in.Points[i].effectOf(taken[i])
			}
		}
		f.Effect += o.Effect
		f.Work += o.Work
		f.Cut += o.Cut
		f.Idle += o.Idle
	}
	return f
}
