package fanout

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// pause lets both processes come to rest between pushes, so that the CPU of one
// is not counted with the next.
const pause = 150 * time.Millisecond

// Run is the body of a benchmark: b.N pushes from one side's server to n of its
// agents.
func Run(b *testing.B, side string, n int) {
	server, agents := start(b, "server", side), start(b, "agents", side)
	var addr string
	server.ask(b, fmt.Sprintf("start %d", n), "addr %s", &addr)
	var idle, joined, heap int64
	server.ask(b, "cpu", "cpu %d", &idle)
	agents.ask(b, fmt.Sprintf("connect %s %d", addr, n), "connected")
	server.ask(b, "joined", "joined %d %d", &joined, &heap)
	time.Sleep(pause)

	var last, ack, perDelivery []float64
	version := uint64(1) // the state agents find when they join
	for b.Loop() {
		version++
		var pushed, before, applied, acked, after int64
		server.ask(b, fmt.Sprintf("push %d", version), "pushed %d %d", &pushed, &before)
		agents.ask(b, fmt.Sprintf("wait %d", version), "applied %d", &applied)
		server.ask(b, fmt.Sprintf("acked %d", version), "acked %d", &acked)
		b.StopTimer()
		time.Sleep(pause)
		server.ask(b, "cpu", "cpu %d", &after)
		b.StartTimer()
		last = append(last, float64(applied-pushed)/1e6)
		if acked != 0 {
			ack = append(ack, float64(acked-pushed)/1e6)
		}
		perDelivery = append(perDelivery, float64(after-before)/1e3/float64(n))
	}
	b.ReportMetric(median(perDelivery), "srv-us/delivery")
	b.ReportMetric(median(last), "last-ms")
	if len(ack) > 0 {
		b.ReportMetric(median(ack), "ack-ms")
	}
	b.ReportMetric(float64(heap)/1024/float64(n), "KiB/agent")
	b.ReportMetric(float64(joined-idle)/1e3/float64(n), "join-us")
}

func median(v []float64) float64 {
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// A child is a process that answers lines.
type child struct {
	name string
	in   io.WriteCloser
	out  *bufio.Scanner
}

func start(b *testing.B, role, side string) *child {
	b.Helper()
	binary, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), childEnv+"="+role+":"+side)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close() // ends it; if not, it is ended
		kill := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		defer kill.Stop()
		_ = cmd.Wait()
	})
	return &child{role, in, bufio.NewScanner(out)}
}

// ask sends a command and scans the reply.
func (c *child) ask(b *testing.B, command, format string, into ...any) {
	b.Helper()
	if _, err := fmt.Fprintln(c.in, command); err != nil {
		b.Fatalf("%s: %s: %v", c.name, command, err)
	}
	if !c.out.Scan() {
		b.Fatalf("%s ended at %q: %v", c.name, command, c.out.Err())
	}
	reply := c.out.Text()
	if len(into) == 0 {
		if !strings.HasPrefix(reply, format) {
			b.Fatalf("%s: %s: got %q", c.name, command, reply)
		}
		return
	}
	if _, err := fmt.Sscanf(reply, format, into...); err != nil {
		b.Fatalf("%s: %s: got %q: %v", c.name, command, reply, err)
	}
}
