package cli

import (
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/allspark/allspark/server/api"
)

func (s *session) changesCommand() *cobra.Command {
	var app, idc, from string
	c := &cobra.Command{Use: "changes", Short: "List the journal of the last hour, newest first", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		items, err := each[api.Change](cmd.Context(), cl, "/changes", filter("app", app, "idc", idc, "from", from))
		if err != nil {
			return err
		}
		return s.show(cmd, items, func(w io.Writer) {
			row(w, "REVISION", "EPOCH", "AT", "APP", "IDC", "CAUSE")
			for _, x := range items {
				row(w, x.Version.Revision, x.Version.Epoch, x.At, x.App, x.IDC, x.Cause)
			}
		})
	}}
	c.Flags().StringVar(&app, "app", "", "only this app")
	c.Flags().StringVar(&idc, "idc", "", "only this IDC")
	c.Flags().StringVar(&from, "from", "", "not before, RFC 3339")
	return c
}

func (s *session) changeCommand() *cobra.Command {
	show := &cobra.Command{Use: "show REVISION", Short: "Show what a revision changed and who holds it", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var x api.ChangeDetail
		if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("changes", a[0])}, &x); err != nil {
			return err
		}
		return s.show(cmd, x, func(w io.Writer) { changeTable(w, &x) })
	}}
	var in api.Reason
	undo := &cobra.Command{Use: "undo REVISION --reason WHY", Short: "Undo a revision: release or set claims again, roll templates back", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var out api.Undone
		if _, err := cl.do(cmd.Context(), call{method: http.MethodPost, path: at("changes", a[0], "undo"), body: in}, &out); err != nil {
			return err
		}
		return s.show(cmd, out, func(w io.Writer) {
			for _, x := range out.Actions {
				row(w, x)
			}
		})
	}}
	undo.Flags().StringVar(&in.Reason, "reason", "", "why (required)")
	return group("change", "One revision of the journal", show, undo)
}

func changeTable(w io.Writer, x *api.ChangeDetail) {
	row(w, "revision", x.Version.Revision, x.App, x.IDC, x.At, x.Cause)
	if p := x.Progress; p != nil {
		row(w, p.Summary)
		for _, z := range p.Stragglers {
			row(w, "straggler", z.Instance, z.Reason)
		}
		for _, r := range p.Refusals {
			row(w, "refused by", r.Count, r.Reason, r.Instances)
		}
	}
	for _, d := range x.Differences {
		before, after := any("-"), any("-")
		if d.Before != nil {
			before = d.Before.Level
		}
		if d.After != nil {
			after = d.After.Level
		}
		row(w, d.Scene, d.Point, "level", before, "->", after)
	}
}

func (s *session) auditCommand() *cobra.Command {
	var actor, kind, verb, search string
	var limit int
	var people bool
	list := &cobra.Command{Use: "list", Short: "List who changed what, newest first", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		if limit < 1 || limit > 500 {
			return usagef("--limit wants 1..500, got %d", limit)
		}
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var page api.Page[api.AuditEntry]
		query := filter("actor", actor, "kind", kind, "verb", verb, "search", search, "limit", cell(limit), "people", cell(people))
		if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: "/audit", query: query}, &page); err != nil {
			return err
		}
		return s.show(cmd, page.Items, func(w io.Writer) {
			row(w, "SEQ", "AT", "ACTOR", "VIA", "VERB", "KIND", "NAME", "REASON")
			for _, e := range page.Items {
				row(w, e.Seq, e.At, e.Actor, e.Via, e.Verb, e.Kind, e.Name, e.Reason)
			}
		})
	}}
	list.Flags().StringVar(&actor, "actor", "", "only this actor")
	list.Flags().StringVar(&kind, "kind", "", "only this kind of object")
	list.Flags().StringVar(&verb, "verb", "", "only this verb")
	list.Flags().StringVar(&search, "search", "", "in name, reason and actor")
	list.Flags().IntVar(&limit, "limit", 50, "how many")
	list.Flags().BoolVar(&people, "people", false, "only what people and their programs did, not the controller's own loops")
	verify := &cobra.Command{Use: "verify", Short: "Walk the hash chain; exit 1 when it is broken", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var v api.AuditVerification
		if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: "/audit/verification"}, &v); err != nil {
			return err
		}
		if err := s.show(cmd, v, func(w io.Writer) {
			row(w, "entries", v.Entries)
			row(w, "head", v.Head)
			if v.OK {
				row(w, "the chain is whole")
			}
		}); err != nil {
			return err
		}
		if !v.OK {
			return &api.Problem{Detail: "the chain is broken at entry " + cell(v.BrokenAt) + ": " + v.Problem}
		}
		return nil
	}}
	return group("audit", "The log of changes", list, verify)
}

func (s *session) statusCommand() *cobra.Command {
	return &cobra.Command{Use: "status", Short: "State of the controller", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var x api.Status
		if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: "/status"}, &x); err != nil {
			return err
		}
		return s.show(cmd, x, func(w io.Writer) {
			row(w, "version", x.Version)
			row(w, "replica", x.Replica, "since", x.StartedAt)
			row(w, "decides", x.Lease.Holder, "epoch", x.Lease.Epoch, x.Lease.Waiting)
			row(w, "newest revision", x.Lease.Newest.Revision, x.Lease.Trouble)
			row(w, "database", x.Database.Kind, "ok", cell(yes(x.Database.OK)), "ping ms", x.Database.PingMS)
			row(w, "agents", x.Agents.Connected, "connected", x.Agents.Stale, "stale", x.Agents.Disconnected, "disconnected", x.Agents.Banned, "banned")
		})
	}}
}
