package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/allspark/allspark/server/api"
)

func (s *session) quotaCommand() *cobra.Command {
	return group("quota", "Budgets of groups of machines", s.quotaList(), s.quotaShow(), s.quotaApply(), s.quotaSet(), s.quotaDelete(), s.quotaCalibrate())
}

func (s *session) quotaList() *cobra.Command {
	return &cobra.Command{Use: "list", Short: "List quota groups and how they stand", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		items, err := each[api.QuotaState](cmd.Context(), cl, "/quota-groups", nil)
		if err != nil {
			return err
		}
		return s.show(cmd, items, func(w io.Writer) { quotaRows(w, items) })
	}}
}

func quotaRows(w io.Writer, items []api.QuotaState) {
	row(w, "GROUP", "STATE", "BASE", "SUM", "TOTAL", "ARRIVALS/S", "AGENTS", "FALLBACK", "LAW", "TROUBLE")
	for _, g := range items {
		x := g.Status
		row(w, g.Name, x.State, x.Base, x.Sum, g.Settings.TotalQuota, x.Arrivals, x.Crew.Agents, x.Crew.Fallback, g.Settings.Law, x.Trouble)
	}
}

func (s *session) quotaShow() *cobra.Command {
	return &cobra.Command{Use: "show GROUP", Short: "Show a quota group", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var g api.QuotaState
		if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("quota-groups", a[0])}, &g); err != nil {
			return err
		}
		return s.show(cmd, g, func(w io.Writer) { quotaRows(w, []api.QuotaState{g}) })
	}}
}

// quotaApply creates a group from a file, or replaces the one of that name.
func (s *session) quotaApply() *cobra.Command {
	var file, reason string
	c := &cobra.Command{
		Use: "apply -f FILE", Short: "Create or replace a quota group from a YAML or JSON file (- for standard input)", Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var in api.QuotaGroupInput
			if err := readInput(cmd, file, "group", &in); err != nil {
				return err
			}
			if reason != "" {
				in.Reason = reason
			}
			return s.putQuota(cmd, in)
		},
	}
	c.Flags().StringVarP(&file, "file", "f", "", "the group (required)")
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}

// readInput goes by way of JSON, so that YAML has the API's names.
func readInput(cmd *cobra.Command, file, what string, in any) error {
	if file == "" {
		return usagef("name the file of the %s with -f, or - for standard input", what)
	}
	read := func() ([]byte, error) { return os.ReadFile(file) }
	if file == "-" {
		read = func() ([]byte, error) { return io.ReadAll(io.LimitReader(cmd.InOrStdin(), 1<<20)) }
	}
	b, err := read()
	if err != nil {
		return fmt.Errorf("read the %s: %w", what, err)
	}
	var doc any
	if err := yaml.Unmarshal(b, &doc); err != nil {
		return usagef("the %s cannot be read: %v", what, err)
	}
	if b, err = json.Marshal(doc); err != nil {
		return usagef("the %s cannot be read: %v", what, err)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(in); err != nil {
		return usagef("the %s is not valid: %v", what, err)
	}
	return nil
}

// putQuota replaces the group of that name under its present version, or creates it.
func (s *session) putQuota(cmd *cobra.Command, in api.QuotaGroupInput) error {
	cl, err := s.connect()
	if err != nil {
		return err
	}
	r := call{method: http.MethodPost, path: "/quota-groups", body: in}
	etag, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("quota-groups", in.Name)}, nil)
	if p, ok := errors.AsType[*api.Problem](err); ok && p.Status == http.StatusNotFound {
		err = nil
	}
	if err != nil {
		return err
	}
	if etag != "" {
		r = call{method: http.MethodPut, path: at("quota-groups", in.Name), body: in, match: etag}
	}
	var out api.QuotaGroup
	if _, err := cl.do(cmd.Context(), r, &out); err != nil {
		return err
	}
	return s.show(cmd, out, func(w io.Writer) {
		row(w, "GROUP", "TOTAL", "WINDOW", "Q_MIN", "Q_MAX", "DEFAULT", "LAW", "VERSION")
		x := out.Settings
		row(w, out.Name, x.TotalQuota, x.Window, x.QMin, x.QMax, x.DefaultQuota, x.Law, out.Version)
	})
}

// quotaSet changes a few settings of a group.
func (s *session) quotaSet() *cobra.Command {
	var total, qmin, qmax, def float64
	var law, reason string
	var on, off bool
	c := &cobra.Command{
		Use: "set GROUP", Short: "Change a quota group's budget, limits or law", Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			cl, err := s.connect()
			if err != nil {
				return err
			}
			var old api.QuotaState
			if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("quota-groups", a[0])}, &old); err != nil {
				return err
			}
			in := api.QuotaGroupInput{Name: old.Name, Description: old.Description, Enabled: old.Enabled, Members: old.Members, Settings: old.Settings, Reason: reason}
			given := false
			for name, put := range map[string]func(){
				"total": func() { in.Settings.TotalQuota = total }, "min": func() { in.Settings.QMin = qmin }, "max": func() { in.Settings.QMax = qmax },
				"default": func() { in.Settings.DefaultQuota = def }, "law": func() { in.Settings.Law = law },
				"enable": func() { in.Enabled = true }, "disable": func() { in.Enabled = false },
			} {
				if cmd.Flags().Changed(name) {
					put()
					given = true
				}
			}
			if !given || on && off {
				return usagef("say what to change, see --help")
			}
			return s.putQuota(cmd, in)
		},
	}
	c.Flags().Float64Var(&total, "total", 0, "total_quota, candidates a window")
	c.Flags().Float64Var(&qmin, "min", 0, "q_min, candidates a request")
	c.Flags().Float64Var(&qmax, "max", 0, "q_max, candidates a request")
	c.Flags().Float64Var(&def, "default", 0, "default_quota, candidates a request")
	c.Flags().StringVar(&law, "law", "", "log, linear or dcaf")
	c.Flags().BoolVar(&on, "enable", false, "send base quotas")
	c.Flags().BoolVar(&off, "disable", false, "send none: agents answer with default_quota")
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}

func (s *session) quotaDelete() *cobra.Command {
	var reason string
	c := &cobra.Command{Use: "delete GROUP", Short: "Delete a quota group; its agents fall back", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		return s.remove(cmd, at("quota-groups", a[0]), reason, true, "quota group deleted")
	}}
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}

func (s *session) quotaCalibrate() *cobra.Command {
	return &cobra.Command{Use: "calibrate GROUP", Short: "Suggest total_quota from consumption and CPU", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var out api.QuotaCalibration
		if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("quota-groups", a[0], "calibration")}, &out); err != nil {
			return err
		}
		return s.show(cmd, out, func(w io.Writer) {
			row(w, "USABLE", "TOTAL", "±", "AT CPU", "R2", "READINGS", "STALE", "REASON")
			row(w, out.OK, out.TotalQuota, out.Margin, fmt.Sprintf("%.0f %%", 100*out.Watermark), fmt.Sprintf("%.2f", out.R2), out.Used, out.Stale, out.Reason)
		})
	}}
}
