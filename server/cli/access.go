package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/allspark/allspark/server/api"
)

// parseGrants reads ROLE[:APP[:IDC[:VERB]]]; what is left out is *.
func parseGrants(in []string) ([]api.Grant, error) {
	out := []api.Grant{}
	for _, g := range in {
		f := strings.Split(g, ":")
		if len(f) > 4 {
			return nil, usagef("--grant wants ROLE[:APP[:IDC[:VERB]]], got %q", g)
		}
		x := api.Grant{Role: f[0], App: "*", IDC: "*"}
		for i, to := range []*string{&x.Role, &x.App, &x.IDC, &x.Verb} {
			if i < len(f) && f[i] != "" {
				*to = f[i]
			}
		}
		out = append(out, x)
	}
	return out, nil
}

func grantText(grants []api.Grant) []string {
	out := make([]string, len(grants))
	for i, g := range grants {
		out[i] = g.Role + ":" + g.App + ":" + g.IDC
		if g.Verb != "" && g.Verb != "*" {
			out[i] += ":" + g.Verb
		}
	}
	return out
}

const grantHelp = "ROLE[:APP[:IDC[:VERB]]], role viewer, operator or admin; may be repeated"

func (s *session) userCommand() *cobra.Command {
	var grants []string
	var display, reason string
	list := &cobra.Command{Use: "list", Short: "List users", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		items, err := each[api.User](cmd.Context(), cl, "/users", nil)
		if err != nil {
			return err
		}
		return s.show(cmd, items, func(w io.Writer) { userRows(w, items) })
	}}
	create := &cobra.Command{Use: "create NAME --grant operator:sn", Short: "Create a user; prints the generated password once", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		g, err := parseGrants(grants)
		if err != nil {
			return err
		}
		var u api.UserSecret
		return s.secret(cmd, call{method: http.MethodPost, path: "/users", body: api.UserCreate{Name: a[0], Display: display, Grants: g, Reason: reason}}, &u, func() string { return u.Password })
	}}
	create.Flags().StringSliceVar(&grants, "grant", nil, grantHelp)
	create.Flags().StringVar(&display, "display", "", "full name")
	create.Flags().StringVar(&reason, "reason", "", "why")
	var set []string
	var off bool
	change := &cobra.Command{Use: "set NAME --grant viewer", Short: "Replace a user's grants; their sessions are cut", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var u api.User
		match, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("users", a[0])}, &u)
		if err != nil {
			return err
		}
		g := u.Grants
		if cmd.Flags().Changed("grant") {
			if g, err = parseGrants(set); err != nil {
				return err
			}
		}
		if !cmd.Flags().Changed("disabled") {
			off = u.Disabled
		}
		if _, err := cl.do(cmd.Context(), call{method: http.MethodPut, path: at("users", a[0]), match: match, body: api.UserUpdate{Display: u.Display, Grants: g, Disabled: off}}, &u); err != nil {
			return err
		}
		return s.show(cmd, u, func(w io.Writer) { userRows(w, []api.User{u}) })
	}}
	change.Flags().StringSliceVar(&set, "grant", nil, grantHelp)
	change.Flags().BoolVar(&off, "disabled", false, "may not sign in")
	var why string
	reset := &cobra.Command{Use: "reset-password NAME --reason WHY", Short: "Generate a new password, printed once", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		var u api.UserSecret
		return s.secret(cmd, call{method: http.MethodPost, path: at("users", a[0], "password"), body: api.Reason{Reason: why}}, &u, func() string { return u.Password })
	}}
	reset.Flags().StringVar(&why, "reason", "", "why (required)")
	var gone string
	remove := &cobra.Command{Use: "delete NAME", Short: "Delete a user", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		return s.remove(cmd, at("users", a[0]), gone, true, "user "+a[0]+" deleted")
	}}
	remove.Flags().StringVar(&gone, "reason", "", "why")
	return group("user", "People who sign in", list, create, change, reset, remove)
}

func userRows(w io.Writer, items []api.User) {
	row(w, "NAME", "GRANTS", "DISABLED", "LAST LOGIN", "CREATED", "BY")
	for _, u := range items {
		row(w, u.Name, grantText(u.Grants), yes(u.Disabled), u.LastLogin, u.CreatedAt, u.CreatedBy)
	}
}

// secret prints what is shown once alone on stdout, so that it can be piped.
func (s *session) secret(cmd *cobra.Command, r call, out any, secret func() string) error {
	cl, err := s.connect()
	if err != nil {
		return err
	}
	if _, err := cl.do(cmd.Context(), r, out); err != nil {
		return err
	}
	return s.show(cmd, out, func(w io.Writer) { fmt.Fprintln(w, secret()) })
}

func (s *session) tokenCommand() *cobra.Command {
	list := &cobra.Command{Use: "list", Short: "List API tokens", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		items, err := each[api.Token](cmd.Context(), cl, "/tokens", nil)
		if err != nil {
			return err
		}
		return s.show(cmd, items, func(w io.Writer) {
			row(w, "ID", "NAME", "PREFIX", "GRANTS", "EXPIRES", "REVOKED", "LAST USED", "BY")
			for _, t := range items {
				row(w, t.ID, t.Name, t.Prefix, grantText(t.Grants), t.Expires, t.Revoked, t.LastUsed, t.CreatedBy)
			}
		})
	}}
	var grants []string
	var in api.TokenCreate
	create := &cobra.Command{Use: "create NAME --grant viewer:sn", Short: "Create an API token; prints its secret once", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		g, err := parseGrants(grants)
		if err != nil {
			return err
		}
		in.Name, in.Grants = a[0], g
		var t api.TokenSecret
		return s.secret(cmd, call{method: http.MethodPost, path: "/tokens", body: in}, &t, func() string { return t.Secret })
	}}
	create.Flags().StringSliceVar(&grants, "grant", nil, grantHelp)
	create.Flags().StringVar(&in.For, "for", "", "how long it lives, like 720h (the default)")
	create.Flags().StringVar(&in.Reason, "reason", "", "why")
	return group("token", "API tokens of programs", list, create, s.revoke("tokens"))
}

func (s *session) revoke(kind string) *cobra.Command {
	var reason string
	c := &cobra.Command{Use: "revoke ID", Short: "Revoke a token", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		return s.remove(cmd, at(kind, a[0]), reason, false, "token revoked")
	}}
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}

func (s *session) enrolCommand() *cobra.Command {
	list := &cobra.Command{Use: "list", Short: "List enrolment tokens", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		items, err := each[api.EnrolmentToken](cmd.Context(), cl, "/enrolment-tokens", nil)
		if err != nil {
			return err
		}
		return s.show(cmd, items, func(w io.Writer) {
			row(w, "ID", "NAME", "PREFIX", "APP", "IDC", "EXPIRES", "REVOKED", "BY")
			for _, t := range items {
				row(w, t.ID, t.Name, t.Prefix, t.App, t.IDC, t.Expires, t.Revoked, t.CreatedBy)
			}
		})
	}}
	var in api.EnrolmentTokenCreate
	create := &cobra.Command{Use: "create NAME APP IDC", Short: "Create a token with which agents of an app and IDC register; prints its secret once", Args: args(cobra.ExactArgs(3)), RunE: func(cmd *cobra.Command, a []string) error {
		in.Name, in.App, in.IDC = a[0], a[1], a[2]
		var t api.EnrolmentTokenSecret
		return s.secret(cmd, call{method: http.MethodPost, path: "/enrolment-tokens", body: in}, &t, func() string { return t.Secret })
	}}
	create.Flags().StringVar(&in.For, "for", "", "how long it lives, like 24h (the default)")
	create.Flags().StringVar(&in.Reason, "reason", "", "why")
	return group("enrol-token", "Tokens with which agents register", list, create, s.revoke("enrolment-tokens"))
}

func (s *session) loginCommand() *cobra.Command {
	return &cobra.Command{Use: "login USER", Short: "Sign in; the password is read from stdin", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		s.token = "-" // any: signing in needs none
		cl, err := s.connect()
		if err != nil {
			return err
		}
		cl.token = ""
		s.say(cmd, "Password for %s at %s:", a[0], cl.base)
		line, err := bufio.NewReader(io.LimitReader(cmd.InOrStdin(), 1024)).ReadString('\n')
		if err != nil && line == "" {
			return usagef("the password could not be read from stdin")
		}
		var out api.Session
		if _, err := cl.do(cmd.Context(), call{method: http.MethodPost, path: "/sessions", body: api.Login{Name: a[0], Password: strings.TrimRight(line, "\r\n"), Bearer: true}}, &out); err != nil {
			return err
		}
		if err := writeCredentials(sessionFile(), credentials{URL: cl.base, Token: out.Token}); err != nil {
			return err
		}
		s.say(cmd, "Signed in as %s until %s", out.Me.Name, cell(out.Expires))
		return nil
	}}
}

// writeCredentials keeps a session where only its owner can read it.
func writeCredentials(path string, c credentials) error {
	if path == "" {
		return fmt.Errorf("there is no home directory to keep the session in; use ALLSPARK_TOKEN")
	}
	b, err := json.Marshal(c)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = os.WriteFile(path, b, 0o600)
	}
	if err != nil {
		return fmt.Errorf("keep the session: %w", err)
	}
	return nil
}

func (s *session) logoutCommand() *cobra.Command {
	return &cobra.Command{Use: "logout", Short: "Sign out and forget the session", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		c, err := readCredentials(sessionFile())
		if err != nil {
			return err
		}
		if c.Token == "" {
			return usagef("nobody is signed in")
		}
		_, err = newClient(c.URL, c.Token, s.version).do(cmd.Context(), call{method: http.MethodDelete, path: "/sessions/current"}, nil)
		if code := ExitCode(err); err != nil && code != 4 {
			return err // still valid there: keep it, so that it can be tried again
		}
		if err := os.Remove(sessionFile()); err != nil {
			return fmt.Errorf("forget the session: %w", err)
		}
		s.say(cmd, "Signed out")
		return nil
	}}
}
