package app

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/push"
	"github.com/allspark/allspark/server/telemetry"
)

// retention is set by administrators while the recorder runs.
type retention struct {
	atomic.Pointer[telemetry.Retention]
}

func (a *App) openTelemetry() {
	a.windows = telemetry.New(telemetry.Limits{})
	a.retention.Store(&telemetry.Retention{Minutes: a.cfg.Retention.Minutes, Hours: a.cfg.Retention.Hours})
	a.history = telemetry.History{Store: a.db}
	recorder := &telemetry.Recorder{
		Windows: a.windows, Store: a.db, Writer: a.cfg.Replica,
		Available: a.publisher.available,
		Retention: func() telemetry.Retention { return *a.retention.Load() },
		Now:       func(context.Context) (time.Time, error) { return a.clock.Now(), nil },
		Log:       a.log,
	}
	a.loops.Go(func() { recorder.Run(a.run) })
}

// available tells the mean RT setpoint that is ordered for a series.
func (p *publisher) available(k telemetry.Key) time.Duration {
	p.mu.Lock()
	shift := p.shifts[push.Key{App: k.App, IDC: k.IDC}]
	p.mu.Unlock()
	if shift == nil {
		return 0
	}
	set := &shift.Set
	var found time.Duration
	for i := range set.Orders {
		o := &set.Orders[i]
		if o.Point != k.Point || o.Bucket != gear.Any {
			continue
		}
		if o.Scene == k.Scene {
			return o.AvailableRT
		}
		if o.Scene == gear.Any {
			found = o.AvailableRT
		}
	}
	return found
}
