package app

import (
	"context"
	"log/slog"
	"time"
)

const (
	// pruneFirst spares the start, and lets a controller that is restarted every
	// day prune all the same.
	pruneFirst  = time.Minute
	pruneEvery  = time.Hour
	pruneBudget = time.Minute
)

// pruner drops what the retention no longer covers, while this replica leads:
// nobody else needs to, and two at once would only wait for each other. The
// journal is kept as long as history by hour, so that every point of a chart can
// be explained, and ended claims at least a day longer, because undoing a shift
// sets them again. The audit log is never pruned: its chain must stay whole.
type pruner struct {
	leading func() bool
	now     func() time.Time // reference time
	jobs    []pruneJob       // in this order
	log     *slog.Logger
}

// pruneJob drops one kind of thing older than before, and tells how many.
type pruneJob struct {
	what string
	keep func() time.Duration
	drop func(ctx context.Context, before time.Time) (int64, error)
}

func (a *App) pruner() *pruner {
	journal := func() time.Duration { return a.retention.Load().Hours }
	return &pruner{
		leading: func() bool { return a.loop.Status().Leading },
		now:     a.clock.Now,
		jobs: []pruneJob{
			{"shifts", journal, a.db.PruneShifts},
			{"level tables", journal, a.db.PruneTables},
			{"claims", func() time.Duration { return max(a.cfg.Retention.Claims, journal()+24*time.Hour) }, a.db.PruneClaims},
			{"alerts", journal, a.db.PruneAlerts},
		},
		log: a.log,
	}
}

func (p *pruner) run(ctx context.Context) {
	t := time.NewTimer(pruneFirst)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			t.Reset(pruneEvery)
			if p.leading() {
				p.once(ctx)
			}
		}
	}
}

// once runs every job; one that fails is tried again in an hour.
func (p *pruner) once(ctx context.Context) {
	for _, j := range p.jobs {
		before := p.now().Add(-j.keep())
		within, cancel := context.WithTimeout(ctx, pruneBudget)
		n, err := j.drop(within, before)
		cancel()
		switch {
		case err != nil && ctx.Err() == nil:
			p.log.Warn("not pruned, trying again in an hour", "what", j.what, "error", err)
		case n > 0:
			p.log.Info("pruned", "what", j.what, "dropped", n, "before", before)
		}
	}
}
