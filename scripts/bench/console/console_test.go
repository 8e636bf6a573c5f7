package console

import (
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// run gives the numbers that a command of the web folder prints where pattern
// has groups.
func run(b *testing.B, pattern string, command ...string) []float64 {
	b.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = "../../../web"
	out, err := cmd.CombinedOutput()
	require.NoError(b, err, string(out))
	found := regexp.MustCompile(pattern).FindStringSubmatch(string(out))
	require.NotNil(b, found, string(out))
	numbers := make([]float64, len(found)-1)
	for i, text := range found[1:] {
		numbers[i], err = strconv.ParseFloat(text, 64)
		require.NoError(b, err)
	}
	return numbers
}

// BenchmarkGrid presses forty keys in a grid of 100 gears and 12 parameters.
func BenchmarkGrid(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			n := run(b, `grid: median ([0-9.]+) ms, slowest ([0-9.]+) ms`, "npx", "playwright", "test", "templates", "-g", "the grid paints")
			b.ReportMetric(n[0], "median-ms")
			b.ReportMetric(n[1], "slowest-ms")
		}
		b.ReportMetric(0, "ns/op")
	})
}

// BenchmarkFirstLoad adds up what the first page needs.
func BenchmarkFirstLoad(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			b.ReportMetric(run(b, `first load ([0-9.]+) kB`, "node", "scripts/size.mjs")[0], "gzip-kB")
		}
		b.ReportMetric(0, "ns/op")
	})
}
