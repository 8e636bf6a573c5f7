package feedback_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/feedback"
	"github.com/allspark/allspark/server/scene"
	"github.com/allspark/allspark/server/telemetry"
)

func TestCapOf(t *testing.T) {
	for _, x := range []struct{ level, own, lowest, highest, want int }{
		{40, 80, 5, 100, 40},
		{90, 80, 5, 100, 80},  // never above the template's own level
		{90, 0, 5, 100, 90},   // which nobody knows
		{120, 0, 5, 100, 100}, // nor above what it allows
		{1, 80, 5, 100, 5},    // nor below
		{40, 2, 5, 100, 5},    // even if its own level is
		{120, 120, 5, 100, 100},
	} {
		require.Equal(t, x.want, feedback.CapOf(x.level, x.own, x.lowest, x.highest), "%+v", x)
	}
}

// sceneClaims keeps the claims that scenes are regulated with.
type sceneClaims struct {
	feedback.SceneClaims
	now time.Time
	all []*control.Claim
}

func (s *sceneClaims) SetAll(_ context.Context, cs []*control.Claim, _ audit.Change) ([]*control.Claim, error) {
	for _, c := range cs {
		n := *c
		n.ID, n.Start, n.CreatedAt = fmt.Sprint(len(s.all)), s.now, s.now
		s.all = append(s.all, &n)
	}
	return cs, nil
}

func (s *sceneClaims) Release(_ context.Context, id string, _ int64, _ audit.Change) (*control.Claim, error) {
	for _, c := range s.all {
		if c.ID == id {
			c.Released = s.now
		}
	}
	return nil, nil
}

func (s *sceneClaims) standing() []*control.Claim {
	return slices.DeleteFunc(slices.Clone(s.all), func(c *control.Claim) bool { return !c.Active(s.now) })
}

// A preset's cap on crowds stays when it is handed over, and is never above the
// template's own level; central points are their own loop's again.
func TestCrowdsKeepTheirCapAtTheHandOver(t *testing.T) {
	claims := &sceneClaims{now: time.Unix(1_800_000_000, 0)}
	table := allocation.Version{Table: allocation.Table{First: 100, To: 300, Points: []string{"sn/recall", "sn/rank", "sn/merge"}}}
	for ms := 100; ms <= 300; ms++ {
		table.Table.Rows = append(table.Table.Rows, allocation.Row{Target: ms, Points: []allocation.PointRow{
			{Level: ms / 4, Setpoint: float64(ms) / 2}, {Level: ms / 5, Setpoint: float64(ms) / 4}, {Level: ms / 3, Setpoint: float64(ms) / 4},
		}})
	}
	s := &scene.Scene{Spec: scene.Spec{Name: "k2", Target: 160 * time.Millisecond}}
	shift := &control.Shift{App: "sn", IDC: "sh"}
	for _, x := range []struct {
		point    string
		strategy gear.Strategy
	}{{"recall", gear.StrategyCrowdRT}, {"rank", gear.StrategyCentral}, {"merge", gear.StrategyFixed}} {
		s.Graph.Nodes = append(s.Graph.Nodes, scene.Node{ID: x.point, Place: scene.Place{App: "sn", Point: x.point}})
		shift.Set.Orders = append(shift.Set.Orders, gear.Order{Scene: gear.Any, Point: x.point, Bucket: gear.Any, Strategy: x.strategy, Level: 60, MinLevel: 1, MaxLevel: 100})
	}
	loop := feedback.NewScenes(feedback.ScenesConfig{
		Windows: telemetry.New(telemetry.Limits{}), Claims: claims, Now: func() time.Time { return claims.now }, Settings: feedback.DefaultScene,
		Orders:   func() []*control.Shift { return []*control.Shift{shift} },
		Standing: func(context.Context) ([]*control.Claim, error) { return claims.standing(), nil },
		Scenes:   func(context.Context) ([]*scene.Scene, error) { return []*scene.Scene{s}, nil },
		Table:    func(context.Context, string, string) (*allocation.Version, error) { return &table, nil },
		Own:      func(*gear.Order) int { return 60 },
	})
	levels := func(source control.Source) map[string]int {
		out := map[string]int{}
		for _, c := range claims.standing() {
			if c.Field == control.FieldLevel && c.Source == source {
				out[c.Scope.Point] = c.Level
			}
		}
		return out
	}
	play := func(seconds int) {
		for range seconds {
			claims.now = claims.now.Add(time.Second)
			require.NoError(t, loop.Turn(t.Context()))
		}
	}
	play(1)
	require.Equal(t, map[string]int{"recall": 40, "rank": 32, "merge": 53}, levels(control.SourcePreset))
	play(30)
	require.Empty(t, levels(control.SourcePreset))
	require.Equal(t, map[string]int{"recall": 40, "merge": 53}, levels(control.SourceFeedback))

	s.Target = 280 * time.Millisecond
	play(31)
	require.Equal(t, map[string]int{"recall": 60, "merge": 93}, levels(control.SourceFeedback))
}

// Windows within the band that lie on one side are an error, and taken away; those
// that alternate, or are as close as the loops inside hold anything, are noise.
func TestALayerLeansOnTheTarget(t *testing.T) {
	play := func(windows int, rt func(scale float64, n int) float64) (scale float64) {
		var s feedback.LayerState
		for n := range windows {
			s, _ = feedback.StepLayer(s, feedback.LayerSample{Count: 2000, Target: 100, RT: rt(s.Scale(), n)}, feedback.DefaultLayer)
		}
		return s.Scale()
	}
	require.InDelta(t, 1.02, play(20, func(scale float64, _ int) float64 { return 97 * scale }), 0.01, "3 % too fast")
	require.InDelta(t, 0.98, play(20, func(scale float64, _ int) float64 { return 101 * scale }), 0.01, "1 % too slow where it aims 1 % under")
	require.Equal(t, 1.0, play(20, func(_ float64, n int) float64 { return 99 + 2*float64(n%2*2-1) }), "noise")
	require.Equal(t, 1.0, play(40, func(float64, int) float64 { return 98.2 }), "close enough")
}
