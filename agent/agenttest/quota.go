package agenttest

import (
	"context"
	"maps"
	"slices"
	"time"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
)

// QuotaTTL is how long a base quota stands here when a test names no TTL: the
// longest an agent takes. A real controller renews its base quotas ten times a
// second and lets them end after half a second.
const QuotaTTL = time.Minute

// SetBase gives every agent, now and when it connects, the base quota of a group.
// Terms left zero are 1..1,000,000 candidates a request, weights of 0.5 to 1.5, a
// default of 100, the slews of a real group and every scene of the points named.
func (c *Controller) SetBase(group string, base float64, terms gear.QuotaTerms, points ...string) {
	if terms.Max == 0 {
		terms.Min, terms.Max = max(terms.Min, 1), wire.MaxBase
	}
	if terms.WeightMax == 0 {
		terms.WeightMin, terms.WeightMax = 0.5, 1.5
	}
	if terms.Default == 0 {
		terms.Default = 100
	}
	if terms.TTL == 0 {
		terms.TTL = QuotaTTL
	}
	if terms.FallbackSlew == 0 {
		terms.FallbackSlew = 0.1
	}
	if terms.ReturnSlew == 0 {
		terms.ReturnSlew = 0.5
	}
	for _, p := range points {
		terms.Places = append(slices.Clone(terms.Places), gear.QuotaPlace{Scene: gear.Any, Point: p})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bases[group] = gear.BaseQuota{Group: group, Epoch: c.set.Epoch, Tick: c.bases[group].Tick + 1, Base: base, Terms: terms}
	c.frame++
	for s := range c.sessions {
		s.post(c.quotas())
	}
}

// quotas is the frame of all base quotas. c.mu is held.
func (c *Controller) quotas() *agentv1.ConnectResponse {
	q := gear.BaseQuotas{Frame: c.frame}
	for _, g := range slices.Sorted(maps.Keys(c.bases)) {
		q.Quotas = append(q.Quotas, c.bases[g])
	}
	return &agentv1.ConnectResponse{Body: &agentv1.ConnectResponse_BaseQuotas{BaseQuotas: wire.FromBaseQuotas(&q)}}
}

// WaitQuotaCount waits for a count that ok accepts: what agents say entered ranking
// in a frame of 100 ms. Earlier ones count.
func (c *Controller) WaitQuotaCount(ctx context.Context, ok func(gear.QuotaCount) bool) (gear.QuotaCount, error) {
	var found gear.QuotaCount
	err := c.wait(ctx, func() bool {
		i := slices.IndexFunc(c.counts, ok)
		if i >= 0 {
			found = c.counts[i]
		}
		return i >= 0
	})
	return found, err
}

// QuotaCounts are all counts so far.
func (c *Controller) QuotaCounts() []gear.QuotaCount {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.counts)
}
