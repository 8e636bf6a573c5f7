package feedback

import (
	"fmt"
	"math"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// maxStride bounds one move, in steps down. A level is one of up to 100: without
// strides a point at level 90 that must be at 30 is overloaded for five minutes,
// and with unbounded ones a single bad window empties it.
const maxStride = 8

// Settings are what a template says of the strategy central.
type Settings struct {
	AvailableRT        time.Duration // T
	Interval           time.Duration
	Band               float64 // no step up while the mean is above T(1-Band)
	StepDown, StepUp   int     // levels
	MinSamples         int64
	MinLevel, MaxLevel int
	Start              int
	Work               []float64 // of each level, 1 first; nil: level / MaxLevel
}

var centralDefaults = func() map[string]gear.Value {
	m := map[string]gear.Value{}
	for _, p := range gear.StrategyParams(gear.StrategyCentral) {
		m[p.Name] = p.Default
	}
	return m
}()

// SettingsOf reads a central order, with the work of its level table where it is
// at hand.
func SettingsOf(o *gear.Order, work ...float64) Settings {
	num := func(name string) float64 {
		v, ok := o.Lookup(name)
		if !ok {
			v = centralDefaults[name]
		}
		n, _ := v.Number()
		return n
	}
	return Settings{
		AvailableRT: o.AvailableRT, Interval: time.Duration(num(gear.SettingInterval)),
		Band: num(gear.SettingBand), StepDown: int(num(gear.SettingStepDown)), StepUp: int(num(gear.SettingStepUp)),
		MinSamples: int64(num(gear.SettingMinSamples)),
		MinLevel:   o.MinLevel, MaxLevel: o.MaxLevel, Start: o.Level, Work: work,
	}
}

// work is the work factor of a level.
func (set *Settings) work(level int) float64 {
	if level <= len(set.Work) {
		return set.Work[level-1]
	}
	return float64(level) / float64(max(set.MaxLevel, level))
}

// Sample is one window of a point over all of its machines.
type Sample struct {
	Count  int64
	MeanRT float64 // µs
	// Level is the mean level the window's requests ran at; 0 when unknown. A
	// window in which a move had not yet reached every machine says little of
	// the level that is in force now.
	Level float64
}

// State is what the rule remembers between windows. The zero State starts at the
// order's level.
type State struct {
	Level int
}

// Central is the rule of strategy central: one level for the whole point. It
// gives the next state, the level to order and the reason, whether or not it
// moved.
func Central(s State, in Sample, set Settings) (next State, level int, reason string) {
	lo := max(set.MinLevel, 1)
	hi := max(set.MaxLevel, lo)
	if s.Level == 0 {
		s.Level = set.Start
	}
	s.Level = min(max(s.Level, lo), hi)
	t := float64(set.AvailableRT) / float64(time.Microsecond)
	switch {
	case in.Count <= 0:
		return s, s.Level, "no requests"
	case !(in.MeanRT > 0) || math.IsInf(in.MeanRT, 0):
		return s, s.Level, "the mean is not a number, holding"
	case !(t > 0):
		return s, s.Level, "no available RT, holding"
	case in.Count < set.MinSamples:
		return s, s.Level, fmt.Sprintf("%d samples are too few, holding", in.Count)
	case in.Level > 0 && math.Abs(in.Level-float64(s.Level)) > 1:
		return s, s.Level, fmt.Sprintf("the window ran at level %.1f, not yet at %d", in.Level, s.Level)
	}
	band := max(set.Band, 0.01)
	over := math.Log(in.MeanRT / t)
	from := s.Level
	switch {
	case over > 0:
		least := max(s.Level-max(set.StepDown, 1)*strides(over/band, maxStride), lo)
		enough := set.work(s.Level) * t / in.MeanRT
		for s.Level > least && (s.Level == from || set.work(s.Level) > enough) {
			s.Level--
		}
	case over < -band:
		most := min(s.Level+max(set.StepUp, 1)*strides((-over-band)/band, maxStride/2), hi)
		enough := set.work(s.Level) * t / in.MeanRT
		for s.Level < most && set.work(s.Level+1) <= enough {
			s.Level++
		}
	}
	reason = fmt.Sprintf("mean %s against %s, n=%d", ms(in.MeanRT), ms(t), in.Count)
	switch {
	case s.Level != from:
		reason += fmt.Sprintf(": level %d to %d", from, s.Level)
	case over > 0:
		reason += ": unreachable, already at the lowest level"
	case over < -band && s.Level == hi:
		reason += ": top, already at the highest level"
	case over < -band:
		reason += ": one level more would not fit"
	default:
		reason += ": within the band"
	}
	return s, s.Level, reason
}

// strides rounds a distance in bands up to whole steps, 1..most.
func strides(bands float64, most int) int {
	return int(min(max(math.Ceil(bands), 1), float64(most)))
}

func ms(us float64) string {
	return (time.Duration(us) * time.Microsecond).Round(10 * time.Microsecond).String()
}
