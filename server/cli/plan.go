package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/allspark/allspark/server/api"
)

func (s *session) planCommand() *cobra.Command {
	return group("plan", "TimePlanner: what takes effect when, and when it ends",
		s.planApply(), s.planList(), s.planShow(), s.planExport(),
		s.planRehearse(), s.planRehearsals(), s.planCompare(), s.planDelete(),
		s.planAct("approve", "Let a plan's steps fire"), s.planAct("hold", "Keep further steps from firing"),
		s.planAct("resume", "Let a held plan go on"), s.planAct("stop", "End everything of a plan now"),
		s.planStep("skip", "Let a step out of one occurrence"), s.planStep("run", "Run a step now"), s.planStep("extend", "Move the end of a step in force"))
}

// planApply creates a plan from a file or replaces the one of that name.
func (s *session) planApply() *cobra.Command {
	var file, reason string
	var dry bool
	c := &cobra.Command{
		Use: "apply -f FILE", Short: "Create or replace a plan from a YAML or JSON file (- for standard input)", Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := readPlanFile(cmd, file)
			if err != nil {
				return err
			}
			cl, err := s.connect()
			if err != nil {
				return err
			}
			kind := "application/yaml"
			if b := bytes.TrimSpace(text); len(b) > 0 && b[0] == '{' {
				kind = "application/json"
			}
			var run api.PlanDryRun
			if _, err := cl.do(cmd.Context(), call{method: http.MethodPost, path: "/plans/dry-run", body: text, kind: kind}, &run); err != nil {
				return err
			}
			if dry {
				return s.show(cmd, run, func(w io.Writer) { dryRunRows(w, &run) })
			}
			name := planNameOf(text)
			query := url.Values{}
			if reason != "" {
				query.Set("reason", reason)
			}
			var p api.PlanDetail
			etag, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("plans", name)}, &p)
			if err == nil {
				_, err = cl.do(cmd.Context(), call{method: http.MethodPut, path: at("plans", name), query: query, body: text, kind: kind, match: etag}, &p)
			} else if x, ok := errors.AsType[*api.Problem](err); ok && x.Status == http.StatusNotFound {
				_, err = cl.do(cmd.Context(), call{method: http.MethodPost, path: "/plans", query: query, body: text, kind: kind}, &p)
			}
			if err != nil {
				return err
			}
			return s.show(cmd, p, func(w io.Writer) { planRows(w, &p) })
		},
	}
	c.Flags().StringVarP(&file, "file", "f", "", "the plan's document")
	c.Flags().BoolVar(&dry, "dry-run", false, "only say what it would do to which agents")
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}

const maxPlanFile = 1 << 20

func readPlanFile(cmd *cobra.Command, file string) ([]byte, error) {
	var in io.Reader = cmd.InOrStdin()
	switch file {
	case "":
		return nil, usagef("apply wants -f FILE")
	case "-":
	default:
		f, err := os.Open(file) // #nosec G304 -- the operator's own file
		if err != nil {
			return nil, fmt.Errorf("read plan: %w", err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxPlanFile))
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	return text, nil
}

func dryRunRows(w io.Writer, run *api.PlanDryRun) {
	row(w, "AT", "APP", "IDC", "STEPS", "AGENTS", "SCENE", "POINT", "LEVEL NOW", "LEVEL THEN")
	level := func(o *api.Order) any {
		if o == nil {
			return "-"
		}
		return o.Level
	}
	for _, v := range run.Previews {
		if len(v.Changes) == 0 {
			row(w, v.At, v.App, v.IDC, v.Steps, len(v.Agents), "", "", "as now", "as now")
		}
		for _, c := range v.Changes {
			row(w, v.At, v.App, v.IDC, v.Steps, len(v.Agents), c.Scene, c.Point, level(c.Before), level(c.After))
		}
	}
	for _, c := range run.Conflicts {
		row(w, c.From, "CONFLICT", c.Step, c.Field, c.With, c.Outcome, "", "", "")
	}
}

func planRows(w io.Writer, p *api.PlanDetail) {
	row(w, "PLAN", "STATE", "ZONE", "OWNER", "EXECUTOR", "APPROVED BY")
	row(w, p.Name, p.State, p.Zone, p.Owner, p.Executor, p.ApprovedBy)
	row(w)
	row(w, "OCCURRENCE", "STEP", "DO", "START", "END", "STATE", "NOTE")
	for _, x := range p.Steps {
		state, note := "planned", ""
		if x.Run != nil {
			state, note = x.Run.State, x.Run.Reason
		}
		row(w, x.Occurrence, x.Name, x.Do, x.Start, x.End, state, note)
	}
	row(w)
	row(w, "CHECK", "LEVEL", "DETAIL")
	for _, x := range p.Readiness {
		row(w, x.Name, x.Level, x.Detail)
	}
	for _, x := range p.Staging.Lacking {
		row(w, "lacking", x.Why, x.Instance)
	}
	for _, x := range p.Conflicts {
		row(w, "conflict", x.Step, x.With+": "+x.Outcome)
	}
	for _, x := range p.Restore {
		state := "restored"
		if !x.Restored {
			state = x.Left
		}
		row(w, "restore", x.App+" in "+x.IDC, state)
	}
}

func (s *session) planList() *cobra.Command {
	return &cobra.Command{Use: "list", Short: "List plans", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		items, err := each[api.Plan](cmd.Context(), cl, "/plans", nil)
		if err != nil {
			return err
		}
		return s.show(cmd, items, func(w io.Writer) {
			row(w, "PLAN", "STATE", "NEXT STEP", "AT", "OWNER", "PURPOSE")
			for _, p := range items {
				next, start := any("-"), any("-")
				if p.Next != nil {
					next, start = p.Next.Name, p.Next.Start
				}
				row(w, p.Name, p.State, next, start, p.Owner, p.Purpose)
			}
		})
	}}
}

func (s *session) planCall(cmd *cobra.Command, r call) error {
	cl, err := s.connect()
	if err != nil {
		return err
	}
	var p api.PlanDetail
	if _, err := cl.do(cmd.Context(), r, &p); err != nil {
		return err
	}
	return s.show(cmd, p, func(w io.Writer) { planRows(w, &p) })
}

func (s *session) planShow() *cobra.Command {
	return &cobra.Command{Use: "show PLAN", Short: "Show a plan: steps, readiness, who holds them, what is left", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		return s.planCall(cmd, call{method: http.MethodGet, path: at("plans", a[0])})
	}}
}

func (s *session) planExport() *cobra.Command {
	var format string
	c := &cobra.Command{Use: "export PLAN", Short: "Write a plan's document, calendar or war log", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var text []byte
		if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("plans", a[0], "export"), query: filter("format", format)}, &text); err != nil {
			return err
		}
		_, err = cmd.OutOrStdout().Write(text)
		return err
	}}
	c.Flags().StringVar(&format, "format", "yaml", "yaml, json, ics or md")
	return c
}

func (s *session) planAct(verb, short string) *cobra.Command {
	var in api.Reason
	c := &cobra.Command{Use: verb + " PLAN --reason WHY", Short: short, Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		return s.planCall(cmd, call{method: http.MethodPost, path: at("plans", a[0], verb), body: in})
	}}
	c.Flags().StringVar(&in.Reason, "reason", "", "why (required)")
	return c
}

func (s *session) planDelete() *cobra.Command {
	var reason string
	c := &cobra.Command{Use: "delete PLAN --reason WHY", Short: "Delete a plan of which nothing is in force", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		etag, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("plans", a[0])}, nil)
		if err != nil {
			return err
		}
		_, err = cl.do(cmd.Context(), call{method: http.MethodDelete, path: at("plans", a[0]), query: filter("reason", reason), match: etag}, nil)
		return err
	}}
	c.Flags().StringVar(&reason, "reason", "", "why (required)")
	return c
}

func (s *session) planStep(verb, short string) *cobra.Command {
	var in api.PlanStepAction
	c := &cobra.Command{Use: verb + " PLAN STEP --reason WHY", Short: short, Args: args(cobra.ExactArgs(2)), RunE: func(cmd *cobra.Command, a []string) error {
		return s.planCall(cmd, call{method: http.MethodPost, path: at("plans", a[0], "steps", a[1], verb), body: in})
	}}
	c.Flags().StringVar(&in.Reason, "reason", "", "why (required)")
	c.Flags().StringVar(&in.Occurrence, "occurrence", "", "which; the nearest that has not ended by default")
	if verb == "extend" {
		c.Flags().StringVar(&in.For, "for", "", "from now, like 10m")
	}
	return c
}

// planNameOf reads the name a document gives its plan; the server checks the rest.
func planNameOf(text []byte) string {
	var d struct {
		Name string `yaml:"name"` // JSON reads as YAML
	}
	if err := yaml.Unmarshal(text, &d); err != nil || d.Name == "" {
		return "-"
	}
	return d.Name
}
