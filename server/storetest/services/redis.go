package services

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/testcontainers/testcontainers-go"
	tcredis "github.com/testcontainers/testcontainers-go/modules/redis"
)

const (
	redisImage = "redis:7-alpine"
	needRedis  = "this test needs Redis: set TEST_REDIS_URL, start Docker, or install it (Debian: apt-get install redis-server)"
)

var sharedRedis struct {
	once sync.Once
	url  string
	err  error
}

// Redis gives the URL of the shared Redis. Tests use key prefixes of their own.
func Redis(t testing.TB) string {
	t.Helper()
	sharedRedis.once.Do(func() { sharedRedis.url, sharedRedis.err = findRedis(context.Background()) })
	if sharedRedis.err != nil {
		t.Fatalf("%s: %v", needRedis, sharedRedis.err)
	}
	return sharedRedis.url
}

func findRedis(ctx context.Context) (string, error) {
	if url := os.Getenv("TEST_REDIS_URL"); url != "" {
		return url, nil
	}
	derr := dockerAnswers()
	if derr == nil {
		c, err := tcredis.Run(ctx, redisImage)
		if err == nil {
			return c.ConnectionString(ctx)
		}
		derr = err
		if c != nil {
			_ = testcontainers.TerminateContainer(c)
		}
	}
	dir, binary, as, err := redisHome()
	if err != nil {
		return "", errors.Join(derr, err)
	}
	socket := filepath.Join(dir, "s")
	gone, err := spawn(watched(dir, binary, "KILL", redisArgs(dir, socket)...), as, syscall.SIGTERM)
	if err == nil {
		err = awaitRedis(socket, gone)
	}
	return "unix://" + socket, err
}

func redisHome() (dir, binary string, as *syscall.Credential, err error) {
	if binary, err = exec.LookPath("redis-server"); err != nil {
		return "", "", nil, fmt.Errorf("redis-server is not installed")
	}
	if as, err = account(); err != nil {
		return "", "", nil, err
	}
	dir, err = privateDir("redis-", as)
	return dir, binary, as, err
}

func redisArgs(dir, socket string) []string {
	return []string{"--port", "0", "--unixsocket", socket, "--unixsocketperm", "777", "--save", "", "--appendonly", "no", "--dir", dir, "--logfile", ""}
}

// awaitRedis waits until the server answers PING.
func awaitRedis(socket string, gone <-chan struct{}) error {
	for end := time.Now().Add(startLimit); time.Now().Before(end); {
		if pingRedis(socket) {
			return nil
		}
		select {
		case <-gone:
			return errEnded
		case <-time.After(startPoll):
		}
	}
	return fmt.Errorf("redis-server does not answer on %s", socket)
}

func pingRedis(socket string) bool {
	c, err := net.DialTimeout("unix", socket, time.Second)
	if err != nil {
		return false
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	if _, err := io.WriteString(c, "PING\r\n"); err != nil {
		return false
	}
	b := make([]byte, 5)
	_, err = io.ReadFull(c, b)
	return err == nil && strings.HasPrefix(string(b), "+PONG")
}

// RedisServer is a Redis of one test, to be killed and stopped.
type RedisServer struct {
	URL    string
	dir    string
	socket string
	binary string
	as     *syscall.Credential
	cmd    *exec.Cmd
	gone   <-chan struct{}
}

// OwnRedis starts a Redis for this test alone.
func OwnRedis(t testing.TB) *RedisServer {
	t.Helper()
	dir, binary, as, err := redisHome()
	if err != nil {
		t.Fatalf("this test kills Redis, so it needs its own: install it (Debian: apt-get install redis-server): %v", err)
	}
	s := &RedisServer{dir: dir, binary: binary, as: as, socket: filepath.Join(dir, "s")}
	s.URL = "unix://" + s.socket
	s.Start(t)
	t.Cleanup(func() {
		s.Resume(t)
		s.Kill(t)
		_ = os.RemoveAll(dir)
	})
	return s
}

// Start starts the server, empty.
func (s *RedisServer) Start(t testing.TB) {
	t.Helper()
	_ = os.Remove(s.socket)
	s.cmd = exec.Command(s.binary, redisArgs(s.dir, s.socket)...)
	s.cmd.Dir = s.dir
	var err error
	if s.gone, err = spawn(s.cmd, s.as, syscall.SIGKILL); err == nil {
		err = awaitRedis(s.socket, s.gone)
	}
	if err != nil {
		t.Fatalf("start redis-server: %v", err)
	}
}

// Kill ends the server at once.
func (s *RedisServer) Kill(testing.TB) {
	_ = s.cmd.Process.Kill()
	<-s.gone
}

// Stop makes the server a black hole: it takes connections and answers nothing.
func (s *RedisServer) Stop(testing.TB) { _ = s.cmd.Process.Signal(syscall.SIGSTOP) }

// Resume ends Stop.
func (s *RedisServer) Resume(testing.TB) { _ = s.cmd.Process.Signal(syscall.SIGCONT) }

// RedisCluster starts a Redis Cluster of one node for this test alone: it holds
// every slot, and refuses commands with keys of several as a larger one does.
func RedisCluster(t testing.TB) (url string) {
	t.Helper()
	dir, binary, as, err := redisHome()
	if err != nil {
		t.Fatalf("this test needs a Redis Cluster of its own: install redis-server (Debian: apt-get install redis-server): %v", err)
	}
	port, bus := freePort(t), freePort(t)
	socket := filepath.Join(dir, "s")
	args := append(redisArgs(dir, socket), "--port", port, "--bind", "127.0.0.1", "--cluster-enabled", "yes", "--cluster-port", bus, "--cluster-node-timeout", "2000")
	cmd := exec.Command(binary, args...)
	cmd.Dir = dir
	gone, err := spawn(cmd, as, syscall.SIGKILL)
	if err == nil {
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			<-gone
			_ = os.RemoveAll(dir)
		})
		err = awaitRedis(socket, gone)
	}
	if err == nil {
		err = takeSlots(socket)
	}
	if err != nil {
		t.Fatalf("start a Redis Cluster: %v", err)
	}
	return "redis://127.0.0.1:" + port
}

func freePort(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// takeSlots gives the node all slots and waits until it calls the cluster whole.
func takeSlots(socket string) error {
	ask := func(command string) (string, error) {
		c, err := net.DialTimeout("unix", socket, time.Second)
		if err != nil {
			return "", err
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(startLimit))
		if _, err := io.WriteString(c, command+"\r\n"); err != nil {
			return "", err
		}
		b := make([]byte, 4096)
		n, err := c.Read(b)
		return string(b[:n]), err
	}
	if answer, err := ask("CLUSTER ADDSLOTSRANGE 0 16383"); err != nil || !strings.HasPrefix(answer, "+OK") {
		return fmt.Errorf("it did not take its slots: %s %w", answer, err)
	}
	for end := time.Now().Add(startLimit); time.Now().Before(end); time.Sleep(startPoll) {
		if answer, err := ask("CLUSTER INFO"); err == nil && strings.Contains(answer, "cluster_state:ok") {
			return nil
		}
	}
	return fmt.Errorf("the cluster is not whole after %s", startLimit)
}
