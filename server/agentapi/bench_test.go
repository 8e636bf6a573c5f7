package agentapi_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The fan-out benchmark pushes one state of about 1 KiB to N agents, a TCP
// connection each. Server and agents run in processes of their own, so that the
// server's CPU time is measured alone. The systems run interleaved:
//
//	base        plain gRPC streaming, tuned, of the same bytes to the same agents: push
//	base-ack    the same, and each client answers with one frame within 100 ms
//	ours        the service, hub, ledger and registry; acks on the next 100 ms frame
//	ours-push   the same without acks, as when they ride on a frame that is sent anyhow
//
// Compare ours with base-ack (one frame each way) and ours-push with base.
var benchSystems = []string{"base", "base-ack", "ours", "ours-push"}

const (
	benchRole = "ALLSPARK_FANOUT_ROLE"
	benchGap  = 150 * time.Millisecond
)

// BenchmarkFanout measures every system in interleaved repetitions (one with
// -short) and reports medians.
func BenchmarkFanout(b *testing.B) {
	for _, n := range []int{1000, 5000} {
		var measured map[string]fanout
		for _, sys := range benchSystems {
			b.Run(fmt.Sprintf("%s/%d", sys, n), func(b *testing.B) {
				for b.Loop() {
					if measured == nil {
						measured = measureFanout(b, n)
					}
				}
				m := measured[sys]
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(m.CPU, "server-cpu-us/delivery")
				b.ReportMetric(m.Applied, "last-applied-ms")
				b.ReportMetric(m.Memory, "server-KiB/agent")
				b.ReportMetric(m.Join, "server-join-us/agent")
				if m.Acked > 0 {
					b.ReportMetric(m.Acked, "last-ack-ms")
				}
			})
		}
	}
}

// fanout is what one system showed.
type fanout struct{ CPU, Applied, Acked, Memory, Join float64 }

func measureFanout(b *testing.B, n int) map[string]fanout {
	reps, rounds := 3, 20
	if n > 1000 {
		reps, rounds = 2, 10
	}
	if testing.Short() {
		reps = 1
	}
	all := map[string][]fanout{}
	for range reps {
		for _, sys := range benchSystems {
			all[sys] = append(all[sys], fanoutOnce(b, sys, n, rounds))
		}
	}
	out := map[string]fanout{}
	for sys, runs := range all {
		of := func(f func(fanout) float64) float64 {
			v := make([]float64, len(runs))
			for i := range runs {
				v[i] = f(runs[i])
			}
			return median(v)
		}
		out[sys] = fanout{
			CPU: of(func(f fanout) float64 { return f.CPU }), Applied: of(func(f fanout) float64 { return f.Applied }),
			Acked: of(func(f fanout) float64 { return f.Acked }), Memory: of(func(f fanout) float64 { return f.Memory }),
			Join: of(func(f fanout) float64 { return f.Join }),
		}
	}
	return out
}

func median(v []float64) float64 {
	slices.Sort(v)
	if len(v)%2 == 1 {
		return v[len(v)/2]
	}
	return (v[len(v)/2-1] + v[len(v)/2]) / 2
}

func fanoutOnce(b *testing.B, sys string, n, rounds int) fanout {
	server := spawn(b, "server", sys, strconv.Itoa(n))
	defer server.quit()
	address := server.line()
	before := server.usage("gc")
	agents := spawn(b, "agents", sys, strconv.Itoa(n), address)
	defer agents.quit()
	require.Equal(b, "ready", agents.line())
	joined := server.usage("no")
	time.Sleep(time.Second)
	idle := server.usage("gc")
	time.Sleep(benchGap)

	var applied, acked []float64
	start := server.usage("no")
	for v := 1; v <= rounds; v++ {
		server.ask("set " + strconv.Itoa(v))
		applied = append(applied, number64(b, agents.ask("wait "+strconv.Itoa(v)))/1e6)
		if ms := number64(b, server.ask("acked "+strconv.Itoa(v))) / 1e6; ms > 0 {
			acked = append(acked, ms)
		}
		time.Sleep(benchGap)
	}
	end := server.usage("no")
	f := fanout{
		CPU: (end.CPU - start.CPU) / float64(n*rounds), Applied: median(applied),
		Memory: (idle.Live - before.Live) / float64(n) / 1024, Join: (joined.CPU - before.CPU) / float64(n),
	}
	if len(acked) > 0 {
		f.Acked = median(acked)
	}
	return f
}

func number64(b *testing.B, s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	require.NoError(b, err)
	return f
}

// usage of a process: CPU in microseconds, live heap and stacks in bytes.
type usage struct{ CPU, Live float64 }

func usageNow(collect bool) usage {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	u := usage{CPU: float64(r.Utime.Nano()+r.Stime.Nano()) / 1e3}
	if collect {
		runtime.GC()
		debug.FreeOSMemory()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		u.Live = float64(m.HeapAlloc + m.StackInuse)
	}
	return u
}

// child is a process that plays a role, spoken to by lines.
type child struct {
	b   *testing.B
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func spawn(b *testing.B, role string, args ...string) *child {
	exe, err := os.Executable()
	require.NoError(b, err)
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), benchRole+"="+role)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(b, err)
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	return &child{b, cmd, in, bufio.NewScanner(out)}
}

func (c *child) line() string {
	require.True(c.b, c.out.Scan(), "the other process ended")
	return c.out.Text()
}

func (c *child) ask(q string) string {
	_, err := fmt.Fprintln(c.in, q)
	require.NoError(c.b, err)
	return c.line()
}

func (c *child) usage(collect string) (u usage) {
	require.NoError(c.b, json.Unmarshal([]byte(c.ask("usage "+collect)), &u))
	return u
}

func (c *child) quit() {
	_ = c.in.Close() // ends the role's loop
	t := time.AfterFunc(10*time.Second, func() { _ = c.cmd.Process.Kill() })
	defer t.Stop()
	_ = c.cmd.Wait()
}

// benchChild plays a role when this process was spawned for one.
func benchChild() bool {
	role := os.Getenv(benchRole)
	if role == "" {
		return false
	}
	n, err := strconv.Atoi(os.Args[2])
	if err == nil {
		switch role {
		case "server":
			err = serveRole(os.Args[1], n)
		case "agents":
			err = agentsRole(os.Args[1], n, os.Args[3])
		default:
			err = errors.New("no such role")
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, role, err)
		os.Exit(1)
	}
	return true
}

// serveRole answers the orchestrator's lines.
func serveRole(sys string, n int) error {
	s, err := startFanout(sys, n)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.set(0); err != nil {
		return err
	}
	fmt.Println(s.address)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var verb, arg string
		_, _ = fmt.Sscan(in.Text(), &verb, &arg)
		switch verb {
		case "set":
			v, _ := strconv.Atoi(arg)
			if err := s.set(v); err != nil {
				return err
			}
			fmt.Println("ok")
		case "acked":
			fmt.Println(int64(s.acked()))
		case "usage":
			j, _ := json.Marshal(usageNow(arg == "gc"))
			fmt.Println(string(j))
		}
	}
	return in.Err()
}
