package agenttest

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/test/bufconn"

	"github.com/allspark/allspark/agent"
	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
)

// Token is the enrolment token the controller takes.
const Token = "agenttest"

// Options are the controller's wishes and habits. Zero values are those of a
// real one, but for frames: 1 ms, so that tests are quick.
type Options struct {
	OrderTTL       time.Duration
	ReportInterval time.Duration
	FrameInterval  time.Duration
	ClockInterval  time.Duration
	CredentialLife time.Duration // an hour
	Skew           time.Duration // of reference time against this machine's clock
	TLS            *tls.Config   // plain text when nil
	Instance       string        // the id the welcome gives every agent; its own when empty
}

// Controller serves agents over memory. All methods may be called at once.
type Controller struct {
	opts     Options
	server   *grpc.Server
	listener *bufconn.Listener
	served   sync.WaitGroup

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced whenever something below changes
	down     bool
	mute     bool
	tables   map[string]*gear.LevelTable // by point
	byHash   map[string]*gear.LevelTable
	set      gear.OrderSet // App and IDC are filled in for each agent
	sessions map[*session]struct{}
	hellos   []gear.Hello
	acks     []gear.Ack
	reports  []gear.Report
	bases    map[string]gear.BaseQuota // by group
	frame    int64                     // of base quotas
	counts   []gear.QuotaCount
	enrolled int
	tokens   map[string]time.Time // credentials and their ends
}

// NewController starts a controller.
func NewController(opts Options) *Controller {
	if opts.FrameInterval == 0 {
		opts.FrameInterval = time.Millisecond
	}
	if opts.CredentialLife == 0 {
		opts.CredentialLife = time.Hour
	}
	c := &Controller{
		opts: opts, changed: make(chan struct{}), listener: bufconn.Listen(256 << 10),
		tables: map[string]*gear.LevelTable{}, byHash: map[string]*gear.LevelTable{},
		sessions: map[*session]struct{}{}, tokens: map[string]time.Time{}, bases: map[string]gear.BaseQuota{},
	}
	c.set.Epoch = 1
	serverOpts := []grpc.ServerOption{grpc.MaxRecvMsgSize(wire.MaxInbound)}
	if opts.TLS != nil {
		serverOpts = append(serverOpts, grpc.Creds(credentials.NewTLS(opts.TLS)))
	}
	c.server = grpc.NewServer(serverOpts...)
	agentv1.RegisterAgentServiceServer(c.server, service{c: c})
	c.served.Go(func() { _ = c.server.Serve(c.listener) })
	return c
}

// Close cuts all streams and stops.
func (c *Controller) Close() {
	c.Cut()
	c.server.Stop()
	c.served.Wait()
}

// NewAgent makes an agent that talks to this controller. The test declares its
// points and starts it.
func (c *Controller) NewAgent(cfg agent.Config) *agent.Agent {
	if cfg.Address == "" {
		cfg.Address = "agenttest"
	}
	if cfg.EnrolToken == "" {
		cfg.EnrolToken = Token
	}
	return agent.New(cfg, agent.WithDialer(c.Dial))
}

// Dial connects to the controller, for agent.WithDialer.
func (c *Controller) Dial(ctx context.Context, _ string) (net.Conn, error) {
	c.mu.Lock()
	down := c.down
	c.mu.Unlock()
	if down {
		return nil, &net.OpError{Op: "dial", Net: "agenttest", Err: errDown}
	}
	return c.listener.DialContext(ctx)
}

// Cut ends all streams at once, as a controller does that dies. Agents return by
// themselves.
func (c *Controller) Cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s := range c.sessions {
		s.cut()
	}
}

// Down cuts all streams and refuses new ones until Up.
func (c *Controller) Down() {
	c.mu.Lock()
	c.down = true
	c.mu.Unlock()
	c.Cut()
}

// Up takes agents again.
func (c *Controller) Up() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = false
}

// Mute makes the controller say nothing more, as behind a cable that was pulled;
// what it would have said comes after Unmute.
func (c *Controller) Mute() { c.setMute(true) }

// Unmute ends Mute.
func (c *Controller) Unmute() { c.setMute(false) }

func (c *Controller) setMute(mute bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mute = mute
	for s := range c.sessions {
		s.nudge()
	}
}

func (c *Controller) muted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mute
}

// Send gives every connected agent a message as it is.
func (c *Controller) Send(m *agentv1.ConnectResponse) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s := range c.sessions {
		s.post(m)
	}
}

// notify wakes those who wait. c.mu is held.
func (c *Controller) notify() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// wait returns when ok does, asked again after every change.
func (c *Controller) wait(ctx context.Context, ok func() bool) error {
	for {
		c.mu.Lock()
		done, changed := ok(), c.changed
		c.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
