package agentapi

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/push"
)

const (
	// hangUpAfter is how long a cut stream has to go away by itself.
	hangUpAfter = time.Second
	// maxStopRetry spreads the agents of a controller that stops.
	maxStopRetry = 2 * time.Second
)

type connectStream = grpc.BidiStreamingServer[agentv1.ConnectRequest, agentv1.ConnectResponse]

// session is one registered stream.
type session struct {
	svc    *Service
	ctx    context.Context // the stream's
	stream connectStream
	source Source
	id     string
	out    *push.Outbox

	// The rest belongs to the reading goroutine.
	sequence int64
	frames   bucket
	rehello  time.Time // of the last request for a hello
}

// Connect is the one long stream of an agent.
func (s *Service) Connect(stream connectStream) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.panicked(p)
			err = status.Error(codes.Internal, "internal error")
		}
		err = toStatus(err)
	}()
	ctx := stream.Context()
	credential, err := bearer(ctx)
	if err != nil {
		return err
	}
	who, err := s.opt.Auth.Verify(ctx, credential)
	if err != nil {
		return err
	}
	if ok, retry := s.admission.admit(who.App, time.Now(), s.opt.HelloRate, s.opt.AppHelloRate); !ok {
		s.stats.turnedAway.Add(1)
		return goodbye(stream, fault.New(fault.RateLimited, "too many agents at once, come back in %s", retry.Round(time.Millisecond)), retry, false)
	}
	reading := &reader{first: make(chan *agentv1.ConnectRequest, 1), ready: make(chan *session, 1), done: make(chan error, 1)}
	go reading.run(s, stream)
	ss, err := s.greet(stream, reading, who)
	if err != nil {
		return err
	}
	clean := false
	s.stats.streams.Add(1)
	defer func() {
		s.stats.streams.Add(-1)
		ss.out.Leave(clean)
		s.opt.Fleet.Disconnect(ss.id, s.opt.Clock.Now())
	}()
	reading.ready <- ss
	clean, err = ss.write(reading.done)
	return err
}

// greet waits for the hello, registers the agent and sends the welcome.
func (s *Service) greet(stream connectStream, in *reader, who auth.AgentIdentity) (*session, error) {
	timer := time.NewTimer(s.opt.HelloTimeout)
	defer timer.Stop()
	var first *agentv1.ConnectRequest
	select {
	case first = <-in.first:
	case err := <-in.done:
		return nil, err
	case <-timer.C:
		return nil, status.Errorf(codes.DeadlineExceeded, "no hello within %s", s.opt.HelloTimeout)
	case <-s.stop:
		return nil, s.stopping(stream)
	}
	ctx := stream.Context()
	address, hangUp := peerOf(ctx)
	now := s.opt.Clock.Now()
	hello, err := s.checkHello(first.GetHello(), who)
	var c fleet.Connection
	if err == nil {
		c, err = s.opt.Fleet.Connect(hello, address, now)
	}
	if err != nil {
		s.stats.refused.Add(1)
		s.opt.Log.WarnContext(ctx, "hello refused", "app", who.App, "idc", who.IDC, "instance", gear.Shown(who.Instance), "address", address, "error", err)
		return nil, err
	}
	welcome := &agentv1.ConnectResponse{Body: &agentv1.ConnectResponse_Welcome{Welcome: &agentv1.Welcome{
		Session: c.Session, Instance: c.Instance, ReferenceNs: now.UnixNano(), Epoch: s.opt.Epoch(),
		ReportIntervalNs: int64(s.opt.ReportInterval), FrameIntervalNs: int64(s.opt.FrameInterval),
		OrderTtlNs: int64(s.opt.OrderTTL), ClockIntervalNs: int64(s.opt.ClockInterval),
	}}}
	if err := stream.Send(welcome); err != nil {
		s.opt.Fleet.Disconnect(c.Session, s.opt.Clock.Now())
		return nil, err
	}
	ss := &session{svc: s, ctx: ctx, stream: stream, id: c.Session, source: Source{App: hello.App, IDC: hello.IDC, Instance: c.Instance}}
	key := push.Key{App: hello.App, IDC: hello.IDC}
	s.checkAhead(key, hello.Held)
	ss.out = s.opt.Hub.Join(key, c.Instance, held(&hello, c))
	ss.out.OnCut(func() {
		s.stats.cuts.Add(1)
		t := time.AfterFunc(hangUpAfter, hangUp)
		context.AfterFunc(ctx, func() { t.Stop() })
	})
	s.stats.hellos.Add(1)
	s.opt.Joined(hello.App, hello.IDC)
	return ss, nil
}

func held(h *gear.Hello, c fleet.Connection) push.Held {
	return push.Held{Version: h.Held, Hash: h.HeldHash, Tables: h.Tables, Refused: c.LastAck}
}

// checkAhead tells the controller about an agent that holds more than is known
// here.
func (s *Service) checkAhead(k push.Key, v gear.Version) {
	if current, _, ok := s.opt.Hub.Current(k); v != (gear.Version{}) && (!ok || current.Less(v)) {
		s.opt.Ahead(v)
	}
}

// checkHello reads the hello and holds it against the credential.
func (s *Service) checkHello(p *agentv1.Hello, who auth.AgentIdentity) (gear.Hello, error) {
	if p == nil {
		return gear.Hello{}, fault.New(fault.Invalid, "the first frame must be a hello")
	}
	h, ps := wire.ToHello(p)
	if len(ps) > 0 {
		return gear.Hello{}, fault.WithProblems(ps, "hello refused")
	}
	if who.App != gear.Any && who.App != h.App || who.IDC != gear.Any && who.IDC != h.IDC {
		return gear.Hello{}, fault.New(fault.Forbidden, "this credential is for app %s in %s, not for app %s in %s",
			who.App, who.IDC, gear.Shown(h.App), gear.Shown(h.IDC))
	}
	if reason := s.opt.Fleet.Banned(who.Instance); reason != "" {
		return gear.Hello{}, fault.New(fault.Forbidden, "agent %s is banned: %s", who.Instance, gear.Shown(reason))
	}
	return h, nil
}

// write is the loop of the stream's writer: it sends what is due and sleeps. It
// reports whether the agent ended the stream by itself.
func (ss *session) write(done <-chan error) (clean bool, err error) {
	var due []any
	for {
		due = ss.out.Next(due[:0])
		for i, f := range due {
			due[i] = nil // an idle stream must not keep old frames alive
			if err := f.(*Frame).send(ss.stream); err != nil {
				return false, err
			}
		}
		select {
		case <-ss.out.Wake():
		case <-ss.out.Cut():
			reason := ss.out.Reason()
			ss.svc.opt.Log.InfoContext(ss.ctx, "agent cut", "app", ss.source.App, "idc", ss.source.IDC, "instance", ss.source.Instance, "reason", reason)
			return false, goodbye(ss.stream, fault.New(fault.Unavailable, "%s", reason), minRetry, false)
		case err := <-done:
			if errors.Is(err, io.EOF) {
				return true, nil
			}
			return false, err
		case <-ss.svc.stop:
			return false, ss.svc.stopping(ss.stream)
		case <-ss.ctx.Done():
			return false, ss.ctx.Err()
		}
	}
}

func (s *Service) stopping(stream connectStream) error {
	retry := minRetry + rand.N(maxStopRetry)
	return goodbye(stream, fault.New(fault.Unavailable, "the controller stops"), retry, false)
}

// goodbye sends the reason in a frame, which every agent reads, and gives the
// error that ends the stream.
func goodbye(stream connectStream, why *fault.Error, retry time.Duration, final bool) error {
	_ = stream.Send(&agentv1.ConnectResponse{Body: &agentv1.ConnectResponse_Goodbye{Goodbye: &agentv1.Goodbye{
		Reason: why.Message, RetryAfterNs: int64(retry), Final: final,
	}}})
	return toStatus(why)
}

func (s *Service) panicked(p any) {
	s.stats.panics.Add(1)
	s.opt.Log.Error("panic in an agent's stream", "panic", p, "stack", string(debug.Stack()))
}
