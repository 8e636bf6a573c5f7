package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/allspark/allspark/server/lab"
)

func labTrials() *cobra.Command {
	x := &lab.Trials{Lifts: []float64{0, 0.05, 0.2}}
	var out string
	c := &cobra.Command{
		Use: "experiment", Short: "Play experiments with a known lift, and see what their intervals say",
		Long:    "Play experiments on made-up users, whose lift is known, through production's claims, orders,\nbuckets and estimator. 200 runs at three lifts take about two minutes of a core.",
		Example: "  allspark lab experiment --runs 40 --users 8000\n  allspark lab experiment --runs 200 --out server/lab/EXPERIMENTS.md",
		Args:    args(cobra.NoArgs),
	}
	c.Flags().IntVar(&x.Runs, "runs", 200, "runs at each lift")
	c.Flags().IntVar(&x.Users, "users", lab.TrialUsers, "users of each run")
	c.Flags().Uint64Var(&x.Offset, "offset", 0, "seeds begin after this one")
	c.Flags().Float64SliceVar(&x.Lifts, "lifts", x.Lifts, "lifts to plant")
	c.Flags().IntVar(&x.Workers, "workers", 0, "runs side by side (default: one a core)")
	c.Flags().StringVar(&out, "out", "", "file for the page of results (default: standard output)")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if x.Runs < 1 || x.Runs > 10_000 || x.Users < 100 || x.Users > 1_000_000 || len(x.Lifts) == 0 {
			return usagef("--runs wants 1 to 10000, --users 100 to 1000000, and --lifts at least one")
		}
		for _, l := range x.Lifts {
			if !(l > -0.9 && l < 10) {
				return usagef("--lifts wants numbers above -0.9 and below 10, got %g", l)
			}
		}
		x.Progress = progress(cmd.ErrOrStderr())
		all, err := x.Run(cmd.Context())
		if err != nil {
			return err
		}
		command := fmt.Sprintf("allspark lab experiment --runs %d", x.Runs)
		if x.Users != lab.TrialUsers {
			command += fmt.Sprintf(" --users %d", x.Users)
		}
		if x.Offset != 0 {
			command += fmt.Sprintf(" --offset %d", x.Offset)
		}
		if f := cmd.Flags().Lookup("lifts"); f.Changed {
			command += " --lifts " + strings.Trim(f.Value.String(), "[]")
		}
		page := lab.TrialPage(x, all, command)
		if out == "" {
			_, err = io.WriteString(cmd.OutOrStdout(), page)
			return err
		}
		return writeFile(filepath.Clean(out), func(w io.Writer) error {
			_, err := io.WriteString(w, page)
			return err
		})
	}
	return c
}
