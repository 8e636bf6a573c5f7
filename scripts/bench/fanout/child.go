package fanout

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/allspark/allspark/scripts/bench/cpu"
)

// A Server is what pushes.
type Server interface {
	// Start listens for n agents.
	Start(n int) (addr string, err error)
	// Joined is the number of agents that hold a state.
	Joined() int
	// Push makes a state of 1 KiB with this version the newest.
	Push(version uint64) error
	// Acked says when the last of all agents' acks of version came in; zero
	// when the server has no acks.
	Acked(ctx context.Context, version uint64) (time.Time, error)
}

// Agents connects n agents and calls applied for each state each of them takes
// over. It returns when all are connected.
type Agents func(ctx context.Context, addr string, n int, applied func(version uint64)) error

// A Side is both ends of one way to push.
type Side struct {
	Server func() Server
	Agents Agents
}

const childEnv = "ALLSPARK_FANOUT_CHILD"

// Child turns this process into the child that the environment asks for and
// reports true when it is done; call it first in TestMain.
func Child(sides map[string]Side) bool {
	role, name, ok := strings.Cut(os.Getenv(childEnv), ":")
	if !ok {
		return false
	}
	side, ok := sides[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "no side %q\n", name)
		os.Exit(2)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	serve := agentsChild(ctx, side.Agents)
	if role == "server" {
		serve = serverChild(ctx, side.Server())
	}
	if err := answer(os.Stdin, os.Stdout, serve); err != nil {
		fmt.Fprintf(os.Stderr, "%s %s: %v\n", name, role, err)
		os.Exit(1)
	}
	return true
}

// answer reads commands until the input ends.
func answer(in io.Reader, out io.Writer, serve func(command []string) (string, error)) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		reply, err := serve(strings.Fields(lines.Text()))
		if err != nil {
			return fmt.Errorf("%s: %w", lines.Text(), err)
		}
		if _, err := fmt.Fprintln(out, reply); err != nil {
			return err
		}
	}
	return lines.Err()
}

func serverChild(ctx context.Context, s Server) func([]string) (string, error) {
	agents := 0
	var before uint64
	return func(c []string) (string, error) {
		var version uint64
		switch c[0] {
		case "start":
			if _, err := fmt.Sscan(c[1], &agents); err != nil {
				return "", err
			}
			before = live()
			addr, err := s.Start(agents)
			return "addr " + addr, err
		case "joined":
			if err := poll(ctx, func() bool { return s.Joined() >= agents }); err != nil {
				return "", err
			}
			took := cpu.Used()
			now := live()
			return fmt.Sprintf("joined %d %d", took.Nanoseconds(), now-min(before, now)), nil
		case "push":
			if _, err := fmt.Sscan(c[1], &version); err != nil {
				return "", err
			}
			used, at := cpu.Used(), time.Now()
			err := s.Push(version)
			return fmt.Sprintf("pushed %d %d", at.UnixNano(), used.Nanoseconds()), err
		case "acked":
			if _, err := fmt.Sscan(c[1], &version); err != nil {
				return "", err
			}
			at, err := s.Acked(ctx, version)
			if at.IsZero() {
				return "acked 0", err
			}
			return fmt.Sprintf("acked %d", at.UnixNano()), err
		case "cpu":
			return fmt.Sprintf("cpu %d", cpu.Used().Nanoseconds()), nil
		}
		return "", fmt.Errorf("unknown command")
	}
}

// live is the heap and the stacks after a collection.
func live() uint64 {
	runtime.GC()
	runtime.GC() // the first may have left what finalizers held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

func agentsChild(ctx context.Context, connect Agents) func([]string) (string, error) {
	n := 0
	// One counter a version; a benchmark pushes far fewer than this.
	var applied [4096]struct{ n, last atomic.Int64 }
	return func(c []string) (string, error) {
		switch c[0] {
		case "connect":
			if _, err := fmt.Sscan(c[2], &n); err != nil {
				return "", err
			}
			return "connected", connect(ctx, c[1], n, func(version uint64) {
				a := &applied[version%uint64(len(applied))]
				if a.n.Add(1) == int64(n) {
					a.last.Store(time.Now().UnixNano())
				}
			})
		case "wait":
			var version uint64
			if _, err := fmt.Sscan(c[1], &version); err != nil {
				return "", err
			}
			a := &applied[version%uint64(len(applied))]
			err := poll(ctx, func() bool { return a.last.Load() != 0 })
			return fmt.Sprintf("applied %d", a.last.Load()), err
		}
		return "", fmt.Errorf("unknown command")
	}
}

// poll waits for a condition, a minute at most.
func poll(ctx context.Context, done func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}
