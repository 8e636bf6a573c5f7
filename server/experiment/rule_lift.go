package experiment

import "math"

const (
	confidence = 0.95
	// prior is tau: lifts of a few percent are what arms differ by. The sequence is
	// valid whatever it is, and shortest for lifts about this size.
	prior = 0.05
	// enough blocks with traffic, and requests in all of them, for the delta method.
	enoughBlocks   = 5
	enoughRequests = 100
)

// Ratio is a metric of one arm.
type Ratio struct {
	Value  float64
	Var    float64
	Blocks int // with traffic
}

// RatioOf estimates a metric of an arm; ok is false where there is too little to
// say how exact it is.
func RatioOf(b *Blocks, m Metric) (r Ratio, ok bool) {
	var sy, sx float64
	for k := range b {
		if y, x := m.of(&b[k]); x > 0 {
			sy, sx = sy+y, sx+x
			r.Blocks++
		}
	}
	if sx <= 0 {
		return r, false
	}
	r.Value = sy / sx
	k := float64(r.Blocks)
	for i := range b {
		if y, x := m.of(&b[i]); x > 0 {
			e := y - r.Value*x
			r.Var += e * e
		}
	}
	r.Var *= k / (k - 1) / (sx * sx)
	return r, r.Blocks >= enoughBlocks && sx >= enoughRequests && !math.IsNaN(r.Var)
}

// Interval is an estimate and the ends of its 95 % interval.
type Interval struct{ Estimate, Low, High float64 }

// Excludes tells whether the interval leaves v out, and on which side it lies.
func (i Interval) Excludes(v float64) int {
	switch {
	case i.Low > v:
		return 1
	case i.High < v:
		return -1
	}
	return 0
}

// Lift compares an arm with the control. Relative is nil where the metric of either
// is not above 0.
type Lift struct {
	Metric   Metric
	Relative *Interval // of the lift, 0.02 is 2 %: for one look, at the planned end
	Anytime  *Interval // of the lift, at every look
	Diff     Interval  // of the difference, in the metric's unit
	Freedom  float64   // Welch-Satterthwaite
}

// Counts gives the interval that counts: the always-valid one until the planned end.
func (l *Lift) Counts(final bool) *Interval {
	if final {
		return l.Relative
	}
	return l.Anytime
}

// Verdict is what an interval says.
type Verdict string

// The verdicts.
const (
	Better  Verdict = "better"
	Worse   Verdict = "worse"
	Unclear Verdict = "unclear"
)

// Verdict reads the interval that counts. Less RT and fewer timeouts are better.
// Where there is no lift, the difference counts at the planned end only.
func (l *Lift) Verdict(final bool) Verdict {
	side := 0
	if i := l.Counts(final); i != nil {
		side = i.Excludes(0)
	} else if final {
		side = l.Diff.Excludes(0)
	}
	if l.Metric != MetricValue {
		side = -side
	}
	switch side {
	case 1:
		return Better
	case -1:
		return Worse
	}
	return Unclear
}

// Compare gives the lift of an arm over the control; ok is false where there is too
// little of either.
func Compare(arm, control *Blocks, m Metric) (out Lift, ok bool) {
	a, okA := RatioOf(arm, m)
	c, okC := RatioOf(control, m)
	if !okA || !okC {
		return out, false
	}
	out.Metric = m
	df := welch(a.Var, c.Var, a.Blocks, c.Blocks)
	half := Student(df) * math.Sqrt(a.Var+c.Var)
	d := a.Value - c.Value
	out.Diff, out.Freedom = Interval{d, d - half, d + half}, df
	if a.Value <= 0 || c.Value <= 0 {
		return out, true
	}
	va, vc := a.Var/(a.Value*a.Value), c.Var/(c.Value*c.Value)
	v, l := va+vc, math.Log(a.Value/c.Value)
	df = welch(va, vc, a.Blocks, c.Blocks)
	t := Student(df)
	out.Freedom = df
	out.Relative = relative(l, t*math.Sqrt(v))
	out.Anytime = relative(l, anytime(v)*t/Student(math.Inf(1)))
	return out, true
}

func relative(l, half float64) *Interval {
	return &Interval{math.Expm1(l), math.Expm1(l - half), math.Expm1(l + half)}
}

// anytime is half the width of the always-valid interval at variance v.
func anytime(v float64) float64 {
	if v <= 0 {
		return 0
	}
	const tau2 = prior * prior
	return math.Sqrt(v * (v + tau2) / tau2 * (2*math.Log(1/(1-confidence)) + math.Log((v+tau2)/v)))
}

// welch gives the degrees of freedom of a difference.
func welch(va, vc float64, ka, kc int) float64 {
	if va+vc <= 0 {
		return float64(ka + kc - 2)
	}
	return (va + vc) * (va + vc) / (va*va/float64(ka-1) + vc*vc/float64(kc-1))
}
