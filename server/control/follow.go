package control

import (
	"context"
	"time"
)

// followLimit bounds one read of the journal.
const followLimit = 500

// follow hands everything the journal holds to the publisher, whoever wrote it:
// first the newest set of every app x IDC, then what comes.
func (l *Loop) follow(ctx context.Context) {
	tick := time.NewTicker(l.cfg.Tick)
	defer tick.Stop()
	started := false
	for ctx.Err() == nil {
		if err := l.catchUp(ctx, &started); err != nil && ctx.Err() == nil {
			l.cfg.Log.Warn("journal not read, trying again", "error", err)
		}
		l.publishPending(ctx)
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-l.hints:
		}
	}
}

func (l *Loop) catchUp(ctx context.Context, started *bool) error {
	if !*started {
		shifts, err := l.cfg.Store.LatestShifts(ctx)
		if err != nil {
			return err
		}
		l.offer(shifts...)
		*started = true
		return nil
	}
	for {
		l.mu.Lock()
		from := l.newest
		l.mu.Unlock()
		shifts, err := l.cfg.Store.ShiftsSince(ctx, from, followLimit)
		if err != nil {
			return err
		}
		l.offer(shifts...)
		if len(shifts) < followLimit {
			return nil
		}
	}
}

// offer queues shifts for the publisher; of each app x IDC only the newest.
func (l *Loop) offer(shifts ...*Shift) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range shifts {
		if l.newest.Less(s.Version) {
			l.newest = s.Version
		}
		k := place{s.App, s.IDC}
		if waiting := l.pending[k]; waiting != nil && !waiting.Version.Less(s.Version) {
			continue
		}
		if done, ok := l.published[k]; ok && !done.Less(s.Version) {
			continue
		}
		l.pending[k] = s
	}
}

// publishPending tries every queued shift once; what fails stays queued. Only the
// follower calls it, so versions of an app x IDC never overtake each other.
func (l *Loop) publishPending(ctx context.Context) {
	l.mu.Lock()
	batch := make([]*Shift, 0, len(l.pending))
	for _, s := range l.pending {
		batch = append(batch, s)
	}
	l.mu.Unlock()
	for _, s := range batch {
		if err := l.cfg.Publisher.Publish(ctx, s); err != nil {
			if ctx.Err() == nil {
				l.cfg.Log.Warn("shift not published, trying again", "app", s.App, "idc", s.IDC, "revision", s.Version.Revision, "error", err)
			}
			continue
		}
		l.mu.Lock()
		k := place{s.App, s.IDC}
		l.published[k] = s.Version
		if l.pending[k] == s {
			delete(l.pending, k)
		}
		l.mu.Unlock()
	}
}
