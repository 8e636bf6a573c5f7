package experiment

import (
	"math"

	"github.com/allspark/allspark/proto/gear"
)

// MismatchBelow is the p of a sample ratio that warns: one experiment in a thousand
// warns wrongly, though it is looked at often.
const MismatchBelow = 0.001

// SampleRatio is how traffic divided, against how it should have.
type SampleRatio struct {
	Expected []float64 // share of each arm's slices among those of all arms
	Observed []float64 // share of the requests
	Chi2     float64   // Pearson's, as if requests were independent
	Design   float64   // by how much more arms vary because users' requests come together
	P        float64   // of Chi2 / Design
}

// Mismatch says that traffic did not divide as it should.
func (s *SampleRatio) Mismatch() bool { return s.P < MismatchBelow }

// SampleRatioOf checks how traffic divided; ok is false while there is too little.
func SampleRatioOf(arms []*Blocks, ranges []Range) (out SampleRatio, ok bool) {
	var total, within, width float64
	free := -len(arms)
	n := make([]float64, len(arms))
	for i, b := range arms {
		n[i] = b.Total().Requests
		total += n[i]
		width += float64(ranges[i].Width())
	}
	if total <= 0 || width <= 0 || len(arms) < 2 {
		return out, false
	}
	for i, b := range arms {
		share := float64(ranges[i].Width()) / width
		out.Expected, out.Observed = append(out.Expected, share), append(out.Observed, n[i]/total)
		out.Chi2 += (n[i] - total*share) * (n[i] - total*share) / (total * share)
		for k := range b {
			// Against the arm's own total: a difference between arms is no variation within.
			e := n[i] * float64(ranges[i].BlockWidth(k)) / float64(ranges[i].Width())
			if e > 0 {
				within += (b[k].Requests - e) * (b[k].Requests - e) / e
				free++
			}
		}
	}
	if free < enoughBlocks || total < float64(enoughRequests*len(arms)) || total < gear.Blocks*float64(len(arms)) {
		return out, false
	}
	out.Design = math.Max(1, within/float64(free))
	between := float64(len(arms) - 1)
	out.P = FTail(out.Chi2/between/out.Design, between, float64(free))
	return out, true
}
