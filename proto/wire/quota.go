package wire

import (
	"time"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
)

// Limits of quota messages.
const (
	MaxGroups  = 256  // groups of an app x IDC
	MaxPlaces  = 1024 // places of a group in an app
	MaxChoices = 64   // buckets of user value
	MaxBase    = 1e9  // candidates a request
)

// FromBaseQuotas makes the message of base quotas.
func FromBaseQuotas(q *gear.BaseQuotas) *agentv1.BaseQuotas {
	p := &agentv1.BaseQuotas{Frame: q.Frame, Quotas: make([]*agentv1.BaseQuota, len(q.Quotas))}
	for i := range q.Quotas {
		b := &q.Quotas[i]
		t := &b.Terms
		terms := &agentv1.QuotaTerms{
			QMin: t.Min, QMax: t.Max, DefaultQuota: t.Default, WeightMin: t.WeightMin, WeightMax: t.WeightMax, WeightScale: t.Scale,
			CountWeights: t.CountWeights, TtlNs: int64(t.TTL), FallbackSlew: t.FallbackSlew, ReturnSlew: t.ReturnSlew,
			FrameBudget: t.FrameBudget, FrameSum: t.FrameSum, Agents: t.Agents,
		}
		for _, x := range t.Places {
			terms.Places = append(terms.Places, &agentv1.QuotaPlace{Scene: clean(x.Scene), Point: clean(x.Point)})
		}
		for _, x := range t.Choices {
			terms.Choices = append(terms.Choices, &agentv1.QuotaChoice{From: x.From, Quota: x.Quota})
		}
		p.Quotas[i] = &agentv1.BaseQuota{Group: clean(b.Group), Epoch: b.Epoch, Tick: b.Tick, Base: b.Base, Terms: terms}
	}
	return p
}

// ToBaseQuotas reads base quotas. What is no quota is a problem: an agent does
// better with the last one.
func ToBaseQuotas(p *agentv1.BaseQuotas) (gear.BaseQuotas, gear.Problems) {
	var c checker
	q := gear.BaseQuotas{Frame: c.count("frame", p.GetFrame())}
	if !c.size("quotas", len(p.GetQuotas()), MaxGroups, "groups") {
		return q, c.problems
	}
	for _, x := range p.GetQuotas() {
		t := x.GetTerms()
		b := gear.BaseQuota{
			Group: c.name("group", x.GetGroup()), Epoch: c.count("epoch", x.GetEpoch()), Tick: c.count("tick", x.GetTick()),
			Base: c.quota("base", x.GetBase()),
			Terms: gear.QuotaTerms{
				Min: c.quota("q_min", t.GetQMin()), Max: c.quota("q_max", t.GetQMax()), Default: c.quota("default_quota", t.GetDefaultQuota()),
				WeightMin: c.quota("weight_min", t.GetWeightMin()), WeightMax: c.quota("weight_max", t.GetWeightMax()),
				Scale: c.quota("weight_scale", t.GetWeightScale()), CountWeights: t.GetCountWeights(),
				TTL:          min(max(time.Duration(t.GetTtlNs()), 0), time.Minute),
				FallbackSlew: c.quota("fallback_slew", t.GetFallbackSlew()), ReturnSlew: c.quota("return_slew", t.GetReturnSlew()),
				FrameBudget: max(c.finite("frame_budget", t.GetFrameBudget()), 0), FrameSum: max(c.finite("frame_sum", t.GetFrameSum()), 0),
				Agents: c.count("agents", t.GetAgents()),
			},
		}
		if b.Terms.Min > b.Terms.Max || b.Terms.WeightMin > b.Terms.WeightMax {
			c.add("q_min", codeRange, "group %q has its limits the wrong way round", gear.Shown(b.Group))
		}
		if c.size("places", len(t.GetPlaces()), MaxPlaces, "places") {
			for _, y := range t.GetPlaces() {
				b.Terms.Places = append(b.Terms.Places, gear.QuotaPlace{Scene: c.name("scene", y.GetScene()), Point: c.name("point", y.GetPoint())})
			}
		}
		if c.size("choices", len(t.GetChoices()), MaxChoices, "choices") {
			for _, y := range t.GetChoices() {
				b.Terms.Choices = append(b.Terms.Choices, gear.QuotaChoice{From: c.finite("from", y.GetFrom()), Quota: c.quota("quota", y.GetQuota())})
			}
		}
		q.Quotas = append(q.Quotas, b)
	}
	return q, c.problems
}

func (c *checker) quota(path string, v float64) float64 {
	if !(v >= 0 && v <= MaxBase) { // also NaN
		c.add(path, codeRange, "%s wants a number 0..%g, got %v", path, float64(MaxBase), v)
		return 0
	}
	return v
}

// FromQuotaCount makes the message of a count.
func FromQuotaCount(q *gear.QuotaCount) *agentv1.QuotaCount {
	return &agentv1.QuotaCount{
		Group: clean(q.Group), AtNs: nanos(q.At), Consumed: q.Consumed, Requests: q.Requests, WeightMilli: q.WeightMilli,
		SpanNs: int64(q.Span), Rung: uint32(q.Rung), Base: q.Base, Capped: q.Capped,
	}
}

// ToQuotaCounts reads the counts of a frame.
func ToQuotaCounts(ps []*agentv1.QuotaCount) ([]gear.QuotaCount, gear.Problems) {
	var c checker
	if !c.size("quota", len(ps), MaxGroups, "counts") {
		return nil, c.problems
	}
	out := make([]gear.QuotaCount, len(ps))
	for i, p := range ps {
		out[i] = gear.QuotaCount{
			Group: c.name("group", p.GetGroup()), At: unix(p.GetAtNs()), Consumed: c.count("consumed", p.GetConsumed()),
			Requests: c.count("requests", p.GetRequests()), WeightMilli: c.count("weight_milli", p.GetWeightMilli()),
			Span: min(max(time.Duration(p.GetSpanNs()), 0), MaxWindow), Rung: gear.QuotaRung(min(p.GetRung(), 255)),
			Base: c.quota("base", p.GetBase()), Capped: c.count("capped", p.GetCapped()),
		}
	}
	return out, c.problems
}
