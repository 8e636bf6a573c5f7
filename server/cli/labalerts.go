package cli

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/allspark/allspark/server/alert"
	"github.com/allspark/allspark/server/lab"
)

func labAlerts() *cobra.Command {
	var seeds, workers int
	var offset uint64
	var hours float64
	var skip, out string
	c := &cobra.Command{
		Use: "alerts", Short: "Play faults, and days without any, and see which alerts the rules raise",
		Long:    "Play four kinds of fault in twenty sizes each on both traces, and days without faults,\nunder the alert rules as they are by default. A day takes some minutes of a core.",
		Example: "  allspark lab alerts --seeds 1 --skip days\n  allspark lab alerts --seeds 3 --out server/lab/RESULTS-alerts.md",
		Args:    args(cobra.NoArgs),
	}
	c.Flags().IntVar(&seeds, "seeds", 3, "seeds of every fault and day")
	c.Flags().Uint64Var(&offset, "offset", lab.TuningSeeds, "seeds begin after this one")
	c.Flags().IntVar(&workers, "workers", 0, "runs side by side (default: one a core)")
	c.Flags().Float64Var(&hours, "hours", 24, "length of a day")
	c.Flags().StringVar(&skip, "skip", "", "faults or days")
	c.Flags().StringVar(&out, "out", "", "file for the page of results (default: standard output)")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if seeds < 1 || seeds > 100 || hours <= 0 || hours > 24*7 {
			return usagef("--seeds wants 1 to 100 and --hours up to 168")
		}
		if skip != "" && skip != "faults" && skip != "days" {
			return usagef("--skip wants faults or days, got %q", skip)
		}
		x := &lab.Alerts{Rules: alert.Merged(nil), Seeds: seeds, Offset: offset, Hours: hours, Workers: workers, Skip: skip, Progress: progress(cmd.ErrOrStderr())}
		res, err := x.Run(cmd.Context())
		if err != nil {
			return err
		}
		command := fmt.Sprintf("allspark lab alerts --seeds %d", seeds)
		if skip != "" {
			command += " --skip " + skip
		}
		page := res.Markdown(x, command)
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
