package agentapi_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/test/bufconn"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
	"github.com/allspark/allspark/server/agentapi"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/push"
	"github.com/allspark/allspark/server/telemetry"
)

// door is an Authenticator that remembers what it gave out.
type door struct {
	mu     sync.Mutex
	tokens map[string]auth.AgentIdentity
	out    map[string]auth.AgentIdentity
}

func (d *door) Enroll(_ context.Context, token, app, idc, _, instance string) (string, time.Time, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, ok := d.tokens[token]
	if !ok {
		return "", time.Time{}, fault.New(fault.Unauthorized, "the enrolment token is unknown")
	}
	if t.App != gear.Any && t.App != app || t.IDC != gear.Any && t.IDC != idc {
		return "", time.Time{}, fault.New(fault.Forbidden, "this enrolment token is for app %s", t.App)
	}
	return d.give(auth.AgentIdentity{App: app, IDC: idc, Instance: instance}), time.Now().Add(time.Hour), nil
}

func (d *door) give(id auth.AgentIdentity) string {
	c := uuid.NewString()
	d.out[c] = id
	return c
}

func (d *door) Renew(_ context.Context, credential string) (string, time.Time, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.give(d.out[credential]), time.Now().Add(time.Hour), nil
}

func (d *door) Verify(_ context.Context, credential string) (auth.AgentIdentity, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id, ok := d.out[credential]
	if !ok {
		return id, fault.New(fault.Unauthorized, "the credential is not valid")
	}
	return id, nil
}

// shelf is a fleet.Store in memory.
type shelf struct {
	mu     sync.Mutex
	agents map[string]fleet.Agent
}

func (s *shelf) SaveAgents(_ context.Context, agents []fleet.Agent) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range agents {
		s.agents[a.Instance] = a
	}
	return nil
}

func (s *shelf) LoadAgents(context.Context) ([]fleet.Agent, error) { return nil, nil }

func (s *shelf) DeleteAgents(context.Context, []string, time.Time) error { return nil }

func (s *shelf) BannedAgents(context.Context) (map[string]string, error) { return nil, nil }

func (s *shelf) BanAgent(context.Context, string, string, audit.Change) error { return nil }

func (s *shelf) UnbanAgent(context.Context, string, audit.Change) error { return nil }

// inbox keeps what was ingested.
type inbox struct {
	gone []string // instances whose quota counts ended
	mu   sync.Mutex
	from map[string][]gear.Report
}

func (r *inbox) Count(_, _, _ string, _ []gear.QuotaCount, _ time.Time) {}

func (r *inbox) Gone(_, _, instance string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone = append(r.gone, instance)
}

func (r *inbox) Ingest(src telemetry.Source, rep *gear.Report, _ time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.from[src.Instance] = append(r.from[src.Instance], *rep)
}

func (r *inbox) of(instance string) []gear.Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.from[instance]
}

type wall struct{}

func (wall) Now() time.Time { return time.Now() }

type journal struct {
	mu    sync.Mutex
	ahead []gear.Version
}

func (j *journal) note(_, _ string, v gear.Version) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ahead = append(j.ahead, v)
}

type quietLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (q *quietLog) Write(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.b.Write(p)
}

func (q *quietLog) String() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.b.String()
}

// world is a controller's edge with all its real parts.
type world struct {
	t       testing.TB
	door    *door
	hub     *push.Hub
	fleet   *fleet.Registry
	reports *inbox
	journal *journal
	log     *quietLog
	service *agentapi.Service
	server  *grpc.Server
	dial    func(context.Context) (net.Conn, error)
	target  string
	conns   []*grpc.ClientConn
}

const enrolToken = "enrol-everything"

// listen starts a world on bufconn ("") or on a real loopback address.
func listen(t testing.TB, network string, tune ...func(*agentapi.Options, *push.Options)) *world {
	w := &world{
		t: t, reports: &inbox{from: map[string][]gear.Report{}}, journal: &journal{}, log: &quietLog{},
		door: &door{tokens: map[string]auth.AgentIdentity{enrolToken: {App: gear.Any, IDC: gear.Any}}, out: map[string]auth.AgentIdentity{}},
	}
	logger := slog.New(slog.NewTextHandler(w.log, nil))
	opt := agentapi.Options{Auth: w.door, Reports: w.reports, Quotas: w.reports, Clock: wall{}, Ahead: w.journal.note, Log: logger}
	var hubOpt push.Options
	for _, f := range tune {
		f(&opt, &hubOpt)
	}
	w.hub = push.NewHub(hubOpt)
	w.fleet = fleet.NewRegistry(&shelf{agents: map[string]fleet.Agent{}}, fleet.Options{Replica: "test", Log: logger})
	opt.Hub, opt.Fleet = w.hub, w.fleet
	w.service = agentapi.New(opt)
	w.server = grpc.NewServer(agentapi.ServerOptions(nil)...)
	w.service.Register(w.server)
	var l net.Listener
	if network == "" {
		b := bufconn.Listen(1 << 20)
		l, w.target, w.dial = b, "passthrough:///bufconn", b.DialContext
	} else {
		var err error
		l, err = net.Listen(network, "127.0.0.1:0")
		require.NoError(t, err)
		w.target = "passthrough:///" + l.Addr().String()
		w.dial = func(ctx context.Context) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, l.Addr().String())
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var loops sync.WaitGroup
	loops.Go(func() { _ = w.server.Serve(l) })
	loops.Go(func() { w.hub.Run(ctx) })
	loops.Go(func() { w.fleet.Run(ctx) })
	t.Cleanup(func() {
		for _, c := range w.conns {
			_ = c.Close()
		}
		w.service.Stop()
		w.server.Stop()
		cancel()
		loops.Wait()
	})
	return w
}

func (w *world) conn() *grpc.ClientConn {
	c, err := grpc.NewClient(w.target, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDisableServiceConfig(), grpc.WithNoProxy(),
		grpc.WithInitialWindowSize(64<<10), grpc.WithInitialConnWindowSize(64<<10),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return w.dial(ctx) }))
	require.NoError(w.t, err)
	w.conns = append(w.conns, c)
	return c
}

// rawAgent is the least that can be called an agent.
type rawAgent struct {
	t       testing.TB
	conn    *grpc.ClientConn
	stream  grpc.BidiStreamingClient[agentv1.ConnectRequest, agentv1.ConnectResponse]
	cancel  context.CancelFunc
	hello   gear.Hello
	welcome *agentv1.Welcome
}

func helloOf(app, instance string) gear.Hello {
	return gear.Hello{
		App: app, IDC: "na61", Instance: instance, Host: "host-1", Build: "1.2", SDK: "raw", StartedAt: time.Unix(1_700_000_000, 0).UTC(),
		Points: []gear.PointDecl{{Name: "recall", Params: []gear.Param{{Name: "tag_count", Kind: gear.KindInt, Default: gear.Int(100)}}}},
	}
}

func (w *world) enrol(conn *grpc.ClientConn, h gear.Hello) string {
	r, err := agentv1.NewAgentServiceClient(conn).Enroll(context.Background(),
		&agentv1.EnrollRequest{Token: enrolToken, App: h.App, Idc: h.IDC, Host: h.Host, Instance: h.Instance})
	require.NoError(w.t, err)
	return r.GetCredential()
}

// open enrols and opens a stream, and says hello.
func (w *world) open(h gear.Hello) *rawAgent {
	conn := w.conn()
	return w.openWith(conn, h, w.enrol(conn, h))
}

func (w *world) openWith(conn *grpc.ClientConn, h gear.Hello, credential string) *rawAgent {
	ctx, cancel := context.WithCancel(metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+credential))
	stream, err := agentv1.NewAgentServiceClient(conn).Connect(ctx)
	require.NoError(w.t, err)
	a := &rawAgent{t: w.t, conn: conn, stream: stream, cancel: cancel, hello: h}
	if err := stream.Send(&agentv1.ConnectRequest{Hello: wire.FromHello(&h)}); err != io.EOF { // EOF: Recv tells why
		require.NoError(w.t, err)
	}
	return a
}

// join is open, and expects a welcome.
func (w *world) join(h gear.Hello) *rawAgent {
	a := w.open(h)
	a.welcome = a.next().GetWelcome()
	require.NotNil(w.t, a.welcome)
	return a
}

func (a *rawAgent) next() *agentv1.ConnectResponse {
	r, err := a.stream.Recv()
	require.NoError(a.t, err)
	return r
}

// orders expects level tables and then a set, and gives both.
func (a *rawAgent) orders() (tables []string, set gear.OrderSet) {
	for {
		r := a.next()
		if o := r.GetOrders(); o != nil {
			set, ps := wire.ToOrderSet(o)
			require.NoError(a.t, ps.Err())
			return tables, set
		}
		require.NotNil(a.t, r.GetTables(), "%v", r)
		for _, x := range r.GetTables().GetTables() {
			tables = append(tables, x.GetHash())
		}
	}
}

func (a *rawAgent) ack(v gear.Version, problems ...gear.Problem) {
	require.NoError(a.t, a.stream.Send(&agentv1.ConnectRequest{Ack: wire.FromAck(&gear.Ack{Version: v, Refused: len(problems) > 0, Problems: problems})}))
}

func (a *rawAgent) report(sequence int64, at time.Time) {
	require.NoError(a.t, a.stream.Send(&agentv1.ConnectRequest{Report: wire.FromReport(&gear.Report{
		Sequence: sequence, At: at, Window: time.Second, Points: []gear.PointReport{{Scene: "k2", Point: "recall", Count: 10, OK: 10}},
	})}))
}

// publish makes revision r the state of app in na61.
func (w *world) publish(app string, revision int64, tables ...string) gear.Version {
	set := gear.OrderSet{App: app, IDC: "na61", Epoch: 1, Revision: revision, Hash: uuid.NewString()}
	var ts []gear.LevelTable
	for _, hash := range tables {
		set.Orders = append(set.Orders, gear.Order{Scene: gear.Any, Point: "recall", Bucket: gear.Any, Table: hash, Strategy: gear.StrategyFixed, Level: int(revision)})
		ts = append(ts, gear.LevelTable{Hash: hash, Params: []gear.TableParam{{Name: "tag_count", Kind: gear.KindInt}}, Rows: [][]gear.Value{{gear.Int(revision)}}, Work: []float64{1}})
	}
	s, err := agentapi.Encode(&set, ts)
	require.NoError(w.t, err)
	require.True(w.t, w.hub.Publish(push.Key{App: app, IDC: "na61"}, s))
	return set.Version()
}

func (w *world) progress(app string) push.Progress {
	p, ok := w.hub.Progress(push.Key{App: app, IDC: "na61"})
	require.True(w.t, ok)
	return p
}

func auditChange() audit.Change { return audit.Change{Actor: "test", Verb: "ban", Kind: "agent"} }

func identityOf(app, instance string) auth.AgentIdentity {
	return auth.AgentIdentity{App: app, IDC: "na61", Instance: instance}
}
