package loop

import (
	"fmt"
	"math"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// EdgeSettings are what an external_timeout order says, in the rule's own terms.
type EdgeSettings struct {
	Start, Min, Max time.Duration
	Rate            float64 // share of calls that may time out
	Interval        time.Duration
	MaxDown, MaxUp  float64 // clip of one step, as ratios
	MinSamples      int64
	Pinned          bool // a claim holds the timeout
}

var edgeDefaults = defaultsOf(gear.StrategyExternalTimeout)

func defaultsOf(s gear.Strategy) map[string]gear.Value {
	m := map[string]gear.Value{}
	for _, p := range gear.StrategyParams(s) {
		m[p.Name] = p.Default
	}
	return m
}

// EdgeSettingsOf reads an external_timeout order.
func EdgeSettingsOf(o *gear.Order) EdgeSettings {
	num := func(name string) float64 {
		v, ok := o.Lookup(name)
		if !ok {
			v = edgeDefaults[name]
		}
		n, _ := v.Number()
		return n
	}
	s := EdgeSettings{
		Start: Of(o).Timeout, Min: time.Duration(num(gear.SettingMinTimeout)), Max: time.Duration(num(gear.SettingMaxTimeout)),
		Rate: num(gear.SettingTimeoutRate), Interval: time.Duration(num(gear.SettingInterval)),
		MaxDown: num(gear.SettingMaxDown), MaxUp: num(gear.SettingMaxUp),
		MinSamples: int64(num(gear.SettingMinSamples)), Pinned: o.Pinned,
	}
	return s
}

// Room tells whether the order leaves the timeout to the loop.
func (s *EdgeSettings) Room() bool { return !s.Pinned && s.Min < s.Max }

// EdgeSample is what ended at a call edge within a window.
type EdgeSample struct{ Count, Timeouts int64 }

// EdgeState is all the timeout loop remembers.
type EdgeState struct {
	Timeout time.Duration
	Bound   Bound
	Reason  string

	window EdgeSample
	waited int
}

// NewEdgeState starts at the order's timeout.
func NewEdgeState(set EdgeSettings) EdgeState { return EdgeState{Timeout: set.Start} }

const (
	// tailIndex is how fast the share of slow calls falls as the timeout grows,
	// -dln P(RT > t)/dln t. A log-normal RT of CV 0.5 has 5 at the 1 % point, one
	// of CV 1 has 3, and a queue near its limit less: the low end makes steps that
	// fall short rather than cycle.
	tailIndex = 4.0
	// expectedLate is how many late calls a window should expect before its rate is
	// judged: with 5 a rate twice too high is seen in most windows.
	expectedLate = 5.0
	edgeExtend   = 5   // intervals a window is extended for them
	edgeBand     = 1.5 // standard deviations of the count that are no reason to move
)

// StepEdge moves an edge's timeout, once an interval, so that its timeout rate
// stays near Rate:
//
//	ln t += clip(ln(rate/Rate)/tailIndex, -ln MaxDown, +ln MaxUp)
//
// A callee that answers late to everybody would have its callers wait ever
// longer; Max is what bounds that, and Unreachable says so. With Rate 0 any late
// call raises the timeout and nothing lowers it.
func StepEdge(s EdgeState, in EdgeSample, set EdgeSettings) EdgeState {
	if !set.Room() {
		s.Timeout, s.Bound, s.window, s.waited, s.Reason = set.Start, Free, EdgeSample{}, 0, "the order leaves no room"
		return s
	}
	if in.Count > 0 && in.Timeouts >= 0 && in.Timeouts <= in.Count {
		s.window.Count += in.Count
		s.window.Timeouts += in.Timeouts
	}
	w := s.window
	n, late := float64(w.Count), float64(w.Timeouts)
	goal := n * set.Rate
	if w.Count < set.MinSamples || late < expectedLate && goal < expectedLate && s.waited < edgeExtend {
		s.waited++
		s.Reason = fmt.Sprintf("%d calls are too few for a rate of %.3g, extending the window", w.Count, set.Rate)
		return s.within(set)
	}
	s.window, s.waited = EdgeSample{}, 0
	rate := (late + 0.5) / (n + 1) // never 0: its logarithm is the step
	told := fmt.Sprintf("%.2f %% of %d calls late against %.2f %%", 100*late/n, w.Count, 100*set.Rate)
	sd := math.Sqrt(max(goal*(1-set.Rate), 1))
	if math.Abs(late-goal) <= edgeBand*sd || set.Rate == 0 && late == 0 {
		s.Reason = told
		return s.within(set)
	}
	step := math.Log(rate/max(set.Rate, 0.5/(n+1))) / tailIndex
	step = min(max(step, -math.Log(set.MaxDown)), math.Log(set.MaxUp))
	before := s.Timeout
	s.Timeout = time.Duration(float64(s.Timeout) * math.Exp(step)).Round(100 * time.Microsecond)
	s = s.within(set)
	s.Reason = told
	switch {
	case s.Timeout != before:
		s.Reason += fmt.Sprintf(": timeout %s to %s", before, s.Timeout)
	case step > 0:
		s.Bound = Unreachable
		s.Reason += ": unreachable, the order allows no more"
	case step < 0:
		s.Bound = Top
		s.Reason += ": the order allows no less"
	}
	return s
}

func (s EdgeState) within(set EdgeSettings) EdgeState {
	s.Bound = Free
	s.Timeout = min(max(s.Timeout, set.Min), set.Max)
	return s
}
