package quota

import (
	"fmt"
	"math"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// Law is how the base quota is decided.
type Law string

// The laws.
const (
	LawLog    Law = "log"    // log domain, velocity form
	LawLinear Law = "linear" // quota = clamp(PID(e)), the seed's form
	LawDCAF   Law = "dcaf"   // argmax of gain by value bucket under a price
)

// Settings of a group. DefaultSettings gives the defaults.
type Settings struct {
	Total  float64       // total_quota: candidates a window the machines can bear
	Window time.Duration // over which Total and the sum are taken
	Delay  time.Duration // tau: from counting to a changed quota

	Min, Max float64 // q_min, q_max: bounds of the base and of every final quota
	Default  float64 // default_quota: what the app answers with by itself

	Law Law
	// Kp has no unit, Ki is in 1/s (0: 1/(3 theta)), Kd in seconds. The linear
	// law's output is in units of Default.
	Kp, Ki, Kd  float64
	FeedForward bool // of the log law and dcaf

	WeightMin, WeightMax float64 // bounds of a user's value
	Normalise            bool    // divide weights by their mean over the group

	Watermark float64 // safe CPU of the machines, 0..1, for the calibrator

	// FallbackSlew and ReturnSlew are how fast agents' quotas may rise to Default
	// without, and to the base with a controller again: ln units a second.
	FallbackSlew, ReturnSlew float64

	Curves []Curve // of dcaf: gain by bucket of user value
}

// Bounds of settings.
const (
	MinWindow, MaxWindow = 500 * time.Millisecond, 30 * time.Second
	MinDelay, MaxDelay   = 100 * time.Millisecond, 5 * time.Second
	MaxQuota             = 1e6
	MaxTotal             = 1e12
	MaxGain              = 100
	MaxWeight            = 100
	MaxCurves            = 16
	MaxCurvePoints       = 32

	// Tick is how often a group's base quota is decided and pushed.
	Tick = 100 * time.Millisecond
	// BaseTTL is how long agents hold a base quota that is not renewed.
	BaseTTL = 500 * time.Millisecond
)

// DefaultSettings gives the defaults for a budget.
func DefaultSettings() Settings {
	return Settings{
		Window: time.Second, Delay: 300 * time.Millisecond,
		Min: 10, Max: 1000, Default: 200, Law: LawLog, FeedForward: true,
		WeightMin: 0.5, WeightMax: 1.5, Watermark: 0.7, FallbackSlew: 0.1, ReturnSlew: 0.5,
	}
}

// Theta is the loop's dead time: half the window and the delay.
func (s *Settings) Theta() time.Duration { return s.Window/2 + s.Delay }

// Integral gives the Ki in force, 1/s.
func (s *Settings) Integral() float64 {
	if s.Ki > 0 {
		return s.Ki
	}
	return 1 / (3 * s.Theta().Seconds())
}

// Check tells everything that is wrong.
func (s *Settings) Check() gear.Problems {
	var out gear.Problems
	number := func(path string, v, lo, hi float64) {
		if !(v >= lo && v <= hi) { // also NaN
			out.Add(path, gear.CodeRange, fmt.Sprintf("%s wants a number %g..%g, got %g", path, lo, hi, v))
		}
	}
	span := func(path string, v, lo, hi time.Duration) {
		if v < lo || v > hi {
			out.Add(path, gear.CodeRange, fmt.Sprintf("%s wants a duration %s..%s, got %s", path, lo, hi, v))
		}
	}
	number("total_quota", s.Total, 1, MaxTotal)
	span("window", s.Window, MinWindow, MaxWindow)
	if s.Window%Tick != 0 {
		out.Add("window", gear.CodeRange, fmt.Sprintf("window wants a multiple of %s, got %s", Tick, s.Window))
	}
	span("delay", s.Delay, MinDelay, MaxDelay)
	number("q_min", s.Min, 1, MaxQuota)
	number("q_max", s.Max, 1, MaxQuota)
	if s.Min > s.Max {
		out.Add("q_min", gear.CodeRange, fmt.Sprintf("q_min wants at most q_max %g, got %g", s.Max, s.Min))
	}
	number("default_quota", s.Default, s.Min, s.Max)
	number("kp", s.Kp, 0, MaxGain)
	number("ki", s.Ki, 0, MaxGain)
	number("kd", s.Kd, 0, MaxGain)
	number("weight_min", s.WeightMin, 0.01, MaxWeight)
	number("weight_max", s.WeightMax, s.WeightMin, MaxWeight)
	number("watermark", s.Watermark, 0.05, 1)
	number("fallback_slew", s.FallbackSlew, 0.001, 10)
	number("return_slew", s.ReturnSlew, 0.001, 10)
	switch s.Law {
	case LawLog, LawLinear:
	case LawDCAF:
		out = append(out, checkCurves(s.Curves)...)
	default:
		out.Add("law", gear.CodeEnum, fmt.Sprintf("law wants log, linear or dcaf, got %q", gear.Shown(string(s.Law))))
	}
	if s.Law != LawDCAF && len(s.Curves) > MaxCurves {
		out.Add("curves", gear.CodeLength, fmt.Sprintf("curves wants at most %d, got %d", MaxCurves, len(s.Curves)))
	}
	return out
}

func (s *Settings) clampLn(v float64) float64 {
	return min(max(v, math.Log(s.Min)), math.Log(s.Max))
}

// fromLn is exact at the limits, which Exp(Log(x)) is not.
func (s *Settings) fromLn(v float64) float64 { return min(max(math.Exp(v), s.Min), s.Max) }
