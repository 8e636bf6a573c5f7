package cli

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/allspark/allspark/server/api"
)

func (s *session) profileCommand() *cobra.Command {
	return group("profile", "What levels cost and earn", s.profileList(), s.profileUpload(), s.profileDelete())
}

func (s *session) profileList() *cobra.Command {
	var app, scene string
	c := &cobra.Command{Use: "list", Short: "List profiles", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		items, err := each[api.Profile](cmd.Context(), cl, "/profiles", filter("app", app, "scene", scene))
		if err != nil {
			return err
		}
		return s.show(cmd, items, func(w io.Writer) {
			row(w, "ID", "APP", "POINT", "SCENE", "SOURCE", "LEVELS", "CLASSES", "SAMPLES", "AGE", "STALE")
			for _, p := range items {
				row(w, p.ID, p.App, p.Point, p.Scene, p.Source, p.LevelCount, len(p.Classes), p.Samples, (time.Duration(p.AgeMS) * time.Millisecond).Round(time.Second), p.StaleReason)
			}
		})
	}}
	c.Flags().StringVar(&app, "app", "", "only this app")
	c.Flags().StringVar(&scene, "scene", "", "only this scene")
	return c
}

func (s *session) profileUpload() *cobra.Command {
	var file string
	var check bool
	var in api.ProfileUpload
	c := &cobra.Command{
		Use: "upload APP POINT -f FILE", Short: "Upload a profile, CSV or JSON by the file's name (- reads CSV from standard input)",
		Long: "Upload what each level of a point costs and earns. A CSV has a header line: level, effect and work\n(required); p1 to p99.9 in ms, or rt_ms; class and share; output, cap, samples.\nWhat is wrong is told by line and column.",
		Args: args(cobra.ExactArgs(2)), RunE: func(cmd *cobra.Command, a []string) error {
			text, err := readFile(cmd, file)
			if err != nil {
				return err
			}
			in.App, in.Point, in.Document, in.Format = a[0], a[1], string(text), "csv"
			if strings.HasSuffix(file, ".json") {
				in.Format = "json"
			}
			cl, err := s.connect()
			if err != nil {
				return err
			}
			if check {
				var j api.Judgement
				if _, err := cl.do(cmd.Context(), call{method: http.MethodPost, path: "/profiles/check", body: in}, &j); err != nil {
					return err
				}
				if len(j.Problems) > 0 {
					return &api.Problem{Status: http.StatusUnprocessableEntity, Detail: file + " is not valid", Errors: located(j.Problems)}
				}
				return s.show(cmd, j, func(w io.Writer) {
					fmt.Fprintf(w, "%s is valid\n", inert(file))
					warnings(w, j.Warnings)
				})
			}
			var p api.Profile
			if _, err := cl.do(cmd.Context(), call{method: http.MethodPost, path: "/profiles", body: in}, &p); err != nil {
				return err
			}
			return s.show(cmd, p, func(w io.Writer) {
				fmt.Fprintf(w, "profile of %s/%s in %s: %d levels, version %d\n", inert(p.App), inert(p.Point), inert(p.Scene), p.LevelCount, p.Version)
				warnings(w, p.Warnings)
			})
		},
	}
	c.Flags().StringVarP(&file, "file", "f", "", "document (required)")
	c.Flags().StringVar(&in.Scene, "scene", "", "scene; all when empty")
	c.Flags().StringVar(&in.Table, "table", "", "hash of the level table it was measured with")
	c.Flags().Int64Var(&in.Replaces, "replaces", 0, "version of the profile it replaces")
	c.Flags().StringVar(&in.Reason, "reason", "", "why")
	c.Flags().BoolVar(&check, "check", false, "only tell what is wrong")
	_ = c.MarkFlagRequired("file")
	return c
}

// located puts line and column into the sentences.
func located(ps []api.ProblemError) []api.ProblemError {
	for i := range ps {
		if ps[i].Line > 0 {
			ps[i].Message = fmt.Sprintf("line %d, column %d: %s", ps[i].Line, ps[i].Column, ps[i].Message)
		}
	}
	return ps
}

func warnings(w io.Writer, ps []api.ProblemError) {
	for _, p := range ps {
		fmt.Fprintf(w, "warning: %s\n", inert(p.Message))
	}
}

func (s *session) profileDelete() *cobra.Command {
	var reason string
	c := &cobra.Command{Use: "delete ID", Short: "Delete a profile", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		return s.remove(cmd, at("profiles", a[0]), reason, true, "profile deleted")
	}}
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}
