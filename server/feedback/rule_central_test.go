package feedback_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/feedback"
)

func central() feedback.Settings {
	return feedback.SettingsOf(&gear.Order{Strategy: gear.StrategyCentral, Level: 80, MinLevel: 5, MaxLevel: 100, AvailableRT: 8 * time.Millisecond})
}

func TestSettingsOfFillsInTheStrategysDefaults(t *testing.T) {
	require.Equal(t, feedback.Settings{
		AvailableRT: 8 * time.Millisecond, Interval: 10 * time.Second, Band: 0.05, StepDown: 2, StepUp: 1, MinSamples: 30,
		MinLevel: 5, MaxLevel: 100, Start: 80,
	}, central())
	o := gear.Order{Strategy: gear.StrategyCentral, Settings: []gear.Setting{{Name: gear.SettingStepDown, Value: gear.Int(7)}}}
	require.Equal(t, 7, feedback.SettingsOf(&o).StepDown)
}

func TestCentralNeverLeavesItsLimits(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		set := central()
		set.MinLevel = rapid.IntRange(-3, 120).Draw(r, "min")
		set.MaxLevel = rapid.IntRange(-3, 120).Draw(r, "max")
		set.Band = rapid.Float64().Draw(r, "band")
		s := feedback.State{Level: rapid.IntRange(-200, 200).Draw(r, "level")}
		in := feedback.Sample{Count: rapid.Int64().Draw(r, "n"), MeanRT: rapid.Float64().Draw(r, "mean"), Level: rapid.Float64().Draw(r, "ran")}
		next, level, reason := feedback.Central(s, in, set)
		require.Equal(t, next.Level, level)
		require.GreaterOrEqual(t, level, max(set.MinLevel, 1))
		require.LessOrEqual(t, level, max(set.MaxLevel, set.MinLevel, 1))
		require.NotEmpty(t, reason)
	})
}

func TestCentralOnACoarseTableDoesNotSwing(t *testing.T) {
	work := []float64{0.1, 0.2, 0.4, 0.8, 1}
	set := feedback.SettingsOf(&gear.Order{Strategy: gear.StrategyCentral, Level: 5, MinLevel: 1, MaxLevel: 5, AvailableRT: 8 * time.Millisecond}, work...)
	s := feedback.State{}
	var levels []int
	for range 20 {
		_, level, _ := feedback.Central(s, feedback.Sample{}, set)
		s.Level = level
		s, level, _ = feedback.Central(s, feedback.Sample{Count: 1000, MeanRT: 1000 + 14_000*work[level-1]}, set)
		levels = append(levels, level)
	}
	require.Equal(t, []int{3, 3, 3, 3, 3}, levels[:5], "0.4 gives 6.6 ms; 0.8 would give 12.2")
	require.Equal(t, 3, levels[19])
}

// On a plant whose mean is proportional to work, the rule settles without a cycle
// at any load and after any start.
func TestCentralSettlesWithoutACycle(t *testing.T) {
	for _, load := range []float64{0.5, 0.7, 1, 1.3, 2, 4} {
		set := central()
		s := feedback.State{}
		var levels []int
		for range 120 {
			mean := 2000 + load*6000*float64(max(s.Level, 1))/80
			if s.Level == 0 {
				mean = 2000 + load*6000
			}
			s, _, _ = feedback.Central(s, feedback.Sample{Count: 5000, MeanRT: mean, Level: float64(s.Level)}, set)
			levels = append(levels, s.Level)
		}
		require.Equal(t, levels[60], levels[119], "load %v", load)
		require.LessOrEqual(t, 2000+load*6000*float64(levels[119])/80, 8000.0, "load %v", load)
	}
}

func TestCentralHoldsOnWhatItCannotRead(t *testing.T) {
	set := central()
	for _, in := range []feedback.Sample{
		{},
		{Count: 100, MeanRT: math.NaN()},
		{Count: 100, MeanRT: math.Inf(1)},
		{Count: 100, MeanRT: -1},
		{Count: 29, MeanRT: 90_000},
		{Count: 100, MeanRT: 90_000, Level: 60},
	} {
		_, level, reason := feedback.Central(feedback.State{Level: 80}, in, set)
		require.Equal(t, 80, level, "%+v: %s", in, reason)
	}
	set.AvailableRT = 0
	_, level, _ := feedback.Central(feedback.State{Level: 80}, feedback.Sample{Count: 100, MeanRT: 1}, set)
	require.Equal(t, 80, level)
}
