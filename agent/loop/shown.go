package loop

import "math"

// Residual is the standard deviation of ln RT around the fit: 0.1 means that
// predictions are within 10 % two times of three. 0 until something was learnt.
func (f *Fit) Residual() float64 {
	if f.updates == 0 || !(f.s2 >= 0) {
		return 0
	}
	return math.Sqrt(f.s2)
}
