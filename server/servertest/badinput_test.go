package servertest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/cli"
	"github.com/allspark/allspark/server/servertest"
)

// operate runs one of the operator's commands in this process.
func operate(t *testing.T, dir string, args ...string) (out string, code int) {
	t.Helper()
	var b bytes.Buffer
	root := cli.New("test")
	root.SetArgs(append(args, "--data-dir", dir))
	root.SetOut(&b)
	root.SetErr(&b)
	err := root.ExecuteContext(t.Context())
	if err != nil {
		fmt.Fprintln(&b, err)
	}
	return b.String(), cli.ExitCode(err)
}

const document = `name: %s
strategy: {kind: fixed}
levels: {count: 10, default: 8, min: 1, max: 10}
parameters:
  - {name: tag_count, type: int, unit: tags, min: 10, max: 200}
gears:
  - {level: 1, set: {tag_count: 10}}
  - {level: 10, set: {tag_count: 200}}
`

// bomb is a YAML document of a few hundred bytes that would expand to 10^9 nodes.
func bomb() string {
	var b strings.Builder
	b.WriteString("name: bomb\ntags: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&b, "k%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return b.String()
}

// Documents that nobody wrote by mistake and those that somebody did: each is
// refused with the place that is wrong, and nothing changes.
func TestBadDocuments(t *testing.T) {
	dir := t.TempDir()
	s := servertest.Serve(t, servertest.Settings(dir))
	s.Publish(servertest.Recall("recall-tags", 100))
	good := fmt.Sprintf(document, "mine")
	audit, code := operate(t, dir, "audit", "verify")
	require.Zero(t, code, audit)
	list, code := operate(t, dir, "template", "list")
	require.Zero(t, code, list)

	change := func(old, new string) string {
		require.Contains(t, good, old)
		return strings.Replace(good, old, new, 1)
	}
	for name, x := range map[string]struct {
		text string
		want []string
	}{
		"unknown field":    {change("unit: tags", "unti: tags"), []string{"parameters[0].unti"}},
		"wrong type":       {change("tag_count: 200", "tag_count: many"), []string{"gears[1].set.tag_count", "tag_count wants int 10..200"}},
		"not a number":     {change("tag_count: 200", "tag_count: .nan"), []string{"gears[1].set.tag_count"}},
		"out of range":     {change("tag_count: 200", "tag_count: 250"), []string{"gears[1].set.tag_count", "tag_count wants int 10..200, got 250 at level 10"}},
		"duplicate level":  {good + "  - {level: 10, set: {tag_count: 20}}\n", []string{"gears[2].level"}},
		"gap in levels":    {change("{level: 1, set", "{level: 2, set"), []string{"gears[0].level", "the first gear must be level 1, got 2"}},
		"duplicate key":    {change("strategy: {kind: fixed}", "strategy: {kind: fixed}\nstrategy: {kind: fixed}"), []string{"strategy"}},
		"evil name":        {change("name: mine", `name: "mine\nlevel=ERROR\x1b[2J"`), []string{"name"}},
		"alias bomb":       {bomb(), []string{"alias"}},
		"deep YAML":        {"name: deep\ntags: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000), []string{"deep"}},
		"deep JSON":        {`{"name":"deep","tags":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}", []string{"deep"}},
		"huge":             {change("name: mine", "name: mine\ndescription: "+strings.Repeat("x", 2<<20)), []string{"1"}},
		"not YAML":         {"\x00\xff: {", []string{"control characters are not allowed"}},
		"empty":            {"", []string{"request body is required"}},
		"a list of things": {"- 1\n- 2\n", []string{"document"}},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "t.yaml")
			require.NoError(t, os.WriteFile(file, []byte(x.text), 0o600))
			out, code := operate(t, dir, "template", "apply", "-f", file)
			require.Equal(t, 5, code, out)
			for _, want := range x.want {
				require.Contains(t, out, want)
			}
			require.NotContains(t, out, "\x1b")
			require.Less(t, len(out), 4000, "an error is to be read")
		})
	}
	after, code := operate(t, dir, "audit", "verify")
	require.Zero(t, code)
	require.Equal(t, audit, after, "nothing was changed")
	now, _ := operate(t, dir, "template", "list")
	require.Equal(t, list, now)
	require.NotContains(t, s.Log(), "\nlevel=ERROR")
	require.NotContains(t, s.Log(), "\x1b")
}
