package link

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/allspark/allspark/agent/gearbox"
	"github.com/allspark/allspark/proto/gear"
)

// Config says whom to talk to, as whom, and about what.
type Config struct {
	Addresses  []string      // tried in turn
	Dialer     Dialer        // nil: TCP
	Skew       time.Duration // shifts the machine's clock, for tests
	TLS        *tls.Config
	EnrolToken string

	App, IDC, Host string
	Instance       string

	Box *gearbox.Box
	// Quota takes base quotas; nil ignores them.
	Quota Quotas
	// Hello describes the app; the link fills in the instance.
	Hello func() gear.Hello
	Log   *slog.Logger
}

// Quotas takes base quotas as they come, on the receiving goroutine: it must not
// block.
type Quotas interface {
	Apply(q gear.BaseQuotas)
	// Restart says that the stream on which the last frame came is gone.
	Restart()
}

// Intervals are the controller's wishes, with the defaults until it has spoken.
type Intervals struct {
	Report, Frame, Clock time.Duration
}

var defaultIntervals = Intervals{Report: time.Second, Frame: 100 * time.Millisecond, Clock: 10 * time.Second}

// Status is how the link stands, for people.
type Status struct {
	Connected  bool
	Controller string // the address of the stream, or of the last attempt
	Session    string
	Instance   string
	LastError  string    // why the last stream ended or could not be opened
	Since      time.Time // of Connected
	Refusal    gear.Problems
	Refused    gear.Version // the version Refusal is about
}

// Link is the stream of one agent.
type Link struct {
	cfg       Config
	out       *outbox
	clock     *clock
	intervals atomic.Pointer[Intervals]

	mu         sync.Mutex
	instance   string
	credential credential
	status     Status
	asked      gear.Version // the version whose tables were asked for
	left       []string     // points that had no room in the last hello
}

// New makes a link; Run opens the stream.
func New(cfg Config) *Link {
	l := &Link{cfg: cfg, out: newOutbox(), clock: newClock(cfg.Skew), instance: cfg.Instance}
	l.intervals.Store(&defaultIntervals)
	l.status = Status{Instance: cfg.Instance, Since: time.Now()}
	return l
}

// Run keeps a stream open until ctx ends.
func (l *Link) Run(ctx context.Context) {
	for address, failures := 0, 0; ctx.Err() == nil; {
		end := l.session(ctx, l.cfg.Addresses[address%len(l.cfg.Addresses)])
		l.cfg.Box.Lost()
		l.ended(end)
		if ctx.Err() != nil {
			return
		}
		if end.lived >= settled {
			failures = 0
		} else {
			address++
		}
		wait := backoff(failures)
		if end.retryAfter > 0 {
			wait = spread(end.retryAfter)
		}
		failures++
		if end.final {
			l.rename(newInstance(l.cfg.Host))
			wait = max(wait, backoff(1<<10))
		}
		if !pause(ctx, wait) {
			return
		}
	}
}

// ending is how a stream came to its end.
type ending struct {
	err        error
	lived      time.Duration // since the welcome; 0 without one
	retryAfter time.Duration
	final      bool
}

func (l *Link) ended(end ending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.status
	if l.status.Connected {
		l.status.Since = time.Now()
	}
	l.status.Connected, l.status.Session = false, ""
	if end.err == nil || errors.Is(end.err, context.Canceled) {
		return
	}
	if c := status.Code(end.err); c == codes.Unauthenticated || c == codes.PermissionDenied {
		l.credential = credential{}
	}
	l.status.LastError = gear.Shown(end.err.Error())
	if full := end.err.Error(); len(full) < 500 {
		l.status.LastError = inert(full)
	}
	if was.Connected || was.LastError != l.status.LastError { // once, not every attempt
		l.cfg.Log.Warn("no stream to the controller", "controller", l.status.Controller, "error", l.status.LastError)
	}
}

// Offer gives the link a report to send when it can. It never blocks.
func (l *Link) Offer(r *gear.Report) { l.out.putReport(r) }

// OfferQuota gives the link counts to send at once: they are what the controller
// regulates by. frame is the newest frame of base quotas received. It never blocks.
func (l *Link) OfferQuota(counts []gear.QuotaCount, frame int64) { l.out.putQuota(counts, frame) }

// Rehello tells the controller what the app declares now.
func (l *Link) Rehello() { l.out.put(func() { l.out.hello = true }) }

// Status tells how the link stands.
func (l *Link) Status() Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.status
}

// Reference is the estimate of reference time and how far the machine's clock is
// ahead of it; known is false before a controller has answered a probe.
func (l *Link) Reference() (now time.Time, ahead time.Duration, known bool) {
	return l.clock.reference()
}

// Intervals are the intervals in force.
func (l *Link) Intervals() Intervals { return *l.intervals.Load() }
