package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A sample is what one benchmark reported in one round.
type sample map[string]float64

// A runner holds the test binaries and what they reported.
type runner struct {
	root   string
	dir    string // for binaries
	time   string
	log    io.Writer
	binary map[string]string // by package
}

// build makes the test binary of a package once.
func (r *runner) build(ctx context.Context, pkg string) (string, error) {
	if path, ok := r.binary[pkg]; ok {
		return path, nil
	}
	path := filepath.Join(r.dir, strings.ReplaceAll(pkg, "/", "_")+".test")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-tags", "nomsgpack", "-o", path, "./"+pkg)
	build.Dir = r.root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	r.binary[pkg] = path
	return path, nil
}

// run runs one benchmark in a process of its own and returns its output.
func (r *runner) run(ctx context.Context, pkg, bench, time string) (string, error) {
	binary, err := r.build(ctx, pkg)
	if err != nil {
		return "", err
	}
	if time == "" {
		time = r.time
	}
	cmd := exec.CommandContext(ctx, binary, "-test.run", "^$", "-test.bench", pattern(bench), "-test.benchtime", time, "-test.timeout", "30m")
	cmd.Dir = filepath.Join(r.root, pkg)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", bench, err, out.String(), errs.String())
	}
	return out.String(), nil
}

// A task is a benchmark of ours and its base; several rows may read from it.
type task struct {
	pkg, ours, base, together, time string
	rounds                          int
	rows                            []int // indices into the rows
	err                             error
	oursGot, baseGot                []sample
}

// plan collects the rows that share a benchmark.
func plan(rows []row, rounds int) []*task {
	var tasks []*task
	byKey := map[string]*task{}
	for i := range rows {
		r := &rows[i]
		n := rounds
		if r.rounds > 0 {
			n = min(n, r.rounds)
		}
		key := fmt.Sprint(r.pkg, " ", r.bench, " ", r.baseBench(), " ", r.time, " ", n)
		t := byKey[key]
		if t == nil {
			t = &task{pkg: r.pkg, ours: r.bench, base: r.baseBench(), together: r.together, time: r.time, rounds: n}
			byKey[key] = t
			tasks = append(tasks, t)
		}
		t.rows = append(t.rows, i)
	}
	return tasks
}

// measure goes through all tasks round by round.
func (r *runner) measure(ctx context.Context, tasks []*task) {
	for round, more := 0, true; more && ctx.Err() == nil; round++ {
		more = false
		shared := map[string]said{} // by what ran together
		for _, t := range tasks {
			if t.err != nil || round >= t.rounds {
				continue
			}
			more = true
			fmt.Fprintf(r.log, "\rround %d: %-60s", round+1, t.pkg+" "+t.ours)
			if t.together != "" {
				t.err = r.both(ctx, t, shared)
			} else {
				t.err = r.inTurn(ctx, t, round%2 == 1)
			}
		}
	}
	fmt.Fprintf(r.log, "\r%-80s\r", "")
}

// said is what a benchmark that several rows read from came to.
type said struct {
	out string
	err error
}

// both takes ours and base from one process that measures both.
func (r *runner) both(ctx context.Context, t *task, round map[string]said) error {
	key := t.pkg + " " + t.together
	got, ran := round[key]
	if !ran {
		got.out, got.err = r.run(ctx, t.pkg, t.together, t.time)
		round[key] = got
	}
	if got.err != nil {
		return got.err
	}
	return t.take(got.out, got.out)
}

// inTurn runs ours and base in processes of their own, one after the other.
func (r *runner) inTurn(ctx context.Context, t *task, baseFirst bool) error {
	names := []string{t.ours, t.base}
	outs := make([]string, 2)
	order := []int{0, 1}
	if baseFirst {
		order = []int{1, 0}
	}
	for _, i := range order {
		if names[i] == "" {
			continue
		}
		out, err := r.run(ctx, t.pkg, names[i], t.time)
		if err != nil {
			return err
		}
		outs[i] = out
	}
	return t.take(outs[0], outs[1])
}

func (t *task) take(ours, base string) error {
	s, err := parse(strings.NewReader(ours), t.ours)
	if err != nil {
		return err
	}
	t.oursGot = append(t.oursGot, s)
	if t.base == "" {
		return nil
	}
	if s, err = parse(strings.NewReader(base), t.base); err != nil {
		return err
	}
	t.baseGot = append(t.baseGot, s)
	return nil
}

// rootDir finds the folder of go.mod from the working directory upwards.
func rootDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no go.mod above the working directory")
		}
		dir = up
	}
}
