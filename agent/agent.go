package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/allspark/allspark/agent/gearbox"
	"github.com/allspark/allspark/agent/link"
	"github.com/allspark/allspark/agent/loop"
	"github.com/allspark/allspark/agent/meter"
	"github.com/allspark/allspark/agent/quota"
	"github.com/allspark/allspark/agent/trace"
	"github.com/allspark/allspark/proto/gear"
)

// SDK names this build of the SDK to controllers.
const SDK = "go/1"

// ErrClosed says that the agent was closed and cannot be started again.
var ErrClosed = errors.New("the agent is closed")

// Agent answers an app's control points and talks to its controllers.
type Agent struct {
	cfg     Config
	opts    options
	box     *gearbox.Box
	meter   *meter.Meter
	loops   *loop.Loops
	link    *link.Link // nil without an address
	quota   *quota.Book
	traces  *trace.Book
	created time.Time

	mu       sync.Mutex
	points   map[string]*Point
	external map[string]*External
	problems gear.Problems // of declarations that contradict each other
	running  bool
	closed   bool
	cancel   context.CancelFunc
	done     sync.WaitGroup
	disk     error // why the snapshot could not be read or written
}

// New makes an agent that answers with declared defaults; Start connects it.
func New(cfg Config, opts ...Option) *Agent {
	a := &Agent{cfg: cfg, created: time.Now(), points: map[string]*Point{}, external: map[string]*External{}}
	for _, o := range opts {
		o(&a.opts)
	}
	a.cfg.complete()
	a.meter = meter.New()
	a.loops = loop.NewLoops()
	a.box = gearbox.New(gearbox.Config{App: a.cfg.App, IDC: a.cfg.IDC, Meter: a.meter, Loops: a.loops})
	a.traces = trace.NewBook(a.cfg.App, a.box.SceneName)
	a.quota = quota.New(quota.Config{Log: a.cfg.Log, Offer: func(counts []gear.QuotaCount, frame int64) {
		if a.link != nil {
			a.link.OfferQuota(counts, frame)
		}
	}})
	if addresses := a.cfg.addresses(); len(addresses) > 0 {
		a.link = link.New(link.Config{
			Addresses: addresses, Dialer: a.opts.dialer, Skew: a.opts.skew, TLS: a.cfg.TLS, EnrolToken: a.cfg.EnrolToken,
			App: a.cfg.App, IDC: a.cfg.IDC, Host: a.cfg.Host, Instance: a.cfg.Instance,
			Box: a.box, Quota: a.quota, Hello: a.hello, Log: a.cfg.Log,
		})
		a.box.UseClock(a.link.Reference)
	}
	return a
}

// Start checks the config and the declarations made so far, restores the last
// good orders from DataDir, and begins to talk to the controllers. It does not
// wait for one. The agent runs until Close, or until ctx ends. More points may be
// declared later.
func (a *Agent) Start(ctx context.Context) error {
	if err := a.Check(); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return ErrClosed
	}
	if a.running {
		return nil
	}
	if a.cfg.DataDir != "" {
		// Orders are the engine's business alone.
		err := os.MkdirAll(a.cfg.DataDir, 0o700)
		if err == nil {
			err = errors.Join(a.box.Restore(a.cfg.DataDir), a.box.RestoreStaged(a.cfg.DataDir))
		}
		if err != nil {
			a.disk = err
			a.cfg.Log.Warn("starting on defaults", "error", err)
		}
	}
	ctx, a.cancel = context.WithCancel(ctx)
	a.running = true
	save := make(chan struct{}, 1)
	if a.cfg.DataDir != "" {
		a.done.Go(func() { a.keep(save) })
	}
	linkCtx, unlink := context.WithCancel(context.WithoutCancel(ctx))
	a.done.Go(func() {
		defer unlink() // after the last report was handed over
		defer close(save)
		a.run(ctx, save)
	})
	a.done.Go(func() { a.quota.Run(ctx) })
	if a.link != nil {
		a.done.Go(func() { a.link.Run(linkCtx) })
	}
	return nil
}

// Close sends what was measured last, keeps the orders on disk and stops. Requests
// that still come are answered by the orders held at that moment; nothing counts
// their TTL any more. Close may be called more than once.
func (a *Agent) Close() error {
	a.mu.Lock()
	a.closed = true
	running := a.running
	a.running = false
	a.mu.Unlock()
	if !running {
		a.done.Wait()
		return nil
	}
	a.cancel()
	a.done.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.disk != nil {
		return fmt.Errorf("close agent: %w", a.disk)
	}
	return nil
}

// Check tells everything that is wrong with the config and the declarations; the
// error is a gear.Problems. Start runs it.
func (a *Agent) Check() error {
	out := a.cfg.check(a.opts)
	a.mu.Lock()
	out = append(out, a.problems...)
	a.mu.Unlock()
	decls := a.box.Decls()
	for i := range decls {
		out = append(out, checkPoint(&decls[i])...)
	}
	out = append(out, checkSize(decls)...)
	if len(out) == 0 {
		return nil
	}
	return fmt.Errorf("declare agent: %w", out)
}

// hello describes the app for the link.
func (a *Agent) hello() gear.Hello {
	return gear.Hello{
		App: a.cfg.App, IDC: a.cfg.IDC, Host: a.cfg.Host, Build: a.cfg.Build, SDK: SDK,
		Capabilities: capabilities(), Points: a.box.Decls(), StartedAt: a.created,
	}
}

// changed tells the controllers of a declaration made after Start.
func (a *Agent) changed() {
	a.mu.Lock()
	running := a.running
	a.mu.Unlock()
	if running && a.link != nil {
		a.link.Rehello()
	}
}
