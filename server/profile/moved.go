package profile

import (
	"math"
	"slices"
	"time"

	"github.com/allspark/allspark/server/allocation"
)

const (
	// spanLength is in what steps of time it is counted how long a level was run at.
	spanLength = 10 * time.Second
	// halfTrust is how many such steps let what was measured weigh as much as what was
	// known. Requests do not count: a level passed through on the way down from an
	// overload serves hundreds of them, all from the same queue.
	halfTrust = 60
	// doubt is what says, beside all that was measured at a class's levels, that
	// nothing moved: as much as one level run at for halfTrust.
	doubt = 0.5
	// ratioLimit bounds how far a level moves at once.
	ratioLimit = 5
)

// trust is how much what was measured weighs against what was known, 0 to 1.
func (x *sums) trust() float64 { return x.spans / (x.spans + halfTrust) }

// ratios tells, by level and class, how far mean RT moved. A level that was run at
// moves as far as was measured there for the part that its time there is trusted,
// and for the rest as far as all levels of its class together; one that was not, as
// far as its neighbours of the same class, or of all classes where a class was not
// seen at all.
func ratios(prior *Profile, cells [][]*sums) [][]float64 {
	out := make([][]float64, len(cells))
	classes := len(prior.Classes)
	logs := make([][]float64, classes+1) // by class, NaN where unknown; the last of all together
	for c := range logs {
		logs[c] = unknown(len(cells))
	}
	trusts := make([][]float64, classes)
	for c := range trusts {
		trusts[c] = make([]float64, len(cells))
		for l := range cells {
			if x := cells[l][c]; x != nil {
				logs[c][l] = logRatio(allocation.FromQuantiles(x.quantiles()).Mean(), allocation.FromQuantiles(prior.Levels[l].RT[c]).Mean())
				trusts[c][l] = x.trust()
			}
		}
		shrink(logs[c], trusts[c])
	}
	for l := range cells {
		out[l] = make([]float64, classes)
		sum, n := 0.0, 0.0
		for c := range classes {
			if !math.IsNaN(logs[c][l]) {
				sum, n = sum+logs[c][l], n+1
			}
		}
		if n > 0 {
			logs[classes][l] = sum / n
		}
	}
	for c := range logs {
		first := spread(logs[c])
		for l := range first {
			logs[c][l] *= fade(&prior.Levels[l], &prior.Levels[first])
		}
	}
	for l := range out {
		for c := range out[l] {
			x := logs[c][l]
			if math.IsNaN(x) {
				x = logs[classes][l]
			}
			out[l][c] = moveBy(1, x)
		}
	}
	return out
}

// shrink moves what was measured at each level towards what all of them say, by how
// little each is trusted.
func shrink(logs, trusts []float64) {
	sum, weight := 0.0, doubt
	for l, x := range logs {
		if !math.IsNaN(x) {
			sum, weight = sum+trusts[l]*x, weight+trusts[l]
		}
	}
	for l, x := range logs { // NaN stays NaN
		logs[l] = trusts[l]*x + (1-trusts[l])*sum/weight
	}
}

// logRatio is how far a value moved, within bounds; NaN where one of both says
// nothing.
func logRatio(now, was float64) float64 {
	if !(now > 0 && was > 0) {
		return math.NaN()
	}
	return max(min(math.Log(now/was), math.Log(ratioLimit)), -math.Log(ratioLimit))
}

func moveBy(v, log float64) float64 {
	if math.IsNaN(log) {
		return v
	}
	return v * math.Exp(log)
}

func unknown(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }

// fade is how much of what moved the lowest level that was run at moved one below it.
// What moves RT is load, for the most part: R = S/(1-rho), and rho falls with the
// work, so that log R moves about as its square. Believing in fast low levels costs
// little, they are tried and measured; slow ones would never be tried again.
func fade(low, first *Level) float64 {
	if !(low.Work < first.Work) {
		return 1
	}
	share := low.Work / first.Work
	return share * share
}

// spread fills NaNs along straight lines between neighbours, and level beyond the
// last of them. It gives the first that was known, 0 for none.
func spread(v []float64) int {
	first, last := 0, -1
	for i := range v {
		if math.IsNaN(v[i]) {
			continue
		}
		for k := last + 1; k < i; k++ {
			if v[k] = v[i]; last >= 0 {
				v[k] = v[last] + (v[i]-v[last])*float64(k-last)/float64(i-last)
			}
		}
		if last < 0 {
			first = i
		}
		last = i
	}
	if last >= 0 {
		for k := last + 1; k < len(v); k++ {
			v[k] = v[last]
		}
	}
	return first
}
