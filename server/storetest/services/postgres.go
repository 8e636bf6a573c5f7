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

// Postgres gives the DSN of a new, empty database on the shared server; it is
// dropped when the test ends.
func Postgres(t testing.TB) string {
	t.Helper()
	shared.once.Do(func() { shared.pg, shared.err = sharedPostgres(context.Background()) })
	if shared.err != nil {
		t.Fatalf("this test needs PostgreSQL: set TEST_POSTGRES_DSN, start Docker, or install it (Debian: apt-get install postgresql): %v", shared.err)
	}
	return shared.pg.Database(t)
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
	var b [6]byte
	_, _ = rand.Read(b[:])
	name := "t_" + hex.EncodeToString(b[:])
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
		return s, s.await(ctx)
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

func (s *Server) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for {
		db, err := sql.Open("pgx", s.dsn("postgres"))
		if err != nil {
			return err
		}
		err = db.PingContext(ctx)
		_ = db.Close()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s does not answer: %w", s.how, err)
		case <-time.After(startPoll):
		}
	}
}

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
	args := []string{"-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"}
	if !durable {
		args = append(args, "--no-sync")
	}
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
		if err = spawn(cmd, as, syscall.SIGTERM); err == nil {
			err = s.await(ctx)
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
	s.restart = func() error {
		cmd = exec.Command(binary, args...)
		cmd.Dir = dir
		if err := spawn(cmd, as, syscall.SIGQUIT); err != nil {
			return err
		}
		return s.await(ctx)
	}
	s.kill = func() error {
		// The children share no group with the postmaster (it leads its own, they
		// lead theirs); they notice its death by the pipe to it within moments, and
		// a new postmaster refuses to start before the last is gone.
		return cmd.Process.Kill()
	}
	s.stop = func() {
		_ = cmd.Process.Signal(syscall.SIGQUIT)
		for range 500 { // its last children still write into dir
			if cmd.Process.Signal(syscall.Signal(0)) != nil {
				break
			}
			time.Sleep(startPoll)
		}
		_ = os.RemoveAll(dir)
	}
}
