package telemetry

import (
	"math"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// Limits bound what one app may cost. The zero Limits give the defaults.
type Limits struct {
	Apps          int // 1,000
	Series        int // per app: 2,000
	Agents        int // per app: 20,000
	Points        int // per report: 500
	ReportsPerSec int // per agent: 5, for intervals down to 200 ms
}

func (l Limits) orDefaults() Limits {
	set := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	set(&l.Apps, 1000)
	set(&l.Series, 2000)
	set(&l.Agents, 20000)
	set(&l.Points, 500)
	set(&l.ReportsPerSec, 5)
	return l
}

const (
	maxLead   = 5 * time.Second  // a clock further ahead is not believed
	maxLag    = 10 * time.Second // older reports are history nobody shows
	maxWindow = time.Minute
)

// verdict is why a report, or a part of it, does not count. Empty: it counts.
type verdict string

// The verdicts, as they are counted and shown.
const (
	admitted  verdict = ""
	future    verdict = "future"
	late      verdict = "late"
	malformed verdict = "malformed"
	overflow  verdict = "overflow"
	flood     verdict = "flood"
)

// admit places a report in time: the instant in the middle of what it covers.
func admit(at time.Time, window time.Duration, now time.Time) (middle time.Time, v verdict) {
	if window <= 0 || window > maxWindow {
		return at, malformed
	}
	if at.IsZero() {
		at = now
	}
	switch lead := at.Sub(now); {
	case lead > maxLead:
		return at, future
	case lead < -maxLag:
		return at, late
	case lead > 0:
		at = now // a small lead is the clock's fault, not the report's
	}
	return at.Add(-window / 2), admitted
}

// sane reports whether a point's numbers can be.
func sane(p *gear.PointReport) bool {
	finite := func(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
	return p.Count >= 0 && p.OK >= 0 && p.Timeouts >= 0 && p.Errors >= 0 && p.Shed >= 0 &&
		p.RTSum >= 0 && p.LevelSum >= 0 && p.LevelMin >= 0 && p.LevelMax >= p.LevelMin &&
		finite(p.Value) && finite(p.Load) && finite(p.FitResidual) && saneCrowds(p.Crowds) && p.Point != "" && p.Scene != ""
}

// saneCrowds reports whether crowds' numbers can be: a share is in 0..1.
func saneCrowds(in []gear.CrowdReport) bool {
	for i := range in {
		c := &in[i]
		if c.Count < 0 || c.RTSum < 0 || c.Edge < 0 || c.Level < 0 || c.Downgraded < 0 || c.Downgraded > c.Count+1 ||
			!(c.Needless >= 0 && c.Needless <= 1) || !(c.NeedlessError >= 0 && c.NeedlessError <= 1) || !(c.Work >= 0 && c.Work <= 1) {
			return false
		}
	}
	return true
}
