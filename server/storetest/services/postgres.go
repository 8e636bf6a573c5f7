package services

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver that asks whether a server is up
)

const (
	startLimit = 30 * time.Second
	startPoll  = 10 * time.Millisecond
)

// Server is a running PostgreSQL.
type Server struct {
	how     string
	dsn     func(db string) string
	kill    func() error
	restart func() error
	stop    func()
}

var shared struct {
	once sync.Once
	pg   *Server
	err  error
}

const needPostgres = "this test needs PostgreSQL: set TEST_POSTGRES_DSN, start Docker, or install it (Debian: apt-get install postgresql)"

func unique() string {
	var b [6]byte
	_, _ = rand.Read(b[:])
	return "t_" + hex.EncodeToString(b[:])
}

// Postgres gives the DSN of a new, empty database on the shared server; it is
// dropped when the test ends.
func Postgres(t testing.TB) string {
	t.Helper()
	shared.once.Do(func() { shared.pg, shared.err = sharedPostgres(context.Background()) })
	if shared.err != nil {
		t.Fatalf("%s: %v", needPostgres, shared.err)
	}
	return shared.pg.Database(t)
}

// Schema gives the DSN of a new, empty schema in a database that tests of this
// process share: the same to the code under test, and ten times faster made than
// a database of its own.
func Schema(t testing.TB) string {
	t.Helper()
	shared.once.Do(func() { shared.pg, shared.err = sharedPostgres(context.Background()) })
	if shared.err != nil {
		t.Fatalf("%s: %v", needPostgres, shared.err)
	}
	name := unique()
	if err := shared.pg.admin("CREATE SCHEMA " + name); err != nil {
		t.Fatalf("create a schema on %s: %v", shared.pg.how, err)
	}
	t.Cleanup(func() { _ = shared.pg.admin("DROP SCHEMA " + name + " CASCADE") })
	return withParameter(shared.pg.dsn("postgres"), "search_path", name)
}

// Durable starts a PostgreSQL for this test alone that keeps what it has
// acknowledged: fsync and synchronous_commit are on. It is stopped when the test ends.
func Durable(t testing.TB) *Server {
	t.Helper()
	ctx := context.Background()
	s, err := localPostgres(ctx, true)
	if err != nil {
		var derr error
		if s, derr = dockerPostgres(ctx); derr != nil {
			t.Fatalf("this test kills PostgreSQL, so it needs its own: start Docker or install it (Debian: apt-get install postgresql): %v", errors.Join(err, derr))
		}
	}
	t.Cleanup(s.stop)
	return s
}

// Database makes an empty database that is dropped when the test ends.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	name := unique()
	if err := s.admin("CREATE DATABASE " + name); err != nil {
		t.Fatalf("create a database on %s: %v", s.how, err)
	}
	t.Cleanup(func() { _ = s.admin("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)") })
	return s.dsn(name)
}

func (s *Server) admin(statement string) error {
	db, err := sql.Open("pgx", s.dsn("postgres"))
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec(statement)
	return err
}

// Kill ends the server as a power cut would: SIGKILL to all of its processes.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	if err := s.kill(); err != nil {
		t.Fatalf("kill %s: %v", s.how, err)
	}
}

// Restart starts a killed server again on its data and waits until it answers.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	if err := s.restart(); err != nil {
		t.Fatalf("restart %s: %v", s.how, err)
	}
}

// Setting reads a server setting, so that a test can assert what it rests on.
func (s *Server) Setting(t testing.TB, name string) string {
	t.Helper()
	db, err := sql.Open("pgx", s.dsn("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var v string
	if err := db.QueryRow("SELECT current_setting($1)", name).Scan(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func sharedPostgres(ctx context.Context) (*Server, error) {
	if base := os.Getenv("TEST_POSTGRES_DSN"); base != "" {
		s := &Server{how: "TEST_POSTGRES_DSN", dsn: func(db string) string { return withDatabase(base, db) }}
		return s, s.await(ctx, nil)
	}
	s, derr := dockerPostgres(ctx)
	if derr == nil {
		return s, nil
	}
	s, err := localPostgres(ctx, false)
	if err != nil {
		return nil, errors.Join(derr, err)
	}
	return s, nil
}

// await waits until the server answers, its process has ended, or for startLimit.
func (s *Server) await(ctx context.Context, gone <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for {
		db, err := sql.Open("pgx", s.dsn("postgres"))
		if err != nil {
			return err
		}
		try, stop := context.WithTimeout(ctx, time.Second)
		err = db.PingContext(try)
		stop()
		_ = db.Close()
		if err == nil {
			return nil
		}
		select {
		case <-gone:
			return errEnded
		case <-ctx.Done():
			return fmt.Errorf("%s does not answer: %w", s.how, err)
		case <-time.After(startPoll):
		}
	}
}

var errEnded = errors.New("the server ended at once")

// localPostgres starts a private server. A durable one is this process's direct
// child, so that it can be killed; a shared one runs under the watching shell.
func localPostgres(ctx context.Context, durable bool) (*Server, error) {
	initdb, err := newest("initdb", "/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return nil, err
	}
	bin := filepath.Dir(initdb)
	as, err := account()
	if err != nil {
		return nil, err
	}
	dir, err := privateDir("pg-", as)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	args := []string{"-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"}
	init := exec.CommandContext(ctx, initdb, args...)
	init.Dir = dir
	init.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C.UTF-8"}
	init.SysProcAttr = &syscall.SysProcAttr{Credential: as, Pdeathsig: syscall.SIGKILL}
	if out, err := init.CombinedOutput(); err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	sync := "off"
	if durable {
		sync = "on"
	}
	run := []string{
		"-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=" + sync, "-c", "synchronous_commit=" + sync,
		"-c", "full_page_writes=" + sync, "-c", "max_connections=200", "-c", "logging_collector=off",
	}
	s := &Server{
		how: "a private server of " + bin,
		dsn: func(db string) string { return "host=" + dir + " user=postgres sslmode=disable dbname=" + db },
	}
	if durable {
		s.direct(ctx, filepath.Join(bin, "postgres"), run, dir, as)
		err = s.restart()
	} else {
		cmd := watched(dir, filepath.Join(bin, "postgres"), "QUIT", run...)
		s.stop = func() { _ = cmd.Process.Signal(syscall.SIGTERM) }
		var gone <-chan struct{}
		if gone, err = spawn(cmd, as, syscall.SIGTERM); err == nil {
			err = s.await(ctx, gone)
		}
	}
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return s, nil
}

// direct makes a server that is this process's own child.
func (s *Server) direct(ctx context.Context, binary string, args []string, dir string, as *syscall.Credential) {
	var cmd *exec.Cmd
	var gone <-chan struct{}
	s.restart = func() (err error) {
		for range 100 {
			cmd = exec.Command(binary, args...)
			cmd.Dir = dir
			if gone, err = spawn(cmd, as, syscall.SIGQUIT); err != nil {
				return err
			}
			// A server refuses to start while a process of its killed predecessor
			// still holds the shared memory: moments later it is gone.
			if err = s.await(ctx, gone); !errors.Is(err, errEnded) {
				return err
			}
			time.Sleep(startPoll)
		}
		return err
	}
	s.kill = func() error {
		backends := children(cmd.Process.Pid)
		err := cmd.Process.Kill()
		for _, pid := range backends {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		<-gone
		return err
	}
	s.stop = func() {
		_ = cmd.Process.Signal(syscall.SIGQUIT)
		<-gone
		_ = os.RemoveAll(dir)
	}
}
