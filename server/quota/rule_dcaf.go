package quota

import (
	"fmt"
	"math"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// Curve is what ranking more candidates earns for the users whose value lies at
// or above From and below the next curve's.
type Curve struct {
	From   float64 // of the bucket of user value
	Value  float64 // worth of one unit of gain in this bucket
	Points []Gain  // by rising quota
}

// Gain is what a quota earns, in the business's own unit.
type Gain struct{ Quota, Gain float64 }

// Choice is the quota that a bucket gets.
type Choice struct{ From, Quota float64 }

func checkCurves(curves []Curve) gear.Problems {
	var out gear.Problems
	if n := len(curves); n < 1 || n > MaxCurves {
		out.Add("curves", gear.CodeLength, fmt.Sprintf("dcaf wants 1..%d curves, got %d", MaxCurves, n))
		return out
	}
	for i := range curves {
		c, path := &curves[i], fmt.Sprintf("curves[%d]", i)
		if !finite(c.From) || i > 0 && c.From <= curves[i-1].From {
			out.Add(path+".from", gear.CodeRange, "from wants to rise from curve to curve")
		}
		if !finite(c.Value) || c.Value <= 0 {
			out.Add(path+".value", gear.CodeRange, fmt.Sprintf("value wants a number above 0, got %g", c.Value))
		}
		if n := len(c.Points); n < 1 || n > MaxCurvePoints {
			out.Add(path+".points", gear.CodeLength, fmt.Sprintf("points wants 1..%d, got %d", MaxCurvePoints, n))
		}
		for k, p := range c.Points {
			if !finite(p.Quota) || !finite(p.Gain) || p.Quota < 1 || p.Quota > MaxQuota || k > 0 && p.Quota <= c.Points[k-1].Quota {
				out.Add(fmt.Sprintf("%s.points[%d]", path, k), gear.CodeRange, fmt.Sprintf("points want rising quotas 1..%g with finite gains", float64(MaxQuota)))
				break
			}
		}
	}
	return out
}

// Choose gives each bucket the quota that maximises gain·value - lambda·quota;
// of equals the smaller.
func Choose(curves []Curve, lambda float64) []Choice {
	out := make([]Choice, len(curves))
	for i := range curves {
		c := &curves[i]
		best, at := math.Inf(-1), 0.0
		for _, p := range c.Points {
			if v := p.Gain*c.Value - lambda*p.Quota; v > best {
				best, at = v, p.Quota
			}
		}
		out[i] = Choice{From: c.From, Quota: at}
	}
	return out
}

// Price moves lambda: value given up for one candidate.
type Price struct {
	begun    bool
	ln       float64
	lo, hi   float64 // of ln lambda: all at the most, all at the least
	e        float64
	at       time.Time
	restTill time.Time
}

// Lambda is the price in force.
func (p *Price) Lambda() float64 { return math.Exp(p.ln) }

// bounds finds the prices between which any bucket can change its mind.
func (p *Price) bounds(curves []Curve) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range curves {
		pts := curves[i].Points
		for a := range pts {
			for b := a + 1; b < len(pts); b++ {
				if s := curves[i].Value * (pts[b].Gain - pts[a].Gain) / (pts[b].Quota - pts[a].Quota); s > 0 {
					lo, hi = min(lo, s), max(hi, s)
				}
			}
		}
	}
	if hi < lo {
		lo, hi = 1, 1 // no candidate earns anything: any price will do
	}
	p.lo, p.hi = math.Log(lo)-0.1, math.Log(hi)+0.1
}

// Step moves the price against the error and gives every bucket its quota. Δln
// lambda = -(Ki·Δt·e + Kp·Δe): a sum above the budget makes candidates dearer.
// The price is scaled by the span of prices over that of quotas, so that the same
// Ki settles curves of any shape.
func (p *Price) Step(s *Settings, x Sample) ([]Choice, Terms) {
	var t Terms
	p.bounds(s.Curves)
	if !p.begun {
		*p = Price{begun: true, at: x.Now, ln: (p.lo + p.hi) / 2, lo: p.lo, hi: p.hi, restTill: x.Now.Add(s.Delay)}
	}
	dt := min(x.Now.Sub(p.at).Seconds(), 2*Tick.Seconds())
	p.at = x.Now
	t.Frozen = x.Now.Before(p.restTill)
	if dt > 0 && finite(x.Sum) && x.Sum >= 0 && !t.Frozen {
		e := Error(s.Total, x.Sum)
		scale := p.scale(s.Curves)
		t.I = -scale * s.Integral() * dt * e
		t.P = -scale * s.Kp * (e - p.e)
		p.e = e
	}
	want := p.ln + t.I + t.P
	p.ln = min(max(want, p.lo), p.hi)
	t.Bound = -boundOf(want, p.ln)
	out := Choose(s.Curves, p.Lambda())
	for i := range out {
		out[i].Quota = min(max(out[i].Quota, s.Min), s.Max)
	}
	return out, t
}

// scale is how far ln lambda moves for ln of what is consumed to move by one.
func (p *Price) scale(curves []Curve) float64 {
	least, most := 0.0, 0.0
	for _, c := range Choose(curves, math.Exp(p.hi)) {
		least += c.Quota
	}
	for _, c := range Choose(curves, math.Exp(p.lo)) {
		most += c.Quota
	}
	if least <= 0 || most <= least {
		return 0
	}
	return (p.hi - p.lo) / math.Log(most/least)
}
