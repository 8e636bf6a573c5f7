package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
)

// show prints v as json or yaml, or calls table.
func (s *session) show(cmd *cobra.Command, v any, table func(w io.Writer)) error {
	out := cmd.OutOrStdout()
	if s.output == "table" {
		w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
		table(w)
		return w.Flush()
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	if s.output == "yaml" {
		// JSON is YAML: read it as nodes, so that order and numbers stay.
		var n yaml.Node
		if err := yaml.Unmarshal(b.Bytes(), &n); err != nil {
			return fmt.Errorf("print: %w", err)
		}
		plain(&n)
		b.Reset()
		e := yaml.NewEncoder(&b)
		e.SetIndent(2)
		if err := e.Encode(&n); err != nil {
			return fmt.Errorf("print: %w", err)
		}
	}
	_, err := out.Write(b.Bytes())
	return err
}

// plain lets the YAML writer choose how nodes look.
func plain(n *yaml.Node) {
	n.Style = 0 // what would read as another type is still quoted
	for _, k := range n.Content {
		plain(k)
	}
}

// row prints cells; what came from elsewhere cannot move the cursor or forge a line.
func row(w io.Writer, cells ...any) {
	text := make([]string, len(cells))
	for i, c := range cells {
		text[i] = inert(cell(c))
	}
	fmt.Fprintln(w, strings.Join(text, "\t"))
}

func cell(c any) string {
	switch v := c.(type) {
	case *time.Time:
		if v == nil {
			return "-"
		}
		return cell(*v)
	case time.Time:
		return v.Local().Format("2006-01-02 15:04:05")
	case float64:
		return fmt.Sprintf("%.1f", v)
	case []string:
		return cell(strings.Join(v, ","))
	case string:
		if v == "" {
			return "-"
		}
		return v
	}
	return fmt.Sprint(c)
}

func inert(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' {
			return '\ufffd'
		}
		return r
	}, s)
}

// say prints one line to people only: json and yaml stay parseable.
func (s *session) say(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintln(cmd.ErrOrStderr(), inert(fmt.Sprintf(format, args...)))
}
