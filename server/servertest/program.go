package servertest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/app"
)

const (
	patience = 60 * time.Second // for a thing that takes a second on an idle machine
	interval = 50 * time.Millisecond
)

var built atomic.Bool

var build = sync.OnceValues(func() (string, error) {
	built.Store(true)
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(file), "..", "..")
	dir, err := os.MkdirTemp("", "allspark-bin-")
	if err != nil {
		return "", err
	}
	out := filepath.Join(dir, "allspark")
	cmd := exec.Command("go", "build", "-tags", "nomsgpack", "-o", out, "./server/cmd/allspark")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", &exec.Error{Name: string(text), Err: err}
	}
	return out, nil
})

// Binary is the program, built once a test process.
func Binary(t testing.TB) string {
	t.Helper()
	path, err := build()
	require.NoError(t, err)
	return path
}

// RemoveBinary tidies up; call it from TestMain.
func RemoveBinary() {
	if !built.Load() {
		return
	}
	if path, err := build(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
}

// Program is a running `allspark serve` or `allspark demo`.
type Program struct {
	DataDir string
	t       testing.TB
	cmd     *exec.Cmd
	out     lockedBuffer
	ended   chan struct{}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Start runs the program on free ports and waits until it answers.
func Start(t testing.TB, dir, command string, args ...string) *Program {
	t.Helper()
	p := &Program{DataDir: dir, t: t, ended: make(chan struct{})}
	args = append([]string{command, "--data-dir", dir, "--http.addr", "127.0.0.1:0", "--grpc.addr", "127.0.0.1:0"}, args...)
	p.cmd = exec.Command(Binary(t), args...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	local := filepath.Join(dir, "local.json")
	_ = os.Remove(local) // of an earlier start, with an address nobody listens on now
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the death signal follows the thread that forked
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait()
		}
		close(p.ended)
	}()
	require.NoError(t, <-started)
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Log(p.out.String())
		}
	})
	Eventually(t, "the program writes its address", func() bool {
		select {
		case <-p.ended:
			t.Fatalf("%s ended: %s", command, p.out.String())
		default:
		}
		_, err := os.Stat(local)
		return err == nil
	})
	return p
}

// Local is what the program tells those beside it: addresses and tokens.
func (p *Program) Local() app.Local {
	p.t.Helper()
	var l app.Local
	b, err := os.ReadFile(filepath.Join(p.DataDir, "local.json"))
	require.NoError(p.t, err)
	require.NoError(p.t, json.Unmarshal(b, &l))
	return l
}

// Client gives a client of the program's REST API.
func (p *Program) Client() *Client {
	p.t.Helper()
	l := p.Local()
	return NewClient(p.t, l.URL, l.Token)
}

// Signal sends a signal and does not wait.
func (p *Program) Signal(s os.Signal) { require.NoError(p.t, p.cmd.Process.Signal(s)) }

// PID is its process.
func (p *Program) PID() int { return p.cmd.Process.Pid }

// Output is what the program has written so far.
func (p *Program) Output() string { return p.out.String() }

// Kill ends the program as a crash would.
func (p *Program) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// Interrupt ends it as Ctrl-C does and gives the exit code.
func (p *Program) Interrupt() int {
	_ = p.cmd.Process.Signal(os.Interrupt)
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.t.Errorf("the program did not end within %v of an interrupt", patience)
		p.Kill()
	}
	return p.cmd.ProcessState.ExitCode()
}

// Run runs one of the operator's commands against the program.
func (p *Program) Run(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, Binary(p.t), append(args, "--data-dir", p.DataDir)...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Must is Run for a command that has to succeed.
func (p *Program) Must(args ...string) string {
	p.t.Helper()
	out, err := p.Run(args...)
	require.NoError(p.t, err, "allspark %s: %s", strings.Join(args, " "), out)
	return out
}

// JSON is Must with the answer decoded.
func (p *Program) JSON(into any, args ...string) {
	p.t.Helper()
	out := p.Must(append(args, "-o", "json")...)
	require.NoError(p.t, json.Unmarshal([]byte(out), into), out)
}

// Eventually waits for a thing to become true.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
		time.Sleep(interval)
	}
}
