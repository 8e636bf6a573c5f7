package cli

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/allspark/allspark/server/api"
)

func (s *session) allocationCommand() *cobra.Command {
	return group("allocation", "Tables that share a scene's target among its points", s.allocationList(), s.allocationShow(), s.allocationRebuild(), s.allocationCompare(), s.allocationExport())
}

func allocationRows(w io.Writer, items []api.Allocation) {
	row(w, "NUMBER", "SCENE", "VERSION", "TARGETS", "EFFECT", "GAP", "TOOK", "AT", "BY", "CAUSE")
	for _, x := range items {
		row(w, x.Number, x.Scene, x.SceneVersion, fmt.Sprintf("%d..%d ms", x.FirstMS, x.ToMS), fmt.Sprintf("%.3f", x.Effect), fmt.Sprintf("%.2f%%", 100*x.Gap),
			fmt.Sprintf("%.0fms", x.TookMS), x.At, x.By, x.Cause)
	}
}

func (s *session) allocationList() *cobra.Command {
	return &cobra.Command{Use: "list SCENE", Short: "List a scene's tables", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var p api.Page[api.Allocation]
		if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("scenes", a[0], "allocations")}, &p); err != nil {
			return err
		}
		return s.show(cmd, p.Items, func(w io.Writer) { allocationRows(w, p.Items) })
	}}
}

func (s *session) allocationShow() *cobra.Command {
	var number, target, every int
	c := &cobra.Command{Use: "show SCENE", Short: "Show a table's rows, or what one target would give", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		query := filter()
		if target > 0 {
			query.Set("target", strconv.Itoa(target))
		}
		var t api.AllocationTable
		if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("scenes", a[0], "allocations", strconv.Itoa(number)), query: query}, &t); err != nil {
			return err
		}
		return s.show(cmd, t, func(w io.Writer) {
			head := []any{"TARGET", "RT", "EFFECT", "PER MS", "CUT"}
			for _, p := range t.Points {
				head = append(head, strings.ToUpper(p))
			}
			row(w, head...)
			for i, r := range t.Rows {
				if i%max(every, 1) != 0 && i != len(t.Rows)-1 {
					continue
				}
				line := []any{fmt.Sprintf("%dms", r.TargetMS), fmt.Sprintf("%.1fms", r.RTMS), fmt.Sprintf("%.3f", r.Effect), fmt.Sprintf("%.5f", r.PerMS), fmt.Sprintf("%.1f", r.Cut)}
				for _, p := range r.Points {
					line = append(line, fmt.Sprintf("%d (%.1fms)", p.Level, p.SetpointMS))
				}
				row(w, line...)
			}
			if target > 0 && len(t.Rows) == 1 && t.Rows[0].TargetMS != target {
				fmt.Fprintf(w, "%d ms lies outside the table; this is its nearest row\n", target)
			}
		})
	}}
	c.Flags().IntVar(&number, "number", 0, "number of the table; 0 for the newest")
	c.Flags().IntVar(&target, "target", 0, "only the row of this target, ms")
	c.Flags().IntVar(&every, "every", 10, "show every n-th row")
	return c
}

func (s *session) allocationRebuild() *cobra.Command {
	var in api.Reason
	c := &cobra.Command{Use: "rebuild SCENE --reason WHY", Short: "Build a table now, from the newest profiles", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var out api.Allocation
		if _, err := cl.do(cmd.Context(), call{method: http.MethodPost, path: at("scenes", a[0], "allocations"), body: in}, &out); err != nil {
			return err
		}
		return s.show(cmd, out, func(w io.Writer) { allocationRows(w, []api.Allocation{out}) })
	}}
	c.Flags().StringVar(&in.Reason, "reason", "", "why (required)")
	return c
}

func (s *session) allocationCompare() *cobra.Command {
	return &cobra.Command{Use: "compare SCENE FROM TO", Short: "Compare two tables by number (0 for the newest)", Args: args(cobra.ExactArgs(3)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var x api.AllocationComparison
		if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("scenes", a[0], "allocation-comparison"), query: filter("from", a[1], "to", a[2])}, &x); err != nil {
			return err
		}
		return s.show(cmd, x, func(w io.Writer) {
			row(w, "TARGET", "EFFECT", "", "MOVES")
			for _, d := range x.Items {
				var moves []string
				for _, m := range d.Moves {
					moves = append(moves, fmt.Sprintf("%s %d to %d", m.Point, m.From, m.To))
				}
				row(w, fmt.Sprintf("%dms", d.TargetMS), fmt.Sprintf("%.4f", d.EffectFrom), fmt.Sprintf("%.4f", d.EffectTo), moves)
			}
		})
	}}
}

func (s *session) allocationExport() *cobra.Command {
	var number int
	var format string
	c := &cobra.Command{Use: "export SCENE", Short: "Print a table as CSV or JSON", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var text []byte
		if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("scenes", a[0], "allocations", strconv.Itoa(number), "export"), query: filter("format", format)}, &text); err != nil {
			return err
		}
		_, err = cmd.OutOrStdout().Write(text)
		return err
	}}
	c.Flags().IntVar(&number, "number", 0, "number of the table; 0 for the newest")
	c.Flags().StringVar(&format, "format", "csv", "csv or json")
	return c
}
