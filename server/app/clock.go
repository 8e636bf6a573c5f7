package app

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// wall is this machine's clock.
func (a *App) wall() time.Time { return time.Now().Add(a.cfg.ClockOffset) }

const (
	clockEvery  = 10 * time.Second
	clockBudget = 2 * time.Second
)

// refClock gives reference time, the database's, without asking it each time: it
// keeps the offset of this machine's clock and measures it every clockEvery. On
// a replica whose database is away the last offset stands.
type refClock struct {
	now    func(context.Context) (time.Time, error)
	wall   func() time.Time
	offset atomic.Int64
	log    *slog.Logger
}

// Now gives reference time.
func (c *refClock) Now() time.Time { return c.wall().Add(time.Duration(c.offset.Load())) }

// measure asks the database once; half the round trip is taken off.
func (c *refClock) measure(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, clockBudget)
	defer cancel()
	sent := c.wall()
	ref, err := c.now(ctx)
	if err != nil {
		return err
	}
	local := sent.Add(c.wall().Sub(sent) / 2)
	c.offset.Store(int64(ref.Round(0).Sub(local.Round(0))))
	return nil
}

func (c *refClock) run(ctx context.Context) {
	t := time.NewTicker(clockEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := c.measure(ctx); err != nil && ctx.Err() == nil {
				c.log.Warn("reference time not read, the last offset stands", "error", err)
			}
		}
	}
}
