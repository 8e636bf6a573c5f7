package gear

import "time"

// QuotaRung is the step of the base quota's own fallback ladder.
type QuotaRung uint8

// The ladder, best first.
const (
	QuotaLive      QuotaRung = iota + 1 // the base quota of the controller
	QuotaReturning                      // rising to it after a time without
	QuotaFallback                       // without: min(last, default), slewing to default
	QuotaDefault                        // never had one
)

var quotaRungNames = [...]string{"", "live", "returning", "fallback", "default"}

// String gives the rung's name in API and metrics.
func (r QuotaRung) String() string {
	if int(r) < len(quotaRungNames) {
		return quotaRungNames[r]
	}
	return "unknown"
}

// BaseQuotas are those of every group that an app x IDC has places in.
type BaseQuotas struct {
	Frame  int64
	Quotas []BaseQuota
}

// BaseQuota is a group's. (Epoch, Tick) only rises.
type BaseQuota struct {
	Group string
	Epoch int64
	Tick  int64
	Base  float64
	Terms QuotaTerms
}

// QuotaTerms is what an agent needs to turn a base quota into final ones.
type QuotaTerms struct {
	Min, Max, Default        float64
	WeightMin, WeightMax     float64
	Scale                    float64 // of weights
	CountWeights             bool
	TTL                      time.Duration
	FallbackSlew, ReturnSlew float64 // ln units a second
	FrameBudget, FrameSum    float64 // of the whole group, candidates in 100 ms
	Agents                   int64
	Places                   []QuotaPlace
	Choices                  []QuotaChoice // by rising value, in place of base x weight
}

// QuotaPlace is where a group's quota applies in an app.
type QuotaPlace struct{ Scene, Point string }

// QuotaChoice is the quota of users from a value on.
type QuotaChoice struct{ From, Quota float64 }

// QuotaCount is what finally entered ranking since the count before.
type QuotaCount struct {
	Group       string
	At          time.Time
	Span        time.Duration // over which it was counted
	Consumed    int64         // candidates
	Requests    int64
	WeightMilli int64
	Rung        QuotaRung
	Base        float64
	Capped      int64 // requests cut by the local cap
}
