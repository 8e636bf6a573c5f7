package agentapi

import (
	"context"
	"log/slog"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/push"
	"github.com/allspark/allspark/server/telemetry"
)

// Authenticator says who an agent is.
type Authenticator interface {
	// Enroll trades an enrolment token for a credential.
	Enroll(ctx context.Context, token, app, idc, host, instance string) (credential string, expires time.Time, err error)
	// Renew trades a valid credential for a fresh one.
	Renew(ctx context.Context, credential string) (fresh string, expires time.Time, err error)
	// Verify tells whose credential it is; gear.Any in App or IDC allows all.
	Verify(ctx context.Context, credential string) (auth.AgentIdentity, error)
}

// Reports takes what agents measured; telemetry.Windows does. Ingest must not
// block for long: it runs on the agent's reading goroutine. It may keep r.
type Reports interface {
	Ingest(src telemetry.Source, r *gear.Report, now time.Time)
}

// Quotas takes what entered ranking; quota.Meter does. Count must not block.
type Quotas interface {
	Count(app, idc, instance string, counts []gear.QuotaCount, now time.Time)
	// Gone says that the agent's stream ended.
	Gone(app, idc, instance string)
}

// Clock gives reference time.
type Clock interface{ Now() time.Time }

// Options wire and bound the service. Zero numbers give the defaults.
type Options struct {
	Auth    Authenticator
	Hub     *push.Hub
	Fleet   *fleet.Registry
	Reports Reports
	Quotas  Quotas  // nil counts nothing
	Staging Staging // nil stages nothing
	Clock   Clock
	Log     *slog.Logger

	// Ahead is told when an agent holds a version above the one known here for its
	// app x IDC: the journal may have gone back. It must not block.
	Ahead func(app, idc string, v gear.Version)
	// Joined is told that an agent of the app x IDC said hello, perhaps with new
	// points. It must not block.
	Joined func(app, idc string)
	// Epoch gives the journal's epoch for the welcome.
	Epoch func() int64

	ReportInterval time.Duration // 1 s
	FrameInterval  time.Duration // 100 ms: acks ride on the next frame
	OrderTTL       time.Duration // 10 min: how long a last good set counts
	ClockInterval  time.Duration // 10 s between clock probes
	HelloTimeout   time.Duration // 5 s
	FutureReport   time.Duration // 5 s: how far ahead of reference time a report may lie

	HelloRate    float64 // hellos a second, all apps; 2,000
	AppHelloRate float64 // of one app; 1,000
	EnrollRate   float64 // enrolments a second, all together; 500
	FrameRate    float64 // frames a second of one agent; 20
	FrameBurst   float64 // 100
}

func (o Options) withDefaults() Options {
	or := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	or(&o.ReportInterval, time.Second)
	or(&o.FrameInterval, 100*time.Millisecond)
	or(&o.OrderTTL, 10*time.Minute)
	or(&o.ClockInterval, 10*time.Second)
	or(&o.HelloTimeout, 5*time.Second)
	or(&o.FutureReport, 5*time.Second)
	rate := func(f *float64, v float64) {
		if *f <= 0 {
			*f = v
		}
	}
	rate(&o.HelloRate, 2000)
	rate(&o.AppHelloRate, 1000)
	rate(&o.EnrollRate, 500)
	rate(&o.FrameRate, 20)
	rate(&o.FrameBurst, 100)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Ahead == nil {
		o.Ahead = func(string, string, gear.Version) {}
	}
	if o.Joined == nil {
		o.Joined = func(string, string) {}
	}
	if o.Epoch == nil {
		o.Epoch = func() int64 { return 0 }
	}
	return o
}
