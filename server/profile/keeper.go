package profile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/allspark/allspark/server/audit"
)

const (
	// LearnEvery is how often learnt profiles are looked at.
	LearnEvery = 10 * time.Minute
	// worthSaving is by how much a mean RT, work or effect must have moved: less makes
	// no other table.
	worthSaving = 0.03
	// renewAfter is when an unmoved profile is saved all the same, so that its age
	// tells that it is still measured.
	renewAfter = 6 * time.Hour

	learner = "system:profiles"
)

// KeeperConfig wires a Keeper.
type KeeperConfig struct {
	Learner *Learner
	Store   Store
	Service *Service
	Now     func() time.Time
	Log     *slog.Logger
}

// Keeper saves what was learnt. Run it on one replica at a time; it knows what the
// agents of that replica reported, which are a sample of all.
type Keeper struct {
	cfg   KeeperConfig
	bases map[Key]base
}

// base is what a key's data is put over, as long as the learner holds it: put over
// what it has moved already, the same data would move it again at every turn.
type base struct {
	of      *Profile
	version int64 // of the saved profile that was made of it; any other is the new base
	since   time.Time
}

// NewKeeper makes a keeper.
func NewKeeper(cfg KeeperConfig) *Keeper {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Keeper{cfg: cfg, bases: map[Key]base{}}
}

// Run saves now and then until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	tick := time.NewTicker(LearnEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if _, err := k.Turn(ctx); err != nil && ctx.Err() == nil {
				k.cfg.Log.Error("learnt profiles are not saved", "error", err)
			}
		}
	}
}

// Turn saves every profile that moved, and tells how many.
func (k *Keeper) Turn(ctx context.Context) (saved int, all error) {
	now := k.cfg.Now()
	k.cfg.Learner.Forget(now.Add(-MaxAge[Learned]))
	keys := k.cfg.Learner.Keys()
	maps.DeleteFunc(k.bases, func(key Key, _ base) bool {
		_, still := slices.BinarySearchFunc(keys, key, compareKeys)
		return !still
	})
	failed := 0
	for _, key := range keys {
		ok, err := k.keep(ctx, key, now)
		switch {
		case err != nil && ctx.Err() != nil:
			return saved, errors.Join(all, err)
		case err != nil:
			if failed++; failed <= maxSaid {
				all = errors.Join(all, fmt.Errorf("%s: %w", key, err))
			}
			if _, err := k.cfg.Store.FindProfile(ctx, Key{}, Learned); err != nil { // nothing is answered
				return saved, all
			}
		case ok:
			saved++
		}
	}
	if failed > maxSaid {
		all = errors.Join(all, fmt.Errorf("and %d others", failed-maxSaid))
	}
	return saved, all
}

// maxSaid is how many profiles that could not be saved are told of at a turn.
const maxSaid = 3

// keep saves what was learnt of one key, if it moved.
func (k *Keeper) keep(ctx context.Context, key Key, now time.Time) (saved bool, err error) {
	prior, err := k.cfg.Store.FindProfile(ctx, key, Learned)
	if err != nil {
		return false, err
	}
	from, err := k.base(ctx, key, prior, now)
	if err != nil {
		return false, err
	}
	p, ok := k.cfg.Learner.Profile(key, from)
	if !ok {
		return false, nil
	}
	moved := 1.0
	if prior != nil {
		if moved = p.moved(prior); moved < worthSaving && p.MeasuredAt.Sub(prior.MeasuredAt) < renewAfter {
			return false, nil
		}
	}
	why := fmt.Sprintf("measured on %d requests", p.Samples())
	if prior != nil {
		why += fmt.Sprintf(", moved by up to %.0f %%", 100*moved)
	}
	if err := k.cfg.Service.Learn(ctx, p, audit.Change{Actor: learner, Via: "loop", Reason: why}); err != nil {
		return false, err
	}
	k.bases[key] = base{of: from, version: p.Version, since: k.bases[key].since}
	return true, nil
}

// base gives what the data of a key is put over: the profile saved, or what stands in
// for it, as it was when the data began. Every half-life, when the data weighs half,
// what was saved since takes its place.
func (k *Keeper) base(ctx context.Context, key Key, saved *Profile, now time.Time) (*Profile, error) {
	version := int64(0)
	if saved != nil {
		version = saved.Version
	}
	b, ok := k.bases[key]
	if ok && version != 0 && b.version == version && now.Sub(b.since) < HalfLife {
		return b.of, nil
	}
	b = base{of: saved, version: version, since: now}
	if saved == nil {
		var err error
		if b.of, err = k.standIn(ctx, key); err != nil {
			return nil, err
		}
	}
	k.bases[key] = b
	return b.of, nil
}

// moved is the largest relative change of a level's mean RT, work or effect.
func (p *Profile) moved(from *Profile) float64 {
	if len(p.Levels) != len(from.Levels) || len(p.Classes) != len(from.Classes) {
		return 1
	}
	most := 0.0
	for l := range p.Levels {
		a, b := &p.Levels[l], &from.Levels[l]
		for _, x := range [...][2]float64{{p.MeanRT(l), from.MeanRT(l)}, {a.Work, b.Work}, {a.Effect, b.Effect}} {
			if d := math.Abs(x[0] - x[1]); d > 0 {
				most = max(most, d/max(math.Abs(x[0]), math.Abs(x[1])))
			}
		}
	}
	return most
}
