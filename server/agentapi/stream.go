package agentapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/push"
	"github.com/allspark/allspark/server/telemetry"
)

const (
	// hangUpAfter is how long a cut stream has to go away by itself.
	hangUpAfter = time.Second
	// maxStopRetry spreads the agents of a controller that stops.
	maxStopRetry = 2 * time.Second
)

var (
	errStopping = errors.New("the controller stops")
	errNoHello  = errors.New("no hello in time")
)

// cutError is the hub's reason to end a stream.
type cutError string

func (e cutError) Error() string { return string(e) }

type connectStream = grpc.BidiStreamingServer[agentv1.ConnectRequest, agentv1.ConnectResponse]

// session is one stream.
type session struct {
	svc    *Service
	ctx    context.Context // the stream's
	cancel context.CancelCauseFunc
	stream connectStream
	in     grpc.ServerStream // of stream
	source telemetry.Source
	id     string
	out    *push.Outbox
	staged StagedMember // nil without staging
	writeState

	// The rest belongs to the handler, which reads.
	sequence int64
	frames   bucket
	rehello  time.Time // of the last request for a hello
}

// Connect is the one long stream of an agent. Its goroutine sleeps in RecvMsg
// for hours, so the frames below that are kept small: everything else happens in
// functions that return. At less than 3.2 KiB the collector shrinks the stack to
// 8 KiB; a little more and every agent costs 16.
func (s *Service) Connect(stream connectStream) (err error) {
	ss, err := s.open(stream)
	if err != nil {
		return err
	}
	defer ss.close(&err)
	for {
		in := new(inbound)
		if err = ss.in.RecvMsg(in); err != nil {
			return err
		}
		if err = ss.take(in); err != nil {
			return err
		}
	}
}

// open does everything up to the first state. After an error nothing is left.
func (s *Service) open(stream connectStream) (_ *session, err error) {
	ctx := stream.Context()
	cancel, err := canceller(ctx)
	if err != nil {
		return nil, toStatus(err)
	}
	ss := &session{svc: s, ctx: ctx, cancel: cancel, stream: stream, in: stream}
	defer func() {
		if s.recovered(recover(), &err); err != nil {
			ss.leave(false)
			err = toStatus(ss.status(err))
		}
	}()
	who, err := s.admit(ctx, stream)
	if err != nil {
		return nil, err
	}
	if g, ok := stream.(*grpc.GenericServerStream[agentv1.ConnectRequest, agentv1.ConnectResponse]); ok {
		ss.in = g.ServerStream // without the wrapper's stack frames
	}
	if err = s.enter(ss); err == nil {
		err = ss.greet(who)
	}
	if err != nil {
		return nil, err
	}
	ss.flush(nil)
	s.stats.streams.Add(1)
	return ss, nil
}

// close leaves hub and fleet, and gives the stream its status.
func (ss *session) close(err *error) {
	s := ss.svc
	s.recovered(recover(), err)
	cause := ss.cause(*err)
	clean := errors.Is(cause, io.EOF)
	s.stats.streams.Add(-1)
	ss.leave(clean)
	if *err = nil; !clean {
		*err = toStatus(ss.status(cause))
	}
}

// leave undoes what open has done so far.
func (ss *session) leave(clean bool) {
	ss.svc.forget(ss)
	ss.cancel(nil)
	ss.endWriting()
	if ss.out != nil {
		// One that was replaced must not take its successor out of the crew.
		if q := ss.svc.opt.Quotas; q != nil && ss.svc.opt.Fleet.Live(ss.id) {
			q.Gone(ss.source.App, ss.source.IDC, ss.source.Instance)
		}
		if ss.staged != nil {
			ss.staged.Leave(clean)
		}
		ss.out.Leave(clean)
	}
	if ss.id != "" {
		ss.svc.opt.Fleet.Leave(ss.id, clean, ss.svc.opt.Clock.Now())
	}
}

// recovered turns a panic of one stream's handling into the end of that stream.
func (s *Service) recovered(p any, err *error) {
	if p != nil {
		s.stats.panics.Add(1)
		s.opt.Log.Error("panic in an agent's stream", "panic", p, "stack", string(debug.Stack()))
		*err = status.Error(codes.Internal, "internal error")
	}
}

// admit verifies the credential and lets the agent in, or sends it away.
func (s *Service) admit(ctx context.Context, stream connectStream) (who auth.AgentIdentity, err error) {
	credential, err := bearer(ctx)
	if err != nil {
		return who, err
	}
	if who, err = s.opt.Auth.Verify(ctx, credential); err != nil {
		return who, err
	}
	if ok, retry := s.admission.admit(who.App, time.Now(), s.opt.HelloRate, s.opt.AppHelloRate); !ok {
		s.stats.turnedAway.Add(1)
		why := fault.New(fault.RateLimited, "too many agents at once, come back in %s", retry.Round(time.Millisecond))
		sayGoodbye(stream, why.Message, retry)
		return who, why
	}
	return who, nil
}

// greet waits for the hello, registers the agent, welcomes it and joins the hub.
// After an error nothing of it is left.
func (ss *session) greet(who auth.AgentIdentity) error {
	s := ss.svc
	first, err := ss.firstFrame()
	if err != nil {
		return err
	}
	address, _ := peerOf(ss.ctx)
	now := s.opt.Clock.Now()
	hello, err := s.checkHello(first.GetHello(), who)
	var c fleet.Connection
	if err == nil {
		c, err = s.opt.Fleet.Connect(hello, address, now)
	}
	if err != nil {
		s.stats.refused.Add(1)
		s.opt.Log.WarnContext(ss.ctx, "hello refused", "app", who.App, "idc", who.IDC, "instance", gear.Shown(who.Instance), "address", address, "error", err)
		return err
	}
	ss.id, ss.source = c.Session, telemetry.Source{App: hello.App, IDC: hello.IDC, Instance: c.Instance}
	welcome := &agentv1.ConnectResponse{Body: &agentv1.ConnectResponse_Welcome{Welcome: &agentv1.Welcome{
		Session: c.Session, Instance: c.Instance, ReferenceNs: now.UnixNano(), Epoch: s.opt.Epoch(),
		ReportIntervalNs: int64(s.opt.ReportInterval), FrameIntervalNs: int64(s.opt.FrameInterval),
		OrderTtlNs: int64(s.opt.OrderTTL), ClockIntervalNs: int64(s.opt.ClockInterval),
	}}}
	if err := ss.welcome(welcome); err != nil {
		return err
	}
	key := push.Key{App: hello.App, IDC: hello.IDC}
	s.checkAhead(key, hello.Held)
	ss.writing.Store(writeBusy) // until the first state is out, the handler writes
	ss.out = s.opt.Hub.Join(key, c.Instance, push.Held{Version: hello.Held, Hash: hello.HeldHash, Tables: hello.Tables, Refused: c.LastAck}, ss)
	if reason := s.opt.Fleet.Banned(c.Instance); reason != "" { // since the hello, when there was no stream to cut
		return fault.New(fault.Forbidden, "agent %s is banned: %s", c.Instance, gear.Shown(reason))
	}
	ss.joinStaging(hello.StagedHash)
	s.stats.hellos.Add(1)
	s.opt.Joined(hello.App, hello.IDC)
	return nil
}

// welcome is sent before the hub knows the stream, but not after an end.
func (ss *session) welcome(r *agentv1.ConnectResponse) error {
	ss.sendMu.Lock()
	defer ss.sendMu.Unlock()
	if ss.ended {
		return errStopping
	}
	return ss.stream.Send(r)
}

// firstFrame reads the hello's frame within the time it has.
func (ss *session) firstFrame() (*agentv1.ConnectRequest, error) {
	t := time.AfterFunc(ss.svc.opt.HelloTimeout, func() { ss.end(errNoHello, minRetry) })
	defer t.Stop()
	first := new(inbound)
	if err := ss.stream.RecvMsg(first); err != nil {
		return nil, ss.cause(err)
	}
	return &first.frame, first.err("the hello", "declare fewer points, parameters or values")
}

// checkAhead tells the controller about an agent that holds more than is known
// here.
func (s *Service) checkAhead(k push.Key, v gear.Version) {
	if current, _, ok := s.opt.Hub.Current(k); v != (gear.Version{}) && (!ok || current.Less(v)) {
		s.opt.Ahead(k.App, k.IDC, v)
	}
}

// credible refuses a version that no journal can have given: the epoch must pass
// what agents hold, and one that lies may not carry it to where numbers end.
func (s *Service) credible(held gear.Version) gear.Problems {
	if epoch := s.opt.Epoch(); held.Epoch-epoch > control.MaxAhead {
		return gear.Problems{{Path: "held.epoch", Code: "range", Message: fmt.Sprintf(
			"held.epoch is %d, but the journal's is %d: delete what the agent keeps on disk", held.Epoch, epoch)}}
	}
	return nil
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
	if ps := s.credible(h.Held); len(ps) > 0 {
		return gear.Hello{}, fault.WithProblems(ps, "hello refused")
	}
	if reason := s.opt.Fleet.Banned(who.Instance); reason != "" {
		return gear.Hello{}, fault.New(fault.Forbidden, "agent %s is banned: %s", who.Instance, gear.Shown(reason))
	}
	return h, nil
}

// cause tells what ended the stream when err only says that it was cancelled.
func (ss *session) cause(err error) error {
	if c := context.Cause(ss.ctx); c != nil {
		return c
	}
	return err
}

// status logs why a stream was ended from this side, and gives its status.
func (ss *session) status(err error) error {
	var cut cutError
	switch {
	case errors.As(err, &cut):
		ss.svc.opt.Log.InfoContext(ss.ctx, "agent cut", "app", ss.source.App, "idc", ss.source.IDC, "instance", ss.source.Instance, "reason", string(cut))
		return fault.New(fault.Unavailable, "%s", string(cut))
	case errors.Is(err, errStopping), errors.Is(err, errNoHello):
		return fault.New(fault.Unavailable, "%s", err.Error())
	case fault.Is(err, fault.TooLarge), status.Code(err) == codes.ResourceExhausted: // the latter beyond what gRPC itself takes
		ss.svc.stats.refused.Add(1)
		ss.svc.opt.Log.WarnContext(ss.ctx, "frame refused", "app", ss.source.App, "idc", ss.source.IDC, "instance", ss.source.Instance, "error", err)
	}
	return err
}

func sayGoodbye(stream connectStream, reason string, retry time.Duration) {
	_ = stream.Send(&agentv1.ConnectResponse{Body: &agentv1.ConnectResponse_Goodbye{Goodbye: &agentv1.Goodbye{
		Reason: reason, RetryAfterNs: int64(retry),
	}}})
}
