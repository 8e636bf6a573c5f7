package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	jsonFile := flag.String("json", "", "write the figures to this `file`")
	only := flag.String("rows", "", "only rows whose name matches this `regexp`")
	rounds := flag.Int("rounds", 5, "how often to run each benchmark")
	time := flag.String("benchtime", "200ms", "for each run of a short benchmark")
	strict := flag.Bool("strict", false, "fail when a target is missed")
	flag.Parse()
	match, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	if *rounds < 1 {
		return errors.New("-rounds wants 1 or more")
	}
	var chosen []row
	for _, r := range rows {
		if match.MatchString(r.name) {
			chosen = append(chosen, r)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("no row matches %q", *only)
	}
	root, err := rootDir()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	tasks := plan(chosen, *rounds)
	runner := &runner{root: root, dir: dir, time: *time, log: os.Stderr, binary: map[string]string{}}
	runner.measure(ctx, tasks)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return show(chosen, tasks, *jsonFile, *strict)
}

func show(chosen []row, tasks []*task, jsonFile string, strict bool) error {
	figures := make([]figure, len(chosen))
	for _, t := range tasks {
		for _, i := range t.rows {
			figures[i] = judge(&chosen[i], t)
		}
	}
	if err := printTable(os.Stdout, figures); err != nil {
		return err
	}
	if jsonFile != "" {
		if err := writeJSON(jsonFile, figures); err != nil {
			return err
		}
	}
	var failed []error
	for _, f := range figures {
		if f.err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", f.Name, f.err))
		} else if strict && !f.OK {
			failed = append(failed, fmt.Errorf("%s misses its target %s", f.Name, f.Target))
		}
	}
	return errors.Join(failed...)
}
