package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/allspark/allspark/server/api"
)

func (s *session) leaderboardCommand() *cobra.Command {
	var window, from, to, group, sort, app, idc, scene string
	var csv bool
	c := &cobra.Command{
		Use: "leaderboard", Short: "Rank points by level, movement, flapping, time at the floor or held by hand", Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cl, err := s.connect()
			if err != nil {
				return err
			}
			query := filter("window", window, "from", from, "to", to, "group", group, "sort", sort, "app", app, "idc", idc, "scene", scene)
			if csv {
				var text []byte
				if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: "/leaderboard/export", query: query, accept: "text/csv"}, &text); err != nil {
					return err
				}
				_, err = cmd.OutOrStdout().Write(text)
				return err
			}
			return s.board(cmd, cl, query)
		},
	}
	f := c.Flags()
	f.StringVar(&window, "window", "", "live (the default), 1h, 6h, 24h, 7d or 30d")
	f.StringVar(&from, "from", "", "start of a stretch of your own, RFC 3339")
	f.StringVar(&to, "to", "", "its end, RFC 3339; now by default")
	f.StringVar(&group, "group", "", "point (the default), app, idc or scene")
	f.StringVar(&sort, "sort", "", "level, movement, flapping, floor or overridden; a minus puts the greatest first (-movement by default)")
	f.StringVar(&app, "app", "", "only this app")
	f.StringVar(&idc, "idc", "", "only this IDC")
	f.StringVar(&scene, "scene", "", "only this scene")
	f.BoolVar(&csv, "csv", false, "print CSV, every row")
	return c
}

func (s *session) board(cmd *cobra.Command, cl *client, query url.Values) error {
	var b api.Leaderboard
	if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: "/leaderboard", query: query}, &b); err != nil {
		return err
	}
	return s.show(cmd, b, func(w io.Writer) {
		row(w, "RANK", "BEFORE", "SCENE", "IDC", "APP", "POINT", "LEVEL", "HEIGHT %", "MOVED /H", "TURNS /H", "FLOOR %", "BY HAND %", "NOW", "SOURCE")
		for _, r := range b.Items {
			before, level, now, source := "new", "-", "-", ""
			if r.PreviousRank > 0 {
				before = fmt.Sprint(r.PreviousRank)
			}
			if r.Figures.Level > 0 {
				level = fmt.Sprintf("%.1f of %d..%d", r.Figures.Level, r.Floor, r.Ceiling)
			}
			if r.Now != nil {
				now, source = cell(r.Now.Level), r.Now.Source
			}
			x := r.Figures
			row(w, r.Rank, before, r.Scene, r.IDC, r.App, r.Point, level, x.Height*100, x.Movement, x.Flaps, x.Floor*100, x.Overridden*100, now, source)
		}
	})
}
