package staged_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent/staged"
	"github.com/allspark/allspark/proto/gear"
)

var midnight = time.Date(2026, 11, 10, 15, 56, 0, 0, time.UTC)

func steps() (*gear.Staged, []gear.LevelTable) {
	table := gear.LevelTable{
		Params: []gear.TableParam{{Name: "tag_count", Kind: gear.KindInt}},
		Rows:   [][]gear.Value{{gear.Int(10)}, {gear.Int(20)}}, Work: []float64{.5, 1},
	}
	table.Hash = table.ComputeHash()
	set := func(level int) gear.OrderSet {
		s := gear.OrderSet{App: "sn", IDC: "na61", Orders: []gear.Order{{
			Scene: "*", Point: "recall", Bucket: "*", Table: table.Hash,
			Strategy: gear.StrategyFixed, Level: level, MinLevel: 1, MaxLevel: 2,
		}}}
		s.Hash = s.ComputeHash()
		return s
	}
	s := &gear.Staged{App: "sn", IDC: "na61", AsOf: midnight.Add(-time.Hour), Entries: []gear.StagedEntry{
		{At: midnight, Set: set(1), Peak: true, Steps: []gear.StagedStep{{Plan: "double-11", Step: "midnight", Epoch: 3}}},
		{At: midnight.Add(7 * time.Minute), Set: set(2), Steps: []gear.StagedStep{{Plan: "double-11", Step: "midnight", Epoch: 3, Ends: true}}},
	}}
	s.Hash = s.ComputeHash()
	return s, []gear.LevelTable{table}
}

func TestTimelineGivesTheEntryWhoseInstantCame(t *testing.T) {
	s, tables := steps()
	var line staged.Timeline
	require.Nil(t, line.Due(midnight))
	require.True(t, line.Put(s, tables))
	require.Nil(t, line.Due(midnight.Add(-1)))
	next, ok := line.Next(midnight.Add(-1))
	require.True(t, ok)
	require.Equal(t, midnight, next)
	require.Equal(t, 1, line.Due(midnight).Set.Orders[0].Level)
	require.Equal(t, 2, line.Due(midnight.Add(time.Hour)).Set.Orders[0].Level)
	_, ok = line.Next(midnight.Add(7 * time.Minute))
	require.False(t, ok)

	older := *s
	older.AsOf = s.AsOf.Add(-1)
	require.False(t, line.Put(&older, nil))
	require.Equal(t, s.Hash, line.Hash())
	require.True(t, line.Put(&gear.Staged{App: "sn", IDC: "na61", AsOf: s.AsOf.Add(1)}, nil))
	require.Empty(t, line.Hash())
}

func TestCounts(t *testing.T) {
	s, _ := steps()
	peak, after := &s.Entries[0], &s.Entries[1]
	for name, c := range map[string]struct {
		entry   *gear.StagedEntry
		decided time.Time
		ladder  gear.Rung
		fresh   bool
		want    bool
	}{
		"nothing due":                        {nil, midnight, gear.RungLive, true, false},
		"live, decided before":               {peak, midnight.Add(-1), gear.RungLive, true, true},
		"live, decided at the instant":       {peak, midnight, gear.RungLive, true, false},
		"no order at all, long ago":          {peak, time.Time{}, gear.RungDefault, false, true},
		"decided after, but ran out at peak": {peak, midnight, gear.RungDefault, false, true},
		"after the peak, fresh":              {after, midnight, gear.RungLastGood, true, true},
		"after the peak, ran out":            {after, midnight, gear.RungDefault, false, false},
		"after the peak, decided since":      {after, midnight.Add(time.Hour), gear.RungDefault, false, false},
	} {
		require.Equal(t, c.want, staged.Counts(c.entry, c.decided, c.ladder, c.fresh), name)
	}
}

func TestFileComesBackOrIsRefused(t *testing.T) {
	s, tables := steps()
	p, err := staged.Encode(s, tables, -5*time.Minute)
	require.NoError(t, err)
	back, backTables, ahead, err := staged.Decode(p)
	require.NoError(t, err)
	require.Equal(t, *s, back)
	require.Equal(t, tables, backTables)
	require.Equal(t, -5*time.Minute, ahead)
	for i := range p {
		bad := append([]byte(nil), p...)
		bad[i] ^= 0x40
		_, _, _, err := staged.Decode(bad)
		require.ErrorIs(t, err, staged.ErrDamaged, i)
	}
	for _, n := range []int{0, 1, len(p) / 2, len(p) - 1} {
		_, _, _, err := staged.Decode(p[:n])
		require.ErrorIs(t, err, staged.ErrDamaged, n)
	}
}
