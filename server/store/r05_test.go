package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/storetest/services"
)

// editorEnv makes the test binary an editor: a process of its own that writes to
// the database it names and says on stdout what was acknowledged.
const editorEnv = "ALLSPARK_TEST_EDITOR"

func TestMain(m *testing.M) {
	if dsn := os.Getenv(editorEnv); dsn != "" {
		if err := edit(dsn, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

const editors = 3

// edit runs one editor per argument, which is the number of its first edit. It
// ends when stdin does: with its parent at the latest.
func edit(dsn string, first []string) error {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	db, err := store.Open(ctx, dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	done := make(chan error)
	for w, from := range first {
		n, err := strconv.Atoi(from)
		if err != nil {
			return err
		}
		go func() { done <- editor(ctx, db, w, n) }()
	}
	for range first {
		err = errors.Join(err, <-done)
	}
	return err
}

// editor makes numbered edits. An edit is tried under the same idempotency key
// until it is acknowledged, as a client on a bad line would.
func editor(ctx context.Context, db *store.DB, w, n int) error {
	for ; ctx.Err() == nil; n++ {
		key := fmt.Sprintf("w%d-%d", w, n)
		for ctx.Err() == nil {
			c := &control.Claim{Field: control.FieldLevel, Scope: control.Scope{App: "sn", Point: key}, Source: control.SourceManual}
			err := db.CreateClaim(ctx, c, audit.Change{Actor: "editor", Reason: key, IdempotencyKey: key})
			if err == nil || fault.Is(err, fault.Duplicate) {
				fmt.Println(w, n) // acknowledged, now or by an attempt whose answer was lost
				break
			}
			if ctx.Err() == nil && !fault.Is(err, fault.Unavailable) {
				return err
			}
			select {
			case <-ctx.Done():
			case <-time.After(2 * time.Millisecond):
			}
		}
	}
	return nil
}

// child is a running editor process.
type child struct {
	cmd   *exec.Cmd
	stdin io.Closer
	lines *bufio.Scanner
}

func startEditors(t *testing.T, dsn string, next []int) *child {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	c := &child{cmd: exec.Command(exe)}
	for _, n := range next {
		c.cmd.Args = append(c.cmd.Args, strconv.Itoa(n))
	}
	c.cmd.Env = append(os.Environ(), editorEnv+"="+dsn)
	c.cmd.Stderr = os.Stderr
	c.stdin, err = c.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := c.cmd.StdoutPipe()
	require.NoError(t, err)
	c.lines = bufio.NewScanner(out)
	require.NoError(t, c.cmd.Start())
	t.Cleanup(func() { _ = c.cmd.Process.Kill() })
	return c
}

// read notes up to n acknowledgements and gives how many came before the end.
func (c *child) read(t *testing.T, n int, next []int) (got int) {
	t.Helper()
	for got < n && c.lines.Scan() {
		var w, i int
		_, err := fmt.Sscan(c.lines.Text(), &w, &i)
		require.NoError(t, err, "%q", c.lines.Text())
		require.Equal(t, next[w], i, "edits are acknowledged in order")
		next[w]++
		got++
	}
	return got
}

// TestR05 kills PostgreSQL with SIGKILL while three editors write, at points that
// nothing prepares for, and starts it again. Every acknowledged edit must be
// there, once; so must the audit chain, without a gap.
func TestR05(t *testing.T) {
	pg := services.Durable(t)
	require.Equal(t, "on", pg.Setting(t, "fsync"))
	require.Equal(t, "on", pg.Setting(t, "synchronous_commit"))
	dsn := pg.Database(t)
	db := openDSN(t, dsn)
	next := make([]int, editors)
	c := startEditors(t, dsn, next)
	for kill := range 5 {
		c.read(t, 20+rand.IntN(80), next)
		// Not at an acknowledgement but somewhere behind it.
		time.Sleep(time.Duration(rand.IntN(5000)) * time.Microsecond)
		pg.Kill(t)
		pg.Restart(t)
		require.Greater(t, c.read(t, 10, next), 0, "editing goes on after kill %d", kill)
	}
	require.NoError(t, c.stdin.Close())
	c.read(t, 1<<30, next)
	require.NoError(t, c.cmd.Wait())
	requireEdits(t, db, next)
}

// TestR05SQLite kills the editing process itself; the file is all that is left.
func TestR05SQLite(t *testing.T) {
	dsn := "sqlite:" + filepath.Join(t.TempDir(), "allspark.db")
	db := openDSN(t, dsn)
	next := make([]int, editors)
	for range 8 {
		c := startEditors(t, dsn, next)
		c.read(t, 20+rand.IntN(80), next)
		time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
		require.NoError(t, c.cmd.Process.Signal(syscall.SIGKILL))
		c.read(t, 1<<30, next) // what it had still said
		_ = c.cmd.Wait()
	}
	requireEdits(t, db, next)
}

// requireEdits checks the database against the acknowledgements: editor w has
// edits 0..next[w]-1, each once, and at most the one after them.
func requireEdits(t *testing.T, db *store.DB, next []int) {
	t.Helper()
	ctx := t.Context()
	var seq int64
	var hash string
	entries := map[string]string{} // key -> claim
	require.NoError(t, db.WalkAudit(ctx, func(e audit.Entry) error {
		require.NoError(t, audit.CheckLink(seq, hash, &e))
		require.NotContains(t, entries, e.IdempotencyKey, "a retry doubled an edit")
		seq, hash = e.Seq, e.Hash
		entries[e.IdempotencyKey] = e.Object
		return nil
	}))
	head, headHash, err := db.AuditHead(ctx)
	require.NoError(t, err)
	require.Equal(t, seq, head)
	require.Equal(t, hash, headHash)

	claims := map[string]string{}
	for f := (control.ClaimFilter{Limit: 1000}); ; {
		items, more, err := db.ListClaims(ctx, f)
		require.NoError(t, err)
		for _, c := range items {
			require.NotContains(t, claims, c.Scope.Point, "a retry doubled an edit")
			claims[c.Scope.Point] = c.ID
		}
		if f.After = more; more == "" {
			break
		}
	}
	require.Equal(t, entries, claims, "change and entry are there together or not at all")
	total := 0
	for w, n := range next {
		for i := range n {
			require.Contains(t, claims, fmt.Sprintf("w%d-%d", w, i), "an acknowledged edit is gone")
		}
		total += n
	}
	require.LessOrEqual(t, len(claims), total+editors)
	require.Greater(t, total, 100)
	t.Logf("%d edits acknowledged, %d stored: %s", total, len(claims), strings.Trim(fmt.Sprint(next), "[]"))
}
