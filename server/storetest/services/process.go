package services

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// account is who private servers run as: nil means as the test itself.
func account() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	var errs []error
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, fmt.Errorf("no unprivileged account to run servers as: %w", errors.Join(errs...))
}

// privateDir is a folder that the account owns. Not t.TempDir: its parents are
// closed to other accounts, and its name can be too long for a socket.
func privateDir(prefix string, as *syscall.Credential) (string, error) {
	dir, err := os.MkdirTemp("", prefix)
	if err != nil {
		return "", err
	}
	if as != nil {
		err = os.Chown(dir, int(as.Uid), int(as.Gid))
	}
	return dir, err
}

// spawn starts cmd so that the kernel signals it when this process dies; gone is
// closed when it has ended.
func spawn(cmd *exec.Cmd, as *syscall.Credential, onDeath syscall.Signal) (gone <-chan struct{}, err error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as, Pdeathsig: onDeath, Setpgid: true}
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + cmd.Dir, "LC_ALL=C.UTF-8"}
	started, ended := make(chan error), make(chan struct{})
	go func() {
		// The death signal is tied to the thread that forked, so it must live as
		// long as the child.
		runtime.LockOSThread()
		defer close(ended)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
	}()
	return ended, <-started
}

// children are the processes that a process started, by what the kernel says.
func children(pid int) (out []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, l := range lists {
		b, err := os.ReadFile(l)
		if err != nil {
			continue // the thread ended meanwhile
		}
		for _, f := range strings.Fields(string(b)) {
			if n, err := strconv.Atoi(f); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}

// watched runs a server under a shell that stops it and removes dir when the
// test process dies or stop is sent.
func watched(dir, binary string, quit string, args ...string) *exec.Cmd {
	script := `trap 'kill -` + quit + ` $p 2>/dev/null; wait $p; rm -rf "$d"; exit 0' TERM INT; d=$1; shift; "$@" & p=$!; wait $p; rm -rf "$d"`
	cmd := exec.Command("/bin/sh", append([]string{"-c", script, "sh", dir, binary}, args...)...)
	cmd.Dir = dir
	return cmd
}

// newest finds a program in PATH, else the newest one that matches the pattern.
func newest(name, pattern string) (string, error) {
	if p, err := exec.LookPath(name); err == nil {
		return filepath.EvalSymlinks(p)
	}
	m, err := filepath.Glob(pattern)
	if err != nil || len(m) == 0 {
		return "", fmt.Errorf("%s is not installed", name)
	}
	major := func(p string) int {
		for _, part := range strings.Split(p, "/") {
			if n, err := strconv.Atoi(part); err == nil {
				return n
			}
		}
		return 0
	}
	return slices.MaxFunc(m, func(a, b string) int { return major(a) - major(b) }), nil
}
