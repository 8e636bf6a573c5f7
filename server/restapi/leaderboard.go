package restapi

import (
	"context"
	"encoding/csv"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/leaderboard"
	"github.com/allspark/allspark/server/telemetry"
)

// BoardQuery says what to rank.
type BoardQuery struct {
	Window string    `query:"window" enum:"live,1h,6h,24h,7d,30d" default:"live" doc:"Length of the stretch; live ranks by the levels of the last seconds, with the figures of the last ten minutes."`
	From   time.Time `query:"from" doc:"Start of a stretch of one's own, instead of a window."`
	To     time.Time `query:"to" doc:"End of the stretch; now by default."`
	Group  string    `query:"group" enum:"point,app,idc,scene" default:"point" doc:"What a row stands for."`
	Sort   string    `query:"sort" enum:"level,-level,movement,-movement,flapping,-flapping,floor,-floor,overridden,-overridden" default:"-movement" doc:"What ranks; a minus puts the greatest first. Level compares heights between floor and ceiling."`
	App    string    `query:"app" maxLength:"63" doc:"Only this app."`
	IDC    string    `query:"idc" maxLength:"63" doc:"Only this IDC."`
	Scene  string    `query:"scene" maxLength:"63" doc:"Only this scene."`
}

func (s *Server) leaderboardRoutes() {
	const tag = "Leaderboard"
	handle(s, endpoint{
		method: http.MethodGet, path: "/leaderboard", id: "get-leaderboard", tag: tag, verb: auth.Read,
		summary: "Rank by level and movement", description: "Points, apps, IDCs or scenes by level, movement, flapping, time at the floor or time held by hand, live or over a stretch of history, beside the stretch before.",
	}, func(ctx context.Context, c *caller, in *struct {
		BoardQuery
		Limit int `query:"limit" minimum:"1" maximum:"500" default:"200" doc:"Rows."`
	},
	) (*plain[api.Leaderboard], error) {
		out, err := s.leaderboard(ctx, c, &in.BoardQuery)
		if err != nil {
			return nil, err
		}
		out.Items = out.Items[:min(len(out.Items), in.Limit)]
		return &plain[api.Leaderboard]{*out}, nil
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/leaderboard/export", id: "export-leaderboard", tag: tag, verb: auth.Read,
		summary: "Export the ranking as CSV", description: "Every row. Cells that a spreadsheet could take for a formula are quoted.",
		responses: map[string]*huma.Response{"200": {Description: "The ranking.", Content: map[string]*huma.MediaType{"text/csv": {Schema: &huma.Schema{Type: "string"}}}}},
	}, s.exportLeaderboard)
}

// live is the window that ranks by the last seconds, over the figures of liveSpan.
const (
	live     = "live"
	liveSpan = 10 * time.Minute
)

func (s *Server) leaderboard(ctx context.Context, c *caller, in *BoardQuery) (*api.Leaderboard, error) {
	width := map[string]time.Duration{live: liveSpan, "1h": time.Hour, "6h": 6 * time.Hour, "24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour, "30d": 30 * 24 * time.Hour}[in.Window]
	isLive := in.Window == live && in.From.IsZero() && in.To.IsZero()
	from, to, err := s.span(ctx, in.From, in.To, width)
	if err != nil {
		return nil, err
	}
	points, err := s.points(ctx, func(app, idc string) bool { return c.Can(auth.Read, app, idc) })
	if err != nil {
		return nil, err
	}
	now := make(map[api.PointKey]*api.PointState, len(points))
	for i := range points {
		now[points[i].PointKey] = &points[i]
	}
	q := leaderboard.Query{
		Span:   leaderboard.Span{From: from, To: to},
		Filter: telemetry.Filter{Scene: in.Scene, IDC: in.IDC, App: in.App},
		Group:  leaderboard.Group(in.Group),
		Sort:   leaderboard.Sort{By: strings.TrimPrefix(in.Sort, "-"), Down: strings.HasPrefix(in.Sort, "-")},
		Sees:   func(app, idc string) bool { return c.Can(auth.Read, app, idc) },
		Bounds: func(k leaderboard.Key) leaderboard.Bounds {
			if p := now[fromKey(k)]; p != nil && p.Order != nil {
				return leaderboard.Bounds{Floor: p.Order.MinLevel, Ceiling: p.Order.MaxLevel}
			}
			return leaderboard.Bounds{}
		},
	}
	if isLive {
		q.Live = s.deps.Windows.Points(q.Filter, time.Now())
		if q.Live == nil {
			q.Live = []telemetry.Point{}
		}
	}
	rows, err := leaderboard.Board{History: s.deps.History, Claims: s.deps.Control}.Rank(ctx, q)
	if err != nil {
		return nil, err
	}
	out := &api.Leaderboard{From: from, To: to, Live: isLive, StepMS: leaderboard.Step(q.Span).Milliseconds(), Total: len(rows), Items: []api.LeaderboardRow{}}
	for i := range rows {
		row := toLeaderboardRow(&rows[i])
		if p := now[row.PointKey]; p != nil && p.Recent != nil && p.Recent.Count > 0 {
			row.Now = &api.LeaderboardLive{Level: p.Recent.LevelMean, Source: p.Source}
		}
		out.Items = append(out.Items, row)
	}
	return out, nil
}

func toLeaderboardRow(r *leaderboard.Row) api.LeaderboardRow {
	out := api.LeaderboardRow{
		PointKey: fromKey(r.Key), Members: r.Members, Rank: r.Rank, PreviousRank: r.PreviousRank,
		Figures: toLevelFigures(&r.Figures), Trend: r.Trend, Floor: r.Bounds.Floor, Ceiling: r.Bounds.Ceiling,
	}
	if r.Previous != nil {
		p := toLevelFigures(r.Previous)
		out.Previous = &p
	}
	return out
}

func toLevelFigures(f *leaderboard.Figures) api.LevelFigures {
	return api.LevelFigures{
		Level: f.Level, Height: f.Height, Movement: f.Movement, Flaps: f.Flaps, Floor: f.Floor, Overridden: f.Overridden,
		Requests: f.Requests, CoveredMS: f.Covered.Milliseconds(),
	}
}

func (s *Server) exportLeaderboard(ctx context.Context, c *caller, in *BoardQuery) (*huma.StreamResponse, error) {
	board, err := s.leaderboard(ctx, c, in)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", "text/csv; charset=utf-8")
		hc.SetHeader("Content-Disposition", `attachment; filename="allspark-leaderboard.csv"`)
		w := csv.NewWriter(hc.BodyWriter())
		figures := []string{"level", "height", "movement_per_hour", "flaps_per_hour", "floor_share", "overridden_share", "requests"}
		head := append([]string{"rank", "previous_rank", "scene", "idc", "app", "point", "members"}, figures...)
		for _, f := range figures {
			head = append(head, "previous_"+f)
		}
		_ = w.Write(head) // the first write that fails is told below
		for i := range board.Items {
			r := &board.Items[i]
			row := []string{strconv.Itoa(r.Rank), strconv.Itoa(r.PreviousRank), csvCell(r.Scene), csvCell(r.IDC), csvCell(r.App), csvCell(r.Point), strconv.Itoa(r.Members)}
			row = append(row, figureCells(&r.Figures)...)
			row = append(row, figureCells(r.Previous)...)
			if w.Write(row) != nil {
				return // the client left
			}
		}
		w.Flush()
	}}, nil
}

// figureCells writes figures; they are never negative, so no cell is a formula.
func figureCells(f *api.LevelFigures) []string {
	if f == nil {
		return make([]string, 7)
	}
	var out []string
	for _, v := range []float64{f.Level, f.Height, f.Movement, f.Flaps, f.Floor, f.Overridden} {
		out = append(out, strconv.FormatFloat(v, 'f', 4, 64))
	}
	return append(out, strconv.FormatInt(f.Requests, 10))
}
