package allocation

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Atom is a share of the requests that take MS.
type Atom struct {
	MS float64
	P  float64
}

// Dist is a distribution of RT: atoms by rising MS whose shares add up to 1.
type Dist []Atom

// Fixed is the distribution of a time that never varies.
func Fixed(ms float64) Dist { return Dist{{ms, 1}} }

// steps of equal probability that a quantile function is cut into.
const quantileSteps = 200

// Quantile is one value of a quantile function.
type Quantile struct {
	Q  float64 // 0..1
	MS float64
}

// FromQuantiles makes a distribution of a quantile function known at a few
// places, linear between them and flat outside.
func FromQuantiles(qs []Quantile) Dist {
	if len(qs) == 0 {
		return nil
	}
	out := make(Dist, 0, quantileSteps)
	at := 0
	for i := range quantileSteps {
		q := (float64(i) + 0.5) / quantileSteps
		for at < len(qs) && qs[at].Q < q {
			at++
		}
		var ms float64
		switch {
		case at == 0:
			ms = qs[0].MS
		case at == len(qs):
			ms = qs[len(qs)-1].MS
		default:
			a, b := qs[at-1], qs[at]
			ms = a.MS + (b.MS-a.MS)*(q-a.Q)/(b.Q-a.Q)
		}
		if n := len(out); n > 0 && out[n-1].MS == ms {
			out[n-1].P += 1.0 / quantileSteps
			continue
		}
		out = append(out, Atom{ms, 1.0 / quantileSteps})
	}
	return out
}

// Bin is a range of times and how often they were seen.
type Bin struct{ Low, High, Count float64 }

// FromBins makes a distribution of a histogram; within a bin times are spread
// evenly. It is nil when nothing was counted.
func FromBins(bins []Bin) Dist {
	total := 0.0
	for _, b := range bins {
		total += b.Count
	}
	if !(total > 0) {
		return nil
	}
	var out Dist
	for _, b := range bins {
		if b.Count == 0 {
			continue
		}
		// A bin wider than a millisecond becomes several atoms, so that a
		// convolution does not see a comb.
		n := min(max(int(math.Ceil(b.High-b.Low)), 1), 32)
		for i := range n {
			out = append(out, Atom{b.Low + (b.High-b.Low)*(float64(i)+0.5)/float64(n), b.Count / total / float64(n)})
		}
	}
	slices.SortFunc(out, func(a, b Atom) int { return cmp.Compare(a.MS, b.MS) })
	return out
}

func (d Dist) check() string {
	if len(d) == 0 {
		return "has no samples"
	}
	total, last := 0.0, 0.0
	for _, a := range d {
		switch {
		case math.IsNaN(a.MS) || math.IsInf(a.MS, 0):
			return "is not a number"
		case a.MS < 0:
			return fmt.Sprintf("is negative: %g ms", a.MS)
		case a.MS > MaxTarget:
			return fmt.Sprintf("is %g ms, above %d", a.MS, MaxTarget)
		case a.MS < last:
			return "is not in rising order"
		case !(a.P >= 0):
			return fmt.Sprintf("has a share of %g", a.P)
		}
		last = a.MS
		total += a.P
	}
	if math.Abs(total-1) > 1e-6 {
		return fmt.Sprintf("has shares that add up to %g, not to 1", total)
	}
	return ""
}

// Mean is in ms.
func (d Dist) Mean() float64 {
	m := 0.0
	for _, a := range d {
		m += a.MS * a.P
	}
	return m
}

// Quantile is the smallest time that a share q of the requests do not exceed.
func (d Dist) Quantile(q float64) float64 {
	sum := 0.0
	for _, a := range d {
		if sum += a.P; sum >= q-slack {
			return a.MS
		}
	}
	return d[len(d)-1].MS
}

// slack absorbs the rounding of sums of shares and times.
const slack = 1e-9

// figures are what passes and rows need to know of a level's RT over all classes.
type figures struct {
	mean      float64
	quantiles [len(quantiles)]float64
}

// figure walks the classes' atoms once, in rising order.
func figure(classes []Class, ds []Dist) (f figures) {
	var at [MaxClasses]int
	sum, next := 0.0, 0
	for c, d := range ds {
		f.mean += classes[c].Share * d.Mean()
	}
	ms := 0.0
	for next < len(quantiles) {
		least := None
		for c, d := range ds {
			if at[c] < len(d) && (least == None || d[at[c]].MS < ds[least][at[least]].MS) {
				least = c
			}
		}
		if least == None {
			break
		}
		a := ds[least][at[least]]
		at[least]++
		sum += a.P * classes[least].Share
		ms = a.MS
		for next < len(quantiles) && sum >= quantiles[next]-slack {
			f.quantiles[next] = ms
			next++
		}
	}
	for ; next < len(quantiles); next++ {
		f.quantiles[next] = ms
	}
	return f
}

// figures of every point and level.
func (in *Input) figures() [][]figures {
	out := make([][]figures, len(in.Points))
	for i := range in.Points {
		out[i] = make([]figures, len(in.Points[i].Levels))
		for l := range out[i] {
			out[i][l] = figure(in.Classes, in.Points[i].Levels[l].RT)
		}
	}
	return out
}
