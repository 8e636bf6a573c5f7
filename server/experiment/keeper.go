package experiment

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/allspark/allspark/server/fault"
)

const (
	// KeepEvery is how often whoever leads looks after experiments.
	KeepEvery = 2 * time.Second
	// armWithin is how long a start may take to set its claims.
	armWithin = 30 * time.Second
)

// Keeper ends experiments whose time is over, and whose claims somebody released.
// Run it on one replica at a time.
type Keeper struct {
	Service *Service
	Log     *slog.Logger
}

// Run works until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	tick := time.NewTicker(KeepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := k.Turn(ctx); err != nil && ctx.Err() == nil {
				k.Log.Warn("experiments", "error", err)
			}
		}
	}
}

// Turn looks once.
func (k *Keeper) Turn(ctx context.Context) error {
	s := k.Service
	now, err := s.store.Now(ctx)
	if err != nil {
		return err
	}
	running, err := s.store.ListExperiments(ctx, Running, 1000)
	if err != nil {
		return err
	}
	claims, err := s.standing(ctx)
	if err != nil {
		return err
	}
	held, runs := map[string]int{}, map[string]bool{}
	for _, c := range claims {
		held[OfClaim(c)]++
	}
	var all []error
	for _, x := range running {
		runs[x.ID] = true
		ending := ""
		switch {
		case !now.Before(x.EndsAt):
			ending = "its planned end came"
		case !x.Armed && now.Sub(x.StartedAt) > armWithin:
			ending = "its claims could not be set"
		case x.Armed && held[x.ID] < len(Claims(x, x.StartedAt, x.EndsAt)):
			ending = "a claim of one of its arms was released"
		}
		if ending == "" {
			continue
		}
		if err := s.end(ctx, x, ending, system(ending)); err != nil && !fault.Is(err, fault.Stale) {
			all = append(all, err) // stale: somebody stopped it meanwhile
		}
	}
	delete(held, "")
	for id := range held {
		if runs[id] {
			continue
		}
		// One that was started after the list was read must not lose its claims.
		x, err := s.store.GetExperiment(ctx, id)
		if err == nil && x.State == Running {
			continue
		}
		if err != nil && !fault.Is(err, fault.NotFound) {
			all = append(all, err)
			continue
		}
		if err := s.release(ctx, func(of string) bool { return of == id }, "its experiment does not run"); err != nil {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}
