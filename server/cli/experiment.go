package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/allspark/allspark/server/api"
)

func (s *session) experimentCommand() *cobra.Command {
	return group("experiment", "Compare ways to regulate on divided traffic",
		s.experimentList(), s.experimentShow(), s.experimentApply(), s.experimentStart(), s.experimentStop(), s.experimentDelete())
}

func experimentRows(w io.Writer, items []api.Experiment) {
	row(w, "EXPERIMENT", "STATE", "SCOPE", "MEASURED AT", "ARMS", "ENDS", "REASON")
	for _, x := range items {
		arms := make([]string, len(x.Arms))
		for i, a := range x.Arms {
			arms[i] = fmt.Sprintf("%s %g%%", a.Name, a.Share)
		}
		ends := x.EndsAt
		if x.EndedAt != nil {
			ends = x.EndedAt
		}
		when := ""
		if ends != nil {
			when = ends.Local().Format(time.DateTime)
		}
		row(w, x.Name, x.State, strings.Join([]string{x.Scope.Scene, x.Scope.IDC, x.Scope.App, x.Scope.Point}, "/"),
			x.Measure.App+"/"+x.Measure.Point, strings.Join(arms, ", "), when, x.Reason)
	}
}

func (s *session) experimentList() *cobra.Command {
	var state string
	c := &cobra.Command{Use: "list", Short: "List experiments, newest first", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		q := url.Values{}
		if state != "" {
			q.Set("state", state)
		}
		var p api.Page[api.Experiment]
		if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: "/experiments", query: q}, &p); err != nil {
			return err
		}
		return s.show(cmd, p.Items, func(w io.Writer) { experimentRows(w, p.Items) })
	}}
	c.Flags().StringVar(&state, "state", "", "only draft, running or ended ones")
	return c
}

// shownExperiment is an experiment and what it found.
type shownExperiment struct {
	api.Experiment
	Result *api.ExperimentResult `json:"result,omitempty"`
}

func (s *session) experimentShow() *cobra.Command {
	return &cobra.Command{Use: "show EXPERIMENT", Short: "Show an experiment, its arms and their lifts", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var x shownExperiment
		if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("experiments", a[0])}, &x.Experiment); err != nil {
			return err
		}
		if x.State != "draft" {
			x.Result = new(api.ExperimentResult)
			if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("experiments", a[0], "result")}, x.Result); err != nil {
				return err
			}
		}
		return s.show(cmd, x, func(w io.Writer) {
			experimentRows(w, []api.Experiment{x.Experiment})
			if x.Result != nil {
				resultRows(w, x.Result)
			}
		})
	}}
}

func resultRows(w io.Writer, r *api.ExperimentResult) {
	row(w, "")
	row(w, "ARM", "REQUESTS", "TRAFFIC", "RT MEAN", "RT P99", "TIMEOUTS", "VALUE", "LIFT OF VALUE (95 %)", "VERDICT")
	for i, a := range r.Arms {
		share := "-"
		if r.Ratio != nil {
			share = fmt.Sprintf("%.2f%%", 100*r.Ratio.Observed[i])
		}
		lift, verdict := "control", ""
		if i > 0 {
			lift = "too little measured yet"
			for _, l := range a.Lifts {
				if l.Metric != "value" {
					continue
				}
				in := l.Anytime
				if r.Final {
					in = l.Lift
				}
				if in != nil {
					lift = fmt.Sprintf("%+.2f%% (%+.2f%% .. %+.2f%%)", 100*in.Estimate, 100*in.Low, 100*in.High)
				}
				verdict = l.Verdict
			}
		}
		m := a.Measure
		row(w, a.Arm, m.Requests, share, fmt.Sprintf("%.2fms", m.MeanMS), fmt.Sprintf("%.1fms", m.P99MS), fmt.Sprintf("%.2f%%", 100*m.TimeoutRate), fmt.Sprintf("%.4g", m.Value), lift, verdict)
	}
	if r.Ratio != nil && r.Ratio.Mismatch {
		row(w, "")
		row(w, fmt.Sprintf("WARNING: traffic did not divide as it should (p = %.1e): do not believe the lifts.", r.Ratio.P))
	}
	if n := len(r.Overrides); n > 0 {
		row(w, "")
		row(w, fmt.Sprintf("WARNING: %d claims stand above the arms.", n))
	}
}

// experimentApply drafts an experiment from a file, or replaces the draft of that name.
func (s *session) experimentApply() *cobra.Command {
	var file, reason string
	var start bool
	c := &cobra.Command{
		Use: "apply -f FILE", Short: "Draft, or redraft, an experiment from a YAML or JSON file (- for standard input)", Args: args(cobra.NoArgs),
		Example: "  allspark experiment apply -f crowd.yaml --start",
		RunE: func(cmd *cobra.Command, _ []string) error {
			var in api.ExperimentInput
			if err := readInput(cmd, file, "experiment", &in); err != nil {
				return err
			}
			if reason != "" {
				in.Reason = reason
			}
			cl, err := s.connect()
			if err != nil {
				return err
			}
			r := call{method: http.MethodPost, path: "/experiments", body: in}
			etag, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("experiments", in.Name)}, nil)
			if p, ok := errors.AsType[*api.Problem](err); ok && p.Status == http.StatusNotFound {
				err = nil
			}
			if err != nil {
				return err
			}
			if etag != "" {
				r = call{method: http.MethodPut, path: at("experiments", in.Name), body: in, match: etag}
			}
			var out api.Experiment
			if _, err := cl.do(cmd.Context(), r, &out); err != nil {
				return err
			}
			if start {
				if _, err := cl.do(cmd.Context(), call{method: http.MethodPost, path: at("experiments", out.ID, "start"), body: api.Reason{Reason: in.Reason}}, &out); err != nil {
					return err
				}
			}
			return s.show(cmd, out, func(w io.Writer) { experimentRows(w, []api.Experiment{out}) })
		},
	}
	c.Flags().StringVarP(&file, "file", "f", "", "the experiment (required)")
	c.Flags().StringVar(&reason, "reason", "", "what it is to find out; goes before the file's")
	c.Flags().BoolVar(&start, "start", false, "start it, too")
	return c
}

func (s *session) experimentStart() *cobra.Command {
	return s.experimentAction("start", "Start a draft: its arms hold until its end", false)
}

func (s *session) experimentStop() *cobra.Command {
	return s.experimentAction("stop", "End a running experiment now, and release its claims", true)
}

func (s *session) experimentAction(verb, short string, needReason bool) *cobra.Command {
	var reason string
	c := &cobra.Command{Use: verb + " EXPERIMENT", Short: short, Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		if needReason && reason == "" {
			return usagef("say why with --reason")
		}
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var out api.Experiment
		if _, err := cl.do(cmd.Context(), call{method: http.MethodPost, path: at("experiments", a[0], verb), body: api.Reason{Reason: reason}}, &out); err != nil {
			return err
		}
		return s.show(cmd, out, func(w io.Writer) { experimentRows(w, []api.Experiment{out}) })
	}}
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}

func (s *session) experimentDelete() *cobra.Command {
	var reason string
	c := &cobra.Command{Use: "delete EXPERIMENT", Short: "Delete an experiment that does not run, and what it measured", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		etag, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("experiments", a[0])}, nil)
		if err != nil {
			return err
		}
		_, err = cl.do(cmd.Context(), call{method: http.MethodDelete, path: at("experiments", a[0]), match: etag, query: url.Values{"reason": {reason}}}, nil)
		return err
	}}
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}
