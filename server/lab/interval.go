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

// Rare gives the 95 % bounds (exact, of Poisson) of how many are to be expected
// where so many were counted: 0 tells of less than 3.7.
func Rare(count int) (low, high float64) {
	below := func(k int, mean float64) float64 { // chance of at most k
		term := math.Exp(-mean)
		sum := term
		for i := 1; i <= k; i++ {
			term *= mean / float64(i)
			sum += term
		}
		return sum
	}
	at := func(k int, chance float64) float64 {
		lo, hi := 0.0, 2*float64(k)+20
		for range 100 {
			if mid := (lo + hi) / 2; below(k, mid) > chance {
				lo = mid
			} else {
				hi = mid
			}
		}
		return lo
	}
	if count > 0 {
		low = at(count-1, 0.975)
	}
	return low, at(count, 0.025)
}
