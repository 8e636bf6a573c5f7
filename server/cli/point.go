package cli

import (
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/allspark/allspark/server/api"
)

func (s *session) pointsCommand() *cobra.Command {
	var scene, idc, app, search, sort string
	c := &cobra.Command{Use: "points", Short: "List control points live", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		items, err := each[api.PointState](cmd.Context(), cl, "/points", filter("scene", scene, "idc", idc, "app", app, "search", search, "sort", sort))
		if err != nil {
			return err
		}
		return s.show(cmd, items, func(w io.Writer) { pointRows(w, items) })
	}}
	c.Flags().StringVar(&scene, "scene", "", "only this scene")
	c.Flags().StringVar(&idc, "idc", "", "only this IDC")
	c.Flags().StringVar(&app, "app", "", "only this app")
	c.Flags().StringVar(&search, "search", "", "in scene, IDC, app and point")
	c.Flags().StringVar(&sort, "sort", "", "name, level, rt, qps or timeouts; a minus reverses")
	return c
}

func pointRows(w io.Writer, items []api.PointState) {
	row(w, "SCENE", "IDC", "APP", "POINT", "LEVEL", "MEASURED", "SOURCE", "QPS", "RT MEAN", "RT P99", "TIMEOUTS", "MACHINES", "STALE SINCE")
	for _, p := range items {
		level, source := any("-"), p.Source
		if p.Order != nil {
			level = p.Order.Level
		}
		m := p.Recent
		if m == nil {
			row(w, p.Scene, p.IDC, p.App, p.Point, level, "-", source, "-", "-", "-", "-", p.Machines, p.StaleSince)
			continue
		}
		row(w, p.Scene, p.IDC, p.App, p.Point, level, m.LevelMean, source, m.QPS, m.RTMeanMS, m.RTP99MS, m.Timeouts, p.Machines, p.StaleSince)
	}
}

func (s *session) pointCommand() *cobra.Command {
	return &cobra.Command{Use: "point SCENE IDC APP POINT", Short: "Show one point: order, parameters now, measurements", Args: args(cobra.ExactArgs(4)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var p api.PointState
		if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("points", a[0], a[1], a[2], a[3])}, &p); err != nil {
			return err
		}
		return s.show(cmd, p, func(w io.Writer) {
			pointRows(w, []api.PointState{p})
			if p.Order == nil {
				return
			}
			row(w, "")
			row(w, "template", p.Order.Template, "version", p.Order.TemplateVersion)
			row(w, "strategy", p.Order.Strategy, "levels", p.Order.MinLevel, "to", p.Order.MaxLevel)
			for _, x := range p.Order.Parameters {
				row(w, x.Name, string(x.Value), x.Type)
			}
		})
	}}
}

func (s *session) explainCommand() *cobra.Command {
	var when string
	c := &cobra.Command{Use: "explain SCENE IDC APP POINT", Short: "Why this gear: the chain of claims that decided", Args: args(cobra.ExactArgs(4)), RunE: func(cmd *cobra.Command, a []string) error {
		if when != "" {
			if _, err := time.Parse(time.RFC3339, when); err != nil {
				return usagef("--at wants a time like 2026-11-30T21:40:00Z, got %q", when)
			}
		}
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var e api.Explanation
		if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("points", a[0], a[1], a[2], a[3], "explain"), query: filter("at", when)}, &e); err != nil {
			return err
		}
		return s.show(cmd, e, func(w io.Writer) {
			row(w, e.Summary)
			if e.Version != nil {
				row(w, "revision", e.Version.Revision, "epoch", e.Version.Epoch, "since", e.ShiftAt, e.Cause)
			}
			if e.Template != "" {
				row(w, "template", e.Template, "version", e.TemplateVersion)
			}
			if !e.Replays {
				row(w, "NOTE: deciding again on these claims does not give the journalled order")
			}
			row(w, "")
			row(w, "FIELD", "OUTCOME", "SOURCE", "VALUE", "AUTHOR", "END", "WHY", "CLAIM")
			for _, x := range e.Steps {
				row(w, x.Field, x.Outcome, x.Source, x.Value, x.Author, x.End, x.Reason, x.ClaimID)
			}
		})
	}}
	c.Flags().StringVar(&when, "at", "", "a past second, RFC 3339; now by default")
	return c
}

func (s *session) agentsCommand() *cobra.Command {
	var app, idc, state, search string
	c := &cobra.Command{Use: "agents", Short: "List agents", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		items, err := each[api.Agent](cmd.Context(), cl, "/agents", filter("app", app, "idc", idc, "state", state, "search", search))
		if err != nil {
			return err
		}
		return s.show(cmd, items, func(w io.Writer) { agentRows(w, items) })
	}}
	c.Flags().StringVar(&app, "app", "", "only this app")
	c.Flags().StringVar(&idc, "idc", "", "only this IDC")
	c.Flags().StringVar(&state, "state", "", "connected, stale, disconnected or banned")
	c.Flags().StringVar(&search, "search", "", "in instance, host, build and address")
	return c
}

func agentRows(w io.Writer, items []api.Agent) {
	row(w, "INSTANCE", "APP", "IDC", "HOST", "BUILD", "STATE", "HELD", "CURRENT", "RUNG", "LAST ACK", "CLOCK MS", "SEEN", "REFUSED")
	for _, a := range items {
		refused := ""
		if a.LastAck != nil && a.LastAck.Refused && len(a.LastAck.Problems) > 0 {
			refused = a.LastAck.Problems[0].Path + ": " + a.LastAck.Problems[0].Message
		}
		row(w, a.Instance, a.App, a.IDC, a.Host, a.Build, a.State, a.Held.Revision, yes(a.Current), a.Rung, a.LastAckAt, a.ClockOffsetMS, a.SeenAt, refused)
	}
}

func (s *session) agentCommand() *cobra.Command {
	c := &cobra.Command{Use: "agent INSTANCE", Short: "Show one agent and what it declares", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		return s.oneAgent(cmd, call{method: http.MethodGet, path: at("agents", a[0])})
	}}
	for verb, short := range map[string]string{"ban": "Cut an agent off until it is unbanned", "unban": "Let a banned agent return"} {
		var in api.Reason
		v := &cobra.Command{Use: verb + " INSTANCE --reason WHY", Short: short, Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
			return s.oneAgent(cmd, call{method: http.MethodPost, path: at("agents", a[0], verb), body: in})
		}}
		v.Flags().StringVar(&in.Reason, "reason", "", "why (required)")
		c.AddCommand(v)
	}
	return c
}

func (s *session) oneAgent(cmd *cobra.Command, r call) error {
	cl, err := s.connect()
	if err != nil {
		return err
	}
	var a api.Agent
	if _, err := cl.do(cmd.Context(), r, &a); err != nil {
		return err
	}
	return s.show(cmd, a, func(w io.Writer) {
		agentRows(w, []api.Agent{a})
		for _, p := range a.Points {
			for _, x := range p.Parameters {
				row(w, "point", p.Name, x.Name, x.Type, x.Unit, string(x.Min), string(x.Max))
			}
		}
	})
}
