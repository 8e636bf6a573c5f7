package restapi

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/telemetry"
)

// remember writes the hour before the current one: a level a minute, in turn.
func (d *desk) remember(k telemetry.Key, levels ...int64) {
	d.t.Helper()
	hour := time.Now().Unix()/3600 - 1
	var s telemetry.Slots
	for i := range 60 {
		l := levels[i%len(levels)]
		s.Set(i, telemetry.Sample{Count: 100, LevelCenti: l * 100, LevelMin: l, LevelMax: l, CPUMilli: -1, MeanUS: 5000, Agents: 1})
	}
	require.NoError(d.t, d.db.SaveHistory(d.t.Context(), []telemetry.Row{{Key: k, Unit: hour, Writer: "a", Packed: s.Append(nil)}}, nil))
}

func TestLeaderboard(t *testing.T) {
	withDesk(t, func(d *desk) {
		d.remember(telemetry.Key{Scene: "k2", IDC: "ea119", App: "sn", Point: "recall"}, 2, 8)
		d.remember(telemetry.Key{Scene: "k2", IDC: "ea119", App: "rank", Point: "score"}, 5)
		d.remember(telemetry.Key{Scene: "=1+1", IDC: "ea119", App: "sn", Point: "@SUM(A1)"}, 1)

		// An hour later, so that the claims of the desk cover nothing of the stretch.
		at := func(s string) string {
			end := time.Now().Truncate(time.Hour)
			return s + "from=" + end.Add(-time.Hour).UTC().Format(time.RFC3339) + "&to=" + end.UTC().Format(time.RFC3339)
		}
		var board api.Leaderboard
		d.ok(d.do("admin", "GET", at("/leaderboard?sort=-movement&"), ""), 200, &board)
		require.Equal(d.t, 3, board.Total)
		require.False(d.t, board.Live)
		require.Equal(d.t, "recall", board.Items[0].Point)
		require.InDelta(d.t, 59*6, board.Items[0].Figures.Movement, 0.01)
		require.InDelta(d.t, 58, board.Items[0].Figures.Flaps, 0.01)
		require.Nil(d.t, board.Items[0].Previous)
		require.Len(d.t, board.Items[0].Trend, 48)

		d.ok(d.do("admin", "GET", at("/leaderboard?group=app&sort=level&limit=1&"), ""), 200, &board)
		require.Equal(d.t, 2, board.Total)
		require.Len(d.t, board.Items, 1)
		require.Equal(d.t, api.PointKey{App: "sn"}, board.Items[0].PointKey)
		require.Equal(d.t, 2, board.Items[0].Members)

		// Nobody sees another's apps, in the file neither.
		d.ok(d.do("foreign", "GET", at("/leaderboard?"), ""), 200, &board)
		require.Equal(d.t, 1, board.Total)
		require.Equal(d.t, "rank", board.Items[0].App)
		w := d.do("foreign", "GET", at("/leaderboard/export?"), "")
		require.NotContains(d.t, w.Body.String(), "recall")
		d.refused(d.do("admin", "GET", "/leaderboard?from=2026-01-01T00:00:00Z&to=2020-01-01T00:00:00Z", ""), 400)
		d.refused(d.do("admin", "GET", "/leaderboard?sort=app", ""), 400)

		w = d.do("admin", "GET", at("/leaderboard/export?sort=level&"), "")
		require.Equal(d.t, 200, w.Code)
		require.Contains(d.t, w.Header().Get("Content-Disposition"), "attachment")
		rows, err := csv.NewReader(w.Body).ReadAll()
		require.NoError(d.t, err)
		require.Len(d.t, rows, 4)
		require.True(d.t, slices.ContainsFunc(rows, func(r []string) bool { return r[2] == "'=1+1" && r[5] == "'@SUM(A1)" }), rows)
		for _, row := range rows {
			for _, cell := range row {
				require.False(d.t, cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])), cell)
			}
		}
	})
}

// More series than an answer may hold are refused after a page of them, not after all.
func TestHistoryOfTooManySeries(t *testing.T) {
	withDesk(t, func(d *desk) {
		for i := range 52 {
			d.remember(telemetry.Key{Scene: fmt.Sprint("s", i), IDC: "ea119", App: "sn", Point: "recall"}, 2)
		}
		d.remember(telemetry.Key{Scene: "s1", IDC: "elsewhere", App: "sn", Point: "recall"}, 3)
		end := time.Now().Truncate(time.Hour)
		at := "&from=" + end.Add(-time.Hour).UTC().Format(time.RFC3339) + "&to=" + end.UTC().Format(time.RFC3339)
		require.Contains(d.t, d.refused(d.do("admin", "GET", "/history?app=sn"+at, ""), 400).Detail, "more than 50 series")
		var h api.History
		d.ok(d.do("admin", "GET", "/history?app=sn&scene=s1"+at, ""), 200, &h)
		require.Len(d.t, h.Series, 2)
		require.Equal(d.t, "ea119", h.Series[0].IDC)
		require.Len(d.t, h.Series[1].Level, 60)
		d.ok(d.do("foreign", "GET", "/history?app=sn"+at, ""), 200, &h)
		require.Empty(d.t, h.Series, "what may not be seen does not count")
	})
}
