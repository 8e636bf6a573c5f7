package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/allspark/allspark/server/api"
)

func (s *session) alertsCommand() *cobra.Command {
	return group("alerts", "What is wrong, who looks after it, and who is told",
		s.alertsList(), s.alertsShow(), s.alertsAck(), s.alertsSilence(), s.alertsSilences(), s.alertsUnsilence(), s.alertsRules(), s.alertsSinks(), s.alertsTest())
}

func alertRows(w io.Writer, items []api.Alert) {
	row(w, "ID", "STATE", "SEVERITY", "KIND", "APP", "IDC", "POINT", "INSTANCE", "FIRED", "BY", "REASON")
	for _, a := range items {
		row(w, a.ID, a.State, a.Severity, a.Kind, a.Scope.App, a.Scope.IDC, a.Scope.Point, a.Scope.Instance, a.FiredAt.Local().Format(time.DateTime), a.AckedBy, a.Reason)
	}
}

func (s *session) alertsList() *cobra.Command {
	var all bool
	var kind, app, idc string
	c := &cobra.Command{Use: "list", Short: "List the alerts that stand, newest first", Args: args(cobra.NoArgs)}
	c.Flags().BoolVar(&all, "all", false, "with those that were resolved")
	c.Flags().StringVar(&kind, "kind", "", "only this kind")
	c.Flags().StringVar(&app, "app", "", "only this application")
	c.Flags().StringVar(&idc, "idc", "", "only this machine room")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		q := url.Values{"state": {"open"}}
		if all {
			q.Set("state", "all")
		}
		for k, v := range map[string]string{"kind": kind, "app": app, "idc": idc} {
			if v != "" {
				q.Set(k, v)
			}
		}
		items, err := each[api.Alert](cmd.Context(), cl, "/alerts", q)
		if err != nil {
			return err
		}
		return s.show(cmd, items, func(w io.Writer) { alertRows(w, items) })
	}
	return c
}

func (s *session) alertsShow() *cobra.Command {
	return &cobra.Command{Use: "show ALERT", Short: "Show an alert, who was told, and the plans prepared for its scope", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var x api.AlertDetail
		if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("alerts", a[0])}, &x); err != nil {
			return err
		}
		return s.show(cmd, x, func(w io.Writer) {
			alertRows(w, []api.Alert{x.Alert})
			if len(x.Deliveries) > 0 {
				fmt.Fprintln(w)
				row(w, "SINK", "EVENT", "STATE", "ATTEMPTS", "ERROR")
				for _, d := range x.Deliveries {
					row(w, d.Sink, d.Event, d.State, d.Attempts, d.Error)
				}
			}
			if len(x.Plans) > 0 {
				fmt.Fprintln(w)
				row(w, "PREPARED PLAN", "STATE", "STEPS", "PURPOSE")
				for _, p := range x.Plans {
					row(w, p.Name, p.State, fmt.Sprint(p.Steps), p.Purpose)
				}
			}
		})
	}}
}

func (s *session) alertsAck() *cobra.Command {
	var note string
	c := &cobra.Command{Use: "ack ALERT", Short: "Say that you look after an alert", Args: args(cobra.ExactArgs(1))}
	c.Flags().StringVar(&note, "note", "", "what you are going to do")
	c.RunE = func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var x api.Alert
		if _, err := cl.do(cmd.Context(), call{method: http.MethodPost, path: at("alerts", a[0], "ack"), body: api.AlertAckInput{Note: note}}, &x); err != nil {
			return err
		}
		return s.show(cmd, x, func(w io.Writer) { alertRows(w, []api.Alert{x}) })
	}
	return c
}

func silenceRows(w io.Writer, items []api.AlertSilence) {
	row(w, "ID", "KIND", "APP", "IDC", "POINT", "INSTANCE", "START", "END", "BY", "REASON")
	for _, x := range items {
		row(w, x.ID, x.Kind, x.Scope.App, x.Scope.IDC, x.Scope.Point, x.Scope.Instance, x.Start.Local().Format(time.DateTime), x.End.Local().Format(time.DateTime), x.CreatedBy, x.Reason)
	}
}

func (s *session) alertsSilence() *cobra.Command {
	var in api.AlertSilenceInput
	c := &cobra.Command{
		Use: "silence", Short: "Have nobody told of alerts for a while", Args: args(cobra.NoArgs),
		Example: `  allspark alerts silence --app sn --instance sn-17 --for 2h --reason "machine in repair"`,
	}
	f := c.Flags()
	f.StringVar(&in.Kind, "kind", "", "kind of alert (default: all)")
	f.StringVar(&in.Scope.App, "app", "", "application")
	f.StringVar(&in.Scope.IDC, "idc", "", "machine room")
	f.StringVar(&in.Scope.Scene, "scene", "", "scene")
	f.StringVar(&in.Scope.Point, "point", "", "control point")
	f.StringVar(&in.Scope.Instance, "instance", "", "agent")
	f.StringVar(&in.For, "for", "2h", "how long")
	f.StringVar(&in.Reason, "reason", "", "why (required)")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if in.Reason == "" {
			return usagef("say why with --reason")
		}
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var x api.AlertSilence
		if _, err := cl.do(cmd.Context(), call{method: http.MethodPost, path: "/alert-silences", body: in}, &x); err != nil {
			return err
		}
		return s.show(cmd, x, func(w io.Writer) { silenceRows(w, []api.AlertSilence{x}) })
	}
	return c
}

func (s *session) alertsSilences() *cobra.Command {
	return &cobra.Command{Use: "silences", Short: "List the silences that have not ended", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		var p api.Page[api.AlertSilence]
		if err := s.alertsGet(cmd, "/alert-silences", &p); err != nil {
			return err
		}
		return s.show(cmd, p.Items, func(w io.Writer) { silenceRows(w, p.Items) })
	}}
}

func (s *session) alertsGet(cmd *cobra.Command, path string, into any) error {
	cl, err := s.connect()
	if err != nil {
		return err
	}
	_, err = cl.do(cmd.Context(), call{method: http.MethodGet, path: path}, into)
	return err
}

func (s *session) alertsUnsilence() *cobra.Command {
	var reason string
	c := &cobra.Command{Use: "unsilence SILENCE", Short: "End a silence now", Args: args(cobra.ExactArgs(1))}
	c.Flags().StringVar(&reason, "reason", "ended early", "why")
	c.RunE = func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var x api.AlertSilence
		if _, err := cl.do(cmd.Context(), call{method: http.MethodPost, path: at("alert-silences", a[0], "end"), body: api.Reason{Reason: reason}}, &x); err != nil {
			return err
		}
		return s.show(cmd, x, func(w io.Writer) { silenceRows(w, []api.AlertSilence{x}) })
	}
	return c
}

func (s *session) alertsRules() *cobra.Command {
	return &cobra.Command{Use: "rules", Short: "List how each kind of alert is judged", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		var p api.Page[api.AlertRule]
		if err := s.alertsGet(cmd, "/alert-rules", &p); err != nil {
			return err
		}
		return s.show(cmd, p.Items, func(w io.Writer) {
			row(w, "KIND", "ENABLED", "SEVERITY", "THRESHOLD", "UNIT", "FOR", "CLEAR", "DEFAULT")
			for _, r := range p.Items {
				row(w, r.Kind, r.Enabled, r.Severity, r.Threshold, r.Unit, r.For, r.Clear, r.Default)
			}
		})
	}}
}

func (s *session) alertsSinks() *cobra.Command {
	return &cobra.Command{Use: "sinks", Short: "List who is told", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		var p api.Page[api.AlertSink]
		if err := s.alertsGet(cmd, "/alert-sinks", &p); err != nil {
			return err
		}
		return s.show(cmd, p.Items, func(w io.Writer) {
			row(w, "SINK", "KIND", "ADDRESS", "SIGNED", "ENABLED", "SEVERITY", "LAST", "ERROR")
			for _, x := range p.Items {
				last, trouble := "", ""
				if len(x.Recent) > 0 {
					last, trouble = x.Recent[0].State, x.Recent[0].Error
				}
				row(w, x.Name, x.Kind, x.Host, x.Signed, x.Enabled, x.Severity, last, trouble)
			}
		})
	}}
}

func (s *session) alertsTest() *cobra.Command {
	return &cobra.Command{Use: "test SINK", Short: "Send a sink a message that says it is a test", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var x api.AlertSinkTest
		if _, err := cl.do(cmd.Context(), call{method: http.MethodPost, path: at("alert-sinks", a[0], "test")}, &x); err != nil {
			return err
		}
		if !x.OK {
			return fmt.Errorf("%s", x.Error)
		}
		return s.show(cmd, x, func(w io.Writer) { row(w, "took it in", fmt.Sprintf("%.0f ms", x.MS)) })
	}}
}
