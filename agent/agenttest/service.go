package agenttest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
)

var errDown = errors.New("the test took the controller down")

// service is the gRPC face of a Controller.
type service struct {
	agentv1.UnimplementedAgentServiceServer
	c *Controller
}

// Enroll takes the Token, or without one a credential that is still good.
func (s service) Enroll(ctx context.Context, r *agentv1.EnrollRequest) (*agentv1.EnrollResponse, error) {
	c := s.c
	renewal := r.GetToken() == "" && c.authorised(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.GetToken() != Token && !renewal {
		return nil, status.Error(codes.Unauthenticated, "unknown enrolment token")
	}
	c.enrolled++
	credential := fmt.Sprintf("credential-%d", c.enrolled)
	ends := time.Now().Add(c.opts.CredentialLife)
	c.tokens[credential] = ends
	c.notify()
	return &agentv1.EnrollResponse{Credential: credential, ExpiresAtNs: ends.Add(c.opts.Skew).UnixNano()}, nil
}

func (c *Controller) authorised(ctx context.Context) bool {
	md, _ := metadata.FromIncomingContext(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, v := range md.Get("authorization") {
		for credential, ends := range c.tokens {
			if v == "Bearer "+credential && time.Now().Before(ends) {
				return true
			}
		}
	}
	return false
}

// session is one agent's stream.
type session struct {
	c      *Controller
	cut    context.CancelFunc
	hello  gear.Hello
	held   gear.Version
	tables map[string]bool

	mu    sync.Mutex
	queue []*agentv1.ConnectResponse
	wake  chan struct{}
}

func (s *session) post(m *agentv1.ConnectResponse) {
	s.mu.Lock()
	s.queue = append(s.queue, m)
	s.mu.Unlock()
	s.nudge()
}

func (s *session) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

type stream = grpc.BidiStreamingServer[agentv1.ConnectRequest, agentv1.ConnectResponse]

// Connect serves one agent.
func (s service) Connect(st stream) error {
	c := s.c
	if !c.authorised(st.Context()) {
		return status.Error(codes.Unauthenticated, "no valid credential")
	}
	ctx, cancel := context.WithCancel(st.Context())
	defer cancel()
	ses := &session{c: c, cut: cancel, tables: map[string]bool{}, wake: make(chan struct{}, 1)}
	defer func() {
		c.mu.Lock()
		delete(c.sessions, ses)
		c.notify()
		c.mu.Unlock()
	}()
	received := make(chan error, 1)
	go func() { // ends with the stream
		for {
			m, err := st.Recv()
			if err != nil {
				received <- err
				return
			}
			ses.take(m)
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return status.Error(codes.Unavailable, "cut")
		case <-received:
			return nil
		case <-ses.wake:
			if c.muted() {
				continue
			}
		}
		ses.mu.Lock()
		queue := ses.queue
		ses.queue = nil
		ses.mu.Unlock()
		for _, m := range queue {
			if err := st.Send(m); err != nil {
				return err
			}
			if m.GetGoodbye() != nil {
				return nil
			}
		}
	}
}

// take notes what an agent sent and answers it.
func (s *session) take(m *agentv1.ConnectRequest) {
	c := s.c
	now := time.Now().Add(c.opts.Skew)
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.Hello != nil {
		h, problems := wire.ToHello(m.Hello)
		if len(problems) > 0 {
			s.post(goodbye(problems.Error(), 0))
			return
		}
		s.greet(h, now)
	}
	if m.Ack != nil {
		a, _ := wire.ToAck(m.Ack)
		c.acks = append(c.acks, a)
		if !a.Refused {
			s.held = a.Version
		}
	}
	if m.Report != nil {
		if r, problems := wire.ToReport(m.Report); len(problems) == 0 {
			c.reports = append(c.reports, r)
		}
	}
	if len(m.Quota) > 0 {
		if counts, problems := wire.ToQuotaCounts(m.Quota); len(problems) == 0 {
			c.counts = append(c.counts, counts...)
		}
	}
	if m.Clock != nil {
		s.post(&agentv1.ConnectResponse{Body: &agentv1.ConnectResponse_Clock{Clock: &agentv1.ClockReading{
			AgentSentNs: m.Clock.AgentSentNs, ReferenceNs: now.UnixNano(),
		}}})
	}
	c.notify()
}

func (s *session) greet(h gear.Hello, now time.Time) {
	c := s.c
	c.hellos = append(c.hellos, h)
	s.hello, s.held = h, h.Held
	clear(s.tables)
	for _, t := range h.Tables {
		s.tables[t] = true
	}
	if _, again := c.sessions[s]; !again {
		c.sessions[s] = struct{}{}
		s.post(&agentv1.ConnectResponse{Body: &agentv1.ConnectResponse_Welcome{Welcome: &agentv1.Welcome{
			Session: fmt.Sprintf("session-%d", len(c.hellos)), Instance: cmp.Or(c.opts.Instance, h.Instance), ReferenceNs: now.UnixNano(),
			ReportIntervalNs: int64(c.opts.ReportInterval), FrameIntervalNs: int64(c.opts.FrameInterval),
			OrderTtlNs: int64(c.opts.OrderTTL), ClockIntervalNs: int64(c.opts.ClockInterval), Epoch: c.set.Epoch,
		}}})
	}
	s.state(true)
	if len(c.bases) > 0 {
		s.post(c.quotas())
	}
}

func goodbye(reason string, after time.Duration) *agentv1.ConnectResponse {
	return &agentv1.ConnectResponse{Body: &agentv1.ConnectResponse_Goodbye{Goodbye: &agentv1.Goodbye{
		Reason: reason, RetryAfterNs: int64(after),
	}}}
}
