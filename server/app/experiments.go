package app

import (
	"context"

	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/experiment"
	"github.com/allspark/allspark/server/lease"
)

// experimentLease names the lease of the replica that ends experiments.
const experimentLease = "experiments"

// runExperiments records what arms do on every replica, and ends experiments on one.
func (a *App) runExperiments(holder string) {
	standing := func(ctx context.Context) ([]*control.Claim, error) { return a.db.ClaimsAt(ctx, a.clock.Now()) }
	a.trials = experiment.NewService(a.db, a.claims, standing)
	recorder := &experiment.Recorder{Store: a.db, Windows: a.windows, Writer: a.cfg.Replica, Log: a.log}
	a.loops.Go(func() { recorder.Run(a.run) })
	keeper := lease.New(lease.Config{
		Store: a.db, Clock: a.db, Name: experimentLease, Holder: holder, TTL: a.cfg.Lease.TTL, Wall: a.wall, Log: a.log,
		Lead: func(ctx context.Context, _ lease.Lease) {
			(&experiment.Keeper{Service: a.trials, Log: a.log}).Run(ctx)
		},
	})
	a.loops.Go(func() { keeper.Run(a.run) })
}
