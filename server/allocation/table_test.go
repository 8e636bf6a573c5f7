package allocation_test

import (
	"bytes"
	"encoding/csv"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/allocation"
)

// stages is recall -> rank within a call of 2 ms, after own work of 3 ms.
func stages() *allocation.Input {
	fixed := func(ms, effect, cap, output float64) allocation.Level {
		return allocation.Level{RT: []allocation.Dist{allocation.Fixed(ms)}, Work: ms, Effect: effect, Cap: cap, Output: output}
	}
	return &allocation.Input{
		Classes: []allocation.Class{{Name: "all", Share: 1}}, From: 10, To: 60,
		Points: []allocation.Point{
			{Name: "merger/merge", Feeder: allocation.None, Levels: []allocation.Level{fixed(3, 0, 0, 0)}},
			{Name: "sn/recall", Feeder: allocation.None, Levels: []allocation.Level{fixed(5, 1, 0, 100), fixed(10, 2, 0, 200), fixed(20, 3, 0, 400)}},
			{Name: "sn/rank", Feeder: 1, Levels: []allocation.Level{fixed(5, 2, 100, 10), fixed(10, 4, 200, 10), fixed(15, 5, 300, 10)}},
		},
		Graph: allocation.Graph{
			Nodes: []allocation.Node{
				{Name: "merger/merge", Point: 0, Parent: allocation.None},
				{Name: "merger/call_sn", Point: allocation.None, Call: true, Parent: allocation.None, Network: 2},
				{Name: "sn/recall", Point: 1, Parent: 1},
				{Name: "sn/rank", Point: 2, Parent: 1},
			},
			Edges: []allocation.Edge{{From: 0, To: 1}, {From: 2, To: 3}},
		},
	}
}

func TestTableByHand(t *testing.T) {
	table, problems := allocation.Build(stages())
	require.Empty(t, problems)
	require.Equal(t, 15, table.First, "3 + 2 + 5 + 5")
	require.Equal(t, []string{"merger/merge", "sn/recall", "sn/rank"}, table.Points)
	require.Equal(t, []string{"merger/call_sn"}, table.Calls)

	row, clamped := table.Row(25)
	require.False(t, clamped)
	require.Equal(t, []int{1, 2, 2}, []int{row.Points[0].Level, row.Points[1].Level, row.Points[2].Level})
	require.Equal(t, 6.0, row.Effect)
	require.Equal(t, 25.0, row.RT)
	require.Equal(t, 10.0, row.Points[2].Setpoint)
	require.Equal(t, []float64{22}, row.Timeouts, "all but own work")
	require.Zero(t, row.Cut)
	require.Zero(t, row.Idle)

	row, clamped = table.Row(14)
	require.True(t, clamped)
	require.Equal(t, 15, row.Target)
	row, clamped = table.Row(1000)
	require.True(t, clamped)
	require.Equal(t, 60, row.Target)
	require.Equal(t, 4.5, row.Points[0].Setpoint, "3 of 40 ms stretch over 60")
	require.InDelta(t, 0.0999, row.Points[1].PerMS, 0.001, "the last step up earns 1 in 10 ms")
	require.InDelta(t, 100, row.Points[1].PerCoreSecond, 0.1)

	_, clamped = (&allocation.Table{}).Row(100)
	require.True(t, clamped)
}

func TestLinkedEarnsMoreThanIsolated(t *testing.T) {
	table, problems := allocation.Build(stages())
	require.Empty(t, problems)
	gained, cut := 0.0, 0.0
	for _, row := range table.Rows {
		require.NotNil(t, row.Isolated)
		require.GreaterOrEqual(t, row.Effect, row.Isolated.Effect-1e-9, "target %d", row.Target)
		gained += row.Effect - row.Isolated.Effect
		cut += row.Isolated.Cut + row.Isolated.Idle - row.Cut - row.Idle
	}
	require.Positive(t, gained)
	require.Positive(t, cut, "isolated regulation cuts or idles more")
}

func TestBadInput(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*allocation.Input)
		says  string
	}{
		"circle":        {func(in *allocation.Input) { in.Graph.Edges = append(in.Graph.Edges, allocation.Edge{From: 1, To: 0}) }, "circle"},
		"into itself":   {func(in *allocation.Input) { in.Graph.Edges = append(in.Graph.Edges, allocation.Edge{From: 2, To: 1}) }, "before it begins"},
		"unknown point": {func(in *allocation.Input) { in.Graph.Nodes[0].Point = 9 }, "not there"},
		"left out":      {func(in *allocation.Input) { in.Graph.Nodes[0].Point, in.Graph.Nodes[0].Call = allocation.None, true }, "does not stand in the graph"},
		"negative RT":   {func(in *allocation.Input) { in.Points[1].Levels[1].RT[0] = allocation.Fixed(-1) }, "negative"},
		"NaN RT":        {func(in *allocation.Input) { in.Points[1].Levels[1].RT[0] = allocation.Fixed(math.NaN()) }, "not a number"},
		"no samples":    {func(in *allocation.Input) { in.Points[1].Levels[1].RT[0] = allocation.FromBins(nil) }, "no samples"},
		"falling cap":   {func(in *allocation.Input) { in.Points[2].Levels[1].Cap = 1 }, "falls"},
		"no cap":        {func(in *allocation.Input) { in.Points[2].Levels[1].Cap = 0 }, "wants a cap"},
		"late feeder": {func(in *allocation.Input) {
			in.Points[1].Feeder, in.Points[2].Feeder = 2, allocation.None
			for l := range in.Points[1].Levels {
				in.Points[1].Levels[l].Cap = 1
			}
		}, "not over before"},
		"targets": {func(in *allocation.Input) { in.From = 0 }, "targets"},
		"shares":  {func(in *allocation.Input) { in.Classes[0].Share = 0.5 }, "add up"},
		"span":    {func(in *allocation.Input) { in.Points[0].Max = 2 }, "allows levels"},
	} {
		in := stages()
		c.spoil(in)
		table, problems := allocation.Build(in)
		require.Nil(t, table, name)
		require.NotEmpty(t, problems, name)
		require.Contains(t, problems.Error(), c.says, name)
	}
}

// TestNestedTimeoutsFit holds every row's timeouts to the rule that a caller's
// timeout is at least own work, the timeouts within, and the network.
func TestNestedTimeoutsFit(t *testing.T) {
	in := stages()
	in.Graph.Nodes = append(in.Graph.Nodes, allocation.Node{Name: "sn/model", Point: allocation.None, Call: true, Parent: 1, Network: 1})
	in.Graph.Nodes[3].Parent = 4
	in.Graph.Edges[1].To = 4
	in.Limit = 40
	table, problems := allocation.Build(in)
	require.Empty(t, problems)
	require.Equal(t, []string{"merger/call_sn", "sn/model"}, table.Calls)
	for _, row := range table.Rows {
		outer, inner := row.Timeouts[0], row.Timeouts[1]
		require.LessOrEqual(t, outer+row.Points[0].RT, math.Min(float64(row.Target), 40))
		require.LessOrEqual(t, inner+row.Points[1].RT+2, outer)
		require.GreaterOrEqual(t, inner+1, math.Min(row.Points[2].RT+1, 40), "what the model does fits: %+v", row)
	}
}

func TestCompareAndExport(t *testing.T) {
	a, _ := allocation.Build(stages())
	in := stages()
	in.Points[2].Levels[1].Effect = 9
	in.Points[0].Name = "=cmd()"
	b, problems := allocation.Build(in)
	require.Empty(t, problems)
	require.Empty(t, allocation.Compare(a, a))
	d := allocation.Compare(a, b)
	require.NotEmpty(t, d)
	require.Contains(t, d[0].Moves, allocation.Move{Point: "=cmd()", From: 0, To: 1})

	var buf bytes.Buffer
	require.NoError(t, b.WriteCSV(&buf))
	lines, err := csv.NewReader(&buf).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, len(b.Rows)+1)
	require.Equal(t, "'=cmd() level", lines[0][9])
	require.Equal(t, "15", lines[1][0])
	require.Equal(t, b, b.Document().Table())
	buf.Reset()
	require.NoError(t, b.WriteJSON(&buf))
	require.True(t, strings.HasPrefix(buf.String(), `{"statistic":"mean"`))
}

func TestRebuild(t *testing.T) {
	now := time.Date(2026, 11, 11, 0, 0, 0, 0, time.UTC)
	s := allocation.DefaultSchedule
	old := allocation.Standing{Built: true, SceneVersion: 3, InputHash: "a", At: now.Add(-5 * time.Minute)}
	for name, c := range map[string]struct {
		old     allocation.Standing
		version int64
		hash    string
		drift   float64
		build   bool
		says    string
	}{
		"first":        {allocation.Standing{}, 1, "a", 0, true, "no table yet"},
		"same":         {old, 3, "a", 0, false, "nothing changed"},
		"scene":        {old, 4, "b", 0, true, "from version 3 to 4"},
		"drift":        {old, 3, "b", 0.06, true, "6.0 %"},
		"little drift": {old, 3, "b", 0.02, false, "next build is in 5m0s"},
		"old":          {allocation.Standing{Built: true, SceneVersion: 3, InputHash: "a", At: now.Add(-time.Hour)}, 3, "b", 0.01, true, "1h0m0s old"},
		"too soon":     {allocation.Standing{Built: true, SceneVersion: 3, InputHash: "a", At: now.Add(-time.Second)}, 3, "b", 1, false, "apart"},
		"failed":       {allocation.Standing{Failed: now.Add(-10 * time.Second)}, 1, "a", 0, false, "failed 10s ago"},
	} {
		build, reason := s.Rebuild(c.old, c.version, c.hash, c.drift, now)
		require.Equal(t, c.build, build, name)
		require.Contains(t, reason, c.says, name)
	}
	a, b := stages(), stages()
	require.Equal(t, a.Hash(), b.Hash())
	require.Zero(t, allocation.Drift(a, b))
	b.Points[1].Levels[0].RT[0] = allocation.Fixed(5.5)
	require.NotEqual(t, a.Hash(), b.Hash())
	require.InDelta(t, 0.5/5.5, allocation.Drift(a, b), 1e-9)
	b.Points = b.Points[:2]
	require.Equal(t, 1.0, allocation.Drift(a, b))
}
