package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/cli"
)

func labCommand(t *testing.T, args ...string) (out, said string, err error) {
	var stdout, stderr bytes.Buffer
	root := cli.New("test")
	root.SetArgs(append([]string{"lab"}, args...))
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	err = root.ExecuteContext(t.Context())
	return stdout.String(), stderr.String(), err
}

func TestLabListNamesScenariosAndPolicies(t *testing.T) {
	out, _, err := labCommand(t, "list")
	require.NoError(t, err)
	for _, want := range []string{"day-code", "midnight", "crowd", "autoscaler", "held out"} {
		require.Contains(t, out, want)
	}
}

func TestLabRunPrintsATableAndWritesFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	out, said, err := labCommand(t, "run", "--scenario", "load-1.3", "--policy", "none,crowd@2", "--seeds", "1", "--out", dir)
	require.NoError(t, err)
	for _, want := range []string{"value_gap_share", "rt_p99_ms", "crowd@2"} {
		require.Contains(t, out, want)
	}
	require.Contains(t, said, "left")
	text, err := os.ReadFile(filepath.Join(dir, "results.csv"))
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(text), "scenario,policy,seed,metric,value\nload-1.3,none,1,value,"), string(text[:80]))
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	require.NoError(t, err)
	require.Contains(t, string(page), "allspark lab run --scenario load-1.3 --policy none,crowd@2 --seeds 1")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 2)
}

func TestLabRunRefusesWhatItDoesNotKnow(t *testing.T) {
	for want, args := range map[string][]string{
		"--scenario is required":   {"run"},
		"there is no scenario":     {"run", "--scenario", "monday"},
		"there is no policy":       {"run", "--scenario", "news", "--policy", "luck"},
		"--seeds wants":            {"run", "--scenario", "news", "--seeds", "0"},
		"--seeds wants 2":          {"standard", "--seeds", "1"},
		"there is no part":         {"standard", "--only", "x"},
		"lab wants one":            {},
		"unknown flag: --sentence": {"run", "--sentence", "x"},
	} {
		_, _, err := labCommand(t, args...)
		require.ErrorContains(t, err, want)
		require.Equal(t, 2, cli.ExitCode(err), "%v", args)
	}
}
