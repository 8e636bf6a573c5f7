package wire

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
)

func TestBaseQuotasRoundTrip(t *testing.T) {
	in := gear.BaseQuotas{Frame: 7, Quotas: []gear.BaseQuota{{Group: "rank", Epoch: 3, Tick: 9, Base: 123.5, Terms: gear.QuotaTerms{
		Min: 10, Max: 1000, Default: 200, WeightMin: 0.5, WeightMax: 1.5, Scale: 0.9, CountWeights: true, TTL: 500 * time.Millisecond,
		FallbackSlew: 0.1, ReturnSlew: 0.5, FrameBudget: 1e5, FrameSum: 9e4, Agents: 3,
		Places: []gear.QuotaPlace{{Scene: "*", Point: "rank"}}, Choices: []gear.QuotaChoice{{From: 0, Quota: 10}},
	}}}}
	b, err := proto.Marshal(FromBaseQuotas(&in))
	require.NoError(t, err)
	var p agentv1.BaseQuotas
	require.NoError(t, proto.Unmarshal(b, &p))
	out, ps := ToBaseQuotas(&p)
	require.Empty(t, ps)
	require.Equal(t, in, out)
}

func TestQuotaCountsRoundTrip(t *testing.T) {
	in := gear.QuotaCount{Group: "rank", At: time.Unix(5, 6).UTC(), Span: time.Second, Consumed: 9, Requests: 3, WeightMilli: 3100, Rung: gear.QuotaFallback, Base: 3.5, Capped: 1}
	out, ps := ToQuotaCounts([]*agentv1.QuotaCount{FromQuotaCount(&in)})
	require.Empty(t, ps)
	require.Equal(t, []gear.QuotaCount{in}, out)
}

func TestBadQuotasAreRefused(t *testing.T) {
	for _, base := range []float64{math.NaN(), math.Inf(1), -1, 1e30} {
		_, ps := ToBaseQuotas(&agentv1.BaseQuotas{Quotas: []*agentv1.BaseQuota{{Base: base}}})
		require.NotEmpty(t, ps)
	}
	_, ps := ToBaseQuotas(&agentv1.BaseQuotas{Quotas: []*agentv1.BaseQuota{{Base: 1, Terms: &agentv1.QuotaTerms{QMin: 2, QMax: 1}}}})
	require.NotEmpty(t, ps)
	_, ps = ToQuotaCounts([]*agentv1.QuotaCount{{Consumed: -1}})
	require.NotEmpty(t, ps)
	_, ps = ToQuotaCounts(make([]*agentv1.QuotaCount, MaxGroups+1))
	require.NotEmpty(t, ps)
}
