package quota

import (
	"math"

	"github.com/allspark/allspark/proto/gear"
)

// grant is what a handle answers with: immutable, replaced as a whole. Quotas
// here have fractionBits of a candidate's fraction.
type grant struct {
	unit       float64 // base x scale, what a weight of 1 gives
	wmin, wmax float64
	min, max   int64
	cap        int64 // candidates of this handle in a frame
	weigh      bool  // weights are counted too
	choices    []gear.QuotaChoice
	base       float64
	rung       gear.QuotaRung
}

const (
	fractionBits = 16
	one          = 1 << fractionBits
	// golden spreads the counter over the fractions as evenly as can be.
	golden = 40503
)

// weight clamps a user's value; what is no number counts as 1.
func (g *grant) weight(value float64) float64 {
	if value >= g.wmin {
		if value > g.wmax {
			return g.wmax
		}
		return value
	}
	if value != value {
		return min(max(1, g.wmin), g.wmax)
	}
	return g.wmin
}

// chosen is the quota of the bucket that a value lies in.
func (g *grant) chosen(value float64) int64 {
	c := g.choices[0].Quota
	for i := 1; i < len(g.choices) && value >= g.choices[i].From; i++ {
		c = g.choices[i].Quota
	}
	return int64(c * one)
}

// round clamps a quota and rounds it up or down by the number of the request, so
// that the mean is exact and whole numbers stay what they are.
func (g *grant) round(exact int64, request uint64) int {
	if exact > g.max {
		exact = g.max
	}
	if exact < g.min {
		exact = g.min
	}
	return int((exact + int64(request*golden&(one-1))) >> fractionBits)
}

// shrunk is what a request gets when used candidates were taken in this frame
// already, above the cap.
func (g *grant) shrunk(n int, used int64) int {
	share := float64(g.cap) / float64(used)
	return min(n, max(int(float64(n)*share*share), int(g.min>>fractionBits)))
}

// frameCap is what a handle may take in a frame: twice its share of the group's
// budget. lately is what it took in a frame of late.
func frameCap(t *gear.QuotaTerms, lately float64, handles int) int64 {
	if t.FrameBudget <= 0 {
		return noCap
	}
	share := 1 / float64(max(t.Agents, 1)) / float64(max(handles, 1))
	if t.FrameSum > 0 {
		share = min(max(lately/t.FrameSum, share), 1)
	}
	if c := max(capFactor*share*t.FrameBudget, t.Min); c < 1<<62 {
		return int64(c)
	}
	return noCap
}

const (
	capFactor = 2
	noCap     = math.MaxInt64
)
