package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
)

const (
	// silentIntervals of the clock without a word, and the stream is cut.
	silentIntervals = 3
	welcomeTimeout  = 15 * time.Second
	closeTimeout    = 500 * time.Millisecond
	confirmAfter    = 500 * time.Millisecond
	renewAgain      = 10 * time.Second // after a renewal that failed, and up to half more
)

// session is one stream, from dial to end.
type session struct {
	link     *Link
	stream   grpc.BidiStreamingClient[agentv1.ConnectRequest, agentv1.ConnectResponse]
	client   agentv1.AgentServiceClient
	watchdog *time.Timer // cuts the stream when it fires
	cancel   context.CancelCauseFunc
	greeted  chan struct{} // of size 1: the welcome came
	renewals sync.WaitGroup
	welcomed atomic.Int64 // nanoseconds since started; 0 before the welcome
	started  time.Time
	retry    time.Time        // a renewal failed: not before; for the sender
	bye      *agentv1.Goodbye // written by the receiver before it ends
}

func (l *Link) session(ctx context.Context, address string) (end ending) {
	l.mu.Lock()
	l.status.Controller = address
	l.mu.Unlock()
	cc, err := dial(address, l.cfg.TLS, l.cfg.Dialer)
	if err != nil {
		return ending{err: err}
	}
	defer cc.Close()
	s := &session{link: l, client: agentv1.NewAgentServiceClient(cc), greeted: make(chan struct{}, 1), started: time.Now()}

	l.mu.Lock()
	enrol := !l.credential.valid(s.started) && (l.cfg.EnrolToken != "" || l.credential.bearer != "")
	l.mu.Unlock()
	if enrol {
		if err := l.enrol(ctx, s.client); err != nil {
			return ending{err: err}
		}
	}
	// The stream outlives ctx by a moment, for the last report.
	streamCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	s.watchdog = time.AfterFunc(welcomeTimeout, func() { cancel(errSilent) })
	defer s.watchdog.Stop()
	l.mu.Lock()
	callCtx := l.credential.authorised(streamCtx)
	l.mu.Unlock()
	opening := context.AfterFunc(ctx, func() { cancel(ctx.Err()) }) // while no frame loop watches ctx
	s.stream, err = s.client.Connect(callCtx)
	if !opening() || err != nil {
		return ending{err: cause(streamCtx, err)}
	}
	l.clock.forget()
	l.out.restart()
	if l.cfg.Quota != nil {
		l.cfg.Quota.Restart()
	}
	s.cancel = cancel
	received := make(chan error, 1)
	go func() { received <- s.receive() }()
	err = s.send(ctx, received)
	cancel(nil)
	s.renewals.Wait()
	end = ending{err: cause(streamCtx, err)}
	if w := s.welcomed.Load(); w > 0 {
		end.lived = time.Since(s.started) - time.Duration(w)
	}
	if s.bye != nil {
		end.err = fmt.Errorf("goodbye: %s", inert(s.bye.GetReason()))
		end.retryAfter = min(max(time.Duration(s.bye.GetRetryAfterNs()), 0), time.Hour)
		end.final = s.bye.GetFinal()
	}
	return end
}

var (
	errSilent  = errors.New("the controller is silent")
	errGoodbye = errors.New("goodbye")
)

// cause prefers the reason a stream was cut over what grpc makes of it.
func cause(ctx context.Context, err error) error {
	if c := context.Cause(ctx); c != nil && !errors.Is(c, context.Canceled) {
		return c
	}
	return err
}

// send is the only sender of the stream. It returns when the receiver has ended,
// with the reason.
func (s *session) send(ctx context.Context, received <-chan error) error {
	l := s.link
	frame := time.NewTimer(0) // the hello goes out at once
	defer frame.Stop()
	due := true
	probe := time.NewTicker(l.Intervals().Clock)
	defer probe.Stop()
	clockEvery := l.Intervals().Clock
	renew := time.NewTimer(s.renewIn())
	defer renew.Stop()
	renewed := make(chan error, 1)
	renewing := false
	confirm := time.NewTimer(time.Hour)
	confirm.Stop()
	defer confirm.Stop()
	for {
		select {
		case err := <-received:
			return err
		case <-ctx.Done():
			return s.farewell(received)
		case <-l.out.wake:
			switch {
			case l.out.hurried():
				due = true
				frame.Reset(0)
			case !due:
				due = true
				frame.Reset(s.untilFrame())
			}
		case <-frame.C:
			due = false
			if err := s.flush(); err != nil {
				return s.broken(err, received)
			}
			if every := l.Intervals().Clock; every != clockEvery {
				clockEvery = every
				probe.Reset(every)
			}
		case <-s.greeted:
			confirm.Reset(confirmAfter)
			l.out.put(func() { l.out.probe = true }) // not beside the hello: registering takes time of its own
		case <-confirm.C:
			l.cfg.Box.Contact()
		case <-probe.C:
			l.out.put(func() { l.out.probe = true })
			if !renewing {
				renew.Reset(s.renewIn()) // the clock may have been learnt meanwhile
			}
		case <-renew.C:
			renewing = true
			s.renewals.Go(func() { // beside the frames: an answer may take seconds
				renewed <- l.enrol(s.stream.Context(), s.client)
			})
		case err := <-renewed:
			if renewing = false; err != nil && ctx.Err() == nil {
				l.cfg.Log.Warn("credential not renewed", "error", inert(err.Error()))
				s.retry = time.Now().Add(spread(renewAgain))
			}
			renew.Reset(s.renewIn())
		}
	}
}

// untilFrame is the time to the next frame on the stream's own grid.
func (s *session) untilFrame() time.Duration {
	every := s.link.Intervals().Frame
	return every - time.Since(s.started)%every
}

func (s *session) renewIn() time.Duration {
	l := s.link
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.credential.bearer == "" {
		return 365 * 24 * time.Hour
	}
	return max(time.Until(l.credential.renew), time.Until(s.retry), time.Second)
}

func (s *session) flush() error {
	l := s.link
	for _, f := range l.out.take(l.hello, func() int64 { return l.clock.local().UnixNano() }) {
		if err := s.stream.Send(f); err != nil {
			return err
		}
	}
	return nil
}

// broken ends a stream on which a frame could not be sent. After io.EOF only the
// receiver knows why.
func (s *session) broken(err error, received <-chan error) error {
	if errors.Is(err, io.EOF) {
		return <-received
	}
	s.cancel(err)
	<-received
	return err
}

// farewell sends what is due and closes the stream in good order, within a bound.
func (s *session) farewell(received <-chan error) error {
	bound := time.AfterFunc(closeTimeout, func() { s.cancel(context.Canceled) })
	defer bound.Stop()
	if s.flush() != nil || s.stream.CloseSend() != nil {
		s.cancel(context.Canceled)
	}
	<-received
	return context.Canceled
}
