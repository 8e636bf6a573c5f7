package cli

import (
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/allspark/allspark/server/lab"
)

func labScenes() *cobra.Command {
	var out string
	var seeds, workers int
	c := &cobra.Command{
		Use: "scenes", Short: "Play what is published of response times end to end (about five minutes of a core)",
		Long: "Play a changed target with good and bad tables and by feedback alone at depths 1 to 6,\nlinked against isolated allocation, a day with two peaks, and rows against their prediction.",
		Args: args(cobra.NoArgs),
	}
	c.Flags().IntVar(&seeds, "seeds", 20, "seeds to play, 1 to this one")
	c.Flags().IntVar(&workers, "workers", 0, "runs side by side (default: one a core)")
	c.Flags().StringVar(&out, "out", ".", "folder for SCENES.md and scenes.svg")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if seeds < 1 || seeds > 1000 {
			return usagef("--seeds wants 1 to 1000, got %d", seeds)
		}
		return writeFile(filepath.Join(out, "SCENES.md"), func(page io.Writer) error {
			return writeFile(filepath.Join(out, "scenes.svg"), func(plot io.Writer) error {
				return lab.SceneReport(cmd.Context(), workers, seeds, page, plot)
			})
		})
	}
	return c
}
