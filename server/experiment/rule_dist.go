package experiment

import "math"

// Student gives the 97.5 % quantile of Student's t, by bisection on its tail;
// infinite freedom is the normal.
func Student(df float64) float64 {
	if math.IsInf(df, 1) || df > 1e7 {
		return math.Sqrt2 * math.Erfinv(confidence)
	}
	if !(df > 0) {
		return math.Inf(1)
	}
	lo, hi := 0.0, 1e6
	for range 200 {
		mid := (lo + hi) / 2
		if FTail(mid*mid, 1, df) > 1-confidence {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// FTail is the chance that an F variate of (d1, d2) degrees of freedom is above f.
func FTail(f, d1, d2 float64) float64 {
	switch {
	case math.IsNaN(f):
		return math.NaN()
	case f <= 0:
		return 1
	case math.IsInf(f, 1):
		return 0
	}
	return beta(d2/(d2+d1*f), d2/2, d1/2)
}

// beta is the regularised incomplete beta function I_x(a, b), by its continued
// fraction (Abramowitz and Stegun 26.5.8, evaluated after Lentz).
func beta(x, a, b float64) float64 {
	if x <= 0 {
		return 0
	}
	if x >= 1 {
		return 1
	}
	if x > (a+1)/(a+b+2) { // converges fast on the other side only
		return 1 - beta(1-x, b, a)
	}
	lgamma := func(v float64) float64 { l, _ := math.Lgamma(v); return l }
	front := math.Exp(lgamma(a+b)-lgamma(a)-lgamma(b)+a*math.Log(x)+b*math.Log1p(-x)) / a
	const tiny = 1e-300
	c, d := 1.0, 1-(a+b)*x/(a+1)
	if math.Abs(d) < tiny {
		d = tiny
	}
	d = 1 / d
	h := d
	step := func(n float64) {
		if d = 1 + n*d; math.Abs(d) < tiny {
			d = tiny
		}
		if c = 1 + n/c; math.Abs(c) < tiny {
			c = tiny
		}
		d = 1 / d
	}
	for m := 1.0; m < 500; m++ {
		step(m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m)))
		h *= d * c
		step(-(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1)))
		before := h
		if h *= d * c; math.Abs(h-before) < 1e-14*math.Abs(h) {
			break
		}
	}
	return front * h
}
