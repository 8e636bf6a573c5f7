package lab

import (
	"math"
	"time"
)

// userValue is the value of a user, log-normal with mean 1 and correlated with
// the load.
func userValue(zl float64, word uint64) float64 {
	z := valueLoad*zl + math.Sqrt(1-valueLoad*valueLoad)*normal[cell(word)]
	return math.Exp(valueSD*z - valueSD*valueSD/2)
}

// demand works out how much CPU and I/O a visit costs, and notes what it hands on.
func (e *Engine) demand(id int32, point int, reading *Reading) float64 {
	p := &e.model.Points[point]
	f := &e.frames[id]
	r := &e.requests[f.request]

	own := reading[0]
	if !(own > 0) { // NaN too
		own = 0
	}
	amount, factor, quality := own, 1.0, 1.0
	if p.Above >= 0 {
		above := float64(r.output[p.Above])
		if p.Multiply > 0 {
			amount = own * above / p.Multiply
		} else {
			amount = min(own, above)
		}
	}
	if len(p.Factor) > 0 {
		i := min(max(int(reading[1]), 0), len(p.Factor)-1)
		factor, quality = p.Factor[i], p.Quality[i]
	}
	r.output[point] = float32(amount * p.Output)
	r.quality[point] = float32(quality)
	r.amount[point] = float32(amount)
	if p.Multiply > 0 {
		r.amount[point] = float32(own) // its worth is its own depth
	}
	f.io = int64(p.IO)
	scale := e.noise[cell(draw(e.salts[point], r.key))]
	fixed := float64(p.Fixed) + float64(p.PerLoad)*r.relative
	slope := float64(p.Slope) * r.relative
	if len(p.Params) > 0 {
		e.Tally.Points[point].add(own)
	}
	if e.judge != nil && e.judge.Targets[point] > 0 {
		f.over = float32((fixed + slope*e.atTop(point, r)) / (fixed + slope*amount*factor))
	}
	cpu := (fixed + slope*amount*factor) * scale
	f.cpu = float32(cpu)
	return cpu
}

// atTop is amount x factor at the top, with the same results from above.
func (e *Engine) atTop(point int, r *request) float64 {
	p := &e.model.Points[point]
	top := &e.judge.Tops[point]
	amount := top[0]
	if p.Above >= 0 {
		above := float64(r.output[p.Above])
		if p.Multiply > 0 {
			amount *= above / p.Multiply
		} else {
			amount = min(amount, above)
		}
	}
	if len(p.Factor) > 0 {
		amount *= p.Factor[min(max(int(top[1]), 0), len(p.Factor)-1)]
	}
	return amount
}

// judged compares a visit that ended with what it would have been at the top on
// the same machine at the same time: CPU and waiting grow with the demand.
func (e *Engine) judged(f *frame, point int) {
	t := e.judge.Targets[point]
	if t <= 0 {
		return
	}
	s := &e.Tally.Points[point]
	s.Judged++
	if f.over <= 1.001 {
		return
	}
	s.Downgraded++
	if float64(e.now-f.began-f.io)*float64(f.over)+float64(f.io) <= t {
		s.Needless++
	}
}

// earn adds what the work done at a point is worth to the answer.
func (e *Engine) earn(r *request, point int) {
	p := &e.model.Points[point]
	if r.dead {
		return
	}
	if p.Weight > 0 {
		r.worth += e.gain(point, float64(r.amount[point])) * float64(r.quality[point])
	}
	// What this point cut off of the work above earned nothing.
	if p.Above >= 0 && p.Multiply == 0 {
		above := &e.model.Points[p.Above]
		given, used := float64(r.output[p.Above]), float64(r.amount[point])
		if used < given && above.Weight > 0 {
			done := float64(r.amount[p.Above])
			r.worth -= (e.gain(p.Above, done) - e.gain(p.Above, done*used/given)) * float64(r.quality[p.Above])
			r.cut += done * (1 - used/given)
		}
		r.done += float64(r.amount[p.Above])
	}
}

// done is the result of own work.
func (e *Engine) done(f *frame, point int, out Outcome) Result {
	res := Result{Elapsed: e.now - f.began, Outcome: out}
	if out != OK {
		return res
	}
	p, r := &e.model.Points[point], &e.requests[f.request]
	res.CPU = time.Duration(f.cpu)
	if p.Above >= 0 && p.Multiply == 0 {
		res.Taken = float64(r.amount[point])
	}
	if p.Output > 0 {
		res.Output = float64(r.output[point])
	}
	if p.Weight > 0 {
		res.Effect = e.gain(point, float64(r.amount[point])) * float64(r.quality[point])
	}
	return res
}

// gain is a point's share of a full answer at work x: concave, Weight at the top.
func (e *Engine) gain(point int, x float64) float64 {
	return e.gains[point] * (1 - math.Exp(-x/e.model.Points[point].Scale))
}
