package loop

import (
	"math"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// MaxCrowds bounds the crowds of a point.
const MaxCrowds = 16

// Settings are what an order says of a crowd loop, in the rule's own terms.
type Settings struct {
	AvailableRT     float64 // T, µs: the mean each crowd is held at or under
	Interval        time.Duration
	EtaDown, EtaUp  float64
	MaxDown, MaxUp  float64 // clip of one step, as ratios
	Band            float64 // h: no step while the mean is within [T(1-m-h), T(1-m/2)]
	Confidence      float64 // z of the margin m
	Crowds          int
	Ratio           float64 // of neighbouring crowd edges
	Forget          float64
	HoldOut         float64 // share of a downgraded crowd's requests that run at the top
	MinSamples      int64
	EmergencyRatio  float64
	EmergencyWindow time.Duration

	Start            float64 // work
	MinWork, MaxWork float64 // of the lowest level allowed and of the cap
	Pinned           bool    // a level claim holds every crowd at the order's level
}

var crowdDefaults = func() map[string]gear.Value {
	m := map[string]gear.Value{}
	for _, p := range gear.StrategyParams(gear.StrategyCrowdRT) {
		m[p.Name] = p.Default
	}
	return m
}()

// SettingsOf reads a crowd_rt order. Work comes from its level table.
func SettingsOf(o *gear.Order, work []float64) Settings {
	num := func(name string) float64 {
		v, ok := o.Lookup(name)
		if !ok {
			v = crowdDefaults[name]
		}
		n, _ := v.Number()
		return n
	}
	at := func(level int) float64 {
		level = min(max(level, o.MinLevel, 1), max(o.MaxLevel, 1), len(work))
		return work[level-1]
	}
	return Settings{
		AvailableRT: float64(o.AvailableRT) / float64(time.Microsecond),
		Interval:    time.Duration(num(gear.SettingInterval)),
		EtaDown:     num(gear.SettingEtaDown), EtaUp: num(gear.SettingEtaUp),
		MaxDown: num(gear.SettingMaxDown), MaxUp: num(gear.SettingMaxUp),
		Band: num(gear.SettingBand), Confidence: num(gear.SettingConfidence),
		Crowds: min(int(num(gear.SettingCrowds)), MaxCrowds), Ratio: num(gear.SettingCrowdRatio),
		Forget: num(gear.SettingForget), HoldOut: num(gear.SettingHoldOut),
		MinSamples:     int64(num(gear.SettingMinSamples)),
		EmergencyRatio: num(gear.SettingEmergencyRatio), EmergencyWindow: time.Duration(num(gear.SettingEmergencyWindow)),
		Start: at(o.Level), MinWork: at(o.MinLevel), MaxWork: at(o.Level), Pinned: o.Pinned,
	}
}

// BinSample is what ended in one bin of the grid within a window.
type BinSample struct {
	N      int64
	Sum    float64 // of RT, µs
	Square float64 // of RT, µs²
}

func (b *BinSample) add(o BinSample) { b.N += o.N; b.Sum += o.Sum; b.Square += o.Square }

func (b *BinSample) mean() float64 { return b.Sum / float64(b.N) }

// cv is the coefficient of variation of one request's RT.
func (b *BinSample) cv() float64 {
	if b.N < 2 {
		return 1
	}
	m := b.mean()
	v := (b.Square - float64(b.N)*m*m) / float64(b.N-1)
	return math.Sqrt(max(v, 0)) / m
}

// good drops what arithmetic cannot use: a report of NaN must not become a gear.
func (b *BinSample) good() bool {
	return b.N > 0 && b.Sum > 0 && !math.IsInf(b.Sum, 0) && !math.IsNaN(b.Square) && !math.IsInf(b.Square, 0)
}

// Sample is one window of a point and scene on one machine.
type Sample struct {
	Bins        [Bins]BinSample
	HeldOut     [Bins]BinSample // requests of the hold-out, which ran at the top; not in Bins
	HeldOutGood [Bins]int64     // of those, how many were within T
	Utilisation float64         // of the machine, 0..1; negative when unknown
}

// Add adds another window of the same crowds. Utilisation is a mean over time, so
// whoever knows both windows' lengths must set it.
func (s *Sample) Add(o *Sample) {
	for b := range s.Bins {
		s.Bins[b].add(o.Bins[b])
		s.HeldOut[b].add(o.HeldOut[b])
		s.HeldOutGood[b] += o.HeldOutGood[b]
	}
}

// Bound tells why a crowd does not move further.
type Bound string

// The bounds.
const (
	Free        Bound = ""
	Top         Bound = "top"         // all the work the order allows, and still within T
	Unreachable Bound = "unreachable" // the least work the order allows, and still over T
)

// Crowd is the state of one crowd.
type Crowd struct {
	Work   float64
	Bound  Bound
	Warm   bool // it has been sampled since it got its edges
	Mean   float64
	CV     float64
	N      int64 // samples of the last decision
	Reason string

	lastMean float64 // of the last interval; 0 unknown
	lastWork float64

	window  BinSample // since the last move
	waited  int       // intervals the window was extended
	alarms  int       // emergency windows over the limit, in a row
	rises   int       // upward steps in a row
	good    float64   // hold-out within T, forgotten
	heldOut float64
}

// State is all a crowd loop remembers. It is a value: a rule returns the next one.
type State struct {
	Fit    Fit
	Breath float64 // variance of ln mean RT from interval to interval that no step explains
	Count  int     // crowds in use
	Crowds [MaxCrowds]Crowd
	Assign [Bins]uint8 // bin -> crowd
	edges  layout
	lnTop  float64       // ln of the heaviest crowd's lower edge, µs at the reference
	weight [Bins]float64 // requests by bin, forgotten
	u      float64
}

// NewState starts with one crowd at the order's level.
func NewState(set Settings) State {
	s := State{Count: 1}
	s.Crowds[0].Work = set.Start
	return s
}

// Edge gives the lower edge of a crowd: predicted RT in µs at full work on an idle
// machine. The lightest crowd begins at 0.
func (s *State) Edge(crowd int) float64 {
	if crowd == 0 {
		return 0
	}
	return math.Exp(s.lnTop - float64(s.Count-1-crowd)*math.Log(s.edges.ratio))
}
