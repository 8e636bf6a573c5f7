package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/allspark/allspark/server/api"
)

func (s *session) sceneCommand() *cobra.Command {
	return group("scene", "Response times end to end", s.sceneList(), s.sceneShow(), s.sceneGet(), s.sceneDraft(), s.sceneApply(), s.sceneTarget(), s.sceneVersions(), s.sceneRollback(), s.sceneDelete())
}

func (s *session) sceneList() *cobra.Command {
	return &cobra.Command{Use: "list", Short: "List scenes", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		items, err := each[api.Scene](cmd.Context(), cl, "/scenes", filter())
		if err != nil {
			return err
		}
		return s.show(cmd, items, func(w io.Writer) {
			row(w, "NAME", "TARGET", "STATISTIC", "LADDER", "TIMEOUT", "NODES", "VERSION", "UPDATED", "BY")
			for _, x := range items {
				row(w, x.Name, x.Target, x.Statistic, x.Ladder, x.Timeout, len(x.Graph.Nodes), x.Version, x.UpdatedAt, x.UpdatedBy)
			}
		})
	}}
}

func (s *session) sceneShow() *cobra.Command {
	return &cobra.Command{Use: "show NAME", Short: "Show how a scene stands in each IDC", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var x api.SceneLive
		if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("scenes", a[0], "live")}, &x); err != nil {
			return err
		}
		return s.show(cmd, x, func(w io.Writer) {
			row(w, "IDC", "TARGET", "RT", "TIMEOUTS", "GEAR", "PHASE", "ROW", "REASON")
			for _, l := range x.Links {
				rt, late := "", ""
				if l.Recent != nil {
					rt = fmt.Sprintf("%.0fms", l.Recent.RTMeanMS)
					late = fmt.Sprintf("%.2f%%", 100*float64(l.Recent.Timeouts)/float64(max(l.Recent.Count, 1)))
				}
				row(w, l.IDC, fmt.Sprintf("%.0fms", l.EffectiveMS), rt, late, fmt.Sprintf("%d of %d", l.Step, l.Steps), l.Phase, l.RowMS, first(l.Trouble, l.Reason))
			}
			row(w)
			row(w, "IDC", "NODE", "LEVEL", "AVAILABLE", "TIMEOUT", "RT", "SOURCE")
			for _, l := range x.Links {
				for _, n := range l.Nodes {
					rt := ""
					if n.Recent != nil {
						rt = fmt.Sprintf("%.1fms", n.Recent.RTMeanMS)
					}
					row(w, l.IDC, n.ID, n.Level, fmt.Sprintf("%.1fms", n.AvailableRTMS), fmt.Sprintf("%.0fms", n.TimeoutMS), rt, n.Source)
				}
			}
		})
	}}
}

func (s *session) sceneGet() *cobra.Command {
	var version int
	c := &cobra.Command{Use: "get NAME", Short: "Print a scene's document (YAML unless -o json)", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		x, _, err := s.getScene(cmd, a[0], version)
		if err != nil {
			return err
		}
		if s.output == "json" {
			return s.show(cmd, x.SceneDocument, func(io.Writer) {})
		}
		b, err := json.Marshal(x.SceneDocument)
		if err != nil {
			return err
		}
		var n yaml.Node // keeps the order of the fields
		if err := yaml.Unmarshal(b, &n); err != nil {
			return err
		}
		plain(&n)
		enc := yaml.NewEncoder(cmd.OutOrStdout())
		enc.SetIndent(2)
		return enc.Encode(&n)
	}}
	c.Flags().IntVar(&version, "version", 0, "0 for the newest")
	return c
}

func (s *session) getScene(cmd *cobra.Command, name string, version int) (*api.Scene, string, error) {
	cl, err := s.connect()
	if err != nil {
		return nil, "", err
	}
	query := filter()
	if version > 0 {
		query.Set("version", strconv.Itoa(version))
	}
	var x api.Scene
	tag, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("scenes", name), query: query}, &x)
	return &x, tag, err
}

func (s *session) sceneApply() *cobra.Command {
	var file, reason string
	c := &cobra.Command{Use: "apply -f FILE", Short: "Create a scene, or save its next version (- reads standard input)", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		text, err := readFile(cmd, file)
		if err != nil {
			return err
		}
		var in api.SceneInput
		if err := decodeDocument(text, &in.SceneDocument); err != nil {
			return usagef("%s: %v", file, err)
		}
		in.Reason = reason
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var all []api.Scene
		if all, err = each[api.Scene](cmd.Context(), cl, "/scenes", filter()); err != nil {
			return err
		}
		r := call{method: http.MethodPost, path: "/scenes", body: in}
		for _, x := range all {
			if x.Name == in.Name {
				r = call{method: http.MethodPut, path: at("scenes", in.Name), body: in, match: fmt.Sprintf("%q", strconv.FormatInt(x.Version, 10))}
			}
		}
		var out api.Scene
		if _, err := cl.do(cmd.Context(), r, &out); err != nil {
			return err
		}
		return s.said(cmd, &out)
	}}
	c.Flags().StringVarP(&file, "file", "f", "", "YAML or JSON document (required)")
	c.Flags().StringVar(&reason, "reason", "", "why")
	_ = c.MarkFlagRequired("file")
	return c
}

func (s *session) said(cmd *cobra.Command, x *api.Scene) error {
	return s.show(cmd, x, func(w io.Writer) {
		fmt.Fprintf(w, "scene %s is at version %d, target %s\n", inert(x.Name), x.Version, x.Target)
		for _, p := range x.Warnings {
			fmt.Fprintf(w, "warning: %s: %s\n", inert(p.Path), inert(p.Message))
		}
	})
}

// decodeDocument reads YAML or JSON into a DTO by its JSON names.
func decodeDocument(text []byte, into any) error {
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		return err
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

func readFile(cmd *cobra.Command, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(cmd.InOrStdin())
	}
	return os.ReadFile(name) // #nosec G304 -- the operator names it
}

func (s *session) sceneWrite(cmd *cobra.Command, name string, r call) error {
	_, tag, err := s.getScene(cmd, name, 0)
	if err != nil {
		return err
	}
	cl, err := s.connect()
	if err != nil {
		return err
	}
	r.match = tag
	var out api.Scene
	if _, err := cl.do(cmd.Context(), r, &out); err != nil {
		return err
	}
	return s.said(cmd, &out)
}

func (s *session) sceneTarget() *cobra.Command {
	var in api.SceneTarget
	c := &cobra.Command{Use: "target NAME 160ms --reason WHY", Short: "Change a scene's target", Args: args(cobra.ExactArgs(2)), RunE: func(cmd *cobra.Command, a []string) error {
		in.Target = a[1]
		return s.sceneWrite(cmd, a[0], call{method: http.MethodPut, path: at("scenes", a[0], "target"), body: in})
	}}
	c.Flags().StringVar(&in.Reason, "reason", "", "why (required)")
	return c
}

func (s *session) sceneVersions() *cobra.Command {
	return &cobra.Command{Use: "versions NAME", Short: "List a scene's versions", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var p api.Page[api.Scene]
		if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("scenes", a[0], "versions")}, &p); err != nil {
			return err
		}
		return s.show(cmd, p.Items, func(w io.Writer) {
			row(w, "VERSION", "TARGET", "LADDER", "NODES", "AT", "BY", "REASON")
			for _, x := range p.Items {
				row(w, x.Version, x.Target, x.Ladder, len(x.Graph.Nodes), x.UpdatedAt, x.UpdatedBy, x.Reason)
			}
		})
	}}
}

func (s *session) sceneRollback() *cobra.Command {
	var in api.SceneRollback
	c := &cobra.Command{Use: "rollback NAME --version N --reason WHY", Short: "Make an old version the newest again", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		return s.sceneWrite(cmd, a[0], call{method: http.MethodPost, path: at("scenes", a[0], "rollback"), body: in})
	}}
	c.Flags().Int64Var(&in.Version, "version", 0, "which (required)")
	c.Flags().StringVar(&in.Reason, "reason", "", "why (required)")
	return c
}

func (s *session) sceneDelete() *cobra.Command {
	var reason string
	c := &cobra.Command{Use: "delete NAME", Short: "Delete a scene; its points go back to their templates", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		return s.remove(cmd, at("scenes", a[0]), reason, true, "scene "+strings.TrimSpace(a[0])+" deleted")
	}}
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}
