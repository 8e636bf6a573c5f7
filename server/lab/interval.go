package lab

import "math"

// Interval is a mean with its 95 % confidence interval.
type Interval struct {
	Mean, Half float64
	N          int
}

// Of gives the interval of a sample: mean ± t·s/√n.
func Of(values []float64) Interval {
	n := len(values)
	i := Interval{N: n}
	for _, v := range values {
		i.Mean += v / float64(n)
	}
	if n < 2 {
		i.Half = math.NaN()
		return i
	}
	ss := 0.0
	for _, v := range values {
		ss += (v - i.Mean) * (v - i.Mean)
	}
	i.Half = student(n-1) * math.Sqrt(ss/float64(n-1)/float64(n))
	return i
}

// Paired gives the interval of a-b, seed by seed. Both saw the same requests and
// the same noise, so what they share cancels.
func Paired(a, b []float64) Interval {
	d := make([]float64, min(len(a), len(b)))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return Of(d)
}

// Low and High bound the interval.
func (i Interval) Low() float64  { return i.Mean - i.Half }
func (i Interval) High() float64 { return i.Mean + i.Half }

// Sign is the sign of the mean where the interval excludes 0, else 0.
func (i Interval) Sign() int {
	switch {
	case i.Low() > 0:
		return 1
	case i.High() < 0:
		return -1
	default:
		return 0
	}
}

// student is the 97.5 % quantile of Student's t: exact to three digits in the
// table, then Cornish-Fisher around the normal's.
func student(df int) float64 {
	table := [...]float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262}
	if df < 1 {
		return math.Inf(1)
	}
	if df <= len(table) {
		return table[df-1]
	}
	const z = 1.959964
	v := float64(df)
	return z + (z*z*z+z)/(4*v) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*v*v)
}
