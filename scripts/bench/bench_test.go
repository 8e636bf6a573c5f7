package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const output = `goos: linux
BenchmarkRecord/ours/serial-2   	58339610	         3.975 ns/op	         3.5 cpu-ns/op	       0 B/op
BenchmarkRecord/ours/serial64-2 	58339610	         9 ns/op	         9 cpu-ns/op	       0 B/op
PASS
`

func TestParse(t *testing.T) {
	got, err := parse(strings.NewReader(output), "Record/ours/serial")
	require.NoError(t, err)
	require.Equal(t, map[string]float64{"ns/op": 3.975, "cpu-ns/op": 3.5, "B/op": 0}, got)

	_, err = parse(strings.NewReader(output), "Record/base/serial")
	require.ErrorContains(t, err, "did not run")
	_, err = parse(strings.NewReader(output+output), "Record/ours/serial")
	require.ErrorContains(t, err, "ran twice")
	_, err = parse(strings.NewReader("BenchmarkX-2 1 bad ns/op"), "X")
	require.Error(t, err)
}

func TestPatternSelectsOneBenchmark(t *testing.T) {
	require.Equal(t, "^BenchmarkRecord$/^ours$/^serial$", pattern("Record/ours/serial"))
}

func TestBaseIsNamedAlike(t *testing.T) {
	require.Equal(t, "Record/base/serial", (&row{bench: "Record/ours/serial"}).baseBench())
	require.Equal(t, "Merge/base", (&row{bench: "Merge/ours"}).baseBench())
	require.Equal(t, "Other", (&row{bench: "Merge/ours", base: "Other"}).baseBench())
	require.Empty(t, (&row{bench: "Merge/ours", without: true}).baseBench())
}

func TestJudge(t *testing.T) {
	samples := func(values ...float64) (s []sample) {
		for _, v := range values {
			s = append(s, sample{"x": v})
		}
		return s
	}
	cases := map[string]struct {
		ours, base []sample
		target     target
		ok         bool
	}{
		"ratio met":              {samples(10, 12, 11), samples(10, 10, 10), target{ratio: 1.1}, true},
		"ratio missed":           {samples(10, 12, 11), samples(10, 10, 10), target{ratio: 1.09}, false},
		"a loud round falls out": {samples(10, 90, 10), samples(10, 10, 10), target{ratio: 1}, true},
		"plus met":               {samples(160), samples(10), target{plus: 150}, true},
		"plus missed":            {samples(161), samples(10), target{plus: 150}, false},
		"none met":               {samples(0), nil, target{none: true}, true},
		"none missed":            {samples(1), nil, target{none: true}, false},
		"most met":               {samples(36), nil, target{most: 36}, true},
		"most missed":            {samples(37), nil, target{most: 36}, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := row{metric: "x", target: c.target, without: c.base == nil}
			f := judge(&r, &task{oursGot: c.ours, baseGot: c.base})
			require.NoError(t, f.err)
			require.Equal(t, c.ok, f.OK)
		})
	}
	f := judge(&row{metric: "y"}, &task{oursGot: samples(1), baseGot: samples(1)})
	require.ErrorContains(t, f.err, `no metric "y"`)
}

func TestJSONHasTheAgreedFields(t *testing.T) {
	path := filepath.Join(t.TempDir(), "figures.json")
	base, ratio := 2.0, 0.5
	require.NoError(t, writeJSON(path, []figure{
		{Name: "a", Unit: "ns", Ours: 1, Base: &base, Ratio: &ratio, Target: "≤ 1.3x", OK: true},
		{Name: "b", Unit: "KiB", Ours: 40, Target: "≤ 36 KiB"},
	}))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var got []map[string]any
	require.NoError(t, json.Unmarshal(data, &got))
	require.Equal(t, []map[string]any{
		{"name": "a", "unit": "ns", "ours": 1.0, "base": 2.0, "ratio": 0.5, "target": "≤ 1.3x", "ok": true},
		{"name": "b", "unit": "KiB", "ours": 40.0, "base": nil, "ratio": nil, "target": "≤ 36 KiB", "ok": false},
	}, got)
}

// Every row names what exists: its package builds and lists both benchmarks'
// top-level names, and no two rows have one name.
func TestRowsNameBenchmarksThatExist(t *testing.T) {
	root, err := rootDir()
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, r := range rows {
		require.False(t, seen[r.name], "row %q is there twice", r.name)
		seen[r.name] = true
		require.NotEqual(t, target{}, r.target, r.name)
		for _, name := range []string{r.bench, r.baseBench()} {
			if top, _, _ := strings.Cut(name, "/"); top != "" {
				require.True(t, declares(t, filepath.Join(root, r.pkg), "func Benchmark"+top+"("), "%s: no Benchmark%s in %s", r.name, top, r.pkg)
			}
		}
	}
}

func declares(t *testing.T, dir, text string) bool {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		if bytes.Contains(data, []byte(text)) {
			return true
		}
	}
	return false
}

// The whole way, on the smallest row there is.
func TestMeasureOneRow(t *testing.T) {
	root, err := rootDir()
	require.NoError(t, err)
	one := []row{{name: "wire", pkg: "proto/sketch", bench: "Merge/ours", metric: "wire-B", unit: "B", target: target{ratio: 1.15}, time: "1x"}}
	tasks := plan(one, 1)
	var log bytes.Buffer
	r := &runner{root: root, dir: t.TempDir(), time: "1x", log: &log, binary: map[string]string{}}
	r.measure(context.Background(), tasks)
	f := judge(&one[0], tasks[0])
	require.NoError(t, f.err)
	require.True(t, f.OK)
	require.Positive(t, f.Ours)

	one[0].together = "Merge"
	tasks = plan(one, 1)
	r.measure(context.Background(), tasks)
	together := judge(&one[0], tasks[0])
	require.NoError(t, together.err)
	require.Equal(t, f.Ours, together.Ours)

	one[0].together, one[0].bench = "", "Nothing/ours"
	tasks = plan(one, 1)
	r.measure(context.Background(), tasks)
	require.ErrorContains(t, judge(&one[0], tasks[0]).err, "did not run")
}
