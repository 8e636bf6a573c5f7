package leaderboard_test

import (
	"context"
	"iter"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/leaderboard"
	"github.com/allspark/allspark/server/telemetry"
)

var noon = time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC)

// samples makes one a minute from start; a level of 0 is a minute without requests.
func samples(start time.Time, levels ...float64) (out []telemetry.Timed) {
	for i, l := range levels {
		s := telemetry.Sample{CPUMilli: -1}
		if l > 0 {
			s = telemetry.Sample{Count: 100, LevelCenti: int64(l*100 + 0.5), LevelMin: int64(l), LevelMax: int64(l)}
		}
		out = append(out, telemetry.Timed{At: start.Add(time.Duration(i) * time.Minute), Sample: s})
	}
	return out
}

var tenLevels = leaderboard.Bounds{Floor: 1, Ceiling: 11}

func track(app string, now, before []telemetry.Timed) leaderboard.Track {
	return leaderboard.Track{Key: leaderboard.Key{Scene: "k2", IDC: "sh", App: app, Point: "p"}, Bounds: tenLevels, Now: now, Before: before}
}

func rank(tracks []leaderboard.Track, g leaderboard.Group, by string, down bool) []leaderboard.Row {
	r := leaderboard.NewRanking(leaderboard.Span{From: noon, To: noon.Add(10 * time.Minute)}, time.Minute, g, false)
	for i := range tracks {
		r.Add(&tracks[i])
	}
	return r.Rows(leaderboard.Sort{By: by, Down: down})
}

func TestFigures(t *testing.T) {
	for name, x := range map[string]struct {
		levels []float64
		want   leaderboard.Figures
	}{
		"still":                 {[]float64{6, 6, 6, 6, 6, 6}, leaderboard.Figures{Level: 6, Height: 0.5, Requests: 600, Covered: 6 * time.Minute}},
		"at the floor by half":  {[]float64{1, 1.02, 1.04, 11, 11, 11}, leaderboard.Figures{Level: 6.01, Height: 0.501, Movement: 100, Floor: 0.5, Requests: 600, Covered: 6 * time.Minute}},
		"swings by two":         {[]float64{5, 7, 5, 7, 5, 7}, leaderboard.Figures{Level: 6, Height: 0.5, Movement: 100, Flaps: 40, Requests: 600, Covered: 6 * time.Minute}},
		"trembles by less":      {[]float64{5.8, 6.2, 5.8, 6.2, 5.8, 6.2}, leaderboard.Figures{Level: 6, Height: 0.5, Movement: 20, Requests: 600, Covered: 6 * time.Minute}},
		"slides and stays":      {[]float64{9, 8, 7, 6, 5, 5}, leaderboard.Figures{Level: 40. / 6, Height: (40./6 - 1) / 10, Movement: 40, Requests: 600, Covered: 6 * time.Minute}},
		"a gap is no movement":  {[]float64{9, 0, 3}, leaderboard.Figures{Level: 6, Height: 0.5, Requests: 200, Covered: 2 * time.Minute}},
		"one turn, however far": {[]float64{2, 10, 2}, leaderboard.Figures{Level: 14. / 3, Height: (14./3 - 1) / 10, Movement: 320, Flaps: 20, Requests: 300, Covered: 3 * time.Minute}},
	} {
		rows := rank([]leaderboard.Track{track("a", samples(noon, x.levels...), nil)}, leaderboard.ByPoint, "level", false)
		require.Len(t, rows, 1, name)
		got := rows[0].Figures
		require.InDelta(t, x.want.Level, got.Level, 0.011, name)
		require.InDelta(t, x.want.Height, got.Height, 0.0011, name)
		require.InDelta(t, x.want.Movement, got.Movement, 0.6, name)
		require.InDelta(t, x.want.Flaps, got.Flaps, 1e-9, name)
		require.InDelta(t, x.want.Floor, got.Floor, 1e-9, name)
		require.Equal(t, x.want.Requests, got.Requests, name)
		require.Equal(t, x.want.Covered, got.Covered, name)
		require.Nil(t, rows[0].Previous, name)
		require.Zero(t, rows[0].PreviousRank, name)
	}
}

func TestRankBesideTheStretchBefore(t *testing.T) {
	before := noon.Add(-10 * time.Minute)
	rows := rank([]leaderboard.Track{
		track("calm", samples(noon, 5, 5, 5), samples(before, 2, 8, 2)),
		track("wild", samples(noon, 2, 8, 2), samples(before, 5, 5, 5)),
		track("new", samples(noon, 5, 6, 6), nil),
		track("gone", nil, samples(before, 5, 5, 5)),
		track("silent", samples(noon, 0, 0, 0), nil),
	}, leaderboard.ByPoint, "movement", true)
	var order []string
	for _, r := range rows {
		order = append(order, r.App)
	}
	require.Equal(t, []string{"wild", "new", "calm"}, order, "who sent nothing has no place")
	require.Equal(t, [2]int{1, 2}, [2]int{rows[0].Rank, rows[0].PreviousRank})
	require.Equal(t, [2]int{2, 0}, [2]int{rows[1].Rank, rows[1].PreviousRank})
	require.Equal(t, [2]int{3, 1}, [2]int{rows[2].Rank, rows[2].PreviousRank})
	require.Greater(t, rows[2].Previous.Flaps, 0.0)
}

// A group weighs height by requests and does not grow by its number of members.
func TestGroups(t *testing.T) {
	low, high := track("a", samples(noon, 1, 1), nil), track("a", samples(noon, 11, 11), nil)
	low.Point, high.Point = "low", "high"
	for i := range high.Now {
		high.Now[i].Count = 300
	}
	other := track("b", samples(noon, 2, 4), nil)
	other.IDC = "zjk"
	rows := rank([]leaderboard.Track{low, high, other}, leaderboard.ByApp, "level", true)
	require.Len(t, rows, 2)
	require.Equal(t, leaderboard.Key{App: "a"}, rows[0].Key)
	require.Equal(t, 2, rows[0].Members)
	require.InDelta(t, 0.75, rows[0].Figures.Height, 1e-9)
	require.InDelta(t, 0.5, rows[0].Figures.Floor, 1e-9)
	require.Zero(t, rows[0].Figures.Level)
	require.InDelta(t, 0.2, rows[1].Figures.Height, 1e-9)
	require.Len(t, rank([]leaderboard.Track{low, high, other}, leaderboard.ByIDC, "level", true), 2)
	require.Len(t, rank([]leaderboard.Track{low, high, other}, leaderboard.ByScene, "level", true), 1)
}

// Whatever comes in, every figure is finite and every share lies in 0..1.
func TestFiguresStayWithinBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var tracks []leaderboard.Track
		for range 1 + r.IntN(5) {
			var levels []float64
			for range r.IntN(12) {
				levels = append(levels, float64(r.IntN(120)))
			}
			k := track(string(rune('a'+r.IntN(3))), samples(noon, levels...), samples(noon.Add(-10*time.Minute), levels...))
			k.Point = string(rune('p' + len(tracks)))
			k.Bounds = leaderboard.Bounds{Floor: r.IntN(4), Ceiling: r.IntN(100)}
			k.Manual = []leaderboard.Span{{From: noon.Add(time.Minute), To: noon.Add(time.Duration(2+r.IntN(20)) * time.Minute)}}
			tracks = append(tracks, k)
		}
		for _, g := range []leaderboard.Group{leaderboard.ByPoint, leaderboard.ByApp} {
			for i, row := range rank(tracks, g, "flapping", true) {
				require.Equal(t, i+1, row.Rank)
				for _, share := range []float64{row.Figures.Height, row.Figures.Floor, row.Figures.Overridden} {
					require.GreaterOrEqual(t, share, 0.0)
					require.LessOrEqual(t, share, 1.0)
				}
				require.GreaterOrEqual(t, row.Figures.Movement, 0.0)
				require.False(t, row.Figures.Movement > 1e6)
			}
		}
	}
}

type source struct {
	series []telemetry.Series
	claims []*control.Claim
}

func (s source) Each(_ context.Context, _ telemetry.Filter, wanted func(leaderboard.Key) bool, _, _ time.Time, _ time.Duration) iter.Seq2[telemetry.Series, error] {
	return func(yield func(telemetry.Series, error) bool) {
		for _, x := range s.series {
			if wanted(x.Key) && !yield(x, nil) {
				return
			}
		}
	}
}

func (s source) ListClaims(context.Context, control.ClaimFilter) ([]*control.Claim, string, error) {
	return s.claims, "", nil
}

func TestBoardFindsOverridesAndKeepsToTheScope(t *testing.T) {
	span := leaderboard.Span{From: noon, To: noon.Add(4 * time.Minute)}
	all := append(samples(noon.Add(-4*time.Minute), 3, 3, 3, 3), samples(noon, 5, 5, 5, 5)...)
	claim := func(app string, from, to, released int) *control.Claim {
		c := &control.Claim{
			Field: control.FieldLevel, Source: control.SourceManual, Start: noon.Add(time.Duration(from) * time.Minute), End: noon.Add(time.Duration(to) * time.Minute),
			Scope: control.Scope{Scene: gear.Any, IDC: gear.Any, App: app, Point: gear.Any, Bucket: gear.Any},
		}
		if released != 0 {
			c.Released = noon.Add(time.Duration(released) * time.Minute)
		}
		return c
	}
	src := source{
		series: []telemetry.Series{
			{Key: leaderboard.Key{Scene: "k2", IDC: "sh", App: "sn", Point: "p"}, Step: time.Minute, Samples: all},
			{Key: leaderboard.Key{Scene: "k2", IDC: "sh", App: "secret", Point: "p"}, Step: time.Minute, Samples: all},
		},
		// Two that overlap cover three minutes of the stretch, and one of the one before.
		claims: []*control.Claim{claim("sn", -1, 2, 0), claim("sn", 1, 60, 3), claim("other", 0, 4, 0)},
	}
	rows, err := leaderboard.Board{History: src, Claims: src}.Rank(t.Context(), leaderboard.Query{
		Span: span, Group: leaderboard.ByPoint, Sort: leaderboard.Sort{By: "overridden", Down: true},
		Sees: func(app, _ string) bool { return app != "secret" }, Bounds: func(leaderboard.Key) leaderboard.Bounds { return tenLevels },
	})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Equal(t, "sn", rows[0].App)
	require.InDelta(t, 0.75, rows[0].Figures.Overridden, 1e-9)
	require.InDelta(t, 0.25, rows[0].Previous.Overridden, 1e-9)
	require.InDelta(t, 3, rows[0].Previous.Level, 1e-9)
	require.InDelta(t, 5, rows[0].Figures.Level, 1e-9)

	// Live: the level of the last seconds, and only of what sent something.
	rows, err = leaderboard.Board{History: src, Claims: src}.Rank(t.Context(), leaderboard.Query{
		Span: span, Group: leaderboard.ByPoint, Sort: leaderboard.Sort{By: "level"},
		Sees: func(string, string) bool { return true }, Bounds: func(leaderboard.Key) leaderboard.Bounds { return tenLevels },
		Live: []telemetry.Point{{Key: src.series[1].Key, Recent: &telemetry.Rollup{Count: 9, LevelMean: 11}}},
	})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Equal(t, "secret", rows[0].App)
	require.InDelta(t, 1, rows[0].Figures.Height, 1e-9)

	_, err = leaderboard.Board{History: src, Claims: src}.Rank(t.Context(), leaderboard.Query{Span: leaderboard.Span{From: noon, To: noon}})
	require.Error(t, err)
}
