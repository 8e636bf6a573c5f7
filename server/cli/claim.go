package cli

import (
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/allspark/allspark/server/api"
)

func (s *session) bindCommand() *cobra.Command {
	var in api.BindingInput
	var force bool
	c := &cobra.Command{
		Use: "bind TEMPLATE SCENE IDC APP POINT", Short: "Let a template serve a scene, IDC, app and point (* for all)", Args: args(cobra.ExactArgs(5)),
		RunE: func(cmd *cobra.Command, a []string) error {
			cl, err := s.connect()
			if err != nil {
				return err
			}
			in.Template, in.Selector = a[0], api.Selector{Scene: a[1], IDC: a[2], App: a[3], Point: a[4]}
			query := filter()
			if force {
				query.Set("force", "true")
			}
			var b api.Binding
			if _, err := cl.do(cmd.Context(), call{method: http.MethodPost, path: "/bindings", query: query, body: in}, &b); err != nil {
				return err
			}
			return s.show(cmd, b, func(w io.Writer) { bindingRows(w, []api.Binding{b}) })
		},
	}
	c.Flags().IntVar(&in.Pin, "pin", 0, "hold this version; 0 follows the newest")
	c.Flags().StringVar(&in.Reason, "reason", "", "why")
	c.Flags().BoolVar(&force, "force", false, "although registered builds would refuse it")
	var reason string
	remove := &cobra.Command{Use: "delete ID", Short: "Delete a binding", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		return s.remove(cmd, at("bindings", a[0]), reason, true, "binding deleted")
	}}
	remove.Flags().StringVar(&reason, "reason", "", "why")
	var name string
	list := &cobra.Command{Use: "list", Short: "List bindings", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		items, err := each[api.Binding](cmd.Context(), cl, "/bindings", filter("template", name))
		if err != nil {
			return err
		}
		return s.show(cmd, items, func(w io.Writer) { bindingRows(w, items) })
	}}
	list.Flags().StringVar(&name, "template", "", "only this template")
	c.AddCommand(list, remove)
	return c
}

func bindingRows(w io.Writer, items []api.Binding) {
	row(w, "ID", "TEMPLATE", "PIN", "SCENE", "IDC", "APP", "POINT", "UPDATED", "BY")
	for _, b := range items {
		pin := any("newest")
		if b.Pin > 0 {
			pin = b.Pin
		}
		row(w, b.ID, b.Template, pin, b.Selector.Scene, b.Selector.IDC, b.Selector.App, b.Selector.Point, b.UpdatedAt, b.UpdatedBy)
	}
}

func (s *session) claimCommand() *cobra.Command {
	return group("claim", "Set fields by hand, with an end", s.claimSet(), s.claimList(),
		s.claimAction("release", "End a claim now"), s.claimAction("undo", "Release a claim, or set it again if it was released"), s.claimExtend())
}

func (s *session) claimSet() *cobra.Command {
	var level int
	var rt, timeout, strategy, template string
	var in api.ClaimInput
	c := &cobra.Command{
		Use: "set SCENE IDC APP POINT --level N --reason WHY", Short: "Set one field at a place (* for all)", Args: args(cobra.ExactArgs(4)),
		RunE: func(cmd *cobra.Command, a []string) error {
			in.Scope = api.Scope{Scene: a[0], IDC: a[1], App: a[2], Point: a[3]}
			given := 0
			for _, f := range []struct {
				set   bool
				field string
				put   func()
			}{
				{cmd.Flags().Changed("level"), "level", func() { in.Level = level }},
				{rt != "", "available_rt", func() { in.Duration = rt }},
				{timeout != "", "timeout", func() { in.Duration = timeout }},
				{strategy != "", "strategy", func() { in.Strategy = strategy }},
				{template != "", "binding", func() { in.Template = template }},
			} {
				if f.set {
					given++
					in.Field = f.field
					f.put()
				}
			}
			if given != 1 {
				return usagef("a claim sets one of --level, --available-rt, --timeout, --strategy and --template, got %d", given)
			}
			cl, err := s.connect()
			if err != nil {
				return err
			}
			var out api.Claim
			if _, err := cl.do(cmd.Context(), call{method: http.MethodPost, path: "/claims", body: in}, &out); err != nil {
				return err
			}
			return s.show(cmd, out, func(w io.Writer) { claimRows(w, []api.Claim{out}) })
		},
	}
	c.Flags().IntVar(&level, "level", 0, "level")
	c.Flags().StringVar(&rt, "available-rt", "", "available RT, like 8ms")
	c.Flags().StringVar(&timeout, "timeout", "", "timeout of an external edge, like 40ms")
	c.Flags().StringVar(&strategy, "strategy", "", "fixed, central, crowd_rt or external_timeout")
	c.Flags().StringVar(&template, "template", "", "template that serves instead")
	c.Flags().IntVar(&in.Pin, "pin", 0, "with --template: its version")
	c.Flags().StringVar(&in.Reason, "reason", "", "why (required)")
	c.Flags().StringVar(&in.For, "for", "", "how long, like 30m (the default)")
	return c
}

func (s *session) claimList() *cobra.Command {
	var all bool
	var app, idc string
	c := &cobra.Command{Use: "list", Short: "List claims that count now", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		query := filter("app", app, "idc", idc)
		if !all {
			query.Set("active", "true")
		}
		items, err := each[api.Claim](cmd.Context(), cl, "/claims", query)
		if err != nil {
			return err
		}
		return s.show(cmd, items, func(w io.Writer) { claimRows(w, items) })
	}}
	c.Flags().BoolVar(&all, "all", false, "released and ended ones too")
	c.Flags().StringVar(&app, "app", "", "only this app")
	c.Flags().StringVar(&idc, "idc", "", "only this IDC")
	return c
}

func claimRows(w io.Writer, items []api.Claim) {
	row(w, "ID", "SETS", "SCENE", "IDC", "APP", "POINT", "SOURCE", "AUTHOR", "END", "STATE", "REASON")
	for _, c := range items {
		state := "ended"
		switch {
		case c.Active:
			state = "active"
		case c.Released != nil:
			state = "released by " + c.ReleasedBy
		}
		row(w, c.ID, c.Value, c.Scope.Scene, c.Scope.IDC, c.Scope.App, c.Scope.Point, c.Source, c.Author, c.End, state, c.Reason)
	}
}

func (s *session) claimAction(verb, short string) *cobra.Command {
	var in api.Reason
	c := &cobra.Command{Use: verb + " ID --reason WHY", Short: short, Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		return s.onClaim(cmd, call{method: http.MethodPost, path: at("claims", a[0], verb), body: in})
	}}
	c.Flags().StringVar(&in.Reason, "reason", "", "why (required)")
	return c
}

func (s *session) claimExtend() *cobra.Command {
	var in api.Extend
	c := &cobra.Command{Use: "extend ID --for 30m --reason WHY", Short: "Move a claim's end", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		return s.onClaim(cmd, call{method: http.MethodPost, path: at("claims", a[0], "extend"), body: in})
	}}
	c.Flags().StringVar(&in.For, "for", "", "from now, like 30m")
	c.Flags().StringVar(&in.Reason, "reason", "", "why (required)")
	return c
}

func (s *session) onClaim(cmd *cobra.Command, r call) error {
	cl, err := s.connect()
	if err != nil {
		return err
	}
	var out api.Claim
	if _, err := cl.do(cmd.Context(), r, &out); err != nil {
		return err
	}
	return s.show(cmd, out, func(w io.Writer) { claimRows(w, []api.Claim{out}) })
}
