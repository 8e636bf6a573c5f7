package app

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/feedback"
	"github.com/allspark/allspark/server/lease"
)

// feedbackLease names the lease of the replica that judges measurements. It is not
// the controller's: judging reads only what this replica's agents report, and a
// replica that decides need not serve any.
const feedbackLease = "feedback"

// runFeedback regulates central points while this replica holds the lease.
func (a *App) runFeedback(holder string) {
	keeper := lease.New(lease.Config{
		Store: a.db, Clock: a.db, Name: feedbackLease, Holder: holder, TTL: a.cfg.Lease.TTL, Wall: a.wall, Log: a.log,
		Lead: func(ctx context.Context, _ lease.Lease) {
			feedback.NewLoop(feedback.Config{
				Windows: a.windows, Claims: a.claims, Orders: a.publisher.inForce, Log: a.log, Now: a.clock.Now,
				Standing: func(ctx context.Context) ([]*control.Claim, error) { return a.db.ClaimsAt(ctx, a.clock.Now()) },
			}).Run(ctx)
		},
	})
	a.loops.Go(func() { keeper.Run(a.run) })
}

// inForce gives the newest shift of every app x IDC, by app and IDC: where several
// speak of one thing, the same one counts each time.
func (p *publisher) inForce() []*control.Shift {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.SortedFunc(maps.Values(p.shifts), func(a, b *control.Shift) int {
		return cmp.Or(cmp.Compare(a.App, b.App), cmp.Compare(a.IDC, b.IDC))
	})
}
