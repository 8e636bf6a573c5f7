package cli

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/allspark/allspark/server/lab"
)

// labMidnight plays the midnight of a sale under the seed design's plan, the same
// gears from 23:45 on, and feedback alone.
func labMidnight() *cobra.Command {
	var out, page string
	var seeds, workers int
	c := &cobra.Command{
		Use: "midnight", Short: "Play a five times peak under a plan, the same gears from 23:45 on, and feedback alone",
		Long: "Play the midnight of a sale, five times the ordinary load in one step, under a plan (gears at 23:56,\n" +
			"automatic gears at 0:03), under the same gears from 23:45 on, and under feedback alone.\n" +
			"With --out, midnight.csv and midnight.html are written there; with --page, the figures as Markdown.",
		Example: "  allspark lab midnight --seeds 10 --out /tmp/lab",
		Args:    args(cobra.NoArgs),
	}
	c.Flags().IntVar(&seeds, "seeds", 5, "seeds to play, 1 to this one")
	c.Flags().IntVar(&workers, "workers", 0, "runs side by side (default: one a core)")
	c.Flags().StringVar(&out, "out", "", "folder for midnight.csv and midnight.html")
	c.Flags().StringVar(&page, "page", "", "file for the figures as Markdown")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if seeds < 1 || seeds > 1000 {
			return usagef("--seeds wants 1 to 1000, got %d", seeds)
		}
		r, err := lab.PlayNights(cmd.Context(), seeds, workers, progress(cmd.ErrOrStderr()))
		if err != nil {
			return err
		}
		if err := r.WriteText(cmd.OutOrStdout()); err != nil {
			return err
		}
		command := fmt.Sprintf("allspark lab midnight --seeds %d", seeds)
		if page != "" {
			if err := writeFile(page, func(w io.Writer) error { return r.WriteMarkdown(w, command) }); err != nil {
				return err
			}
		}
		if out == "" {
			return nil
		}
		if err := writeFile(filepath.Join(out, "midnight.csv"), r.WriteCSV); err != nil {
			return err
		}
		html := filepath.Join(out, "midnight.html")
		if err := writeFile(html, func(w io.Writer) error { return r.WriteHTML(w, command) }); err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s and midnight.csv written\n", html)
		return nil
	}
	return c
}
