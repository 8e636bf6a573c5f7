package cli

import (
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/allspark/allspark/server/lab"
)

func labQuota() *cobra.Command {
	var out string
	var seeds, workers int
	c := &cobra.Command{
		Use: "quota", Short: "Play what is published of quota (about three minutes of a core)",
		Long: "Play the quota law by itself under changes of load and of what requests consume, a news surge\n" +
			"beside what else could be done, and three ways to divide one budget among users.",
		Example: "  allspark lab quota --seeds 20 --out server/lab",
		Args:    args(cobra.NoArgs),
	}
	c.Flags().IntVar(&seeds, "seeds", 20, "seeds to play, 1 to this one")
	c.Flags().IntVar(&workers, "workers", 0, "runs side by side (default: one a core)")
	c.Flags().StringVar(&out, "out", ".", "folder for RESULTS-quota.md and quota.svg")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if seeds < 2 || seeds > 1000 {
			return usagef("--seeds wants 2 to 1000, got %d", seeds)
		}
		return writeFile(filepath.Join(out, "RESULTS-quota.md"), func(page io.Writer) error {
			return writeFile(filepath.Join(out, "quota.svg"), func(plot io.Writer) error {
				return lab.QuotaReport(cmd.Context(), workers, seeds, progress(cmd.ErrOrStderr()), page, plot)
			})
		})
	}
	return c
}
