package app

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/agentapi"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/config"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/experiment"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/push"
	"github.com/allspark/allspark/server/restapi"
	"github.com/allspark/allspark/server/settings"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/telemetry"
	"github.com/allspark/allspark/server/template"
	"github.com/allspark/allspark/web"
)

// raiseBudget bounds the rare raising of the epoch, which no stream waits for.
const raiseBudget = 10 * time.Second

// App is one controller.
type App struct {
	cfg     config.Config
	log     *slog.Logger
	version string

	db        *store.DB
	clock     *refClock
	auth      *auth.Service
	fleet     *fleet.Registry
	hub       *push.Hub
	windows   *telemetry.Windows
	history   telemetry.History
	retention retention
	publisher *publisher
	templates *template.Service
	claims    *control.Service
	plans     plans
	alerts    alerts
	trials    *experiment.Service
	loop      *control.Loop
	agents    *agentapi.Service
	quota     quotas
	scene     sceneRooms
	rest      *restapi.Server

	ops      *ops
	http     *http.Server
	grpc     *grpc.Server
	httpLn   net.Listener
	grpcLn   net.Listener
	password string
	local    Local

	run      context.Context // of the loops, ends first in Close
	stop     context.CancelFunc
	loops    sync.WaitGroup
	cleanups []cleanup
	closing  sync.Once
}

type cleanup struct {
	name string
	do   func() error
}

// New opens and wires everything and begins to listen; nothing is served before
// Run. On an error what was opened is closed again.
func New(ctx context.Context, cfg config.Config, version string, log *slog.Logger) (_ *App, err error) {
	a := &App{cfg: cfg, log: log, version: version}
	a.run, a.stop = context.WithCancel(context.WithoutCancel(ctx))
	defer func() {
		if err != nil {
			a.Close()
		}
	}()
	if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("make data directory: %w", err)
	}
	if err := a.openStore(ctx); err != nil {
		return nil, err
	}
	if err := a.openAuth(ctx); err != nil {
		return nil, err
	}
	if err := a.listen(); err != nil {
		return nil, err
	}
	if err := a.wireControl(ctx); err != nil {
		return nil, err
	}
	if err := a.serveAgents(); err != nil {
		return nil, err
	}
	if err := a.openOps(version); err != nil {
		return nil, err
	}
	if err := a.serveREST(ctx, version); err != nil {
		return nil, err
	}
	return a, a.writeLocal(ctx)
}

func (a *App) openStore(ctx context.Context) (err error) {
	if a.db, err = store.Open(ctx, a.cfg.DSN()); err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	a.onClose("database", a.db.Close)
	if err := a.db.Migrate(ctx); err != nil {
		return fmt.Errorf("migrate database: %w", err)
	}
	a.clock = &refClock{now: a.db.Now, wall: a.wall, log: a.log}
	if err := a.clock.measure(ctx); err != nil {
		return fmt.Errorf("read the database's clock: %w", err)
	}
	a.loops.Go(func() { a.clock.run(a.run) })
	return nil
}

func (a *App) openAuth(ctx context.Context) error {
	a.auth = auth.New(a.db, a.log)
	if err := a.auth.Start(ctx); err != nil {
		return fmt.Errorf("start sign-in: %w", err)
	}
	a.onClose("sign-in", func() error { a.auth.Stop(); return nil })
	_, password, err := a.auth.Bootstrap(ctx)
	if err != nil {
		return fmt.Errorf("make the first administrator: %w", err)
	}
	a.password = password
	return nil
}

// wireControl makes the rooms between the database and the streams.
func (a *App) wireControl(ctx context.Context) error {
	a.fleet = fleet.NewRegistry(a.db, fleet.Options{
		Replica: a.cfg.Replica, StaleAfter: a.cfg.Agents.StaleAfter, AgeOut: a.cfg.Agents.ForgetAfter, Now: a.clock.Now, Log: a.log,
		Leading: a.leading, Codec: a.codec(), End: a.endSession, Elsewhere: a.elsewhere,
	})
	if err := a.fleet.Load(ctx); err != nil {
		return fmt.Errorf("load agents: %w", err)
	}

	a.hub = push.NewHub(push.Options{})
	a.loops.Go(func() { a.hub.Run(a.run) })
	a.publisher = newPublisher(a.hub)
	a.openTelemetry()
	holder := a.cfg.Replica + "/" + rand.Text()[:6] // a restart is another holder
	a.loop = control.NewLoop(control.Config{
		Holder: holder,
		Store:  a.db, Templates: a.db, Lease: a.db, Places: a.fleet,
		Publisher: a.publisher, LeaseTTL: a.cfg.Lease.TTL, Wall: a.wall, Log: a.log,
	})
	a.templates = template.NewService(a.db, a.fleet, a.loop.Nudge)
	a.claims = control.NewService(a.db, a.db, a.loop.Nudge)
	a.openPlanner()
	a.loops.Go(func() { a.loop.Run(a.run) })
	a.loops.Go(func() { a.fleet.Run(a.run) })
	a.runExchange()
	a.loops.Go(func() { a.pruner().run(a.run) })
	a.runFeedback(holder)
	a.runScenes(holder)
	a.runExperiments(holder)
	if err := a.openQuota(); err != nil {
		return err
	}
	return a.openAlerts(holder)
}

func (a *App) listen() (err error) {
	if a.httpLn, err = net.Listen("tcp", a.cfg.HTTP.Addr); err != nil {
		return fmt.Errorf("listen for the console (http.addr): %w", err)
	}
	a.onClose("console listener", closeListener(a.httpLn))
	if a.grpcLn, err = net.Listen("tcp", a.cfg.GRPC.Addr); err != nil {
		return fmt.Errorf("listen for agents (grpc.addr): %w", err)
	}
	a.onClose("agents' listener", closeListener(a.grpcLn))
	for key, l := range map[string]struct{ addr, cert string }{
		"http": {a.httpLn.Addr().String(), a.cfg.HTTP.TLSCert}, "grpc": {a.grpcLn.Addr().String(), a.cfg.GRPC.TLSCert},
	} {
		if l.cert == "" && !config.Loopback(l.addr) {
			a.log.Warn("listening beyond this machine without TLS", "listener", key, "addr", l.addr)
		}
	}
	return nil
}

func closeListener(l net.Listener) func() error {
	return func() error {
		if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	}
}

func (a *App) serveAgents() error {
	var creds credentials.TransportCredentials
	if a.cfg.GRPC.TLSCert != "" {
		var err error
		if creds, err = credentials.NewServerTLSFromFile(a.cfg.GRPC.TLSCert, a.cfg.GRPC.TLSKey); err != nil {
			return fmt.Errorf("load the agents' certificate: %w", err)
		}
	}
	var raising sync.Mutex
	a.agents = agentapi.New(agentapi.Options{
		Auth: a.auth, Hub: a.hub, Fleet: a.fleet, Reports: a.heard(), Staging: staging{a.plans.stager}, Quotas: a.quota.meter, Clock: a.clock, Log: a.log,
		Joined: func(string, string) { a.loop.Nudge() },
		Ahead: func(app, idc string, v gear.Version) {
			if !raising.TryLock() {
				return // thousands of agents may come back with the same version
			}
			a.loops.Go(func() {
				defer raising.Unlock()
				ctx, cancel := context.WithTimeout(a.run, raiseBudget)
				defer cancel()
				if err := a.loop.RaiseAbove(ctx, app, idc, v); err != nil {
					a.log.Error("epoch not raised", "error", err)
				}
			})
		},
		Epoch:          func() int64 { return a.loop.Status().Newest.Epoch },
		ReportInterval: a.cfg.Agents.ReportInterval, FrameInterval: a.cfg.Agents.FrameInterval,
		OrderTTL: a.cfg.Agents.OrderTTL, ClockInterval: a.cfg.Agents.ClockInterval,
	})
	a.grpc = grpc.NewServer(agentapi.ServerOptions(creds)...)
	a.agents.Register(a.grpc)
	return nil
}

func (a *App) serveREST(ctx context.Context, version string) error {
	defaults := settings.Settings{
		RetentionMinutes: a.cfg.Retention.Minutes, RetentionHours: a.cfg.Retention.Hours,
		StaleAfter: a.cfg.Agents.StaleAfter, ForgetAfter: a.cfg.Agents.ForgetAfter,
	}
	stored, err := a.db.GetSettings(ctx)
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	if stored != nil {
		a.apply(*stored)
	}
	var console fs.FS
	if files, ok := web.Dist(); ok {
		console = files
	}
	a.rest = restapi.New(restapi.Deps{
		Version: version, Replica: a.cfg.Replica, Log: a.log, Console: console, TrustedProxies: a.cfg.HTTP.TrustedProxies,
		Observe: a.observe(),
		Auth:    a.auth, Templates: a.templates, Store: a.db, Claims: a.claims, Control: a.db, Audit: a.db,
		Fleet: a.fleet, Push: a.hub, Windows: a.windows, History: a.history,
		Settings: a.db, DefaultSettings: defaults, Apply: a.apply,
		Scenes: a.scene.scenes, Profiles: a.scene.profiles, Tables: a.db, Builder: a.scene.builder, SceneLoop: a.scene.loop, Sightings: a.scene.seen,
		Plans: a.plans.service, Alerts: a.alerts.service, Experiments: a.trials,
		Loop:  a.loop.Status,
		Quota: a.quota.service, QuotaStore: a.db, QuotaLoop: a.quota.loop,
		Database: a.db,
	})
	a.http = a.rest.HTTPServer(a.cfg.HTTP.Addr)
	if a.cfg.HTTP.TLSCert != "" {
		cert, err := tls.LoadX509KeyPair(a.cfg.HTTP.TLSCert, a.cfg.HTTP.TLSKey)
		if err != nil {
			return fmt.Errorf("load the console's certificate: %w", err)
		}
		a.http.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
	}
	return nil
}

// apply puts settings that an administrator changed in force on this replica.
func (a *App) apply(s settings.Settings) {
	a.fleet.SetRules(s.StaleAfter, s.ForgetAfter)
	a.retention.Store(&telemetry.Retention{Minutes: s.RetentionMinutes, Hours: s.RetentionHours})
}

// Templates gives the door through which the sample engine seeds its templates.
func (a *App) Templates() (*template.Service, template.Store) { return a.templates, a.db }

// HTTPAddr is where the console listens.
func (a *App) HTTPAddr() string { return a.httpLn.Addr().String() }

// GRPCAddr is where agents connect.
func (a *App) GRPCAddr() string { return a.grpcLn.Addr().String() }

// Password is the first administrator's, generated by this start; "" when there
// already was one. It is never written anywhere.
func (a *App) Password() string { return a.password }

// Local is what was written to local.json.
func (a *App) Local() Local { return a.local }
