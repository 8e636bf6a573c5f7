package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/api"
)

const rankGroup = `name: sn-rank
description: candidates that rank takes
enabled: true
members:
  - {scene: "*", idc: "*", app: sn, point: rank}
settings:
  total_quota: 40000
  window: 1s
  delay: 300ms
  q_min: 15
  q_max: 300
  default_quota: 150
  law: log
  weight_min: 0.5
  weight_max: 1.5
  normalise: true
  feed_forward: true
  watermark: 0.7
  kp: 0
  ki: 0
  kd: 0
  fallback_slew: 0.1
  return_slew: 0.5
reason: first
`

func groupFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "group.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func shownGroup(t *testing.T, name string) (g api.QuotaState) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(ok(t, "quota", "show", name, "-o", "json")), &g))
	return g
}

func TestQuotaByCommand(t *testing.T) {
	controller(t)
	require.NotContains(t, ok(t, "quota", "list"), "sn-rank")

	// Applied twice the file creates and then replaces.
	out := ok(t, "quota", "apply", "-f", groupFile(t, rankGroup))
	require.Regexp(t, `sn-rank +40000.0 +1s +15.0 +300.0 +150.0 +log +1`, out)
	out = ok(t, "quota", "apply", "-f", groupFile(t, strings.Replace(rankGroup, "40000", "50000", 1)), "--reason", "two machines came")
	require.Regexp(t, `sn-rank +50000.0 .* 2\b`, out)
	out, err := run(t, strings.Replace(rankGroup, "40000", "45000", 1), "quota", "apply", "-f", "-", "-o", "json")
	require.NoError(t, err)
	var applied api.QuotaGroup
	require.NoError(t, json.Unmarshal([]byte(out), &applied))
	require.EqualValues(t, 45000, applied.Settings.TotalQuota)
	require.EqualValues(t, 3, applied.Version)

	// Setting a few leaves the others as they are.
	ok(t, "quota", "set", "sn-rank", "--total", "30000", "--max", "250", "--reason", "a machine left")
	g := shownGroup(t, "sn-rank")
	require.EqualValues(t, 30000, g.Settings.TotalQuota)
	require.EqualValues(t, 250, g.Settings.QMax)
	require.EqualValues(t, 15, g.Settings.QMin)
	require.EqualValues(t, 150, g.Settings.DefaultQuota)
	require.Equal(t, "log", g.Settings.Law)
	require.True(t, g.Enabled)
	ok(t, "quota", "set", "sn-rank", "--law", "linear", "--min", "20", "--default", "100", "--disable", "--reason", "to compare")
	g = shownGroup(t, "sn-rank")
	require.Equal(t, "linear", g.Settings.Law)
	require.EqualValues(t, 20, g.Settings.QMin)
	require.EqualValues(t, 100, g.Settings.DefaultQuota)
	require.False(t, g.Enabled)
	ok(t, "quota", "set", "sn-rank", "--enable", "--reason", "compared")
	require.True(t, shownGroup(t, "sn-rank").Enabled)

	require.Regexp(t, `GROUP +STATE +BASE`, ok(t, "quota", "list"))
	require.Regexp(t, `sn-rank +lost`, ok(t, "quota", "list")) // no agent, no base
	require.Regexp(t, `sn-rank +lost`, ok(t, "quota", "show", "sn-rank"))
	require.Contains(t, ok(t, "quota", "show", "sn-rank", "-o", "yaml"), "total_quota: 30000")
	require.Regexp(t, `(?m)^false .*no readings yet`, ok(t, "quota", "calibrate", "sn-rank"))

	history := ok(t, "audit", "list", "--kind", "quota-group")
	for _, reason := range []string{"first", "two machines came", "a machine left", "to compare", "compared"} {
		require.Contains(t, history, reason)
	}

	ok(t, "quota", "delete", "sn-rank", "--reason", "no longer ranked here")
	require.NotContains(t, ok(t, "quota", "list"), "sn-rank")
	require.Contains(t, ok(t, "audit", "list", "--kind", "quota-group"), "no longer ranked here")
}

func TestQuotaCommandsSayWhatIsWrong(t *testing.T) {
	controller(t)
	ok(t, "quota", "apply", "-f", groupFile(t, rankGroup))
	for want, lines := range map[int][][]string{
		2: {
			{"quota"},
			{"quota", "show"},
			{"quota", "apply"},
			{"quota", "set", "sn-rank"},
			{"quota", "set", "sn-rank", "--enable", "--disable"},
			{"quota", "apply", "-f", groupFile(t, rankGroup+"colour: red\n")},
			{"quota", "apply", "-f", groupFile(t, "name: [")},
		},
		3: {{"quota", "show", "gone"}, {"quota", "set", "gone", "--total", "5"}, {"quota", "delete", "gone", "--reason", "x"}, {"quota", "calibrate", "gone"}},
		5: {
			{"quota", "set", "sn-rank", "--total", "-1", "--reason", "x"},
			{"quota", "set", "sn-rank", "--law", "magic", "--reason", "x"},
			{"quota", "set", "sn-rank", "--min", "400", "--reason", "x"},
		},
	} {
		for _, line := range lines {
			_, err := run(t, "", line...)
			require.Equal(t, want, ExitCode(err), "%v: %v", line, err)
		}
	}
	// A place belongs to one group, and what was refused changed nothing.
	_, err := run(t, "", "quota", "apply", "-f", groupFile(t, strings.Replace(rankGroup, "name: sn-rank", "name: thief", 1)))
	require.ErrorContains(t, err, "sn-rank")
	require.EqualValues(t, 1, shownGroup(t, "sn-rank").Version)
}
