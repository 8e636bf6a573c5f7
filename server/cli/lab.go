package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/allspark/allspark/server/lab"
)

// Lab gives the commands of the lab. They need no controller.
func Lab() *cobra.Command {
	return group("lab", "Try control laws on the engine model in virtual time", labList(), labRun(), labMidnight(), labStandard(), labScenes(), labQuota(), labAlerts(), labTrials())
}

func labList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "Name the scenarios and policies", Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
			fmt.Fprintln(w, "SCENARIO\t")
			for _, s := range lab.Scenarios() {
				fmt.Fprintf(w, "%s\t%s\n", s.Name, s.About)
			}
			fmt.Fprintln(w, "\t\nPOLICY\t")
			for _, p := range lab.Policies() {
				fmt.Fprintf(w, "%s\t%s\n", p.Name, p.About)
			}
			return w.Flush()
		},
	}
}

func labRun() *cobra.Command {
	var scenario, policies, out string
	var seeds, workers int
	c := &cobra.Command{
		Use: "run", Short: "Play scenarios under policies and report what became of users",
		Long: "Play each scenario under each policy, the same requests and noise for all of them,\nand print means with 95 % intervals. With --out, results.csv and report.html are written there.",
		Example: "  allspark lab run --scenario load-2 --policy none,central,crowd --seeds 20 --out /tmp/lab\n" +
			"  allspark lab run --scenario day-conv --policy central@1.3,crowd@1.3,crowd@2",
		Args: args(cobra.NoArgs),
	}
	c.Flags().StringVar(&scenario, "scenario", "", "scenarios by name, comma between them, or all (lab list)")
	c.Flags().StringVar(&policies, "policy", "none,static,central,crowd", "policies by name, or all; NAME@X sets the available RT to X times the nominal mean")
	c.Flags().IntVar(&seeds, "seeds", 5, "seeds to play, 1 to this one")
	c.Flags().IntVar(&workers, "workers", 0, "runs side by side (default: one a core)")
	c.Flags().StringVar(&out, "out", "", "folder for results.csv and report.html")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		x, err := labExperiment(scenario, policies)
		if err != nil {
			return err
		}
		x.Seeds, x.Workers = seeds, workers
		if seeds < 1 || seeds > 1000 {
			return usagef("--seeds wants 1 to 1000, got %d", seeds)
		}
		x.Progress = progress(cmd.ErrOrStderr())
		res, err := x.Run(cmd.Context())
		if err != nil {
			return err
		}
		if err := res.WriteText(cmd.OutOrStdout()); err != nil {
			return err
		}
		if out == "" {
			return nil
		}
		command := fmt.Sprintf("allspark lab run --scenario %s --policy %s --seeds %d", scenario, policies, seeds)
		if err := writeFile(filepath.Join(out, "results.csv"), res.WriteCSV); err != nil {
			return err
		}
		page := filepath.Join(out, "report.html")
		if err := writeFile(page, func(w io.Writer) error { return res.WriteHTML(w, command) }); err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s and results.csv written\n", page)
		return nil
	}
	return c
}

func labExperiment(scenario, policies string) (*lab.Experiment, error) {
	x := &lab.Experiment{}
	known := func() (s []string) {
		for _, k := range lab.Scenarios() {
			s = append(s, k.Name)
		}
		return s
	}
	if scenario == "" {
		return nil, usagef("--scenario is required: %s or all", strings.Join(known(), ", "))
	}
	if scenario == "all" {
		scenario = strings.Join(known(), ",")
	}
	for _, name := range strings.Split(scenario, ",") {
		s, ok := lab.FindScenario(strings.TrimSpace(name))
		if !ok {
			return nil, usagef("there is no scenario %q; there are %s", name, strings.Join(known(), ", "))
		}
		x.Scenarios = append(x.Scenarios, s)
	}
	if policies == "all" {
		for _, p := range lab.Policies() {
			x.Policies = append(x.Policies, p.Name)
		}
		return x, nil
	}
	for _, name := range strings.Split(policies, ",") {
		name = strings.TrimSpace(name)
		if _, ok := lab.FindPolicy(name); !ok {
			return nil, usagef("there is no policy %q; see allspark lab list", name)
		}
		if !slices.Contains(x.Policies, name) {
			x.Policies = append(x.Policies, name)
		}
	}
	return x, nil
}

func labStandard() *cobra.Command {
	var out string
	var only []string
	var seeds, workers int
	c := &cobra.Command{
		Use: "standard", Short: "Play the standard set and write its figures as Markdown",
		Args: args(cobra.NoArgs),
	}
	c.Flags().StringVar(&out, "out", "server/lab/RESULTS.md", "the file to write")
	c.Flags().IntVar(&seeds, "seeds", 20, "seeds of the first table; other parts take fewer")
	c.Flags().StringSliceVar(&only, "only", nil, "parts to play: "+strings.Join(lab.StandardParts(), ", ")+" (default: all)")
	c.Flags().IntVar(&workers, "workers", 0, "runs side by side (default: one a core)")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if seeds < 2 || seeds > 1000 {
			return usagef("--seeds wants 2 to 1000, got %d", seeds)
		}
		for _, p := range only {
			if !slices.Contains(lab.StandardParts(), p) {
				return usagef("there is no part %q; there are %s", p, strings.Join(lab.StandardParts(), ", "))
			}
		}
		set := lab.Standards{Seeds: seeds, Only: only, Workers: workers, Progress: progress(cmd.ErrOrStderr())}
		set.Sofar = func(page string) error {
			return writeFile(out, func(w io.Writer) error { _, err := io.WriteString(w, page); return err })
		}
		_, err := set.Run(cmd.Context())
		return err
	}
	return c
}

// progress tells how far a run is, at most once a second, with what is left.
func progress(w io.Writer) func(done, total int, what string) {
	begun, last := time.Now(), time.Time{}
	return func(done, total int, what string) {
		now := time.Now()
		if now.Sub(last) < time.Second && done < total {
			return
		}
		last = now
		left := time.Duration(float64(now.Sub(begun)) / float64(done) * float64(total-done)).Round(time.Second)
		fmt.Fprintf(w, "%d of %d, about %v left: %s\n", done, total, left, what)
	}
}

// writeFile writes a file of which readers see all or nothing.
func writeFile(path string, write func(io.Writer) error) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".lab-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err = errors.Join(write(f), f.Chmod(0o644), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(f.Name(), path)
}
