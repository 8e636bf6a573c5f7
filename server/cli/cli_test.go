package cli

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/push"
	"github.com/allspark/allspark/server/quota"
	"github.com/allspark/allspark/server/restapi"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/telemetry"
	"github.com/allspark/allspark/server/template"
)

// controller is the real API on a real database, with an administrator's token
// in the environment.
func controller(t *testing.T) (password string) {
	db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "a.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.Migrate(t.Context()))
	log := slog.New(slog.DiscardHandler)
	signIn := auth.New(db, log)
	require.NoError(t, signIn.Start(t.Context()))
	t.Cleanup(signIn.Stop)
	_, password, err = signIn.Bootstrap(t.Context())
	require.NoError(t, err)
	_, token, err := signIn.IssueToken(t.Context(), nil, "admin", []auth.Grant{{Role: auth.Admin, App: "*", IDC: "*"}}, time.Hour, audit.Change{Actor: "test"})
	require.NoError(t, err)
	registry := fleet.NewRegistry(db, fleet.Options{})
	server := restapi.New(restapi.Deps{
		Version: "test", Auth: signIn, Templates: template.NewService(db, registry, nil), Store: db, Claims: control.NewService(db, db, nil), Control: db,
		Audit: db, Fleet: registry, Push: push.NewHub(push.Options{}), Windows: telemetry.New(telemetry.Limits{}), History: telemetry.History{Store: db},
		Settings: db, Database: db, Loop: func() control.Status { return control.Status{Holder: "a"} },
		Quota: quota.NewService(db, func() {}), QuotaStore: db, QuotaLoop: quota.NewLoop(quota.Config{Now: time.Now}),
	})
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	t.Setenv("ALLSPARK_URL", web.URL)
	t.Setenv("ALLSPARK_TOKEN", token)
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	return password
}

func run(t *testing.T, stdin string, line ...string) (out string, err error) {
	var stdout, stderr bytes.Buffer
	c := New("test")
	c.SetArgs(line)
	c.SetIn(strings.NewReader(stdin))
	c.SetOut(&stdout)
	c.SetErr(&stderr)
	err = c.ExecuteContext(t.Context())
	return stdout.String(), err
}

func ok(t *testing.T, line ...string) string {
	t.Helper()
	out, err := run(t, "", line...)
	require.NoError(t, err, strings.Join(line, " "))
	return out
}

const recall = `name: sn-recall
strategy: {kind: fixed}
levels: {count: 10, default: 8}
parameters:
  - {name: tag_count, type: int, min: 10, max: 200}
gears:
  - {level: 1, set: {tag_count: 20}}
  - {level: 10, set: {tag_count: 200}}
`

func TestAnOperatorsDay(t *testing.T) {
	controller(t)
	file := filepath.Join(t.TempDir(), "t.yaml")
	require.NoError(t, os.WriteFile(file, []byte(recall), 0o600))
	require.Contains(t, ok(t, "template", "check", "-f", file), "ok")
	require.Contains(t, ok(t, "template", "apply", "-f", file, "--publish", "--reason", "first"), "published as version 1")
	require.Contains(t, ok(t, "template", "get", "sn-recall"), "tag_count: 20")

	changed := strings.Replace(recall, "tag_count: 20}", "tag_count: 30}", 1)
	require.NoError(t, os.WriteFile(file, []byte(changed), 0o600))
	require.Contains(t, ok(t, "template", "diff", "-f", file), "tag_count")
	ok(t, "template", "apply", "-f", file)
	require.Contains(t, ok(t, "template", "diff", "sn-recall"), "tag_count")
	ok(t, "template", "publish", "sn-recall", "--reason", "more")
	ok(t, "template", "rollback", "sn-recall", "1", "--reason", "undo")
	require.Contains(t, ok(t, "template", "versions", "sn-recall"), "undo")
	ok(t, "template", "copy", "sn-recall", "sn-night")
	require.Contains(t, ok(t, "template", "list"), "sn-night")
	ok(t, "bind", "sn-recall", "*", "*", "sn", "recall", "--reason", "test")
	require.Contains(t, ok(t, "bind", "list"), "sn-recall")

	var claim api.Claim
	require.NoError(t, json.Unmarshal([]byte(ok(t, "claim", "set", "k2", "*", "sn", "recall", "--level", "3", "--reason", "RT", "-o", "json")), &claim))
	require.Equal(t, 3, claim.Level)
	require.Contains(t, ok(t, "claim", "list"), "level 3")
	ok(t, "claim", "extend", claim.ID, "--for", "1h", "--reason", "longer")
	ok(t, "claim", "release", claim.ID, "--reason", "calm")
	require.NotContains(t, ok(t, "claim", "list"), "level 3")
	require.Contains(t, ok(t, "claim", "undo", claim.ID, "--reason", "not calm", "-o", "yaml"), "level: 3")

	password := strings.TrimSpace(ok(t, "user", "create", "ann", "--grant", "operator:sn"))
	require.Len(t, password, 20)
	require.Contains(t, ok(t, "user", "list"), "operator:sn:*")
	require.True(t, strings.HasPrefix(ok(t, "token", "create", "ci", "--grant", "viewer"), "ask_"))
	require.True(t, strings.HasPrefix(ok(t, "enrol-token", "create", "sn", "sn", "*"), "ase_"))
	require.Contains(t, ok(t, "audit", "list", "--kind", "claim"), "calm")
	require.Contains(t, ok(t, "audit", "list"), "system:")
	require.NotContains(t, ok(t, "audit", "list", "--people"), "system:")
	require.Contains(t, ok(t, "audit", "list", "--people", "--kind", "claim"), "calm")
	require.Contains(t, ok(t, "audit", "verify"), "the chain is whole")
	for _, line := range [][]string{{"points"}, {"agents"}, {"changes"}, {"status"}, {"token", "list"}, {"enrol-token", "list"}} {
		ok(t, line...)
	}
}

func TestExitCodes(t *testing.T) {
	controller(t)
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	require.NoError(t, os.WriteFile(bad, []byte(strings.Replace(recall, "tag_count: 20}", "tag_count: 5}", 1)), 0o600))
	for want, lines := range map[int][][]string{
		2: {{"nonsense"}, {"template"}, {"template", "get"}, {"points", "--nonsense"}, {"points", "-o", "xml"}, {"claim", "set", "k2", "*", "sn", "recall", "--reason", "x"}, {"explain", "k2", "a", "sn", "recall", "--at", "yesterday"}},
		3: {{"template", "get", "gone"}, {"agent", "gone"}, {"claim", "release", "gone", "--reason", "x"}, {"template", "get", "../users"}},
		4: {{"points", "--token", "ask_wrong"}},
		5: {{"template", "apply", "-f", bad}, {"claim", "set", "k2", "*", "sn", "recall", "--level", "1000", "--reason", "x"}},
		7: {{"points", "--url", "http://127.0.0.1:1"}},
	} {
		for _, line := range lines {
			_, err := run(t, "", line...)
			require.Equal(t, want, ExitCode(err), "%v: %v", line, err)
		}
	}
	_, err := run(t, "", "template", "apply", "-f", bad)
	require.ErrorContains(t, err, "gears[0].set.tag_count")
	require.ErrorContains(t, err, "tag_count wants int 10..200, got 5 at level 1")
}

func TestLoginKeepsASessionForItsControllerOnly(t *testing.T) {
	password := controller(t)
	url := os.Getenv("ALLSPARK_URL")
	t.Setenv("ALLSPARK_TOKEN", "")
	t.Setenv("ALLSPARK_DATA_DIR", t.TempDir())
	_, err := run(t, "wrong\n", "login", "admin")
	require.Equal(t, 4, ExitCode(err))
	_, err = run(t, password+"\n", "login", "admin")
	require.NoError(t, err)
	info, err := os.Stat(sessionFile())
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	ok(t, "user", "list")
	s := &session{url: "http://127.0.0.1:1", output: "table"}
	c, err := s.connect()
	require.NoError(t, err)
	require.Empty(t, c.token, "the token of %s went to another address", url)
	ok(t, "logout")
	_, err = run(t, "", "user", "list")
	require.Equal(t, 4, ExitCode(err))
}

func TestTablesAreInert(t *testing.T) {
	var b bytes.Buffer
	row(&b, "a\x1b[31m\nforged", "\u202eevil", 3, "")
	require.Equal(t, "a\ufffd[31m\ufffdforged\t\ufffdevil\t3\t-\n", b.String())
}
