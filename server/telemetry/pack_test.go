package telemetry

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPackedRowsComeBackExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s, got Slots
		n := rapid.IntRange(0, 60).Draw(t, "n")
		for i := range n {
			var v Sample
			for c := range columns {
				*v.column(c) = rapid.OneOf(rapid.Int64(), rapid.Int64Range(-1, 3), rapid.Just(int64(7))).Draw(t, "v")
			}
			s.Set((i*7)%60, v)
		}
		require.NoError(t, got.Parse(s.Append(nil)))
		require.Equal(t, s, got)
	})
}

func TestPackedRowIsSmall(t *testing.T) {
	var s Slots
	for i := range 60 {
		n := int64(i)
		s.Set(i, Sample{
			Count: 60000 + 137*(n*n%11), Timeouts: n % 5, MeanUS: 8000 + n*31%400, P50US: 7000 + n*17%300, P95US: 15000 + n*71%900,
			P99US: 30000 + n*131%3000, AvailableUS: 8000, LevelCenti: 700 + n%40, LevelMin: 5, LevelMax: 9, CPUMilli: 600 + n%30,
			ValueMilli: 1234567 + 9999*(n%7), Agents: 3,
		})
	}
	require.Less(t, len(s.Append(nil)), 1200, "a busy series-hour")
}

func FuzzParse(f *testing.F) {
	var s Slots
	s.Set(3, Sample{Count: 1})
	s.Set(59, Sample{Count: 2, CPUMilli: -1})
	f.Add(s.Append(nil))
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, p []byte) {
		var s, again Slots
		if s.Parse(p) != nil {
			return
		}
		require.NoError(t, again.Parse(s.Append(nil)))
		require.Equal(t, s, again)
	})
}

func TestCombine(t *testing.T) {
	a := Sample{Count: 100, MeanUS: 1000, P99US: 2000, LevelCenti: 500, LevelMin: 4, LevelMax: 6, CPUMilli: 400, Agents: 1, ValueMilli: 10, AvailableUS: 5}
	b := Sample{Count: 300, MeanUS: 3000, P99US: 6000, LevelCenti: 900, LevelMin: 8, LevelMax: 9, CPUMilli: 800, Agents: 3, ValueMilli: 30, AvailableUS: 6, Timeouts: 2}
	idle := Sample{CPUMilli: -1}
	got := combine([]Sample{a, b, idle}, true)
	require.Equal(t, Sample{
		Count: 400, Timeouts: 2, MeanUS: 2500, P99US: 5000, LevelCenti: 800, LevelMin: 4, LevelMax: 9, CPUMilli: 700,
		Agents: 4, ValueMilli: 40, AvailableUS: 6,
	}, got)
	require.EqualValues(t, 3, combine([]Sample{a, b}, false).Agents)
	require.EqualValues(t, -1, combine([]Sample{idle, idle}, true).CPUMilli)
}
