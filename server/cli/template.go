package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/allspark/allspark/server/api"
)

func (s *session) templateCommand() *cobra.Command {
	return group("template", "Gear templates", s.templateList(), s.templateGet(), s.templateApply(), s.templateCheck(), s.templateDiff(),
		s.templateCopy(), s.templatePublish(), s.templateRollback(), s.templateVersions(), s.templateDelete())
}

func (s *session) templateList() *cobra.Command {
	var search string
	var tags []string
	c := &cobra.Command{Use: "list", Short: "List templates", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		items, err := each[api.Template](cmd.Context(), cl, "/templates", filter("search", search, "tag", strings.Join(tags, ",")))
		if err != nil {
			return err
		}
		return s.show(cmd, items, func(w io.Writer) {
			row(w, "NAME", "STRATEGY", "LEVELS", "PARAMETERS", "LATEST", "DRAFT", "BINDINGS", "TAGS", "UPDATED", "BY")
			for _, t := range items {
				row(w, t.Name, t.Strategy, t.Levels, t.Parameters, t.Latest, yes(t.HasDraft), t.Bindings, t.Tags, t.UpdatedAt, t.UpdatedBy)
			}
		})
	}}
	c.Flags().StringVar(&search, "search", "", "in name, description and tags")
	c.Flags().StringSliceVar(&tags, "tag", nil, "all of these tags")
	return c
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

// filter makes a query of name, value pairs, without the empty ones.
func filter(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return q
}

func (s *session) templateGet() *cobra.Command {
	var version string
	c := &cobra.Command{Use: "get NAME", Short: "Print a template's document (YAML unless -o json)", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		format := "yaml"
		if s.output == "json" {
			format = "json"
		}
		var text []byte
		if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("templates", a[0], "document"), query: filter("version", version, "format", format)}, &text); err != nil {
			return err
		}
		_, err = cmd.OutOrStdout().Write(text)
		return err
	}}
	c.Flags().StringVar(&version, "version", "", "draft, latest or a number; what is newest by default")
	return c
}

// document is a file with a template, and the name it holds.
type document struct {
	file, name, kind string
	text             []byte
}

// readDocument reads a file, or stdin for "-". The controller says what is wrong
// with it; here only its name is wanted.
func readDocument(cmd *cobra.Command, file string) (*document, error) {
	if file == "" {
		return nil, usagef("-f wants a file, or - for stdin")
	}
	var text []byte
	var err error
	if file == "-" {
		text, err = io.ReadAll(io.LimitReader(cmd.InOrStdin(), 2<<20))
	} else {
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, fmt.Errorf("read template: %w", err)
	}
	d := &document{file: file, kind: "application/yaml", text: text}
	if strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
		d.kind = "application/json"
	}
	var head struct {
		Name string `yaml:"name"`
	}
	if len(text) <= 1<<20 {
		_ = yaml.Unmarshal(text, &head) // the controller words what is wrong
	}
	d.name = head.Name
	return d, nil
}

func (s *session) templateApply() *cobra.Command {
	var files []string
	var publish, force bool
	var reason string
	c := &cobra.Command{
		Use: "apply -f FILE", Short: "Create templates or save their drafts from documents", Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(files) == 0 {
				return usagef("-f wants a file, or - for stdin")
			}
			if publish && reason == "" {
				return usagef("--publish wants a --reason")
			}
			cl, err := s.connect()
			if err != nil {
				return err
			}
			out := []api.Template{}
			for _, file := range files {
				t, err := apply(cmd, cl, file, publish, force, reason)
				if err != nil {
					return fmt.Errorf("%s: %w", file, err)
				}
				out = append(out, t.Template)
			}
			return s.show(cmd, out, func(w io.Writer) {
				for _, t := range out {
					state := "draft saved"
					if publish {
						state = fmt.Sprintf("published as version %d", t.Latest)
					}
					row(w, t.Name, state)
				}
			})
		},
	}
	c.Flags().StringSliceVarP(&files, "file", "f", nil, "document, YAML or JSON; - for stdin; may be repeated")
	c.Flags().BoolVar(&publish, "publish", false, "publish it too")
	c.Flags().BoolVar(&force, "force", false, "although registered builds would refuse it")
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}

func apply(cmd *cobra.Command, cl *client, file string, publish, force bool, reason string) (*api.TemplateDetail, error) {
	d, err := readDocument(cmd, file)
	if err != nil {
		return nil, err
	}
	ctx := cmd.Context()
	query := filter("reason", reason)
	var t api.TemplateDetail
	etag, err := "", error(&api.Problem{Status: http.StatusNotFound})
	if d.name != "" {
		etag, err = cl.do(ctx, call{method: http.MethodGet, path: at("templates", d.name)}, &t)
	}
	switch {
	case ExitCode(err) == 3:
		etag, err = cl.do(ctx, call{method: http.MethodPost, path: "/templates", query: query, body: d.text, kind: d.kind}, &t)
	case err == nil:
		if force {
			query.Set("force", "true")
		}
		etag, err = cl.do(ctx, call{method: http.MethodPut, path: at("templates", d.name, "draft"), query: query, body: d.text, kind: d.kind, match: etag}, &t)
	}
	if err != nil || !publish {
		return &t, err
	}
	_, err = cl.do(ctx, call{method: http.MethodPost, path: at("templates", t.Name, "publish"), body: api.Publish{Reason: reason, Force: force}, match: etag}, &t)
	return &t, err
}

func (s *session) templateCheck() *cobra.Command {
	var file string
	c := &cobra.Command{Use: "check -f FILE", Short: "Check a document: problems, warnings, builds that would refuse it", Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		d, err := readDocument(cmd, file)
		if err != nil {
			return err
		}
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var out api.Check
		if _, err := cl.do(cmd.Context(), call{method: http.MethodPost, path: "/templates/check", body: d.text, kind: d.kind}, &out); err != nil {
			return err
		}
		if err := s.show(cmd, out, func(w io.Writer) {
			for _, p := range out.Problems {
				row(w, "problem", place(p), p.Message)
			}
			for _, p := range out.Warnings {
				row(w, "warning", place(p), p.Message)
			}
			for _, r := range out.Refusals {
				row(w, "refusal", r.App+"/"+r.IDC+"/"+r.Point, r.Message)
			}
			if out.OK {
				row(w, "ok")
			}
		}); err != nil {
			return err
		}
		if !out.OK {
			return &api.Problem{Status: http.StatusUnprocessableEntity, Detail: "the document would not be accepted"}
		}
		return nil
	}}
	c.Flags().StringVarP(&file, "file", "f", "", "document, YAML or JSON; - for stdin")
	return c
}

func place(p api.ProblemError) string {
	if p.Line > 0 {
		return fmt.Sprintf("%s (line %d, column %d)", p.Path, p.Line, p.Column)
	}
	return p.Path
}

func (s *session) templateDiff() *cobra.Command {
	var from, to, file string
	c := &cobra.Command{Use: "diff NAME | diff -f FILE", Short: "Compare two contents of a template, or a stored one with a file", Args: args(cobra.MaximumNArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		r := call{method: http.MethodGet, query: filter("from", from, "to", to)}
		name := ""
		if len(a) == 1 {
			name = a[0]
		}
		if file != "" {
			d, err := readDocument(cmd, file)
			if err != nil {
				return err
			}
			r = call{method: http.MethodPost, query: filter("from", from), body: d.text, kind: d.kind}
			name = first(name, d.name)
		}
		if name == "" {
			return usagef("diff wants the template's name; usage: %s", cmd.UseLine())
		}
		r.path = at("templates", name, "diff")
		var out api.Diff
		if _, err := cl.do(cmd.Context(), r, &out); err != nil {
			return err
		}
		return s.show(cmd, out, func(w io.Writer) {
			for _, d := range out.Changes {
				row(w, d.Op, d.Path, string(d.From), "->", string(d.To))
			}
			if len(out.Changes) == 0 {
				row(w, "no difference")
			}
		})
	}}
	c.Flags().StringVar(&from, "from", "latest", "draft, latest or a number")
	c.Flags().StringVar(&to, "to", "draft", "draft, latest or a number")
	c.Flags().StringVarP(&file, "file", "f", "", "compare with this document; - for stdin")
	return c
}

func (s *session) templateCopy() *cobra.Command {
	var from, reason string
	c := &cobra.Command{Use: "copy NAME NEW", Short: "Copy a template", Args: args(cobra.ExactArgs(2)), RunE: func(cmd *cobra.Command, a []string) error {
		return s.templateAction(cmd, call{method: http.MethodPost, path: at("templates", a[0], "copy"), body: api.CopyTemplate{Name: a[1], From: from, Reason: reason}}, "")
	}}
	c.Flags().StringVar(&from, "from", "", "draft, latest or a number; what is newest by default")
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}

func (s *session) templatePublish() *cobra.Command {
	var p api.Publish
	c := &cobra.Command{Use: "publish NAME --reason WHY", Short: "Publish the draft as the next version", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		return s.templateAction(cmd, call{method: http.MethodPost, path: at("templates", a[0], "publish"), body: p}, a[0])
	}}
	c.Flags().StringVar(&p.Reason, "reason", "", "why (required)")
	c.Flags().BoolVar(&p.Force, "force", false, "although registered builds would refuse it")
	return c
}

func (s *session) templateRollback() *cobra.Command {
	var r api.Rollback
	c := &cobra.Command{Use: "rollback NAME VERSION --reason WHY", Short: "Restore a version as a new one", Args: args(cobra.ExactArgs(2)), RunE: func(cmd *cobra.Command, a []string) error {
		n, err := strconv.Atoi(a[1])
		if err != nil {
			return usagef("VERSION wants a number, got %q", a[1])
		}
		r.Version = n
		return s.templateAction(cmd, call{method: http.MethodPost, path: at("templates", a[0], "rollback"), body: r}, a[0])
	}}
	c.Flags().StringVar(&r.Reason, "reason", "", "why (required)")
	c.Flags().BoolVar(&r.Force, "force", false, "although registered builds would refuse it")
	return c
}

// templateAction does something to a template; with edits set, on the version
// that is stored now.
func (s *session) templateAction(cmd *cobra.Command, r call, edits string) error {
	cl, err := s.connect()
	if err != nil {
		return err
	}
	if edits != "" {
		if r.match, err = cl.do(cmd.Context(), call{method: http.MethodGet, path: at("templates", edits)}, nil); err != nil {
			return err
		}
	}
	var t api.TemplateDetail
	if _, err := cl.do(cmd.Context(), r, &t); err != nil {
		return err
	}
	return s.show(cmd, t, func(w io.Writer) {
		row(w, t.Name, "latest version", t.Latest, "draft", cell(yes(t.HasDraft)))
	})
}

func (s *session) templateVersions() *cobra.Command {
	return &cobra.Command{Use: "versions NAME", Short: "List published versions", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		items, err := each[api.TemplateVersion](cmd.Context(), cl, at("templates", a[0], "versions"), nil)
		if err != nil {
			return err
		}
		return s.show(cmd, items, func(w io.Writer) {
			row(w, "VERSION", "AT", "AUTHOR", "RESTORES", "REASON")
			for _, v := range items {
				row(w, v.Number, v.PublishedAt, v.Author, v.RolledBackTo, v.Reason)
			}
		})
	}}
}

func (s *session) templateDelete() *cobra.Command {
	var reason string
	c := &cobra.Command{Use: "delete NAME", Short: "Delete a template that nothing uses", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		return s.remove(cmd, at("templates", a[0]), reason, true, "template "+a[0]+" deleted")
	}}
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}

// remove deletes an object, on the version that is stored now where it has one.
func (s *session) remove(cmd *cobra.Command, path, reason string, versioned bool, done string) error {
	cl, err := s.connect()
	if err != nil {
		return err
	}
	match := ""
	if versioned {
		if match, err = cl.do(cmd.Context(), call{method: http.MethodGet, path: path}, nil); err != nil {
			return err
		}
	}
	if _, err := cl.do(cmd.Context(), call{method: http.MethodDelete, path: path, query: filter("reason", reason), match: match}, nil); err != nil {
		return err
	}
	s.say(cmd, "%s", done)
	return nil
}
