package quota

import (
	"context"
	"math"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// Decision is what the controller decided about a group at a tick, and why. It is
// what replicas that do not lead pass on to their agents, and what people see.
type Decision struct {
	Group string // id
	Epoch int64
	Tick  int64
	At    time.Time

	Base     float64
	Scale    float64
	Choices  []Choice
	Lambda   float64 // of dcaf
	Sum      float64 // candidates over the window
	Total    float64
	Error    float64 // 1 - sum/total
	Terms    Terms
	Arrivals float64 // requests a second, over the last half window
	Consumed float64 // candidates a second, over the window
	Weight   float64 // mean over the window; 0 unless weights are counted
	FrameSum float64 // candidates in 100 ms, over the window
	Crew     Crew    // of the deciding replica
}

// Relay carries decisions to replicas that do not lead.
type Relay interface {
	Publish(ctx context.Context, ds []Decision) error
	// Follow gives the newest decisions of groups; those without one are left out.
	Follow(ctx context.Context, groups []string) ([]Decision, error)
}

// pilot is the controller of one group, while this replica leads.
type pilot struct {
	begun bool
	since time.Time // of the first look
	pid   PID
	price Price
	law   Law
	tick  int64
	last  Decision
}

// decide looks at the sums. ok is false while there is nothing to begin with: the
// agents' fallback is better than a guess.
func (p *pilot) decide(g *Group, s Sums, crew Crew, epoch int64, now time.Time) (d Decision, ok bool) {
	set := &g.Settings
	if p.since.IsZero() {
		p.since = now
	}
	if !p.begun || p.law != set.Law {
		base, ready := p.beginning(set, &s, now)
		if !ready {
			return d, false
		}
		p.pid.Begin(set, base, now)
		p.price, p.law, p.begun = Price{}, set.Law, true
	}
	p.tick = max(p.tick+1, now.UnixMilli()/Tick.Milliseconds())
	x := NewSample(now, s)
	w := set.Window.Seconds()
	d = Decision{
		Group: g.ID, Epoch: epoch, Tick: p.tick, At: now, Sum: x.Sum, Total: set.Total, Error: 1 - x.Sum/set.Total,
		Arrivals: x.Slow / (w / 2), Consumed: x.Sum / w, FrameSum: x.Sum / w * Tick.Seconds(), Crew: crew,
		Scale: Scale(set, s.Window.Weight, s.Window.Requests),
	}
	if x.Requests > 0 {
		d.Weight = s.Window.Weight / x.Requests
	}
	if set.Law == LawDCAF {
		d.Choices, d.Terms = p.price.Step(set, x)
		d.Lambda = p.price.Lambda()
		d.Base = p.meanOf(set, d.Choices, x)
	} else {
		d.Base, d.Terms = p.pid.Step(set, x)
	}
	p.last = d
	return d, true
}

// beginning is the base to take over: the last decision's, else what the group
// consumes on average, else, when a whole window brought nothing, the default.
func (p *pilot) beginning(s *Settings, sums *Sums, now time.Time) (base float64, ready bool) {
	if p.last.Base > 0 && now.Sub(p.last.At) < BaseTTL {
		return p.last.Base, true
	}
	if n := sums.Window.Requests; n >= 1 {
		mean := sums.Window.Consumed / n
		if w := sums.Window.Weight / n; w > 0 {
			mean /= w
		}
		return mean, mean > 0
	}
	return s.Default, now.Sub(p.since) >= s.Window+Lag
}

// meanOf is what a request gets on average: the base that agents fall back from.
func (p *pilot) meanOf(s *Settings, choices []Choice, x Sample) float64 {
	if x.Requests > 0 && x.Sum > 0 {
		return min(max(x.Sum/x.Requests, s.Min), s.Max)
	}
	sum := 0.0
	for _, c := range choices {
		sum += c.Quota
	}
	return min(max(sum/float64(max(len(choices), 1)), s.Min), s.Max)
}

// quotaOf writes a decision for the agents of an app x IDC; ok is false when the
// group has no place there.
func quotaOf(g *Group, d *Decision, app, idc string) (q gear.BaseQuota, ok bool) {
	s := &g.Settings
	q = gear.BaseQuota{Group: g.Name, Epoch: d.Epoch, Tick: d.Tick, Base: d.Base, Terms: gear.QuotaTerms{
		Min: s.Min, Max: s.Max, Default: s.Default, WeightMin: s.WeightMin, WeightMax: s.WeightMax, Scale: d.Scale,
		CountWeights: s.Normalise, TTL: BaseTTL, FallbackSlew: s.FallbackSlew, ReturnSlew: s.ReturnSlew,
		FrameBudget: s.Total / s.Window.Seconds() * Tick.Seconds(), FrameSum: d.FrameSum, Agents: int64(d.Crew.Agents),
	}}
	for _, m := range g.Members {
		if m.App == app && (m.IDC == gear.Any || m.IDC == idc) {
			q.Terms.Places = append(q.Terms.Places, gear.QuotaPlace{Scene: m.Scene, Point: m.Point})
		}
	}
	for _, c := range d.Choices {
		q.Terms.Choices = append(q.Terms.Choices, gear.QuotaChoice{From: c.From, Quota: c.Quota})
	}
	ok = len(q.Terms.Places) > 0 && q.Base > 0 && !math.IsInf(q.Base, 0)
	return q, ok
}
