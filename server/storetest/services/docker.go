package services

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	tcpostgres "github.com/testcontainers/testcontainers-go/modules/postgres"
)

const postgresImage = "postgres:16-alpine"

// dockerAnswers asks once a process: without an engine it costs milliseconds.
var dockerAnswers = sync.OnceValue(func() (err error) {
	defer func() {
		if r := recover(); r != nil { // the library panics when it finds no engine
			err = fmt.Errorf("docker: %v", r)
		}
	}()
	p, err := testcontainers.ProviderDocker.GetProvider()
	if err != nil {
		return fmt.Errorf("docker: %w", err)
	}
	defer p.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	return p.Health(ctx)
})

// dockerPostgres keeps PostgreSQL's defaults: fsync and synchronous_commit on.
func dockerPostgres(ctx context.Context) (*Server, error) {
	if err := dockerAnswers(); err != nil {
		return nil, err
	}
	c, err := tcpostgres.Run(ctx, postgresImage, tcpostgres.WithUsername("postgres"),
		tcpostgres.WithPassword("postgres"), tcpostgres.BasicWaitStrategies())
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var host, port string
	locate := func() error { // a restarted container may get another port
		h, err := c.Host(ctx)
		if err != nil {
			return err
		}
		p, err := c.MappedPort(ctx, "5432/tcp")
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		host, port = h, p.Port()
		return nil
	}
	s := &Server{
		how: "a container",
		dsn: func(db string) string {
			mu.Lock()
			defer mu.Unlock()
			return fmt.Sprintf("host=%s port=%s user=postgres password=postgres sslmode=disable dbname=%s", host, port, db)
		},
		kill: func() error {
			docker, err := testcontainers.NewDockerClientWithOpts(ctx)
			if err != nil {
				return err
			}
			defer docker.Close()
			_, err = docker.ContainerKill(ctx, c.GetContainerID(), client.ContainerKillOptions{Signal: "KILL"})
			return err
		},
		stop: func() { _ = testcontainers.TerminateContainer(c) },
	}
	s.restart = func() error {
		if err := c.Start(ctx); err != nil {
			return err
		}
		if err := locate(); err != nil {
			return err
		}
		return s.await(ctx, nil)
	}
	if err := locate(); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}
