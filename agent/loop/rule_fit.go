package loop

import "math"

// Fit predicts response time from what is known before a request runs:
//
//	ln RT = a + b·ln load + c·ln work + d·u,   u = -ln(1 - min(ρ, 0.95))
//
// u turns d into the exponent of the queueing factor 1/(1-ρ). The four
// coefficients minimise exponentially forgotten squares plus a weak pull to
// prior values, which is what keeps the answer sane while little is known.
// The zero Fit is ready.
type Fit struct {
	xx      [4][4]float64 // Σ w·x·xᵀ, forgotten
	xy      [4]float64
	theta   [4]float64
	cov     float64 // variance of c per unit of residual variance
	s2      float64 // residual variance of ln RT means, forgotten
	updates int
	lastG   float64 // mean ln work at the last update: excitation is movement against it
	lastU   float64
	up, dn  float64 // CUSUM of standardised residuals
	refit   int     // intervals for which a drift forces updates
}

// observation is the mean of one bin in one interval.
type observation struct{ lnLoad, lnWork, lnRT, weight float64 }

// Priors and gates of the fit.
var (
	// fitPrior: RT proportional to load, work under half of it fixed, and the
	// queueing factor of one M/M/1 server.
	fitPrior = [4]float64{0, 1, 0.6, 1}
	// fitPull in units of observation weight. The intercept is free; work and
	// utilisation move together in a closed loop, so their prior counts longer.
	fitPull = [4]float64{1e-6, 2, 8, 8}
)

const (
	binWeight     = 100.0 // samples of a bin after which more do not add weight: model error dominates
	exciteWork    = 0.03  // mean |Δ ln work| that counts as excitation
	exciteUtil    = 0.10  // change of u that does
	knownError    = 0.30  // standard error of c below which the step law may use it
	cusumSlack    = 1.0   // residual standard deviations forgiven an interval
	cusumLimit    = 5.0   // accumulated deviations that mean drift
	driftForget   = 0.1   // what remains of the old evidence after a drift
	driftRefit    = 3     // intervals learnt unconditionally after it
	residualFloor = 0.02  // standard deviation of ln RT that is always expected
)

// utilTerm is the regressor u of a utilisation ρ. An unknown one counts as half.
func utilTerm(rho float64) float64 {
	if !(rho >= 0) {
		rho = 0.5
	}
	return -math.Log(1 - min(rho, 0.95))
}

// learn takes one interval's bins. It reports whether drift was found.
func (f *Fit) learn(obs []observation, u, forget float64) (drift bool) {
	var w, g, resid float64
	for _, o := range obs {
		w += o.weight
		g += o.weight * o.lnWork
		if f.updates > 0 {
			resid += o.weight * (o.lnRT - f.at(o.lnLoad, o.lnWork, u))
		}
	}
	if w < 1 {
		return false
	}
	g /= w
	if f.updates > 0 {
		drift = f.watch(resid / w)
	}
	moved := math.Abs(g-f.lastG) > exciteWork || math.Abs(u-f.lastU) > exciteUtil
	if !moved && f.refit == 0 && f.updates >= driftRefit {
		return drift // nothing new to learn from; forgetting now would only forget
	}
	f.refit = max(f.refit-1, 0)
	f.lastG, f.lastU = g, u
	for i := range f.xx {
		f.xy[i] *= forget
		for j := range f.xx[i] {
			f.xx[i][j] *= forget
		}
	}
	var sse float64
	for _, o := range obs {
		x := [4]float64{1, o.lnLoad, o.lnWork, u}
		if f.updates > 0 {
			e := o.lnRT - f.at(o.lnLoad, o.lnWork, u)
			sse += o.weight * e * e
		}
		for i := range x {
			f.xy[i] += o.weight * x[i] * o.lnRT
			for j := range x {
				f.xx[i][j] += o.weight * x[i] * x[j]
			}
		}
	}
	if f.updates > 0 {
		f.s2 += (1 - forget) * (sse/w - f.s2)
	} else {
		f.s2 = 0.04 // 20 % until residuals are seen
	}
	f.updates++
	f.solve()
	return drift
}

// watch adds an interval's mean residual to both CUSUMs.
func (f *Fit) watch(resid float64) bool {
	sd := max(math.Sqrt(f.s2), residualFloor)
	z := min(max(resid/sd, -3), 3)
	f.up = max(0, f.up+z-cusumSlack)
	f.dn = max(0, f.dn-z-cusumSlack)
	if f.up < cusumLimit && f.dn < cusumLimit {
		return false
	}
	f.up, f.dn, f.refit = 0, 0, driftRefit
	for i := range f.xx {
		f.xy[i] *= driftForget
		for j := range f.xx[i] {
			f.xx[i][j] *= driftForget
		}
	}
	return true
}

// solve finds theta = (xx + D)⁻¹(xy + D·prior) by Gaussian elimination; the pull D
// keeps the matrix positive definite.
func (f *Fit) solve() {
	var m [4][6]float64 // two right-hand sides: the coefficients, and the column of c's variance
	for i := range f.xx {
		copy(m[i][:], f.xx[i][:])
		m[i][i] += fitPull[i]
		m[i][4] = f.xy[i] + fitPull[i]*fitPrior[i]
	}
	m[2][5] = 1
	for i := range 4 {
		p := i
		for r := i + 1; r < 4; r++ {
			if math.Abs(m[r][i]) > math.Abs(m[p][i]) {
				p = r
			}
		}
		m[i], m[p] = m[p], m[i]
		for r := range 4 {
			if r == i || m[i][i] == 0 {
				continue
			}
			k := m[r][i] / m[i][i]
			for c := i; c < 6; c++ {
				m[r][c] -= k * m[i][c]
			}
		}
	}
	for i := range 4 {
		if v := m[i][4] / m[i][i]; !math.IsNaN(v) && !math.IsInf(v, 0) {
			f.theta[i] = v
		}
	}
	f.cov = m[2][5] / m[2][2]
}

// at predicts ln RT.
func (f *Fit) at(lnLoad, lnWork, u float64) float64 {
	return f.theta[0] + f.theta[1]*lnLoad + f.theta[2]*lnWork + f.theta[3]*u
}

// Reference predicts RT, in microseconds, at full work on an idle machine: a
// fixed reference, or success would drive every crowd to the same prediction.
func (f *Fit) Reference(load float64) float64 { return math.Exp(f.at(math.Log(load), 0, 0)) }

// slope gives dlnRT/dln work at unchanged utilisation and whether it is known well
// enough to divide by.
func (f *Fit) slope() (c float64, known bool) {
	if f.updates < driftRefit {
		return fitPrior[2], false
	}
	return min(max(f.theta[2], 0.2), 1.2), math.Sqrt(f.s2*f.cov) < knownError
}
